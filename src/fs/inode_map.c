/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inode_map.c - which blocks an inode owns.
 *
 * On-disk facts: struct ext3_extent_header, ext3_extent, ext3_extent_idx
 * (ext3_extents.h); i_block of ext2_inode_large. A hostile disk can be wrong here, but
 * not endless: in an extent tree depth only falls and logical blocks only rise, also in
 * index entries, so that no node with entries can be met twice; the blocks of an indirect
 * map are remembered, and none is read twice. What a walk costs is thus bounded by what
 * the volume holds.
 */
#include <stdlib.h>
#include <string.h>
#include "src/fs/fs.h"

struct mapper {
	struct volume *v;
	inum_t ino;
	const struct ext2_inode_large *raw;
	enum owner_kind kind;
	struct run_list *data, tree;
	uint64_t next;	/* lowest logical block that may come */
	uint64_t nodes; /* read so far */
	struct err *err;
	blkno_t *seen; /* indirect blocks: open hashing, 0 = free; of seen_size slots */
	size_t seen_size;
};

static bool bad_map(struct mapper *m, const char *what)
{
	err_set(m->err, ERR_CORRUPT, "inode %u: %s; run: e2fsck -fn %s", m->ino, what,
		m->v->info.path);
	return false;
}

static bool in_bounds(const struct mapper *m, blkno_t start, uint64_t len)
{
	const struct geom *g = &m->v->geom;

	return start >= g->first_block && start < g->blocks && len <= g->blocks - start;
}

static bool add_data(struct mapper *m, uint64_t lblk, blkno_t phys, uint32_t len,
		     bool unwritten)
{
	struct run r = {.phys = phys,
			.len = len,
			.lblk = (lblk_t)lblk,
			.ino = m->ino,
			.kind = m->kind,
			.unwritten = unwritten};
	struct run *last = m->data->n ? &m->data->v[m->data->n - 1] : NULL;

	if (!in_bounds(m, phys, len))
		return bad_map(m, "a mapped block lies outside the volume");
	if (lblk < m->next || lblk + len > 1ull << 32)
		return bad_map(m, "its extents are out of order");
	m->next = lblk + len;
	if (last && last->ino == m->ino && last->unwritten == unwritten &&
	    last->phys + last->len == phys && (uint64_t)last->lblk + last->len == lblk &&
	    (uint64_t)last->len + len < 1u << 31) {
		last->len += len;
		return true;
	}
	return vec_push(m->data, r) || err_nomem(m->err);
}

/* A node block: owned, read, counted. The caller frees it. */
static void *read_node(struct mapper *m, blkno_t block)
{
	struct run r = {.phys = block, .len = 1, .ino = m->ino, .kind = OWNER_TREE};
	void *buf;

	if (!in_bounds(m, block, 1)) {
		bad_map(m, "a node of its map lies outside the volume");
		return NULL;
	}
	if (++m->nodes > m->v->geom.blocks) {
		bad_map(m, "its map has more nodes than the volume has blocks");
		return NULL;
	}
	buf = malloc(m->v->geom.block_size);
	if (!buf || !vec_push(&m->tree, r)) {
		err_nomem(m->err);
		free(buf);
		return NULL;
	}
	if (io_read(m->v, block, 1, buf, m->err))
		return buf;
	free(buf);
	return NULL;
}

/* --- extents --- */

static bool extent_node(struct mapper *m, const void *node, size_t bytes, int depth);

static bool extent_child(struct mapper *m, const struct ext3_extent_idx *idx, int depth)
{
	blkno_t block = ext2fs_le32_to_cpu(idx->ei_leaf) |
			(blkno_t)ext2fs_le16_to_cpu(idx->ei_leaf_hi) << 32;
	uint32_t first = ext2fs_le32_to_cpu(idx->ei_block);
	void *node;
	bool ok;

	if (first < m->next)
		return bad_map(m, "the index of its extent tree is out of order");
	m->next = first;
	node = read_node(m, block);
	ok = node != NULL;
	if (ok && !inode_node_csum_ok(m->v, m->ino, m->raw, node))
		ok = bad_map(m, "the checksum of an extent block is wrong");
	ok = ok && extent_node(m, node, m->v->geom.block_size, depth);
	free(node);
	return ok;
}

static bool extent_leaf_entry(struct mapper *m, const struct ext3_extent *e)
{
	uint32_t len = ext2fs_le16_to_cpu(e->ee_len);
	bool unwritten = len > EXT_INIT_MAX_LEN;

	if (unwritten)
		len -= (uint32_t)EXT_INIT_MAX_LEN;
	if (len == 0)
		return bad_map(m, "an extent is empty");
	return add_data(m, ext2fs_le32_to_cpu(e->ee_block),
			ext2fs_le32_to_cpu(e->ee_start) |
				(blkno_t)ext2fs_le16_to_cpu(e->ee_start_hi) << 32,
			len, unwritten);
}

