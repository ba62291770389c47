/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan_inode.c - inode tables: each inode in use, what it is, and the part of its map
 * that it holds itself.
 */
#include <string.h>
#include "base/crc32c.h"
#include "src/fs/scan_priv.h"

/* --- adding what was found --- */

static bool in_volume(const struct scan *s, blkno_t start, uint64_t len)
{
	const struct geom *g = &s->v->geom;

	return start >= g->first_block && start < g->blocks && len <= g->blocks - start;
}

static bool joins(const struct run *a, const struct run *b)
{
	return a->ino == b->ino && a->kind == b->kind && a->unwritten == b->unwritten &&
	       a->phys + a->len == b->phys && (uint64_t)a->lblk + a->len == b->lblk &&
	       (uint64_t)a->len + b->len < 1u << 31;
}

static bool add_dir_run(struct harvest *h, const struct owner *o, const struct run *r)
{
	struct todo t = {.where = todo_at(r->phys, OWNER_DIR, 0, false),
			 .ino = o->ino,
			 .seed = o->seed,
			 .base = r->lblk,
			 .count = r->len};

	return r->unwritten || vec_push(&h->dirs, t);
}

void harvest_data(struct scan *s, struct harvest *h, const struct owner *o,
		  const struct run *r)
{
	struct run *last = h->runs.n ? &h->runs.v[h->runs.n - 1] : NULL;
	struct run copy = *r;

	copy.ino = o->ino;
	copy.kind = o->kind;
	if (!in_volume(s, r->phys, r->len)) {
		flaw_add(&h->flaws, r->phys, o->ino,
			 "inode %u maps block %u to %llu+%u, which is outside the volume",
			 o->ino, r->lblk, (unsigned long long)r->phys, r->len);
		return;
	}
	if (o->kind == OWNER_DIR)
		h->oom |= !add_dir_run(h, o, &copy);
	if (last && last->ino == o->ino && owner_is_data(last->kind)) {
		if (joins(last, &copy)) {
			last->len += copy.len;
			return;
		}
		/* for the first map only; the seal knows better */
		copy.fragmented = last->fragmented || last->phys + last->len != copy.phys;
		last->fragmented = copy.fragmented;
	}
	h->oom |= !vec_push(&h->runs, copy);
}

void harvest_node(struct scan *s, struct harvest *h, const struct todo *n)
{
	struct run r = {
		.phys = todo_block(n), .len = 1, .ino = n->ino, .kind = OWNER_TREE};

	if (!in_volume(s, r.phys, 1)) {
		flaw_add(&h->flaws, r.phys, n->ino,
			 "inode %u has a node of its map at %llu, outside the volume",
			 n->ino, (unsigned long long)r.phys);
		return;
	}
	h->oom |= !vec_push(&h->runs, r) || !vec_push(&h->nodes, *n);
}

/* --- extent nodes --- */

static void bad_tree(struct harvest *h, inum_t ino, const char *what)
{
	flaw_add(&h->flaws, BLKNO_NONE, ino, "inode %u: %s", ino, what);
}

/* Why a node makes no sense, NULL if it does. */
static const char *check_header(const struct ext3_extent_header *eh, size_t bytes,
				int depth)
{
	unsigned n = ext2fs_le16_to_cpu(eh->eh_entries);

	if (ext2fs_le16_to_cpu(eh->eh_magic) != EXT3_EXT_MAGIC)
		return "a node of its extent tree is not one";
	if (ext2fs_le16_to_cpu(eh->eh_depth) != depth || depth > 5)
		return "a node of its extent tree has the wrong depth";
	if (n > ext2fs_le16_to_cpu(eh->eh_max) ||
	    sizeof(*eh) + n * sizeof(struct ext3_extent) > bytes)
		return "a node of its extent tree holds more than fits";
	return depth && !n ? "a node of its extent tree is empty" : NULL;
}

static void take_index(struct scan *s, struct harvest *h, const struct owner *o,
		       const struct ext3_extent_idx *e, int depth)
{
	struct todo child = {
		.ino = o->ino, .seed = o->seed, .base = o->base, .last = o->last};

	child.where = todo_at(ext2fs_le32_to_cpu(e->ei_leaf) |
				      (blkno_t)ext2fs_le16_to_cpu(e->ei_leaf_hi) << 32,
			      o->kind, depth - 1, false);
	harvest_node(s, h, &child);
}

static void take_extent(struct scan *s, struct harvest *h, const struct owner *o,
			const struct ext3_extent *e)
{
	uint32_t len = ext2fs_le16_to_cpu(e->ee_len);
	struct run r = {.lblk = ext2fs_le32_to_cpu(e->ee_block),
			.phys = ext2fs_le32_to_cpu(e->ee_start) |
				(blkno_t)ext2fs_le16_to_cpu(e->ee_start_hi) << 32,
			.unwritten = len > EXT_INIT_MAX_LEN};

	r.len = r.unwritten ? len - (uint32_t)EXT_INIT_MAX_LEN : len;
	if (r.len == 0)
		bad_tree(h, o->ino, "an extent is empty");
	else if (r.len - 1 > o->last - r.lblk)
		bad_tree(h, o->ino, "its extents overlap or are out of order");
	else
		harvest_data(s, h, o, &r);
}

