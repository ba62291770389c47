/* SPDX-License-Identifier: GPL-3.0-or-later */
/* super.h - the superblock as 1024 bytes: it is read, changed, written and remembered as
 * a whole. */
#ifndef FS_SUPER_H
#define FS_SUPER_H

#include "src/fs/fs.h"

#define SUPER_BYTES 1024u

/* marked = before, not VALID: whoever finds it knows that a session was cut short. */
void super_mark(const uint8_t before[SUPER_BYTES], uint8_t marked[SUPER_BYTES]);
/* final = before, with this many free blocks and written at `now` (seconds since 1970).
 */
void super_finish(const uint8_t before[SUPER_BYTES], uint64_t free_blocks, int64_t now,
		  uint8_t final[SUPER_BYTES]);
uint64_t super_free_blocks(const uint8_t sb[SUPER_BYTES]);
/* Made of sectors (512 bytes) of a and of b, not equal to either: a write that was torn.
 */
bool super_is_torn(const uint8_t sb[SUPER_BYTES], const uint8_t a[SUPER_BYTES],
		   const uint8_t b[SUPER_BYTES]);
/* What happened between ours and now, in words: "it was mounted and written to". */
void super_explain(const uint8_t ours[SUPER_BYTES], const uint8_t now[SUPER_BYTES],
		   char *out, size_t n);

#endif
