/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dirent.h - the entries of one directory block, whatever its bytes say. */
#ifndef FS_DIRENT_H
#define FS_DIRENT_H

#include "src/fs/fs.h"

struct dirent_view {
	inum_t ino; /* never 0: empty entries are passed over */
	const char *name;
	size_t len;
	enum inode_type type; /* INODE_NONE where the volume does not say */
};

/* Calls fn for each entry in use, "." and ".." included; fn returns false to stop.
 * Returns false if the block is not a chain of sane entries (those before the break have
 * been shown). */
bool dirent_each(const struct volume *v, const void *block,
		 bool (*fn)(void *arg, const struct dirent_view *e), void *arg);

#endif
