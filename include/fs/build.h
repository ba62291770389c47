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

/* Writes everything and frees b in every case. */
bool build_finish(struct build *b, struct err *err);

/* Fills one block with the bytes that block `lblk` of a file with this seed has. */
void build_content(uint64_t seed, uint64_t lblk, void *buf, size_t n);

#endif