static bool extent_node(struct mapper *m, const void *node, size_t bytes, int depth)
{
	const struct ext3_extent_header *h = node;
	const struct ext3_extent *e = (const void *)(h + 1);
	unsigned n = ext2fs_le16_to_cpu(h->eh_entries);

	if (ext2fs_le16_to_cpu(h->eh_magic) != EXT3_EXT_MAGIC)
		return bad_map(m, "an extent block is not one");
	if (ext2fs_le16_to_cpu(h->eh_depth) != depth || depth > 5)
		return bad_map(m, "the depth of its extent tree is wrong");
	if (n > ext2fs_le16_to_cpu(h->eh_max) || sizeof(*h) + n * sizeof(*e) > bytes)
		return bad_map(m, "an extent block holds more than fits");
	if (n == 0 && depth)
		return bad_map(m, "an index of its extent tree is empty");
	for (unsigned i = 0; i < n; i++) {
		if (depth ? !extent_child(m, (const struct ext3_extent_idx *)(e + i),
					  depth - 1)
			  : !extent_leaf_entry(m, e + i))
			return false;
	}
	return true;
}

/* --- indirect blocks --- */

static bool seen_grow(struct mapper *m)
{
	size_t size = m->seen_size ? m->seen_size * 2 : 64;
	blkno_t *old = m->seen, *new = calloc(size, sizeof(*new));

	if (!new)
		return err_nomem(m->err);
	for (size_t i = 0; i < m->seen_size; i++) {
		size_t at = old[i] * 0x9E3779B97F4A7C15u;

		while (old[i] && new[at % size])
			at++;
		if (old[i])
			new[at % size] = old[i];
	}
	free(old);
	m->seen = new;
	m->seen_size = size;
	return true;
}

/* Remembers an indirect block; false if it was here before. */
static bool see_once(struct mapper *m, blkno_t block)
{
	size_t at = block * 0x9E3779B97F4A7C15u;

	if (m->nodes >= m->seen_size / 2 && !seen_grow(m))
		return false;
	for (; m->seen[at % m->seen_size]; at++)
		if (m->seen[at % m->seen_size] == block)
			return bad_map(m, "an indirect block comes twice in its map");
	m->seen[at % m->seen_size] = block;
	return true;
}

/* One pointer of an indirect map; levels 0 = data. base: its first logical block. */
static bool indirect_pointer(struct mapper *m, blkno_t block, int levels, uint64_t base)
{
	uint32_t per = m->v->geom.block_size / 4;
	uint64_t span = 1;
	uint32_t *node;
	bool ok = true;

	if (!block)
		return true;
	if (levels == 0)
		return add_data(m, base, block, 1, false);
	node = see_once(m, block) ? read_node(m, block) : NULL;
	if (!node)
		return false;
	for (int i = 1; i < levels; i++)
		span *= per;
	for (uint32_t i = 0; ok && i < per; i++)
		ok = indirect_pointer(m, ext2fs_le32_to_cpu(node[i]), levels - 1,
				      base + i * span);
	free(node);
	return ok;
}

static bool indirect_map(struct mapper *m)
{
	uint64_t per = m->v->geom.block_size / 4, base = 0;
	const __u32 *block = m->raw->i_block;
	bool ok = true;

	for (int i = 0; ok && i < EXT2_NDIR_BLOCKS; i++)
		ok = indirect_pointer(m, ext2fs_le32_to_cpu(block[i]), 0, base++);
	ok = ok &&
	     indirect_pointer(m, ext2fs_le32_to_cpu(block[EXT2_IND_BLOCK]), 1, base);
	base += per;
	ok = ok &&
	     indirect_pointer(m, ext2fs_le32_to_cpu(block[EXT2_DIND_BLOCK]), 2, base);
	base += per * per;
	return ok &&
	       indirect_pointer(m, ext2fs_le32_to_cpu(block[EXT2_TIND_BLOCK]), 3, base);
}

static int by_place(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return x->phys < y->phys ? -1 : x->phys > y->phys;
}

/* Tree blocks (runs of one, sorted) and the xattr block go behind the data. */
static bool append_rest(struct mapper *m)
{
	struct run xattr = {.phys = inode_xattr_block(m->v, m->raw),
			    .len = 1,
			    .ino = m->ino,
			    .kind = OWNER_XATTR};

	if (xattr.phys) {
		if (!in_bounds(m, xattr.phys, 1))
			return bad_map(m, "its attribute block lies outside the volume");
		if (!vec_push(&m->tree, xattr))
			return err_nomem(m->err);
	}
	if (m->tree.n)
		qsort(m->tree.v, m->tree.n, sizeof(*m->tree.v), by_place);
	for (size_t i = 0; i < m->tree.n; i++)
		if (!vec_push(m->data, m->tree.v[i]))
			return err_nomem(m->err);
	return true;
}

bool inode_map(struct volume *v, inum_t ino, const struct ext2_inode_large *raw,
	       struct run_list *out, struct err *err)
{
	struct mapper m = {.v = v,
			   .ino = ino,
			   .raw = raw,
			   .kind = inode_owner_kind(v, ino, raw),
			   .data = out,
			   .err = err};
	const struct ext3_extent_header *root = (const void *)raw->i_block;
	size_t start = out->n;
	bool ok = true;

	if (inode_has_map(raw))
		ok = ext2fs_le32_to_cpu(raw->i_flags) & EXT4_EXTENTS_FL
			     ? extent_node(&m, root, sizeof(raw->i_block),
					   ext2fs_le16_to_cpu(root->eh_depth))
			     : indirect_map(&m);
	ok = ok && append_rest(&m);
	vec_release(&m.tree);
	free(m.seen);
	if (!ok)
		out->n = start;
	return ok;
}
