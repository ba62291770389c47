/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * keep.h - for an undo of the whole image (`--undo full`): the old contents of the free
 * blocks that a batch writes to, kept in the journal in front of its intent and put back
 * when the batch is undone or taken back.
 *
 *   K1  KEPT is durable before the blocks that it speaks of are written: it stands before
 *       the intent, and is synced with it
 *   K2  what is put back goes to blocks that nothing durable refers to: after barrier B of
 *       the undo, in recovery after the inodes, and only where the bitmap says free
 *   K3  putting back twice gives the same: recovery does it for the last two batches, as
 *       the barrier that covers it comes with the next one
 *
 * Tests that fail without them: crash/session_crash whole_image.
 *
 * KEPT record, little endian: part 4, then { block 6, count 4, contents } until its end.
 * A batch has one or more, parts 0, 1, ... right in front of its intent; part 0 voids what
 * came before it without an intent.
 */
#ifndef FS_KEEP_H
#define FS_KEEP_H

#include "src/fs/batch.h"
#include "src/fs/stack.h"

/* Appends to the journal what lies where the change will write. No sync. ERR_NOSPACE:
 * nothing was done. */
bool keep_free(struct committer *k, const struct change *c, struct err *err);
/* Puts back what the KEPT records say. only_free: blocks that are in use by now are left
 * alone. No barrier. */
bool keep_restore(struct committer *k, struct stack_kept kept, bool only_free,
		  uint64_t *bytes, struct err *err);

#endif
