/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.c - see model.h: life and filling. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "src/core/model_priv.h"

/* --- life --- */

static bool add_fixed(struct model *m)
{
	for (size_t i = 0; i < m->geom->fixed.n; i++) {
		const struct fixed *f = &m->geom->fixed.v[i];
		struct run r = {.phys = f->start,
				.len = f->len,
				.lblk = f->group,
				.kind = f->kind};

		if (!model_add_run(m, &r))
			return false;
	}
	return true;
}

struct model *model_new(const struct geom *geom, struct err *err)
{
	struct model *m = calloc(1, sizeof(*m));
	uint64_t blocks = geom->blocks - geom->first_block;

	if (!m)
		goto fail;
	m->geom = geom;
	m->span_blocks =
		geom->blocks_per_group < SPAN_MAX ? geom->blocks_per_group : SPAN_MAX;
	m->spans = (uint32_t)((blocks + m->span_blocks - 1) / m->span_blocks);
	m->per = geom->inodes_per_group;
	m->chunks = (geom->inodes + m->per - 1) / m->per;
	m->wide = geom->blocks > UINT32_MAX;
	m->span = calloc(m->spans ? m->spans : 1, sizeof(*m->span));
	m->busy = calloc(m->spans / 64 + 1, sizeof(*m->busy));
	m->busier = calloc(m->spans / 4096 + 1, sizeof(*m->busier));
	m->chunk = calloc(m->chunks ? m->chunks : 1, sizeof(*m->chunk));
	if (m->busy && m->busier && m->span && m->chunk && add_fixed(m))
		return m;
fail:
	model_free(m);
	err_nomem(err);
	return NULL;
}

void model_free(struct model *m)
{
	if (!m)
		return;
	for (uint32_t i = 0; m->span && i < m->spans; i++)
		free(m->span[i].v);
	for (uint32_t i = 0; m->chunk && i < m->chunks; i++) {
		free(m->chunk[i].slot);
		refs_release(&m->chunk[i].refs);
	}
	free(m->span);
	free(m->busy);
	free(m->busier);
	free(m->chunk);
	free(m->stretch);
	free(m->stretch_sum);
	free(m);
}

const struct geom *model_geom(const struct model *m)
{
	return m->geom;
}

/* --- filling --- */

bool model_add_run(struct model *m, const struct run *r)
{
	uint32_t done = 0;

	while (done < r->len) {
		uint32_t span = model_span_of(m, r->phys + done);
		uint32_t off = (uint32_t)(r->phys + done - model_span_start(m, span));
		uint32_t room = m->span_blocks - off;
		struct run piece = *r;
		struct span *s = &m->span[span];

		piece.len = r->len - done < room ? r->len - done : room;
		if (owner_is_data(r->kind))
			piece.lblk += done;
		if (!span_reserve(s, s->n + 1))
			return false;
		s->v[s->n++] = model_pack(off, &piece);
		done += piece.len;
	}
	return true;
}

static uint32_t pack_size(uint64_t size)
{
	uint32_t exponent = 0;

	while (size >= 1u << 20 && exponent < 31) {
		size = (size >> 1) + (size & 1);
		exponent++;
	}
	return (size < 1u << 20 ? (uint32_t)size : 0xFFFFF) | exponent << 20;
}

bool model_set_inode(struct model *m, inum_t ino, const struct inode_info *info)
{
	struct chunk *c = &m->chunk[(ino - 1) / m->per];
	uint32_t at = (ino - 1) % m->per;

	if (at >= c->slot_cap) {
		uint32_t cap = c->slot_cap * 2 > at + 1 ? c->slot_cap * 2 : at + 64;
		struct slot *slot;

		if (cap > m->per)
			cap = m->per;
		slot = realloc(c->slot, cap * sizeof(*slot));
		if (!slot)
			return false;
		memset(slot + c->slot_cap, 0, (cap - c->slot_cap) * sizeof(*slot));
		c->slot = slot;
		c->slot_cap = cap;
	}
	if (at >= c->slots)
		c->slots = at + 1;
	if (!c->slot[at].attr)
		m->inodes++;
	c->slot[at].attr = pack_size(info->size) | (info->flags & 0xF) << 25 |
			   (uint32_t)info->type << 29;
	return true;
}

void model_set_parent(struct model *m, inum_t ino, inum_t parent)
{
	uint32_t at = (ino - 1) % m->per;
	struct chunk *c;

	if (ino == 0 || ino > m->geom->inodes)
		return;
	c = &m->chunk[(ino - 1) / m->per];
	if (at < c->slots && c->slot[at].attr && !c->slot[at].parent)
		c->slot[at].parent = parent;
}

void flaw_add(struct flaw_list *f, blkno_t block, inum_t ino, const char *fmt, ...)
{
	struct flaw flaw = {.block = block, .ino = ino};
	va_list ap;

	if (!f)
		return;
	f->count++;
	if (f->list.n >= (f->limit ? f->limit : 32))
		return;
	va_start(ap, fmt);
	vsnprintf(flaw.text, sizeof(flaw.text), fmt, ap);
	va_end(ap);
	(void)vec_push(&f->list, flaw); /* the count above holds in any case */
}

void model_stats(const struct model *m, struct model_stats *out)
{
	*out = (struct model_stats){.inodes = m->inodes, .memory_bytes = sizeof(*m)};
	out->memory_bytes +=
		m->spans * sizeof(*m->span) + m->chunks * sizeof(*m->chunk) +
		m->stretches * (sizeof(*m->stretch) + sizeof(*m->stretch_sum));
	for (uint32_t i = 0; i < m->spans; i++) {
		const struct span *s = &m->span[i];

		out->runs += s->n;
		out->memory_bytes += s->cap * sizeof(*s->v);
		for (uint32_t k = 0; k < s->n; k++)
			out->used_blocks += pack_len(&s->v[k]);
	}
	for (uint32_t i = 0; i < m->chunks; i++)
		out->memory_bytes += m->chunk[i].slot_cap * sizeof(*m->chunk[i].slot) +
				     refs_bytes(&m->chunk[i].refs, m->per);
	out->free_blocks = m->geom->blocks - m->geom->first_block - out->used_blocks;
}
