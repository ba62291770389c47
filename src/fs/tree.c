/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.c - see tree.h. Extent trees are built bottom-up, every level filled evenly;
 * indirect maps top-down.
 */
#include <stdlib.h>
#include <string.h>
#include "base/crc32c.h"
#include "src/fs/tree.h"

/* The blocks still to be handed out. */
struct builder {
	struct volume *v;
	inum_t ino;
	struct ext2_inode_large *raw;
	struct change_inode *out;
	struct tree_places places;
	size_t range; /* index of the current range, */
	blkno_t used; /* blocks taken of it */
	struct err *err;
};

/* A new node in the next place; its image is zeroed. NULL: none left, or no memory. */
static uint8_t *new_node(struct builder *b, blkno_t *place)
{
	struct change_node node;

	while (b->range < b->places.n && b->used == b->places.v[b->range].len) {
		b->range++;
		b->used = 0;
	}
	if (b->range == b->places.n) {
		err_set(b->err, ERR_REFUSED,
			"inode %u needs more blocks for its map than were planned; plan "
			"again",
			b->ino);
		return NULL;
	}
	node.block = *place = b->places.v[b->range].start + b->used++;
	node.image = calloc(1, b->v->geom.block_size);
	if (node.image && vec_push(&b->out->new_tree, node))
		return node.image;
	free(node.image);
	err_nomem(b->err);
	return NULL;
}

static bool all_used(struct builder *b)
{
	while (b->range < b->places.n && b->used == b->places.v[b->range].len) {
		b->range++;
		b->used = 0;
	}
	if (b->range == b->places.n)
		return true;
	err_set(b->err, ERR_REFUSED,
		"inode %u needs fewer blocks for its map than were planned; plan again",
		b->ino);
	return false;
}

/* --- extents --- */

/* An entry of a node: an extent (level 0), or an index; both are 12 bytes. */
struct entry {
	uint32_t lblk;
	uint32_t len; /* of an extent, as it is stored; 0 in an index */
	blkno_t block;
};

struct entries {
	struct entry *v;
	size_t n, cap;
};

static bool cut_records(const struct run_list *runs, struct entries *out)
{
	for (size_t i = 0; i < runs->n && owner_is_data(runs->v[i].kind); i++) {
		const struct run *r = &runs->v[i];
		uint32_t max = r->unwritten ? EXTENT_MAX_UNWRITTEN : EXTENT_MAX_LEN;

		for (uint32_t at = 0; at < r->len; at += max) {
			uint32_t len = r->len - at < max ? r->len - at : max;
			struct entry e = {r->lblk + at,
					  r->unwritten ? len + (uint32_t)EXT_INIT_MAX_LEN
						       : len,
					  r->phys + at};

			if (!vec_push(out, e))
				return false;
		}
	}
	return true;
}

static void put_entries(void *node, const struct entry *e, size_t n, unsigned max,
			int depth)
{
	struct ext3_extent_header *h = node;

	memset(h, 0, sizeof(*h));
	h->eh_magic = ext2fs_cpu_to_le16(EXT3_EXT_MAGIC);
	h->eh_entries = ext2fs_cpu_to_le16((uint16_t)n);
	h->eh_max = ext2fs_cpu_to_le16((uint16_t)max);
	h->eh_depth = ext2fs_cpu_to_le16((uint16_t)depth);
	for (size_t i = 0; i < n; i++) {
		struct ext3_extent *x = (struct ext3_extent *)(h + 1) + i;
		struct ext3_extent_idx *idx = (void *)x;

		memset(x, 0, sizeof(*x));
		if (depth) {
			idx->ei_block = ext2fs_cpu_to_le32(e[i].lblk);
			idx->ei_leaf = ext2fs_cpu_to_le32((uint32_t)e[i].block);
			idx->ei_leaf_hi =
				ext2fs_cpu_to_le16((uint16_t)(e[i].block >> 32));
			continue;
		}
		x->ee_block = ext2fs_cpu_to_le32(e[i].lblk);
		x->ee_len = ext2fs_cpu_to_le16((uint16_t)e[i].len);
		x->ee_start = ext2fs_cpu_to_le32((uint32_t)e[i].block);
		x->ee_start_hi = ext2fs_cpu_to_le16((uint16_t)(e[i].block >> 32));
	}
}

