/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan_node.c - blocks that inodes point to: tree nodes, indirect blocks, attribute
 * blocks. */
#include <string.h>
#include "base/crc32c.h"
#include "src/fs/scan_priv.h"

static void take_indirect(struct scan *s, struct harvest *h, const struct node *n,
			  const uint8_t *block)
{
	uint32_t per = s->v->geom.block_size / 4;
	struct owner o = {n->ino, n->generation, (enum owner_kind)n->kind};
	uint64_t span = 1;

	for (int i = 0; i < n->level; i++)
		span *= per;
	for (uint32_t i = 0; i < per; i++) {
		uint32_t le;
		struct node child = *n;
		struct run r = {.len = 1, .lblk = n->base + i};

		memcpy(&le, block + i * 4, 4);
		if (!le)
			continue;
		child.block = r.phys = ext2fs_le32_to_cpu(le);
		child.base = (lblk_t)(n->base + i * span);
		child.level = (uint8_t)(n->level - 1);
		if (n->level)
			harvest_node(s, h, &child);
		else
			harvest_data(s, h, &o, &r);
	}
}

static bool node_csum_ok(const struct scan *s, const struct node *n, const uint8_t *block)
{
	struct ext2_inode_large raw;

	raw.i_generation = n->generation;
	return inode_node_csum_ok(s->v, n->ino, &raw, block);
}

void scan_nodes(struct scan *s, const struct unit *u, const uint8_t *data,
		struct harvest *h)
{
	uint32_t bs = s->v->geom.block_size;

	for (size_t i = u->first; i < u->last; i++) {
		const struct node *n = &s->nodes.v[i];
		const uint8_t *block = data + (n->block - u->start) * bs;
		struct owner o = {n->ino, n->generation, (enum owner_kind)n->kind};

		if (i && s->nodes.v[i - 1].block == n->block) {
			flaw_add(&h->flaws, n->block, n->ino,
				 "block %llu is a tree node of inode %u and of inode %u",
				 (unsigned long long)n->block, s->nodes.v[i - 1].ino,
				 n->ino);
			continue;
		}
		if (n->indirect) {
			take_indirect(s, h, n, block);
			continue;
		}
		if (!node_csum_ok(s, n, block))
			flaw_add(&h->flaws, n->block, n->ino,
				 "the checksum of tree node %llu of inode %u is wrong",
				 (unsigned long long)n->block, n->ino);
		harvest_extents(s, h, &o, block, bs, n->level);
	}
}

/* Claims of one block stand together; the first of them owns it. */
static void take_xattr(struct scan *s, struct harvest *h, size_t i, size_t end,
		       const uint8_t *block)
{
	const struct ext2_ext_attr_header *head = (const void *)block;
	struct run r = {.phys = s->xattrs.v[i].block,
			.len = 1,
			.ino = s->xattrs.v[i].ino,
			.kind = end - i > 1 ? OWNER_XATTR_SHARED : OWNER_XATTR};

	if (ext2fs_le32_to_cpu(head->h_magic) != EXT2_EXT_ATTR_MAGIC)
		flaw_add(&h->flaws, r.phys, r.ino,
			 "attribute block %llu of inode %u is not one",
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
	for (size_t i = u->first, end; i < u->last; i = end) {
		blkno_t block = s->xattrs.v[i].block;

		for (end = i + 1; end < u->last && s->xattrs.v[end].block == block;)
			end++;
		take_xattr(s, h, i, end,
			   data + (block - u->start) * s->v->geom.block_size);
	}
}
