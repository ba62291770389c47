/* SPDX-License-Identifier: GPL-3.0-or-later */
/* change.c - see change.h: the set itself. Its packed form: change_pack.c. */
#include <stdlib.h>
#include <string.h>
#include "fs/session.h"
#include "src/fs/change.h"

void core_get(const struct volume *v, const struct ext2_inode_large *raw,
	      struct inode_core *out)
{
	uint8_t *p = out->bytes;

	memset(p, 0, CORE_BYTES);
	memcpy(p, raw->i_block, 60);
	memcpy(p + 60, &raw->i_blocks, 4);
	memcpy(p + 64, &raw->osd2.linux2.l_i_blocks_hi, 2);
	memcpy(p + 66, &raw->osd2.linux2.l_i_checksum_lo, 2);
	if (v->geom.inode_size > EXT2_GOOD_OLD_INODE_SIZE &&
	    ext2fs_le16_to_cpu(raw->i_extra_isize) >= 4)
		memcpy(p + 68, &raw->i_checksum_hi, 2);
}

void core_put(const struct volume *v, struct ext2_inode_large *raw,
	      const struct inode_core *core)
{
	const uint8_t *p = core->bytes;

	memcpy(raw->i_block, p, 60);
	memcpy(&raw->i_blocks, p + 60, 4);
	memcpy(&raw->osd2.linux2.l_i_blocks_hi, p + 64, 2);
	memcpy(&raw->osd2.linux2.l_i_checksum_lo, p + 66, 2);
	if (v->geom.inode_size > EXT2_GOOD_OLD_INODE_SIZE &&
	    ext2fs_le16_to_cpu(raw->i_extra_isize) >= 4)
		memcpy(&raw->i_checksum_hi, p + 68, 2);
}

void change_init(struct change *c)
{
	memset(c, 0, sizeof(*c));
}

static void release_inode(struct change_inode *i)
{
	for (size_t k = 0; k < i->old_tree.n; k++)
		free(i->old_tree.v[k].image);
	for (size_t k = 0; k < i->new_tree.n; k++)
		free(i->new_tree.v[k].image);
	vec_release(&i->copies);
	vec_release(&i->old_tree);
	vec_release(&i->new_tree);
}

void change_release(struct change *c)
{
	for (size_t i = 0; i < c->inodes.n; i++)
		release_inode(&c->inodes.v[i]);
	for (size_t i = 0; i < c->groups.n; i++)
		free(c->groups.v[i].bitmap);
	vec_release(&c->inodes);
	vec_release(&c->groups);
}

bool change_each_taken(const struct change_inode *i, change_range_fn fn, void *arg)
{
	for (size_t k = 0; k < i->copies.n; k++)
		if (!fn(arg, i->copies.v[k].dst, i->copies.v[k].len))
			return false;
	for (size_t k = 0; k < i->new_tree.n; k++)
		if (!fn(arg, i->new_tree.v[k].block, 1))
			return false;
	return true;
}

bool change_each_freed(const struct change_inode *i, change_range_fn fn, void *arg)
{
	for (size_t k = 0; k < i->copies.n; k++)
		if (!fn(arg, i->copies.v[k].src, i->copies.v[k].len))
			return false;
	for (size_t k = 0; k < i->old_tree.n; k++)
		if (!fn(arg, i->old_tree.v[k].block, 1))
			return false;
	return true;
}

/* --- as moves --- */

static int by_block(const void *a, const void *b)
{
	const struct change_node *x = a, *y = b;

	return x->block < y->block ? -1 : x->block > y->block;
}

static bool tree_moves(const struct change_inode *i, struct move base,
		       struct batch_result *out)
{
	struct change_node *sorted;
	bool ok = true;

	base.kind = MOVE_TREE;
	base.from = BLKNO_NONE;
	if (!i->new_tree.n)
		return !i->old_tree.n || vec_push(&out->moves, base);
	sorted = malloc(i->new_tree.n * sizeof(*sorted));
	if (!sorted)
		return false;
	memcpy(sorted, i->new_tree.v, i->new_tree.n * sizeof(*sorted));
	qsort(sorted, i->new_tree.n, sizeof(*sorted), by_block);
	for (size_t k = 0, end; ok && k < i->new_tree.n; k = end) {
		for (end = k + 1; end < i->new_tree.n &&
				  sorted[end].block == sorted[k].block + (end - k);)
			end++;
		base.to = sorted[k].block;
		base.len = (uint32_t)(end - k);
		ok = vec_push(&out->moves, base);
	}
	free(sorted);
	return ok;
}

bool change_to_moves(const struct change *c, struct batch_result *out)
{
	uint8_t reason = c->way == CHANGE_UNDO	 ? REASON_UNDO
			 : c->way == CHANGE_REDO ? REASON_REDO
						 : REASON_JOIN;

	for (size_t k = 0; k < c->inodes.n; k++) {
		const struct change_inode *i = &c->inodes.v[k];
		struct move base = {.ino = i->ino, .reason = reason, .batch = c->batch};

		for (size_t n = 0; n < i->copies.n; n++) {
			const struct change_copy *p = &i->copies.v[n];
			struct move m = base;

			m.lblk = p->lblk;
			m.len = p->len;
			m.from = p->src;
			m.to = p->dst;
			if (!vec_push(&out->moves, m))
				return false;
		}
		if (!tree_moves(i, base, out))
			return false;
	}
	return true;
}

/* --- the opposite --- */

static bool copy_nodes(const struct volume *v, const struct change_node *from, size_t n,
		       bool images, struct change_inode *to, bool as_new)
{
	for (size_t k = 0; k < n; k++) {
		struct change_node node = {from[k].block, NULL};

		if (images) {
			node.image = malloc(v->geom.block_size);
			if (!node.image)
				return false;
			memcpy(node.image, from[k].image, v->geom.block_size);
		}
		if (!(as_new ? vec_push(&to->new_tree, node)
			     : vec_push(&to->old_tree, node))) {
			free(node.image);
			return false;
		}
	}
	return true;
}

static bool reverse_inode(const struct volume *v, const struct change_inode *i,
			  struct change_inode *out)
{
	out->ino = i->ino;
	out->generation = i->generation;
	out->before = i->after;
	out->after = i->before;
	for (size_t k = 0; k < i->copies.n; k++) {
		struct change_copy c = i->copies.v[k];

		c.src = i->copies.v[k].dst;
		c.dst = i->copies.v[k].src;
		if (!vec_push(&out->copies, c))
			return false;
	}
	return copy_nodes(v, i->old_tree.v, i->old_tree.n, true, out, true) &&
	       copy_nodes(v, i->new_tree.v, i->new_tree.n, false, out, false);
}

bool change_reverse(const struct volume *v, const struct change *c, enum change_way way,
		    struct change *out)
{
	out->way = way;
	out->batch = c->batch;
	out->action = c->action;
	out->moves = c->moves;
	for (size_t k = 0; k < c->inodes.n; k++) {
		struct change_inode i = {0};
		bool ok = reverse_inode(v, &c->inodes.v[k], &i);

		if (!vec_push(&out->inodes, i)) {
			release_inode(&i);
			return false;
		}
		if (!ok)
			return false;
	}
	return true;
}
