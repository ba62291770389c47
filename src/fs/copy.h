/* SPDX-License-Identifier: GPL-3.0-or-later */
/* copy.h - the data of a batch, from source to destination. */
#ifndef FS_COPY_H
#define FS_COPY_H

#include "fs/session.h"
#include "src/fs/change.h"

struct copy_totals {
	uint64_t bytes_read, bytes_written;
	uint32_t blocks; /* really copied */
};

/* Copies every piece of c, reading sorted by source and writing sorted by
 * destination, and notes the checksum of each. Where a checksum is known already (undo,
 * redo) and the destination still holds it, nothing is copied. */
bool copy_all(struct volume *v, struct change *c, batch_progress_fn progress, void *arg,
	      struct copy_totals *out, struct err *err);

#endif
