/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify.h - reading back what a batch has written, before anything refers to it. */
#ifndef FS_VERIFY_H
#define FS_VERIFY_H

#include "src/fs/change.h"

/* Reads every destination and every new tree block from the device, past the page cache
 * where the device can be read so, and compares: data with the checksums taken while
 * copying, trees with their images. *bytes: so much was read. ERR_IO names the first block
 * that is not as it was written. */
bool verify_written(struct volume *v, const struct change *c, uint64_t *bytes,
		    struct err *err);

#endif
