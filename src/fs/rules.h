/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rules.h - what each feature and state of a volume means for us: one table.
 *
 * open.c asks it; the documentation is printed from it.
 */
#ifndef FS_RULES_H
#define FS_RULES_H

#include "src/fs/fs.h"

/* Fills info->features and appends to info->reasons all that forbids writing, judged by
 * the superblock and the journal's own superblock. `PATH` in a remedy is replaced by the
 * volume's path. */
bool rules_apply(struct volume *v, struct err *err);

/* Features with which there is nothing to look at, judged by the superblock as it lies on
 * the disk, before the library sees it. True: `why` says which, and what to do. */
bool rules_forbid_view(const struct ext2_super_block *raw, char *why, size_t n);

/* Adds one reason. False: out of memory. */
bool rules_add_reason(struct volume_info *info, const char *what, const char *remedy);

#endif