static void put_node_csum(const struct builder *b, uint8_t *node, unsigned max)
{
	size_t tail =
		sizeof(struct ext3_extent_header) + max * sizeof(struct ext3_extent);
	uint32_t ino = ext2fs_cpu_to_le32(b->ino), crc;

	if (!ext2fs_has_feature_metadata_csum(b->v->fs->super))
		return;
	crc = crc32c(b->v->fs->csum_seed, &ino, 4);
	crc = crc32c(crc, &b->raw->i_generation, 4);
	crc = ext2fs_cpu_to_le32(crc32c(crc, node, tail));
	memcpy(node + tail, &crc, 4);
}

/* Packs one level into so many nodes, evenly; *level becomes their index entries. */
static bool pack_level(struct builder *b, struct entries *level, int depth, size_t nodes)
{
	unsigned max = (b->v->geom.block_size - 12) / 12;
	size_t at = 0;

	for (size_t i = 0; i < nodes; i++) {
		size_t n = (level->n - at) / (nodes - i);
		struct entry index = {level->v[at].lblk, 0, 0};
		uint8_t *node = new_node(b, &index.block);

		if (!node)
			return false;
		put_entries(node, level->v + at, n, max, depth);
		put_node_csum(b, node, max);
		at += n;
		level->v[i] = index; /* i < at: read already */
	}
	level->n = nodes;
	return true;
}

/* A leaf holds at least one record: single blocks are cut off until there are `want`. */
static bool cut_finer(struct entries *level, size_t want)
{
	struct entries out = {0};
	size_t more = want > level->n ? want - level->n : 0;

	for (size_t i = 0; more && i < level->n; i++) {
		struct entry e = level->v[i], one = e;
		uint32_t mark = e.len > EXTENT_MAX_LEN ? (uint32_t)EXT_INIT_MAX_LEN : 0;

		for (; more && e.len - mark > 1; more--) {
			one = (struct entry){e.lblk++, 1 + mark, e.block++};
			e.len--;
			if (!vec_push(&out, one))
				goto fail;
		}
		if (!vec_push(&out, e))
			goto fail;
		level->v[i].len = 0; /* done */
	}
	for (size_t i = 0; out.n && i < level->n; i++)
		if (level->v[i].len && !vec_push(&out, level->v[i]))
			goto fail;
	if (out.n) {
		vec_release(level);
		*level = out;
	}
	return true;
fail:
	vec_release(&out);
	return false;
}

/* Nodes of each level: as few as possible, or as many as there is room for. */
static int choose_shape(struct builder *b, const struct run_list *runs, size_t records,
			uint32_t nodes[EXTENT_DEPTH_MAX])
{
	uint32_t total = extent_tree_blocks(records, b->v->geom.block_size);

	if (b->v->geom.keep_trees) {
		total = 0;
		for (size_t i = 0; i < b->places.n; i++)
			total += (uint32_t)b->places.v[i].len;
	}
	return extent_tree_shape(records, extent_blocks(runs->v, runs->n), total,
				 b->v->geom.block_size, nodes);
}

static bool build_extents(struct builder *b, const struct run_list *runs)
{
	uint32_t nodes[EXTENT_DEPTH_MAX] = {0};
	struct entries level = {0};
	int depth = 0;
	bool ok = cut_records(runs, &level) || err_nomem(b->err);

	if (ok) {
		depth = choose_shape(b, runs, level.n, nodes);
		if (depth < 0) {
			err_set(b->err, ERR_REFUSED,
				"inode %u cannot be mapped with as many blocks as "
				"quota counts for it now",
				b->ino);
			ok = false;
		}
	}
	ok = ok && (cut_finer(&level, nodes[0]) || err_nomem(b->err));
	for (int i = 0; ok && i < depth; i++)
		ok = pack_level(b, &level, i, nodes[i]);
	if (ok) {
		memset(b->raw->i_block, 0, sizeof(b->raw->i_block));
		put_entries(b->raw->i_block, level.v, level.n, EXTENT_IN_INODE, depth);
	}
	vec_release(&level);
	return ok;
}

