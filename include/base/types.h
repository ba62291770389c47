/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * types.h - the two numbers that everything else is about.
 *
 * A blkno_t counts file system blocks from the start of the volume (block 0 holds
 * the boot sector; on 1 KiB volumes the superblock is block 1). A lblk_t counts
 * blocks from the start of a file. An inum_t is an inode number, 1 being the first;
 * 0 means "no inode".
 *
 * They stand in for libext2fs's own types so that no folder but src/fs sees that library.
 */
#ifndef BASE_TYPES_H
#define BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t blkno_t;
typedef uint32_t lblk_t;
typedef uint32_t inum_t;
typedef uint32_t group_t;

#define BLKNO_NONE UINT64_MAX
#define LBLK_NONE  UINT32_MAX

/* [start, start + len) on the volume, in blocks. */
struct range {
	blkno_t start;
	blkno_t len;
};

#endif
