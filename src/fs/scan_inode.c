/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan_inode.c - inode tables: each inode in use, what it is, and the part of its map
 * that it holds itself.
 */
#include <string.h>
#include <sys/stat.h>
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

static void add_dir_run(struct harvest *h, const struct owner *o, const struct run *r)
{
	struct dir_run d = {r->phys, r->len, o->ino, o->generation};

	h->oom |= !r->unwritten && !vec_push(&h->dirs, d);
}

void harvest_data(struct scan *s, struct harvest *h, const struct owner *o,
		  const struct run *r)
{
	struct run *last = h->runs.n ? &h->runs.v[h->runs.n - 1] : NULL;
	struct run copy = *r;

	copy.ino = o->ino;
	copy.kind = o->kind;
	if (!in_volume(s, r->phys, r->len) || (uint64_t)r->lblk + r->len > 1ull << 32) {
		flaw_add(&h->flaws, r->phys, o->ino,
			 "inode %u maps block %u to %llu+%u, which is outside the volume",
			 o->ino, r->lblk, (unsigned long long)r->phys, r->len);
		return;
	}
	if (o->kind == OWNER_DIR)
		add_dir_run(h, o, &copy);
	if (last && last->ino == o->ino && owner_is_data(last->kind)) {
		if ((uint64_t)last->lblk + last->len > r->lblk)
			flaw_add(&h->flaws, r->phys, o->ino,
				 "inode %u maps its blocks out of order at block %u",
				 o->ino, r->lblk);
		if (joins(last, &copy)) {
			last->len += copy.len;
			return;
		}
		/* for the first map only; the seal knows better */
		copy.fragmented = last->fragmented = last->phys + last->len != copy.phys;
	}
	h->oom |= !vec_push(&h->runs, copy);
}

void harvest_node(struct scan *s, struct harvest *h, const struct node *n)
{
	struct run r = {.phys = n->block, .len = 1, .ino = n->ino, .kind = OWNER_TREE};

	if (!in_volume(s, n->block, 1)) {
		flaw_add(&h->flaws, n->block, n->ino,
			 "inode %u has a node of its map at %llu, outside the volume",
			 n->ino, (unsigned long long)n->block);
		return;
	}
	h->oom |= !vec_push(&h->runs, r) || !vec_push(&h->nodes, *n);
}

static void bad_tree(struct harvest *h, inum_t ino, const char *what)
{
	flaw_add(&h->flaws, BLKNO_NONE, ino, "inode %u: %s", ino, what);
}

void harvest_extents(struct scan *s, struct harvest *h, const struct owner *o,
		     const void *node, size_t bytes, int depth)
{
	const struct ext3_extent_header *eh = node;
	const struct ext3_extent *e = (const void *)(eh + 1);
	unsigned n = ext2fs_le16_to_cpu(eh->eh_entries);

	if (ext2fs_le16_to_cpu(eh->eh_magic) != EXT3_EXT_MAGIC ||
	    ext2fs_le16_to_cpu(eh->eh_depth) != depth || depth < 0 || depth > 5 ||
	    n > ext2fs_le16_to_cpu(eh->eh_max) || sizeof(*eh) + n * sizeof(*e) > bytes) {
		bad_tree(h, o->ino, "a node of its extent tree makes no sense");
		return;
	}
	for (unsigned i = 0; i < n; i++) {
		const struct ext3_extent_idx *idx = (const void *)(e + i);
		uint32_t len = ext2fs_le16_to_cpu(e[i].ee_len);
		struct run r = {.lblk = ext2fs_le32_to_cpu(e[i].ee_block),
				.phys = ext2fs_le32_to_cpu(e[i].ee_start) |
					(blkno_t)ext2fs_le16_to_cpu(e[i].ee_start_hi)
						<< 32,
				.unwritten = len > EXT_INIT_MAX_LEN};
		struct node child = {.ino = o->ino,
				     .generation = o->generation,
				     .kind = (uint8_t)o->kind,
				     .base = ext2fs_le32_to_cpu(idx->ei_block),
				     .block = ext2fs_le32_to_cpu(idx->ei_leaf) |
					      (blkno_t)ext2fs_le16_to_cpu(idx->ei_leaf_hi)
						      << 32,
				     .level = (uint8_t)(depth - 1)};

		r.len = r.unwritten ? len - (uint32_t)EXT_INIT_MAX_LEN : len;
		if (depth)
			harvest_node(s, h, &child);
		else if (r.len)
			harvest_data(s, h, o, &r);
		else
			bad_tree(h, o->ino, "an extent is empty");
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
		struct node n = {.block = ext2fs_le32_to_cpu(raw->i_block[i]),
				 .ino = o->ino,
				 .generation = o->generation,
				 .base = (lblk_t)base,
				 .kind = (uint8_t)o->kind,
				 .level = (uint8_t)(i - EXT2_IND_BLOCK),
				 .indirect = true};

		if (n.block)
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

static bool is_live(const struct scan *s, inum_t ino, const struct ext2_inode_large *raw)
{
	return raw->i_links_count ||
	       (ino < s->v->geom.first_inode && ino != EXT2_ROOT_INO && raw->i_blocks);
}

static void take_inode(struct scan *s, struct harvest *h, inum_t ino,
		       const struct ext2_inode_large *raw)
{
	struct owner o = {ino, raw->i_generation, inode_owner_kind(s->v, ino, raw)};
	struct xattr_ref x = {inode_xattr_block(s->v, raw), ino};
	struct found_inode f = {.ino = ino};

	if (!inode_csum_ok(s->v, ino, raw))
		flaw_add(&h->flaws, BLKNO_NONE, ino, "the checksum of inode %u is wrong",
			 ino);
	inode_info_of(s->v, ino, raw, &f.info);
	h->oom |= !vec_push(&h->inodes, f);
	if (inode_has_map(raw))
		take_map(s, h, &o, raw);
	else if (f.info.type == INODE_DIR && (f.info.flags & INODE_INLINE))
		h->oom |= !vec_push(&h->inline_dirs, ino);
	if (x.block && !in_volume(s, x.block, 1))
		flaw_add(&h->flaws, x.block, ino,
			 "the attribute block of inode %u is outside the volume", ino);
	else if (x.block)
		h->oom |= !vec_push(&h->xattrs, x);
}

/* u->first: the first inode; u->last: how many. */
void scan_table(struct scan *s, const struct unit *u, const uint8_t *data,
		struct harvest *h)
{
	uint32_t size = s->v->geom.inode_size;

	for (size_t i = 0; i < u->last; i++) {
		const struct ext2_inode_large *raw = (const void *)(data + i * size);
		inum_t ino = (inum_t)(u->first + i);

		if (is_live(s, ino, raw))
			take_inode(s, h, ino, raw);
	}
}
