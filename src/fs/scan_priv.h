/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan_priv.h - what the files of the scanner share.
 *
 *   scan.c        phases and slices      scan_crew.c   units of reading, several threads
 *   scan_inode.c  inode tables           scan_node.c   tree nodes, attribute blocks
 *   scan_dir.c    directory blocks       overview.c    the first, coarse map
 *
 * A unit is one large read and what is found in it. Threads read and parse units into
 * harvests; the stepping thread alone applies them to the model, in the order of the
 * units: the result never depends on timing.
 */
#ifndef FS_SCAN_PRIV_H
#define FS_SCAN_PRIV_H

#include "fs/scan.h"
#include "src/fs/fs.h"

#define UNIT_BYTES (4u << 20)  /* largest read */
#define GAP_BYTES  (64u << 10) /* unwanted blocks that are read over */

struct found_inode {
	inum_t ino;
	struct inode_info info;
};

/* A tree node or an indirect block that has yet to be read. */
struct node {
	blkno_t block;
	inum_t ino;
	uint32_t generation; /* as on the disk, for the checksum */
	lblk_t base;	     /* first logical block below it */
	uint8_t kind;	     /* enum owner_kind of the data below */
	uint8_t level;	     /* 0: its entries map data */
	bool indirect;
	bool dir_index; /* of a directory */
};

struct xattr_ref {
	blkno_t block;
	inum_t ino;
};

/* A stretch of a directory, to be read for names. */
struct dir_run {
	blkno_t block;
	uint32_t len;
	inum_t ino;
	uint32_t generation;
};

struct parent_pair {
	inum_t ino, parent;
};

/* What one unit brought in. */
struct harvest {
	VEC(struct run) runs;
	VEC(struct found_inode) inodes;
	VEC(struct node) nodes;
	VEC(struct xattr_ref) xattrs;
	VEC(struct dir_run) dirs;
	VEC(inum_t) inline_dirs;
	VEC(struct parent_pair) parents;
	struct flaw_list flaws;
	bool oom;
};

struct unit {
	blkno_t start;
	uint32_t count;	    /* blocks */
	size_t first, last; /* items [first, last) of the phase's list that lie in it; or
			       the first inode, and how many */
};

struct scan {
	struct volume *v;
	int readers;
	enum scan_phase phase;
	bool begun; /* the units of this phase are laid out */
	struct model *model;
	uint8_t *used;
	struct overview overview;
	struct flaw_list flaws;
	uint64_t done, total, bytes_before;

	VEC(struct unit) units;
	size_t unit_at;
	void (*work)(struct scan *s, const struct unit *u, const uint8_t *data,
		     struct harvest *h);

	VEC(struct node) nodes; /* this level's; units refer to them */
	VEC(struct node) next_nodes;
	VEC(struct xattr_ref) xattrs;
	VEC(struct dir_run) dirs;
	VEC(inum_t) inline_dirs;
};

/* --- scan_crew.c --- */

/* Reads and works the next units (about 16 MiB), applies them. False: out of memory. */
bool crew_step(struct scan *s, struct err *err);
/* Cuts sorted items into units; block_of(item i), each `len_of` blocks long. */
bool crew_layout(struct scan *s, size_t n,
		 blkno_t (*block_of)(const struct scan *, size_t),
		 uint32_t (*len_of)(const struct scan *, size_t));
void harvest_release(struct harvest *h);

/* --- parsing, on any thread --- */

void scan_table(struct scan *s, const struct unit *u, const uint8_t *data,
		struct harvest *h);
void scan_nodes(struct scan *s, const struct unit *u, const uint8_t *data,
		struct harvest *h);
void scan_xattrs(struct scan *s, const struct unit *u, const uint8_t *data,
		 struct harvest *h);
void scan_dirs(struct scan *s, const struct unit *u, const uint8_t *data,
	       struct harvest *h);

/* The owner of an entry: what extents and pointers need to become runs. */
struct owner {
	inum_t ino;
	uint32_t generation;
	enum owner_kind kind;
};
/* Adds a data run, checked; joins it to the one before where it continues it. */
void harvest_data(struct scan *s, struct harvest *h, const struct owner *o,
		  const struct run *r);
/* Entries of an extent node (root or block). `depth` as its parent says. */
void harvest_extents(struct scan *s, struct harvest *h, const struct owner *o,
		     const void *node, size_t bytes, int depth);
/* Adds a node to be read, and its block as owned. */
void harvest_node(struct scan *s, struct harvest *h, const struct node *n);

/* --- overview.c --- */
bool overview_begin(struct scan *s);
void overview_run(struct scan *s, const struct run *r);

#endif
