/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * alloc.h - block bitmaps and group descriptors while a session writes: read once,
 * changed in memory, written group by group.
 */
#ifndef FS_ALLOC_H
#define FS_ALLOC_H

#include "src/fs/change.h"

struct alloc;

struct alloc *alloc_new(struct volume *v, struct err *err);
void alloc_free(struct alloc *a);
/* Recovery reads bitmaps whose checksum may be of another moment. */
void alloc_trust_nothing(struct alloc *a);

/* Are all blocks of the range marked as `used` says? */
bool alloc_is(struct alloc *a, blkno_t start, uint32_t len, bool used, struct err *err);
/* Marks them; counts and flags of the group follow. Blocks that are so already are left
 * as they are. A BLOCK_UNINIT group that gets its first block gets a bitmap. */
bool alloc_mark(struct alloc *a, blkno_t start, uint32_t len, bool used, struct err *err);
/* Appends to c->groups what the groups of the range look like on the disk that are
 * BLOCK_UNINIT still. */
bool alloc_note_uninit(struct alloc *a, blkno_t start, uint32_t len, struct change *c,
		       struct err *err);
/* Makes a group BLOCK_UNINIT again, byte for byte, if nothing but its own metadata is
 * used in it. */
bool alloc_restore_uninit(struct alloc *a, const struct change_group *g, struct err *err);
/* The bitmap of a group is rebuilt from nothing: only the metadata in it is used. */
bool alloc_rebuild(struct alloc *a, group_t group, struct err *err);

/* Writes every changed bitmap and the descriptor blocks of their groups. No barrier, but
 * where BLOCK_UNINIT goes or comes: what lies in the place of such a group's bitmap is
 * nothing, so the bitmap is durable before its descriptor says that there is one, and the
 * descriptor before its old nothing comes back. (crash/session_crash on meta_bg: a lost
 * journal would leave the metadata of the group unmarked.) */
bool alloc_flush(struct alloc *a, struct err *err);
/* Sum over all groups, as the superblock wants it. */
uint64_t alloc_free_blocks(const struct alloc *a);

#endif
