/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model.h - who owns which block: the one picture of the volume that map, planner,
 * metrics and lists all look at.
 *
 * Two indices over the same runs, sized for tens of millions of files:
 *   per block group  packed 16-byte runs sorted by place     block -> owner
 *   per inode group  4 bytes a run, sorted by (inode, logical) file -> its runs
 * plus 8 bytes an inode for parent, type, flags and (rounded) size. Free space is what
 * lies between the runs. No names, no per-block array, no allocation per file.
 *
 * Life: model_new, many model_add_run/model_set_inode/model_set_parent, one model_seal,
 * then queries and model_replace. A sealed model may be read by several threads as long as
 * nobody applies.
 */
#ifndef CORE_MODEL_H
#define CORE_MODEL_H

#include "core/geom.h"

struct model;

/* One stretch on the volume with a single owner, as the queries hand it out. Runs never
 * cross a group boundary inside the model; queries do not join them, except free ones. */
struct run {
	blkno_t phys;
	uint32_t len; /* blocks; a hole may be longer than a group, see model_at */
	lblk_t lblk;  /* first logical block; group number for fixed metadata; else 0 */
	inum_t ino;   /* 0: fixed metadata, free or unknown */
	enum owner_kind kind;
	bool unwritten;	 /* allocated, never written: reads as zeros */
	bool fragmented; /* its file has more fragments than its ideal (data only) */
	bool odd;	 /* it belongs to an odd fragment (counted from 0) of its file */
};

struct run_list {
	struct run *v;
	size_t n, cap; /* grown by vec_push() */
};

enum inode_type { INODE_NONE = 0, INODE_FILE, INODE_DIR, INODE_SYMLINK, INODE_OTHER };

#define INODE_PINNED   0x1u /* immutable, append-only or otherwise not to be moved */
#define INODE_INDIRECT 0x2u /* mapped by indirect blocks (ext2, ext3), not extents */
#define INODE_SYSTEM   0x4u /* reserved, or known only to the superblock */
#define INODE_INLINE   0x8u /* its data lives in the inode */

struct inode_info {
	enum inode_type type;
	unsigned flags;
	uint64_t size; /* bytes; kept with 20 significant bits, rounded up */
};

/* What lists and inspector show of one file; computed from its runs on each call. */
struct file_info {
	struct inode_info inode;
	inum_t parent;	     /* directory of one of its names, 0 if unknown */
	uint64_t blocks;     /* of data, holes not counted */
	uint32_t map_blocks; /* extent-tree or indirect blocks */
	uint32_t fragments;  /* see metric.h; 0 for a file without blocks */
	uint32_t ideal;	     /* fewest fragments that fixed metadata allows */
	blkno_t first;	     /* physical block of its first logical block, BLKNO_NONE */
};

/* A contradiction found while scanning or sealing. */
struct flaw {
	blkno_t block; /* BLKNO_NONE if it is not about a block */
	inum_t ino;
	char text[160];
};

/* geom must outlive the model. */
struct model *model_new(const struct geom *geom, struct err *err);
void model_free(struct model *m);
const struct geom *model_geom(const struct model *m);

/* --- filling; false: out of memory --- */

/* Adds a run of any length, splitting it at group boundaries. phys..phys+len must be
 * inside the volume and ino, as in model_set_inode, among its inodes. Fixed metadata of
 * the geometry is added by model_new already. */
bool model_add_run(struct model *m, const struct run *r);
bool model_set_inode(struct model *m, inum_t ino, const struct inode_info *info);
/* Keeps the first parent it is told. ino without model_set_inode is ignored. */
void model_set_parent(struct model *m, inum_t ino, inum_t parent);

/* Sorts both indices (with up to `threads` threads), finds blocks claimed twice (the run
 * that was added first keeps them, the other loses them), computes fragments and flags.
 * Flaws are appended to `flaws` up to its limit; *flaw_count counts all. used: a bitmap,
 * bit i = block first_block + i is allocated (block, not cluster), or NULL: blocks used
 * without an owner become OWNER_UNKNOWN runs, or OWNER_CLUSTER_PAD under bigalloc if
 * their cluster has an owner; owned blocks that are free in it are flaws, as are unknown
 * ones. */
struct flaw_list {
	VEC(struct flaw) list;
	size_t limit; /* list entries kept; 0 = 32 */
	uint64_t count;
};
void flaw_add(struct flaw_list *f, blkno_t block, inum_t ino, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
bool model_seal(struct model *m, const uint8_t *used, int threads,
		struct flaw_list *flaws, struct err *err);

/* --- asking a sealed model --- */

/* The run that holds block b (first_block <= b < blocks). Free space comes as kind
 * OWNER_FREE with the whole hole, across groups (len saturates at UINT32_MAX). O(log n).
 */
void model_at(const struct model *m, blkno_t b, struct run *out);
/* Walks the volume: calls fn for each run and hole that touches [start, start+len),
 * clipped to it, in order. fn returns false to stop. O(log n + runs visited). */
void model_walk(const struct model *m, blkno_t start, blkno_t len,
		bool (*fn)(void *arg, const struct run *r), void *arg);

/* All runs of an inode, appended to out: data in logical order first, then tree and xattr
 * blocks by place. False: out of memory. */
bool model_runs(const struct model *m, inum_t ino, struct run_list *out);
bool model_file(const struct model *m, inum_t ino,
		struct file_info *out); /* false: unused */
/* Type, flags and size alone, without a look at its runs: O(1). False: unused. */
bool model_inode(const struct model *m, inum_t ino, struct inode_info *out);
inum_t model_parent(const struct model *m, inum_t ino);
/* The next used inode after `ino` (0 to start), 0 at the end. */
inum_t model_next_inode(const struct model *m, inum_t ino);
/* Fewest fragments for a file of so many blocks between the fixed obstacles of this
 * volume. */
uint32_t model_ideal(const struct model *m, uint64_t blocks);
/* Fragment of its file that holds run->phys: index from 0, first block, length, and how
 * many fragments there are. False if the run is not file data. */
struct fragment {
	uint32_t index, count;
	lblk_t lblk;
	blkno_t phys;
	uint64_t len;
	blkno_t next; /* first block of the next fragment, BLKNO_NONE for the last */
};
bool model_fragment_at(const struct model *m, blkno_t b, struct fragment *out);
/* Totals for the header: used inodes, runs, bytes of memory held. */
struct model_stats {
	uint64_t inodes, runs, memory_bytes, used_blocks, free_blocks;
};
void model_stats(const struct model *m, struct model_stats *out);

/* --- changing it --- */

/* Replaces all runs of one inode (data, tree and xattr). The new ones must lie on blocks
 * that are free or its own: ERR_BUG otherwise, nothing changed. */
bool model_replace(struct model *m, inum_t ino, const struct run_list *runs,
		   struct err *err);

#endif
