/* SPDX-License-Identifier: GPL-3.0-or-later */
/* relocate.h - from moves to a change set: reads the volume, writes nothing. */
#ifndef FS_RELOCATE_H
#define FS_RELOCATE_H

#include "src/fs/change.h"

/* The change that the moves of one batch ask for. ERR_REFUSED: the disk is not as they
 * say, or a file cannot be moved; says which. out must be initialised. */
bool relocate_plan(struct volume *v, const struct move *moves, size_t n,
		   struct change *out, struct err *err);

/* Before undoing or redoing: every inode on the disk is as `before` says (ERR_REFUSED
 * tells what differs). */
bool relocate_verify(struct volume *v, const struct change *c, struct err *err);

/* Fetches the images of the nodes in old_tree that have none. */
bool relocate_read_old_trees(struct volume *v, struct change *c, struct err *err);

#endif
