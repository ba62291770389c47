/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan_node.c - blocks that inodes point to: tree nodes, indirect blocks, attribute
 * blocks. */
#include <string.h>
#include "base/crc32c.h"
#include "src/fs/scan_priv.h"

/* --- nodes --- */

/* One pointer of an indirect block, which maps logical block `at` and those behind it. */
static void take_pointer(struct scan *s, struct harvest *h, const struct todo *n,
			 blkno_t block, uint64_t at)
{
	struct owner o = {.ino = n->ino, .kind = todo_kind(n), .last = UINT32_MAX};
	struct run r = {.phys = block, .len = 1, .lblk = (lblk_t)at};
	struct todo child = {.ino = n->ino, .base = (lblk_t)at};

	o.seed = child.seed = n->seed;
	if (at > UINT32_MAX) {
		flaw_add(&h->flaws, block, n->ino,
			 "inode %u maps blocks behind the last that a file can have",
			 n->ino);
		return;
	}
	if (todo_level(n) == 0) {
		harvest_data(s, h, &o, &r);
		return;
	}
	child.where = todo_at(block, todo_kind(n), todo_level(n) - 1, true);
	harvest_node(s, h, &child);
}

static void take_indirect(struct scan *s, struct harvest *h, const struct todo *n,
			  const uint8_t *block)
{
	uint32_t per = s->v->geom.block_size / 4;
	uint64_t span = 1;

	for (int i = 0; i < todo_level(n); i++)
		span *= per;
	for (uint32_t i = 0; i < per; i++) {
		uint32_t le;

		memcpy(&le, block + i * 4, 4);
		if (le)
			take_pointer(s, h, n, ext2fs_le32_to_cpu(le), n->base + i * span);
	}
}

/* The sum stands behind the last entry that there is room for. */
static bool node_csum_ok(const struct scan *s, const struct todo *n, const uint8_t *block)
{
	const struct ext3_extent_header *h = (const void *)block;
	size_t tail = sizeof(*h) +
		      (size_t)ext2fs_le16_to_cpu(h->eh_max) * sizeof(struct ext3_extent);
	uint32_t have;

	if (!ext2fs_has_feature_metadata_csum(s->v->fs->super))
		return true;
	if (tail + sizeof(have) > s->v->geom.block_size)
		return false;
	memcpy(&have, block + tail, sizeof(have));
	return ext2fs_le32_to_cpu(have) == crc32c(n->seed, block, tail);
}

void scan_nodes(struct scan *s, const struct unit *u, const uint8_t *data,
		struct harvest *h)
{
	uint32_t bs = s->v->geom.block_size;

	for (size_t i = u->first; i < u->last; i++) {
		const struct todo *n = &s->pass.items.v[i];
		const uint8_t *block = data + (todo_block(n) - u->start) * bs;
		struct owner o = {n->ino, n->seed, todo_kind(n), n->base, n->last};

		if (todo_is_indirect(n)) {
			take_indirect(s, h, n, block);
			continue;
		}
		if (!node_csum_ok(s, n, block))
			flaw_add(&h->flaws, todo_block(n), n->ino,
				 "the checksum of tree node %llu of inode %u is wrong",
				 (unsigned long long)todo_block(n), n->ino);
		harvest_extents(s, h, &o, block, bs, todo_level(n));
	}
}

/* --- attribute blocks --- */

/* The sum holds the block's own number; its own field counts as zeros. */
static bool xattr_csum_ok(const struct scan *s, blkno_t number, const uint8_t *block)
{
	struct ext2_ext_attr_header head;
	uint64_t le = ext2fs_cpu_to_le64(number);
	uint32_t crc, have;

	if (!ext2fs_has_feature_metadata_csum(s->v->fs->super))
		return true;
	memcpy(&head, block, sizeof(head));
	have = ext2fs_le32_to_cpu(head.h_checksum);
	head.h_checksum = 0;
	crc = crc32c(s->v->fs->csum_seed, &le, sizeof(le));
	crc = crc32c(crc, &head, sizeof(head));
	return have ==
	       crc32c(crc, block + sizeof(head), s->v->geom.block_size - sizeof(head));
}

/* Claims [i, end) of one block stand together; the first of them owns it. */
static void take_xattr(struct scan *s, struct harvest *h, size_t i, size_t end,
		       const uint8_t *block)
{
	const struct ext2_ext_attr_header *head = (const void *)block;
	struct run r = {.phys = todo_block(&s->pass.items.v[i]),
			.len = 1,
			.ino = s->pass.items.v[i].ino,
			.kind = end - i > 1 ? OWNER_XATTR_SHARED : OWNER_XATTR};

	if (ext2fs_le32_to_cpu(head->h_magic) != EXT2_EXT_ATTR_MAGIC)
		flaw_add(&h->flaws, r.phys, r.ino,
			 "attribute block %llu of inode %u is not one",
			 (unsigned long long)r.phys, r.ino);
	else if (!xattr_csum_ok(s, r.phys, block))
		flaw_add(&h->flaws, r.phys, r.ino,
			 "the checksum of attribute block %llu of inode %u is wrong",
			 (unsigned long long)r.phys, r.ino);
	else if (ext2fs_le32_to_cpu(head->h_refcount) != end - i)
		flaw_add(&h->flaws, r.phys, r.ino,
			 "attribute block %llu counts %u users, but has %zu",
			 (unsigned long long)r.phys, ext2fs_le32_to_cpu(head->h_refcount),
			 end - i);
	h->oom |= !vec_push(&h->runs, r);
}

void scan_xattrs(struct scan *s, const struct unit *u, const uint8_t *data,
		 struct harvest *h)
{
	const struct todo *x = s->pass.items.v;

	for (size_t i = u->first, end; i < u->last; i = end) {
		blkno_t block = todo_block(&x[i]);

		for (end = i + 1; end < u->last && todo_block(&x[end]) == block;)
			end++;
		take_xattr(s, h, i, end,
			   data + (block - u->start) * s->v->geom.block_size);
	}
}
