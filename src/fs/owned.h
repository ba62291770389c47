/* SPDX-License-Identifier: GPL-3.0-or-later */
/* owned.h - before recovery gives blocks away: does really nobody own them? */
#ifndef FS_OWNED_H
#define FS_OWNED_H

#include "src/fs/alloc.h"
#include "src/fs/change.h"

/* A journal may have lost its end (an old copy put back, a disk that lies): then batches
 * have been carried out that it knows nothing of, and their files may lie in blocks that
 * it takes for free. Scans the volume as it is, and looks at every block and group that
 * the n changes speak of: a block that an inode owns must be marked in `a`. ERR_CORRUPT: it is not,
 * and nothing may be written that says so. */
bool owned_are_marked(struct volume *v, struct alloc *a, const struct change *const *c,
		      size_t n, struct err *err);

#endif
