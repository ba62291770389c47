/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dirs.h - names, read from the directories when somebody asks.
 *
 * Names are bytes: anything but '/' and NUL. Encrypted names are shown as the kernel does
 * without the key.
 */
#ifndef FS_DIRS_H
#define FS_DIRS_H

#include "base/str.h"
#include "core/model.h"
#include "fs/volume.h"

/* fn returns false to stop. type: enum inode_type as the entry claims, INODE_NONE if it
 * does not say. */
typedef bool (*dir_entry_fn)(void *arg, const char *name, size_t len, inum_t ino,
			     enum inode_type type);

/* Every entry of a directory in block order, "." and ".." left out. Works for linear,
 * htree and inline directories. */
bool dir_list(struct volume *v, inum_t dir, dir_entry_fn fn, void *arg, struct err *err);

/* Appends the raw path of ino ("/var/lib/x"), following the model's parents. An inode
 * without a known name gives "<ino 12>", as does one in a loop or a damaged
 * directory. ERR_IO, ERR_NOMEM. Keeps a small cache
 * in the volume. */
bool dir_path(struct volume *v, const struct model *m, inum_t ino, struct str *out,
	      struct err *err);

/* The same for n inodes, reading each directory once (sorted inside): fn(arg, i, path,
 * len) for every index i of inos, in any order. */
bool dir_paths(struct volume *v, const struct model *m, const inum_t *inos, size_t n,
	       void (*fn)(void *arg, size_t i, const char *path, size_t len), void *arg,
	       struct err *err);

/* The inode of an absolute path; symbolic links are not followed. 0 with ERR_USAGE "no
 * such file: ..." */
inum_t dir_lookup(struct volume *v, const char *path, struct err *err);

/* Forgets cached names and maps: after blocks of directories moved. */
void dir_cache_drop(struct volume *v);

#endif
