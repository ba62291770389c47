/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ext4.h - the parts of the ext4 policy: what it remembers, how it searches, where
 * directories go. Facts from the kernel's fs/ext4/mballoc.c, ialloc.c, extents.c, in
 * words of our own.
 */
#ifndef SRC_LAB_EXT4_H
#define SRC_LAB_EXT4_H

#include "src/lab/policy.h"

#define EXT4_SMALL	  16u  /* blocks: smaller files share a group's preallocation */
#define EXT4_GROUP_AHEAD  512u /* blocks of such a preallocation (s_mb_group_prealloc) */
#define EXT4_MIN_SCAN	  10u  /* holes looked at in any case (s_mb_min_to_scan) */
#define EXT4_MAX_SCAN	  200u /* and at most (s_mb_max_to_scan) */
#define EXT4_SHARED_MAX	  8u   /* stretches for small files kept at a time */
#define EXT4_ORDER2_LEAST 4u   /* blocks: smaller powers of two are not asked by chunk */
#define EXT4_FLEX_DIR_LEAST \
	4u /* groups: flex groups this large keep the first for dirs */

/* Set aside for one open file: its next logical block, and the blocks. */
struct ext4_ahead {
	uint32_t file;
	lblk_t lblk;
	struct range left;
};

struct ext4_frags { /* holes of a group, counted when it had seen so many changes */
	uint32_t holes, changes;
	bool known;
};

struct ext4 {
	VEC(struct ext4_ahead) files;
	VEC(struct range) shared; /* set aside for small files */
	group_t stream;		  /* where the last large file got its blocks */
	VEC(struct ext4_frags) frags;
};

/* Looks for len blocks: at the goal if try_goal, then group by group from the goal's on
 * (three passes: aligned chunks, groups whose average hole is large enough, any). What is
 * found may be shorter; len 0: no free block. why is told. */
struct range ext4_search(struct policy *p, struct ext4 *m, blkno_t goal, uint32_t len,
			 bool try_goal, char why[POLICY_WHY]);

/* Orlov's allocator for directories: spreads those below the root, keeps others near
 * their parent. */
group_t ext4_orlov(struct policy *p, group_t parent, bool top);

#endif
