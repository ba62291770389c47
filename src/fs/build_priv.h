/* SPDX-License-Identifier: GPL-3.0-or-later */
/* build_priv.h - what the files build*.c share. */
#ifndef FS_BUILD_PRIV_H
#define FS_BUILD_PRIV_H

#include <ext2fs/ext2_fs.h>
#include <ext2fs/ext2fs.h>
#include "base/str.h"
#include "base/vec.h"
#include "fs/hand.h"

struct held;

/* File contents that wait for the commit: made from seed, from logical block lblk on. */
struct build_data {
	struct range at;
	uint64_t seed, lblk;
	uint64_t size; /* bytes of the file: what is behind them is zero */
};

struct build {
	ext2_filsys fs;
	int fd; /* for data */
	char *path;
	void *block;	   /* one block of scratch */
	struct held *held; /* NULL: a new volume, written at once */
	VEC(struct build_data) data;
	int64_t time;
	struct hand_blocks blocks;
};

/* An error of the library, in words. Always false. */
bool build_fail(struct build *b, errcode_t rc, const char *what, struct err *err);

/* --- build_held.c: writes held in memory, in units of 1 KiB --- */

#define HELD_UNIT 1024u

struct held *held_new(int fd);
void held_free(struct held *h);
/* An io_manager whose channels read through h and write into it. Its name argument:
 * "held", with the struct given by held_next. */
extern io_manager held_manager;
extern struct held *held_next;
/* All units that were written, sorted; *n of them. */
const uint64_t *held_units(struct held *h, size_t *n);
const void *held_unit(const struct held *h, uint64_t unit);

/* --- build_step.c --- */

/* Saves the old bytes of everything held, then writes it all. */
bool step_commit(const char *path, int fd, struct held *held,
		 const struct build_data *data, size_t n, uint32_t block_size,
		 const char *text, struct err *err);
/* Rolls an interrupted step back. */
bool step_recover(const char *path, int fd, struct err *err);
/* A checksum of superblock, descriptors and bitmaps: has anybody else been here? */
bool step_fingerprint(const char *path, uint32_t *out, struct err *err);

#endif
