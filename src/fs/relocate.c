/* SPDX-License-Identifier: GPL-3.0-or-later */
/* relocate.c - see relocate.h. */
#include <stdlib.h>
#include <string.h>
#include "src/fs/itable.h"
#include "src/fs/relocate.h"
#include "src/fs/tree.h"

/* --- one inode --- */

struct job {
	struct volume *v;
	const struct itable *inodes;
	const struct move *moves; /* of this inode */
	size_t n;
	struct ext2_inode_large *raw;
	struct run_list before, after;
	struct change_inode *out;
	struct err *err;
};

static bool refuse(struct job *j, const char *why)
{
	err_set(j->err, ERR_REFUSED, "inode %u cannot be moved: %s", j->moves->ino, why);
	return false;
}

static bool check_movable(struct job *j)
{
	struct inode_info info;
	enum owner_kind kind = inode_owner_kind(j->v, j->moves->ino, j->raw);

	if (!j->raw->i_links_count)
		return refuse(j, "it is not in use");
	if (!inode_has_map(j->raw))
		return refuse(j, "it has no blocks of its own");
	inode_info_of(j->v, j->moves->ino, j->raw, &info);
	if (owner_is_fixed(kind))
		return refuse(j, owner_name(kind));
	if (info.flags & INODE_PINNED)
		return refuse(j, "it is immutable or append-only");
	return true;
}

static uint32_t tree_len(const struct run_list *runs)
{
	uint32_t n = 0;

	for (size_t i = 0; i < runs->n; i++)
		if (runs->v[i].kind == OWNER_TREE)
			n += runs->v[i].len;
	return n;
}

/* i_blocks counts tree blocks too: in 512-byte units, or in blocks where the inode says
 * so (huge_file). */
static bool adjust_i_blocks(struct job *j, int64_t delta)
{
	struct ext2_inode_large *raw = j->raw;
	bool huge = ext2fs_has_feature_huge_file(j->v->fs->super);
	int64_t unit = j->v->geom.block_size / 512, count;

	if (huge && (ext2fs_le32_to_cpu(raw->i_flags) & EXT4_HUGE_FILE_FL))
		unit = 1;
	count = ext2fs_le32_to_cpu(raw->i_blocks);
	if (huge)
		count |= (int64_t)ext2fs_le16_to_cpu(raw->osd2.linux2.l_i_blocks_hi)
			 << 32;
	count += delta * unit;
	if (count < 0 || count >> 48 || (!huge && count >> 32))
		return refuse(j, "its block count makes no sense");
	raw->i_blocks = ext2fs_cpu_to_le32((uint32_t)count);
	if (huge)
		raw->osd2.linux2.l_i_blocks_hi =
			ext2fs_cpu_to_le16((uint16_t)(count >> 32));
	return true;
}

static void update_csum(struct job *j)
{
	bool high;
	uint32_t crc;

	if (!ext2fs_has_feature_metadata_csum(j->v->fs->super))
		return;
	crc = inode_csum(j->v, j->moves->ino, j->raw, &high);
	j->raw->i_checksum_lo = ext2fs_cpu_to_le16((uint16_t)crc);
	if (high)
		j->raw->i_checksum_hi = ext2fs_cpu_to_le16((uint16_t)(crc >> 16));
}

/* Data moves become copies, cut where written and unwritten parts meet. */
static bool add_copies(struct job *j)
{
	size_t r = 0;

	for (size_t i = 0; i < j->n && j->moves[i].kind == MOVE_DATA; i++) {
		const struct move *m = &j->moves[i];
		uint32_t done = 0;

		while (done < m->len) {
			const struct run *run;
			struct change_copy c = {.lblk = m->lblk + done,
						.dst = m->to + done};
			uint32_t rest = m->len - done, here;

			while (j->before.v[r].lblk + j->before.v[r].len <= c.lblk)
				r++; /* extent_apply() has seen that all of it is mapped
				      */
			run = &j->before.v[r];
			here = run->len - (c.lblk - run->lblk);
			c.len = here < rest ? here : rest;
			c.src = run->phys + (c.lblk - run->lblk);
			c.unwritten = run->unwritten;
			if (!vec_push(&j->out->copies, c))
				return err_nomem(j->err);
			done += c.len;
		}
	}
	return true;
}

