/* SPDX-License-Identifier: GPL-3.0-or-later */
/* itable.h - the inode-table blocks of many inodes at once: each read once, neighbours in
 * one read. A snapshot: for the time between two writes. */
#ifndef FS_ITABLE_H
#define FS_ITABLE_H

#include "src/fs/fs.h"

struct itable {
	struct volume *v;
	blkno_t *block; /* sorted */
	uint8_t *bytes; /* block_size each */
	size_t n;
};

/* Reads the blocks of n inodes; numbers that cannot be are left to itable_inode(). t need
 * not be initialised; itable_release() follows also after an error. */
bool itable_load(struct itable *t, struct volume *v, const inum_t *inos, size_t n,
		 struct err *err);
void itable_release(struct itable *t);
/* As inode_read(), from what was loaded. */
bool itable_inode(const struct itable *t, inum_t ino, struct ext2_inode_large *raw,
		  struct err *err);

#endif
