/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * change_pack.c - a change set as bytes, little endian, about 200 of them for a small
 * file.
 *
 *   head:   way 1, batch 4, action 4, inodes 4, groups 4, moves 4, blocks 8 (the last two
 *           for listings)
 *   inode:  number 4, generation 4, before 70, after 70, copies 4, old nodes 4, new nodes 4
 *   copy:   logical 4, length 4 (top bit: unwritten), source 6, destination 6
 *   node:   block 6; of old ones the image, block_size
 *   group:  number 4, descriptor 64, bitmap block, block_size
 */
#include <stdlib.h>
#include <string.h>
#include "src/fs/change.h"

#define UNWRITTEN_BIT 0x80000000u

static void add_le(struct str *s, uint64_t value, int bytes)
{
	uint8_t p[8];

	for (int i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * i);
	str_addn(s, p, (size_t)bytes);
}

static void pack_nodes(struct str *s, const struct change_node *nodes, size_t n,
		       size_t image)
{
	for (size_t i = 0; i < n; i++) {
		add_le(s, nodes[i].block, 6);
		if (image)
			str_addn(s, nodes[i].image, image);
	}
}

static void pack_totals(const struct change *c, struct str *out)
{
	uint64_t blocks = 0;

	for (size_t k = 0; k < c->inodes.n; k++)
		for (size_t i = 0; i < c->inodes.v[k].copies.n; i++)
			blocks += c->inodes.v[k].copies.v[i].len;
	add_le(out, c->moves, 4);
	add_le(out, blocks, 8);
}

bool change_pack(const struct volume *v, const struct change *c, struct str *out)
{
	uint32_t bs = v->geom.block_size;

	add_le(out, c->way, 1);
	add_le(out, c->batch, 4);
	add_le(out, c->action, 4);
	add_le(out, c->inodes.n, 4);
	add_le(out, c->groups.n, 4);
	pack_totals(c, out);
	for (size_t k = 0; k < c->inodes.n; k++) {
		const struct change_inode *i = &c->inodes.v[k];

		add_le(out, i->ino, 4);
		add_le(out, i->generation, 4);
		str_addn(out, i->before.bytes, CORE_BYTES);
		str_addn(out, i->after.bytes, CORE_BYTES);
		add_le(out, i->copies.n, 4);
		add_le(out, i->old_tree.n, 4);
		add_le(out, i->new_tree.n, 4);
		for (size_t n = 0; n < i->copies.n; n++) {
			const struct change_copy *p = &i->copies.v[n];

			add_le(out, p->lblk, 4);
			add_le(out, p->len | (p->unwritten ? UNWRITTEN_BIT : 0), 4);
			add_le(out, p->src, 6);
			add_le(out, p->dst, 6);
		}
		pack_nodes(out, i->old_tree.v, i->old_tree.n, bs);
		pack_nodes(out, i->new_tree.v, i->new_tree.n, 0);
	}
	for (size_t k = 0; k < c->groups.n; k++) {
		add_le(out, c->groups.v[k].group, 4);
		str_addn(out, c->groups.v[k].desc, 64);
		str_addn(out, c->groups.v[k].bitmap, bs);
	}
	return !out->oom;
}

/* --- the way back --- */

struct reader {
	const uint8_t *p, *end;
	const struct volume *v;
	bool bad, oom;
};

static uint64_t take_le(struct reader *r, int bytes)
{
	uint64_t value = 0;

	if (r->bad || r->end - r->p < bytes) {
		r->bad = true;
		return 0;
	}
	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)r->p[i] << 8 * i;
	r->p += bytes;
	return value;
}

static void take_bytes(struct reader *r, void *to, size_t n)
{
	if (r->bad || (size_t)(r->end - r->p) < n) {
		r->bad = true;
		return;
	}
	memcpy(to, r->p, n);
	r->p += n;
}

static uint8_t *take_image(struct reader *r)
{
	uint8_t *image = malloc(r->v->geom.block_size);

	if (!image)
		r->oom = true;
	else
		take_bytes(r, image, r->v->geom.block_size);
	return image;
}

static bool going(const struct reader *r)
{
	return !r->bad && !r->oom;
}

static blkno_t take_block(struct reader *r, uint32_t len)
{
	blkno_t b = take_le(r, 6);

	if (b >= r->v->geom.blocks || len > r->v->geom.blocks - b)
		r->bad = true;
	return b;
}

