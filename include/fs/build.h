/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build.h - making new volumes: mke2fs formats an image file, then files and directories
 * are put exactly where an allocator of the lab wants them, through libext2fs, without
 * root and without a mount.
 *
 * Order: build_new, build_reserve for every block that will be given to somebody, then
 * directories and files, then build_finish. For images that nobody else has open; nothing
 * here is crash-safe.
 */
#ifndef FS_BUILD_H
#define FS_BUILD_H

#include "base/err.h"
#include "core/geom.h"

struct build;

struct build_options {
	const char *type;    /* "ext2", "ext3", "ext4" */
	uint64_t bytes;	     /* size of the image */
	uint32_t block_size; /* bytes */
	uint64_t seed;	     /* of UUID and hash seed */
	int64_t time;	     /* seconds since 1970, the "now" of everything written */
	const char *label;
	const char *const
		*extra; /* more arguments for mke2fs, NULL at the end; or NULL */
};

/* With this label the UUID gets this end too: by both together an image is known as one
 * that the lab made, and may change. */
#define BUILD_LAB_LABEL	   "cdefrag-lab"
#define BUILD_LAB_UUID_END "cdflab" /* the last 6 bytes */

/* What to put into a new inode. blocks[i] is the place of logical block i, 0 for a hole.
 */
struct build_node {
	inum_t parent;
	const char *name;
	const uint32_t *blocks;
	size_t block_count;
	uint64_t size; /* bytes; of a directory: ignored */
	int64_t mtime, atime;
	uint64_t content_seed; /* the bytes of a file are made from it (build_content) */
	bool no_content; /* write none: the blocks stay as the new image has them, zeros
			  */
	group_t group;	 /* where the inode should lie */
};

#define BUILD_ROOT 2u

/* Runs mke2fs on path, which must not exist. NULL: ERR_REFUSED (mke2fs missing or failed,
 * its words in the message), ERR_IO. */
struct build *build_new(const char *path, const struct build_options *opt,
			struct err *err);
/* Without finishing; the image is left behind half-made. */
void build_free(struct build *b);

/* Blocks of the volume, of a group; the first usable one. */
blkno_t build_blocks(const struct build *b);
uint32_t build_blocks_per_group(const struct build *b);
bool build_is_used(const struct build *b, blkno_t block);
/* Marks a block used, so that the library does not take it for a mapping tree. */
void build_reserve(struct build *b, blkno_t block);

/* The new inode, or 0. A directory needs at least one block; files may be longer than
 * their blocks (holes). */
inum_t build_dir(struct build *b, const struct build_node *node, struct err *err);
inum_t build_file(struct build *b, const struct build_node *node, struct err *err);
inum_t build_symlink(struct build *b, const struct build_node *node, const char *target,
		     struct err *err);

/* Shape of the volume, without its fixed metadata; out must be initialised. */
void build_geom(const struct build *b, struct geom *out);
/* What the descriptor of a group counts. */
void build_group(const struct build *b, group_t g, uint32_t *free_inodes, uint32_t *dirs);
/* The next free range at or after *from, of the whole volume; false: none. */
bool build_next_free(const struct build *b, blkno_t from, struct range *out);

/* --- many at once: the lab's ager --- */

struct build_piece { /* blocks of a file that follow each other on the disk */
	uint64_t lblk;
	uint32_t len;
	blkno_t phys;
};

/* A file or directory; its parent comes before it in the list. */
#define BUILD_IN_ROOT UINT32_MAX
struct build_item {
	const char *name;
	uint32_t parent; /* index in the list, or BUILD_IN_ROOT */
	bool is_dir;
	group_t group;
	uint64_t size; /* bytes, of a file */
	int64_t mtime, atime;
	uint64_t content_seed;
	const struct build_piece *pieces;
	size_t piece_count;
	uint8_t *sha256; /* of a file: NULL, or where its sum goes */
};
/* Reserves all pieces, then writes inodes, contents and directories. A directory's names
 * are packed in the order of the list; ERR_BUG if its blocks do not hold them. */
bool build_items(struct build *b, const struct build_item *items, size_t n,
		 struct err *err);

/* Writes everything and frees b in every case. */
bool build_finish(struct build *b, struct err *err);

/* Fills one block with the bytes that block `lblk` of a file with this seed has. */
void build_content(uint64_t seed, uint64_t lblk, void *buf, size_t n);

#endif