/* --- indirect blocks --- */

struct cursor {
	const struct run *v,
		*end; /* data runs; v: the first that ends after the last question */
};

/* The physical block of a logical one, asked for in rising order; 0 for a hole. */
static blkno_t place_of(struct cursor *c, uint64_t lblk)
{
	while (c->v < c->end && (uint64_t)c->v->lblk + c->v->len <= lblk)
		c->v++;
	return c->v < c->end && c->v->lblk <= lblk ? c->v->phys + (lblk - c->v->lblk) : 0;
}

/* Is there data in [base, base + span)? */
static bool has_data(struct cursor *c, uint64_t base, uint64_t span)
{
	while (c->v < c->end && (uint64_t)c->v->lblk + c->v->len <= base)
		c->v++;
	return c->v < c->end && c->v->lblk < base + span;
}

/* A node of pointers to data (level 0) or to nodes; *block 0 if there is nothing below
 * it. */
static bool build_pointers(struct builder *b, struct cursor *c, int level, uint64_t base,
			   blkno_t *block)
{
	uint32_t per = b->v->geom.block_size / 4;
	uint64_t span = 1;
	uint8_t *node;

	for (int i = 0; i < level; i++)
		span *= per;
	*block = 0;
	if (!has_data(c, base, span * per))
		return true;
	node = new_node(b, block);
	if (!node)
		return false;
	for (uint32_t i = 0; i < per; i++) {
		blkno_t child = level ? 0 : place_of(c, base + i);
		uint32_t le;

		if (level && !build_pointers(b, c, level - 1, base + i * span, &child))
			return false;
		le = ext2fs_cpu_to_le32((uint32_t)child);
		memcpy(node + i * 4, &le, 4);
	}
	return true;
}

static bool fits_32_bits(struct builder *b, const struct run_list *runs)
{
	for (size_t i = 0; i < runs->n; i++)
		if (runs->v[i].phys + runs->v[i].len > 1ull << 32) {
			err_set(b->err, ERR_REFUSED,
				"inode %u is mapped by 32-bit block numbers and cannot "
				"lie beyond block 2^32",
				b->ino);
			return false;
		}
	return true;
}

static bool build_indirect(struct builder *b, const struct run_list *runs)
{
	struct cursor c = {runs->v, runs->v};
	uint64_t per = b->v->geom.block_size / 4, base = EXT2_NDIR_BLOCKS, span = per;
	__u32 map[EXT2_N_BLOCKS] = {0};

	while (c.end < runs->v + runs->n && owner_is_data(c.end->kind))
		c.end++;
	if (!fits_32_bits(b, runs))
		return false;
	for (int i = 0; i < EXT2_NDIR_BLOCKS; i++)
		map[i] = ext2fs_cpu_to_le32((uint32_t)place_of(&c, (uint64_t)i));
	for (int i = EXT2_IND_BLOCK; i <= EXT2_TIND_BLOCK; i++) {
		blkno_t block;

		if (!build_pointers(b, &c, i - EXT2_IND_BLOCK, base, &block))
			return false;
		map[i] = ext2fs_cpu_to_le32((uint32_t)block);
		base += span;
		span *= per;
	}
	memcpy(b->raw->i_block, map, sizeof(map));
	return true;
}

bool tree_build(struct volume *v, inum_t ino, struct ext2_inode_large *raw,
		const struct run_list *runs, struct tree_places places,
		struct change_inode *out, struct err *err)
{
	struct builder b = {
		.v = v, .ino = ino, .raw = raw, .out = out, .places = places, .err = err};
	bool extents = ext2fs_le32_to_cpu(raw->i_flags) & EXT4_EXTENTS_FL;

	return (extents ? build_extents(&b, runs) : build_indirect(&b, runs)) &&
	       all_used(&b);
}
