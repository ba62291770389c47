/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ending.h - the last writes of a session, the same after a good run and after a crash.
 */
#ifndef FS_ENDING_H
#define FS_ENDING_H

#include "src/fs/batch.h"
#include "src/fs/stack.h"

/* Groups that had no bitmap before a batch that is undone now get back what they had, in
 * memory: alloc_flush() writes it, and `keep` holds the images until then. In truth
 * nothing but metadata is used in them; rebuild: do not believe what the disk says of
 * that (after a crash). */
bool ending_restore_groups(struct committer *k, const struct stack *s, bool rebuild,
			   struct change *keep, struct err *err);

/* The superblock to end with: with everything undone the very first one, byte for byte;
 * else `before` (of this session) with new counts. */
bool ending_super(struct committer *k, const struct stack *s,
		  const uint8_t before[SUPER_BYTES], uint8_t final[SUPER_BYTES],
		  struct err *err);

/* CLOSING, superblock, multiple-mount protection released, CLOSED, each durable before the next. All else must be durable
 * already. */
bool ending_write(struct committer *k, const uint8_t final[SUPER_BYTES], struct err *err);

#endif
