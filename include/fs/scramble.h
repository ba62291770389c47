/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scramble.h - names taken out of a copy that goes to somebody else.
 *
 * Every name keeps its length and its file type; its letters depend on the inode and on
 * the place of the entry. Targets of symbolic links become x's. Checksums are made right
 * again. What cannot be kept is the order of hashed directories: e2fsck will want to
 * rebuild them.
 */
#ifndef FS_SCRAMBLE_H
#define FS_SCRAMBLE_H

#include "core/model.h"
#include "fs/volume.h"

/* Changes the bytes of one block in memory: entries of a directory, a symbolic link,
 * short links and inline data in an inode table. r: the run that holds it. Thread-safe
 * for different blocks. */
void scramble_block(struct volume *v, const struct run *r, blkno_t block, uint8_t *data);

#endif
