/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * change.h - a change set: all that one batch does to a volume, and all that is needed to
 * do the opposite.
 *
 * relocate.c makes one from moves; change_reverse() makes the opposite of one that was
 * carried out; batch.c carries it out; packed it is the payload of an INTENT record.
 */
#ifndef FS_CHANGE_H
#define FS_CHANGE_H

#include "base/vec.h"
#include "base/str.h"
#include "core/plan.h"
#include "src/fs/fs.h"

/* The bytes of an inode that a move may alter, as they lie on the disk. */
#define CORE_BYTES 70u /* i_block 60, i_blocks 4 + 2, checksum 2 + 2 */
struct inode_core {
	uint8_t bytes[CORE_BYTES];
};
void core_get(const struct volume *v, const struct ext2_inode_large *raw,
	      struct inode_core *out);
void core_put(const struct volume *v, struct ext2_inode_large *raw,
	      const struct inode_core *core);

struct change_copy {
	blkno_t src, dst;
	uint32_t len;
	lblk_t lblk;
	bool unwritten; /* reads as zeros; copied all the same, so that undo is exact in
			   every block */
	bool known;	/* crc holds: of the contents, taken while copying */
	uint32_t crc;
};

/* A block of a mapping tree and its contents. */
struct change_node {
	blkno_t block;
	uint8_t *image; /* block_size bytes, owned */
};

struct change_inode {
	inum_t ino;
	uint32_t generation; /* as on the disk */
	struct inode_core before, after;
	VEC(struct change_copy) copies; /* by logical block */
	VEC(struct change_node)
	old_tree; /* freed by the switch; images for the way back */
	VEC(struct change_node) new_tree;
};

/* A group that had no bitmap on the disk yet (BLOCK_UNINIT), as it was before its first
 * block was given away. */
struct change_group {
	group_t group;
	uint8_t desc[64];
	uint8_t *bitmap; /* the raw block, owned */
};

enum change_way { CHANGE_FORWARD = 0, CHANGE_UNDO, CHANGE_REDO };

struct change {
	enum change_way way;
	uint32_t batch; /* number in the journal, from 1; of the batch undone or redone */
	uint32_t action; /* number of its action, from 1 */
	uint32_t moves;	 /* that it was asked for, for listings */
	VEC(struct change_inode) inodes;
	VEC(struct change_group) groups;
};

void change_init(struct change *c);
void change_release(struct change *c);

/* Blocks that the change takes into use (destinations and new trees), and that it frees.
 * fn returns false to stop; the result says whether it was never stopped. */
typedef bool (*change_range_fn)(void *arg, blkno_t start, uint32_t len);
bool change_each_taken(const struct change_inode *i, change_range_fn fn, void *arg);
bool change_each_freed(const struct change_inode *i, change_range_fn fn, void *arg);

/* The same in the form of plan.h: what the front end applies to its model. */
struct batch_result;
bool change_to_moves(const struct change *c, struct batch_result *out);

/* out (initialised) = the opposite of c: before and after, source and destination, trees
 * exchanged. The images of its old tree (c's new one) are left out:
 * relocate_read_old_trees() fetches them from the disk. */
bool change_reverse(const struct volume *v, const struct change *c, enum change_way way,
		    struct change *out);

/* --- packed, for the journal --- */
bool change_pack(const struct volume *v, const struct change *c, struct str *out);
/* Checks every length. ERR_CORRUPT, ERR_NOMEM. out must be initialised. */
bool change_unpack(const struct volume *v, const void *bytes, size_t n,
		   struct change *out, struct err *err);
/* The first CHANGE_HEAD bytes of a packed change, for listings. False: they make no
 * sense. */
#define CHANGE_HEAD 29u
struct change_head {
	enum change_way way;
	uint32_t batch, action, inodes, moves;
	uint64_t blocks;
};
bool change_peek(const void *bytes, size_t n, struct change_head *out);
/* Checksums of the copies, in order: the payload of a DONE record. */
bool change_pack_sums(const struct change *c, struct str *out);
bool change_unpack_sums(struct change *c, const void *bytes, size_t n);

#endif
