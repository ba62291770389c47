/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * volume.h - opening a volume, and deciding what may be done to it.
 *
 * Viewing is allowed wherever it is harmless; writing only if every check passes. The
 * checks and their remedies are one table (src/fs/rules.c), which open, info and the
 * documentation read.
 */
#ifndef FS_VOLUME_H
#define FS_VOLUME_H

#include "core/geom.h"

struct volume; /* owned by the worker thread */

struct volume_options {
	bool write; /* ask for permission to move blocks; kept exclusive on a device */
	uint64_t offset; /* bytes: a partition inside a disk image */
};

/* One reason why a volume is view-only or refused. */
struct volume_reason {
	char what[80];	  /* "needs recovery" */
	char remedy[200]; /* "replay its journal with: e2fsck -p -E journal_only
			     /dev/sdb1"; may be empty */
};

struct volume_info {
	char path[512];
	uint64_t offset;
	uint8_t uuid[16];
	char uuid_text[37];
	char label[17];
	char type[5]; /* "ext2", "ext3", "ext4" */
	uint32_t block_size;
	blkno_t blocks;
	blkno_t free_blocks; /* as the superblock says */
	inum_t inodes, inodes_free;
	group_t groups;
	char features[512]; /* space-separated, dumpe2fs's names */
	char state[80];	    /* "clean", "not clean", "clean, errors recorded", "needs
			       recovery", ... */
	bool clean;
	bool write;	 /* opened for writing, all checks passed */
	bool rotational; /* a spinning disk as far as sysfs tells */
	VEC(struct volume_reason)
	reasons; /* why not, if write is false though asked for; or why it would be */
};

void volume_info_init(struct volume_info *info);
void volume_info_release(struct volume_info *info);
/* Deep copy into an initialised or released info. False: out of memory. */
bool volume_info_copy(struct volume_info *dst, const struct volume_info *src);

/* Opens path (image file or block device). With write, any reason against it is an error
 * (ERR_REFUSED with the first reason and its remedy, ERR_RECOVER if a session of ours was
 * cut short) and nothing was written. Without write it fails only where even looking is
 * impossible (no ext superblock, unreadable, geometry absurd). NULL on error. */
struct volume *volume_open(const char *path, const struct volume_options *opt,
			   struct err *err);
void volume_close(struct volume *v);

const struct volume_info *volume_info(const struct volume *v);
const struct geom *volume_geom(const struct volume *v);

/* Is an image file or device in use: mounted, swap, behind a loop device, or open for
 * writing in another cdefrag? Fills out. False also if it cannot be opened. */
bool volume_is_in_use(const char *path, struct volume_reason *out);

/* UUID as the raw superblock has it, without any other check (a torn superblock still
 * names its volume). False: no ext magic or unreadable. */
bool volume_peek_uuid(const char *path, uint64_t offset, uint8_t uuid[16],
		      struct err *err);

/* Asks the kernel to write out what it holds of a mounted volume (syncfs); false: it is
 * not mounted here. Nothing is opened for writing. */
bool volume_sync(const char *path);

/* Makes the volume view-only from now on, with this reason (contradictions in a scan, an
 * I/O error). */
void volume_forbid(struct volume *v, const char *what, const char *remedy);

/* Blocks as they are on the device, past the page cache where that works: buf aligned to
 * 4096. Thread-safe. ERR_IO names the block. */
bool volume_read_blocks(struct volume *v, blkno_t start, size_t count, void *buf,
			struct err *err);

/* The allocation bitmap, one bit a block (clusters spread out): bit i = first_block + i;
 * uninitialised groups computed. Malloc'd, ceil((blocks - first_block) / 8) bytes, to be
 * freed by the caller. Reads in large pieces in physical order. Bad bitmap checksums are
 * appended to flaws. NULL on error. */
struct flaw_list;
uint8_t *volume_read_bitmap(struct volume *v, struct flaw_list *flaws, struct err *err);

#endif
