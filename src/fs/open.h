/* SPDX-License-Identifier: GPL-3.0-or-later */
/* open.h - the steps of opening a volume that have a file of their own. */
#ifndef FS_OPEN_H
#define FS_OPEN_H

#include "src/fs/fs.h"

/* Can the superblock, as it lies on the disk, be believed as far as sizes and counts go,
 * with so many bytes from the start of the volume to the end of file or device? After
 * this every group count, bitmap and table has a bound that memory can hold. */
bool super_check(const char *path, const struct ext2_super_block *s, uint64_t bytes,
		 struct err *err);

/* Fills v->geom from v->fs. ERR_CORRUPT if metadata lies outside the volume or overlaps,
 * ERR_REFUSED if some that a scan must read lies behind the end of the file. */
bool geometry_make(struct volume *v, uint64_t bytes, struct err *err);

#endif
