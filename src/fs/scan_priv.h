/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan_priv.h - what the files of the scanner share.
 *
 *   scan.c         phases and slices      scan_crew.c    one pass over what is to be read
 *   scan_inode.c   inode tables           scan_node.c    tree nodes, attribute blocks
 *   scan_dir.c     directories            scan_orphan.c  deleted files that wait
 *   scan_sort.c    by place               overview.c     the first, coarse map
 *
 * A phase is one pass or several. A pass takes a list of things to read, sorts it by place
 * and cuts it into units: a unit is one large read and what is found in it. Threads read
 * and parse units into harvests; the stepping thread alone applies them to the model, in
 * the order of the units: the result never depends on timing.
 *
 * What a hostile disk can cost is bounded: each block is read once in a pass, levels only
 * fall, and no more blocks are given owners than the volume has.
 */
#ifndef FS_SCAN_PRIV_H
#define FS_SCAN_PRIV_H

#include <pthread.h>
#include "fs/scan.h"
#include "src/fs/fs.h"

#define READERS_MAX 16
#define WINDOW_MAX  24 /* READERS_MAX, and half as many that wait to be applied */

/* Something to be read: 24 bytes, for there may be millions. where: block 48 bits, kind 8,
 * level 7, indirect 1 (see todo_at). */
struct todo {
	uint64_t where;
	inum_t ino;    /* of a table: the first */
	uint32_t seed; /* where checksums of this inode's blocks start */
	lblk_t base;   /* of a node: the first logical block that may be below it */
	union {
		lblk_t last;	/* ... and the last */
		uint32_t count; /* of a table: inodes; of a directory: blocks */
	};
};

struct todo_list {
	struct todo *v;
	size_t n, cap; /* grown by vec_push() */
};

/* kind: owner of the data below a node; level 0: its entries map data. */
static inline uint64_t todo_at(blkno_t block, enum owner_kind kind, int level,
			       bool indirect)
{
	return block | (uint64_t)kind << 48 | (uint64_t)level << 56 |
	       (uint64_t)indirect << 63;
}

static inline blkno_t todo_block(const struct todo *t)
{
	return t->where & 0xFFFFFFFFFFFF;
}

static inline enum owner_kind todo_kind(const struct todo *t)
{
	return (enum owner_kind)(t->where >> 48 & 0xFF);
}

static inline int todo_level(const struct todo *t)
{
	return (int)(t->where >> 56 & 0x7F);
}

static inline bool todo_is_indirect(const struct todo *t)
{
	return t->where >> 63;
}

struct found_inode {
	inum_t ino;
	struct inode_info info;
};

struct parent_pair {
	inum_t ino, parent;
};

struct parent_list {
	struct parent_pair *v;
	size_t n, cap;
};

/* What one unit brought in. */
struct harvest {
	struct run_list runs;
	VEC(struct found_inode) inodes;
	struct todo_list nodes, xattrs, dirs;
	struct parent_list parents;
	struct flaw_list flaws;
	bool oom;
};

struct unit {
	blkno_t start;
	uint32_t count; /* blocks */
	size_t first,
		last; /* items [first, last) lie in it, or some blocks of the only one */
};

/* Where the next unit starts: `off` blocks into an item. */
struct cursor {
	size_t item;
	uint32_t off;
};

/* Parses one unit, on any thread. */
typedef void (*scan_work_fn)(struct scan *s, const struct unit *u, const uint8_t *data,
			     struct harvest *h);

struct pass {
	struct todo_list items; /* by place */
	scan_work_fn work;
	int readers;
	unsigned window;      /* units that may be read, but not applied yet */
	uint32_t unit_blocks; /* largest read */
	uint32_t gap_blocks;  /* unwanted blocks that are read over */
	struct cursor at;
};

struct scan {
	struct volume *v;
	int readers, readers_small; /* small reads want more of them in flight */
	enum scan_phase phase;
	bool begun; /* the first pass of this phase is laid out */
	struct model *model;
	uint8_t *used;
	struct overview overview;
	struct flaw_list flaws;
	uint64_t done, total, bytes_before;
	struct scan_cost cost[SCAN_PHASES];
	uint64_t claimed;    /* blocks given owners so far, fixed metadata included */
	unsigned unreadable; /* blocks, so far */

	struct pass pass;
	struct todo_list nodes, xattrs, dirs; /* for later passes */
	struct parent_list inline_parents;    /* until all inodes are known */
	VEC(inum_t) orphans;		      /* sorted */

	uint8_t *buffer[READERS_MAX];
	size_t buffer_bytes[READERS_MAX];
	struct slot {
		struct unit unit;
		struct harvest harvest;
		bool ready;
	} slot[WINDOW_MAX];
};

/* --- scan_crew.c --- */

/* The largest read of a pass with large and with small reads, in blocks. */
uint32_t pass_unit_blocks(const struct scan *s, bool small);
/* Starts a pass over `items`, which it takes. Items share blocks only if `shared`: else
 * the later ones are cut, and a node that comes twice is a flaw. */
void pass_begin(struct scan *s, struct todo_list *items, scan_work_fn work, bool small);
bool pass_is_over(const struct scan *s);
/* Some tens of milliseconds of it: reads, parses, applies. False: out of memory. */
bool pass_step(struct scan *s, struct err *err);
/* Tells the model; an inode that is not in use is a flaw. */
void pass_parent(struct scan *s, const struct parent_pair *p);
void pass_release(struct scan *s);

/* --- scan_sort.c --- */

/* By block, then inode; in place. */
void todo_sort(struct todo *v, size_t n);

/* --- parsing --- */

void scan_table(struct scan *s, const struct unit *u, const uint8_t *data,
		struct harvest *h);
void scan_nodes(struct scan *s, const struct unit *u, const uint8_t *data,
		struct harvest *h);
void scan_xattrs(struct scan *s, const struct unit *u, const uint8_t *data,
		 struct harvest *h);
void scan_dirs(struct scan *s, const struct unit *u, const uint8_t *data,
	       struct harvest *h);
/* A directory whose entries lie in the inode. */
void scan_inline_dir(struct scan *s, struct harvest *h, inum_t ino,
		     const struct ext2_inode_large *raw);

/* How many blocks of `items` it is about. */
uint32_t todo_blocks(const struct scan *s, const struct todo *t);

/* The owner of entries: what extents and pointers need to become runs. They may map
 * [base, last]. */
struct owner {
	inum_t ino;
	uint32_t seed;
	enum owner_kind kind;
	lblk_t base, last;
};
/* Adds a data run, checked; joins it to the one before where it continues it. */
void harvest_data(struct scan *s, struct harvest *h, const struct owner *o,
		  const struct run *r);
/* Entries of an extent node (root or block). `depth` as its parent says. */
void harvest_extents(struct scan *s, struct harvest *h, const struct owner *o,
		     const void *node, size_t bytes, int depth);
/* Adds a node to be read, and its block as owned. */
void harvest_node(struct scan *s, struct harvest *h, const struct todo *n);

/* --- scan_orphan.c --- */

/* Finds the deleted files that still own blocks. False: out of memory. */
bool orphans_find(struct scan *s);
bool orphans_has(const struct scan *s, inum_t ino);

/* --- overview.c --- */
bool overview_begin(struct scan *s);
void overview_run(struct scan *s, const struct run *r);

#endif
