/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * geom.h - the fixed shape of a volume: groups, flex groups and metadata at fixed places.
 *
 * Filled once by src/fs from superblock and group descriptors (ext4's on-disk format:
 * Documentation/filesystems/ext4 in the kernel), immutable afterwards, shared by pointer.
 * All positions and lengths are in blocks.
 */
#ifndef CORE_GEOM_H
#define CORE_GEOM_H

#include "base/err.h"
#include "base/vec.h"
#include "core/owner.h"

/* A stretch of fixed metadata; `group` is the group it serves, which with flex_bg need
 * not be the group it lies in. */
struct fixed {
	blkno_t start;
	uint32_t len;
	group_t group;
	enum owner_kind kind;
};

struct geom {
	uint32_t block_size;	/* bytes */
	uint32_t cluster_ratio; /* blocks in a cluster, 1 without bigalloc */
	blkno_t blocks;		/* of the volume; the last is blocks - 1 */
	blkno_t first_block;	/* s_first_data_block: 1 on 1 KiB blocks, else 0 */
	uint32_t blocks_per_group;
	group_t groups;
	inum_t inodes;
	uint32_t inodes_per_group;
	uint32_t inode_size;	 /* bytes */
	uint32_t flex_groups;	 /* groups in a flex group, 1 without flex_bg */
	inum_t first_inode;	 /* the first that is not reserved, usually 11 */
	bool keep_trees;	 /* quota: see extent_tree_planned() */
	VEC(struct fixed) fixed; /* sorted by start, not overlapping */
};

void geom_init(struct geom *g);
void geom_release(struct geom *g);

/* Sorts g->fixed; ERR_CORRUPT if two stretches overlap or one leaves the volume. */
bool geom_seal(struct geom *g, struct err *err);

/* b must be in [first_block, blocks). */
group_t geom_group_of(const struct geom *g, blkno_t b);
blkno_t geom_group_start(const struct geom *g, group_t group);
/* The last group may be short. */
uint32_t geom_group_len(const struct geom *g, group_t group);
group_t geom_group_of_inode(const struct geom *g, inum_t ino);

/* Index in g->fixed of the first stretch that ends after b, or fixed.n. O(log n). */
size_t geom_fixed_after(const struct geom *g, blkno_t b);

/* Where the kernel would like the data of a new file whose inode is `ino`: start of the
 * second group of the inode's flex group (of the group itself without flex_bg or with
 * flex groups of less than four); the first one is kept for directories
 * (ext4_ext_find_goal, ext4_inode_to_goal_block). */
blkno_t geom_data_goal(const struct geom *g, inum_t ino, bool is_dir);

#endif
