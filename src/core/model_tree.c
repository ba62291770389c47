/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_tree.c - the inodes below a directory, by the parents that the model knows. */
#include <stdlib.h>
#include "core/strategy.h"

/* Climbs to the root, at most so far: a damaged volume may hold a loop of directories. */
#define DEPTH_MAX 4096

static bool is_below(const struct model *m, inum_t ino, inum_t dir)
{
	for (int depth = 0; ino && depth < DEPTH_MAX; depth++) {
		inum_t parent;

		if (ino == dir)
			return true;
		parent = model_parent(m, ino);
		if (parent == ino)
			return false;
		ino = parent;
	}
	return false;
}

bool model_tree(const struct model *m, inum_t dir, struct inum_list *out)
{
	struct file_info info;

	for (inum_t ino = model_next_inode(m, 0); ino; ino = model_next_inode(m, ino)) {
		bool all = dir == 2; /* the root: files in lost corners too */

		if (!all && !is_below(m, ino, dir))
			continue;
		if (all && ino != 2 && model_file(m, ino, &info) &&
		    (info.inode.flags & INODE_SYSTEM))
			continue;
		if (!vec_push(out, ino))
			return false;
	}
	return true;
}