static bool add_old_tree(struct job *j)
{
	for (size_t i = 0; i < j->before.n; i++)
		for (uint32_t k = 0;
		     j->before.v[i].kind == OWNER_TREE && k < j->before.v[i].len; k++) {
			struct change_node node = {j->before.v[i].phys + k, NULL};

			if (!vec_push(&j->out->old_tree, node))
				return err_nomem(j->err);
		}
	return true;
}

/* Where the new tree goes, as the moves say. *given: they say something. */
static bool tree_ranges(const struct job *j, struct range **out, size_t *n, bool *given)
{
	struct range *v = malloc((j->n ? j->n : 1) * sizeof(*v));

	*out = v;
	*n = 0;
	*given = false;
	if (!v)
		return err_nomem(j->err);
	for (size_t i = 0; i < j->n; i++)
		if (j->moves[i].kind == MOVE_TREE) {
			*given = true;
			if (j->moves[i].len)
				v[(*n)++] =
					(struct range){j->moves[i].to, j->moves[i].len};
		}
	return true;
}

/* A tree on the disk is never written into: either there is none before and after, or it
 * is built anew. */
static bool build_map(struct job *j)
{
	uint32_t old = tree_len(&j->before);
	struct range *ranges;
	size_t n;
	bool given, ok;

	if (!tree_ranges(j, &ranges, &n, &given))
		return false;
	if (old && !given)
		ok = refuse(j, "its mapping tree is not part of the plan");
	else
		ok = tree_build(j->v, j->moves->ino, j->raw, &j->after,
				(struct tree_places){ranges, n}, j->out, j->err);
	free(ranges);
	if (ok && j->v->geom.keep_trees && j->out->new_tree.n != old)
		ok = refuse(j, "quota usage counts its mapping tree, which would get "
			       "another size");
	return ok && add_old_tree(j) &&
	       adjust_i_blocks(j, (int64_t)j->out->new_tree.n - (int64_t)old);
}

/* Data by logical block, then the tree: what is out of order would be passed over. */
static bool check_order(struct job *j)
{
	for (size_t i = 1; i < j->n; i++) {
		const struct move *a = &j->moves[i - 1], *b = &j->moves[i];

		if (a->kind > b->kind ||
		    (b->kind == MOVE_DATA && (uint64_t)a->lblk + a->len > b->lblk))
			return refuse(j, "its moves are out of order");
	}
	return true;
}

static bool plan_inode(struct job *j)
{
	inum_t ino = j->moves->ino;

	if (!check_order(j) || !itable_inode(j->inodes, ino, j->raw, j->err) ||
	    !check_movable(j) || !inode_map(j->v, ino, j->raw, &j->before, j->err) ||
	    !extent_apply(&j->before, j->moves, j->n, &j->after, j->err))
		return false;
	j->out->ino = ino;
	j->out->generation = j->raw->i_generation;
	core_get(j->v, j->raw, &j->out->before);
	if (!add_copies(j) || !build_map(j))
		return false;
	update_csum(j);
	core_get(j->v, j->raw, &j->out->after);
	return true;
}

/* --- a batch --- */

static bool plan_next(struct volume *v, const struct itable *inodes,
		      const struct move *moves, size_t n, struct change *out,
		      struct err *err)
{
	struct job j = {.v = v, .inodes = inodes, .moves = moves, .n = n, .err = err};
	struct change_inode empty = {0};
	bool ok = vec_push(&out->inodes, empty);

	j.raw = calloc(1, INODE_BUF(v));
	ok = (ok && j.raw) || err_nomem(err);
	if (ok) {
		j.out = &out->inodes.v[out->inodes.n - 1];
		ok = plan_inode(&j);
	}
	free(j.raw);
	vec_release(&j.before);
	vec_release(&j.after);
	return ok;
}

