/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files_sort.h - putting millions of files in order. For files.c alone. */
#ifndef UI_FILES_SORT_H
#define UI_FILES_SORT_H

#include "base/vec.h"

struct sort_key {
	uint64_t key;
	uint32_t id;
};
struct sort_keys {
	struct sort_key *v;
	size_t n, cap;
};
/* By rising key; equal keys stay as they are. False: out of memory, the order is lost. */
bool sort_keys(struct sort_keys *k);

struct sort_path {
	const char *path;
	inum_t ino;
};
/* By the bytes of the path, then by inode; must come in the order of inodes. */
bool sort_paths(struct sort_path *v, size_t n);

#endif
