/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * demo.h - a real, visibly fragmented ext4 volume in a file, the same from the same seed.
 *
 * Formatted by mke2fs, filled through libext2fs without root or a mount, aged by writers
 * that take turns and files that come and go: fragmented files, fragmented free space,
 * one hot directory. Passes e2fsck -fn.
 */
#ifndef LAB_DEMO_H
#define LAB_DEMO_H

#include "base/err.h"

struct demo_options {
	uint64_t bytes;	     /* size of the image, 64 to 256 MiB; 0 = 64 MiB */
	uint32_t block_size; /* 0 = 1024 */
	uint64_t seed;
	const char *type; /* "ext2", "ext3", "ext4"; NULL = ext4 */
};

/* Creates path (must not exist, or `force`). ERR_REFUSED, ERR_NOSPACE, ERR_IO. A
 * half-made image is removed. */
bool demo_make(const char *path, const struct demo_options *opt, bool force,
	       struct err *err);

#endif