static int by_value(const void *a, const void *b)
{
	const inum_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Two sets for one inode would both start from the disk as it is: the second would bring
 * back what the first has given away. */
static bool check_once(const struct change *c, struct err *err)
{
	inum_t *inos = malloc((c->inodes.n ? c->inodes.n : 1) * sizeof(*inos)), twice = 0;

	if (!inos)
		return err_nomem(err);
	for (size_t i = 0; i < c->inodes.n; i++)
		inos[i] = c->inodes.v[i].ino;
	if (c->inodes.n)
		qsort(inos, c->inodes.n, sizeof(*inos), by_value);
	for (size_t i = 1; i < c->inodes.n && !twice; i++)
		twice = inos[i] == inos[i - 1] ? inos[i] : 0;
	free(inos);
	if (twice)
		err_set(err, ERR_REFUSED,
			"the moves of inode %u do not stand together; plan again", twice);
	return !twice;
}

/* The inodes that moves are about: one entry a stretch of moves. */
static bool load_inodes(struct volume *v, const struct move *moves, size_t n,
			struct itable *out, struct err *err)
{
	inum_t *inos = malloc((n ? n : 1) * sizeof(*inos));
	size_t count = 0;
	bool ok;

	*out = (struct itable){0};
	if (!inos)
		return err_nomem(err);
	for (size_t i = 0; i < n; i++)
		if (!i || moves[i].ino != moves[i - 1].ino)
			inos[count++] = moves[i].ino;
	ok = itable_load(out, v, inos, count, err);
	free(inos);
	return ok;
}

bool relocate_plan(struct volume *v, const struct move *moves, size_t n,
		   struct change *out, struct err *err)
{
	struct itable inodes;
	bool ok = load_inodes(v, moves, n, &inodes, err);

	for (size_t i = 0, end; ok && i < n; i = end) {
		for (end = i + 1; end < n && moves[end].ino == moves[i].ino;)
			end++;
		ok = plan_next(v, &inodes, moves + i, end - i, out, err);
	}
	itable_release(&inodes);
	return ok && check_once(out, err) && relocate_read_old_trees(v, out, err);
}

bool relocate_read_old_trees(struct volume *v, struct change *c, struct err *err)
{
	for (size_t k = 0; k < c->inodes.n; k++)
		for (size_t i = 0; i < c->inodes.v[k].old_tree.n; i++) {
			struct change_node *node = &c->inodes.v[k].old_tree.v[i];

			if (node->image)
				continue;
			node->image = malloc(v->geom.block_size);
			if (!node->image)
				return err_nomem(err);
			if (!io_read(v, node->block, 1, node->image, err))
				return false;
		}
	return true;
}

static bool verify_inode(const struct itable *inodes, const struct change_inode *i,
			 struct ext2_inode_large *raw, struct err *err)
{
	struct inode_core core;
	const char *what = NULL;

	if (!itable_inode(inodes, i->ino, raw, err))
		return false;
	core_get(inodes->v, raw, &core);
	if (raw->i_generation != i->generation || !raw->i_links_count)
		what = "it is another file now";
	else if (memcmp(core.bytes, i->before.bytes, 60))
		what = "its blocks lie elsewhere now";
	else if (memcmp(core.bytes + 60, i->before.bytes + 60, 6))
		what = "it has another number of blocks now";
	else if (memcmp(core.bytes, i->before.bytes, CORE_BYTES))
		what = "size, times or flags were changed";
	if (!what)
		return true;
	err_set(err, ERR_REFUSED,
		"inode %u was changed since by another program: %s; nothing was done",
		i->ino, what);
	return false;
}

bool relocate_verify(struct volume *v, const struct change *c, struct err *err)
{
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(v));
	inum_t *inos = malloc((c->inodes.n ? c->inodes.n : 1) * sizeof(*inos));
	struct itable inodes = {0};
	bool ok = (raw && inos) || err_nomem(err);

	for (size_t k = 0; ok && k < c->inodes.n; k++)
		inos[k] = c->inodes.v[k].ino;
	ok = ok && itable_load(&inodes, v, inos, c->inodes.n, err);
	for (size_t k = 0; ok && k < c->inodes.n; k++)
		ok = verify_inode(&inodes, &c->inodes.v[k], raw, err);
	itable_release(&inodes);
	free(inos);
	free(raw);
	return ok;
}