static void take_copies(struct reader *r, struct change_inode *i, uint64_t n)
{
	for (; n && going(r); n--) {
		struct change_copy c = {.lblk = (lblk_t)take_le(r, 4)};
		uint32_t len = (uint32_t)take_le(r, 4);

		c.unwritten = len & UNWRITTEN_BIT;
		c.len = len & ~UNWRITTEN_BIT;
		c.src = take_block(r, c.len);
		c.dst = take_block(r, c.len);
		if (going(r) && !vec_push(&i->copies, c))
			r->oom = true;
	}
}

static void take_nodes(struct reader *r, struct change_inode *i, uint64_t n, bool old)
{
	for (; n && going(r); n--) {
		struct change_node node = {take_block(r, 1), old ? take_image(r) : NULL};

		if (!(old ? vec_push(&i->old_tree, node)
			  : vec_push(&i->new_tree, node))) {
			free(node.image);
			r->oom = true;
		}
	}
}

static void take_inode(struct reader *r, struct change *c)
{
	struct change_inode i = {.ino = (inum_t)take_le(r, 4)};
	uint64_t copies, old, new;

	i.generation = (uint32_t)take_le(r, 4);
	take_bytes(r, i.before.bytes, CORE_BYTES);
	take_bytes(r, i.after.bytes, CORE_BYTES);
	copies = take_le(r, 4);
	old = take_le(r, 4);
	new = take_le(r, 4);
	if (i.ino == 0 || i.ino > r->v->geom.inodes)
		r->bad = true;
	if (!going(r))
		return;
	if (!vec_push(&c->inodes, i)) {
		r->oom = true;
		return;
	}
	take_copies(r, &c->inodes.v[c->inodes.n - 1], copies);
	take_nodes(r, &c->inodes.v[c->inodes.n - 1], old, true);
	take_nodes(r, &c->inodes.v[c->inodes.n - 1], new, false);
}

static void take_group(struct reader *r, struct change *c)
{
	struct change_group g = {.group = (group_t)take_le(r, 4)};

	take_bytes(r, g.desc, sizeof(g.desc));
	if (g.group >= r->v->geom.groups)
		r->bad = true;
	if (!going(r))
		return;
	g.bitmap = take_image(r);
	if (!vec_push(&c->groups, g)) {
		free(g.bitmap);
		r->oom = true;
	}
}

bool change_peek(const void *bytes, size_t n, struct change_head *out)
{
	struct reader r = {.p = bytes, .end = (const uint8_t *)bytes + n};
	uint64_t way = take_le(&r, 1);

	out->way = (enum change_way)way;
	out->batch = (uint32_t)take_le(&r, 4);
	out->action = (uint32_t)take_le(&r, 4);
	out->inodes = (uint32_t)take_le(&r, 4);
	take_le(&r, 4);
	out->moves = (uint32_t)take_le(&r, 4);
	out->blocks = take_le(&r, 8);
	return going(&r) && way <= CHANGE_REDO;
}

bool change_unpack(const struct volume *v, const void *bytes, size_t n,
		   struct change *out, struct err *err)
{
	struct reader r = {.p = bytes, .end = (const uint8_t *)bytes + n, .v = v};
	uint64_t inodes, groups, way = take_le(&r, 1);

	out->way = (enum change_way)way;
	out->batch = (uint32_t)take_le(&r, 4);
	out->action = (uint32_t)take_le(&r, 4);
	inodes = take_le(&r, 4);
	groups = take_le(&r, 4);
	out->moves = (uint32_t)take_le(&r, 4);
	take_le(&r, 8);
	if (way > CHANGE_REDO)
		r.bad = true;
	for (; inodes && going(&r); inodes--)
		take_inode(&r, out);
	for (; groups && going(&r); groups--)
		take_group(&r, out);
	if (r.oom)
		return err_nomem(err);
	if (r.bad || r.p != r.end) {
		err_set(err, ERR_CORRUPT,
			"a record of the undo journal does not fit this volume");
		return false;
	}
	return true;
}

bool change_pack_sums(const struct change *c, struct str *out)
{
	for (size_t k = 0; k < c->inodes.n; k++)
		for (size_t n = 0; n < c->inodes.v[k].copies.n; n++)
			add_le(out, c->inodes.v[k].copies.v[n].crc, 4);
	return !out->oom;
}

bool change_unpack_sums(struct change *c, const void *bytes, size_t n)
{
	struct reader r = {.p = bytes, .end = (const uint8_t *)bytes + n};

	for (size_t k = 0; k < c->inodes.n; k++)
		for (size_t i = 0; i < c->inodes.v[k].copies.n; i++) {
			struct change_copy *p = &c->inodes.v[k].copies.v[i];

			p->crc = (uint32_t)take_le(&r, 4);
			p->known = going(&r);
		}
	return going(&r) && r.p == r.end;
}