/* Each entry maps at most up to where the next one starts: so no two of a tree overlap. */
void harvest_extents(struct scan *s, struct harvest *h, const struct owner *o,
		     const void *node, size_t bytes, int depth)
{
	const struct ext3_extent_header *eh = node;
	const struct ext3_extent *e = (const void *)(eh + 1);
	const char *wrong = check_header(eh, bytes, depth);
	unsigned n = ext2fs_le16_to_cpu(eh->eh_entries);

	if (wrong) {
		bad_tree(h, o->ino, wrong);
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		struct owner part = *o;
		/* ee_block and ei_block lie at the same place */
		uint32_t at = ext2fs_le32_to_cpu(e[i].ee_block),
			 next = i + 1 < n ? ext2fs_le32_to_cpu(e[i + 1].ee_block) : 0;

		if (i + 1 < n)
			part.last = next - 1;
		if (at < o->base || at > o->last || (i + 1 < n && next <= at) ||
		    part.last > o->last) {
			bad_tree(h, o->ino, "its extents overlap or are out of order");
			continue;
		}
		part.base = at;
		if (depth)
			take_index(s, h, &part, (const void *)&e[i], depth);
		else
			take_extent(s, h, &part, &e[i]);
	}
}

/* --- one inode --- */

static void indirect_root(struct scan *s, struct harvest *h, const struct owner *o,
			  const struct ext2_inode_large *raw)
{
	uint64_t per = s->v->geom.block_size / 4, base = EXT2_NDIR_BLOCKS, span = per;

	for (lblk_t i = 0; i < EXT2_NDIR_BLOCKS; i++) {
		struct run r = {
			.phys = ext2fs_le32_to_cpu(raw->i_block[i]), .len = 1, .lblk = i};

		if (r.phys)
			harvest_data(s, h, o, &r);
	}
	for (int i = EXT2_IND_BLOCK; i <= EXT2_TIND_BLOCK; i++) {
		blkno_t block = ext2fs_le32_to_cpu(raw->i_block[i]);
		struct todo n = {
			.where = todo_at(block, o->kind, i - EXT2_IND_BLOCK, true),
			.ino = o->ino,
			.seed = o->seed,
			.base = (lblk_t)base};

		if (block)
			harvest_node(s, h, &n);
		base += span;
		span *= per;
	}
}

/* Inode 7 owns its double indirect block; the descriptors behind it belong to the
 * geometry. */
static void resize_inode(struct scan *s, struct harvest *h,
			 const struct ext2_inode_large *raw)
{
	struct run r = {.phys = ext2fs_le32_to_cpu(raw->i_block[EXT2_DIND_BLOCK]),
			.len = 1,
			.ino = EXT2_RESIZE_INO,
			.kind = OWNER_RESIZE};

	if (r.phys && in_volume(s, r.phys, 1))
		h->oom |= !vec_push(&h->runs, r);
}

static void take_map(struct scan *s, struct harvest *h, const struct owner *o,
		     const struct ext2_inode_large *raw)
{
	const struct ext3_extent_header *root = (const void *)raw->i_block;

	if (o->kind == OWNER_RESIZE)
		resize_inode(s, h, raw);
	else if (ext2fs_le32_to_cpu(raw->i_flags) & EXT4_EXTENTS_FL)
		harvest_extents(s, h, o, root, sizeof(raw->i_block),
				ext2fs_le16_to_cpu(root->eh_depth));
	else
		indirect_root(s, h, o, raw);
}

/* Without a link only what the superblock knows is in use. */
static bool is_live(const struct scan *s, inum_t ino, const struct ext2_inode_large *raw)
{
	return raw->i_links_count ||
	       (ino < s->v->geom.first_inode && ino != EXT2_ROOT_INO && raw->i_blocks) ||
	       orphans_has(s, ino);
}

static uint32_t seed_of(const struct scan *s, inum_t ino,
			const struct ext2_inode_large *raw)
{
	uint32_t le_ino = ext2fs_cpu_to_le32(ino);

	return crc32c(crc32c(s->v->fs->csum_seed, &le_ino, 4), &raw->i_generation, 4);
}

static void take_inode(struct scan *s, struct harvest *h, inum_t ino,
		       const struct ext2_inode_large *raw)
{
	struct owner o = {.ino = ino,
			  .seed = seed_of(s, ino, raw),
			  .kind = inode_owner_kind(s->v, ino, raw),
			  .last = UINT32_MAX};
	blkno_t block = inode_xattr_block(s->v, raw);
	struct todo x = {.where = block, .ino = ino};
	struct found_inode f = {.ino = ino};

	if (!inode_csum_ok(s->v, ino, raw))
		flaw_add(&h->flaws, BLKNO_NONE, ino, "the checksum of inode %u is wrong",
			 ino);
	inode_info_of(s->v, ino, raw, &f.info);
	h->oom |= !vec_push(&h->inodes, f);
	if (inode_has_map(raw))
		take_map(s, h, &o, raw);
	else if (f.info.type == INODE_DIR && (f.info.flags & INODE_INLINE))
		scan_inline_dir(s, h, ino, raw);
	if (block && !in_volume(s, block, 1))
		flaw_add(&h->flaws, block, ino,
			 "the attribute block of inode %u is outside the volume", ino);
	else if (block)
		h->oom |= !vec_push(&h->xattrs, x);
}

void scan_table(struct scan *s, const struct unit *u, const uint8_t *data,
		struct harvest *h)
{
	uint32_t size = s->v->geom.inode_size, bs = s->v->geom.block_size;

	for (size_t i = u->first; i < u->last; i++) {
		const struct todo *t = &s->pass.items.v[i];
		const uint8_t *table = data + (todo_block(t) - u->start) * bs;

		for (uint32_t k = 0; k < t->count; k++) {
			const struct ext2_inode_large *raw =
				(const void *)(table + (size_t)k * size);

			if (is_live(s, t->ino + k, raw))
				take_inode(s, h, t->ino + k, raw);
		}
	}
}
