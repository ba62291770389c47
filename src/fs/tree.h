/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.h - a new mapping tree for a run list: minimal, in blocks chosen beforehand.
 */
#ifndef FS_TREE_H
#define FS_TREE_H

#include "src/fs/change.h"

/* Where the nodes go: ranges in the order in which they are to be used. */
struct tree_places {
	const struct range *v;
	size_t n;
};

/* Maps the data runs (merged, by logical block; other kinds behind them are passed over)
 * of inode `ino` in raw->i_block and in nodes appended to out, top level first. The
 * places must hold exactly as many blocks as it takes (extent_tree_planned,
 * extent_indirect_blocks), else ERR_REFUSED. Extent tree or indirect blocks, as raw's
 * flags say. */
bool tree_build(struct volume *v, inum_t ino, struct ext2_inode_large *raw,
		const struct run_list *runs, struct tree_places places,
		struct change_inode *out, struct err *err);

#endif
