/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.c - see model.h: filling and asking. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "src/core/model_priv.h"

/* --- places
 * ------------------------------------------------------------------------------------ */

uint32_t model_span_of(const struct model *m, blkno_t b)
{
	return (uint32_t)((b - m->geom->first_block) / m->span_blocks);
}

blkno_t model_span_start(const struct model *m, uint32_t span)
{
	return m->geom->first_block + (blkno_t)span * m->span_blocks;
}

uint32_t span_after(const struct span *s, uint32_t off)
{
	uint32_t lo = 0, hi = s->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (PACK_OFF(&s->v[mid]) + PACK_LEN(&s->v[mid]) > off)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

void model_unpack(const struct model *m, uint32_t span, const struct packed *p,
		  struct run *out)
{
	*out = (struct run){
		.phys = model_span_start(m, span) + PACK_OFF(p),
		.len = PACK_LEN(p),
		.lblk = p->lblk,
		.ino = p->ino,
		.kind = PACK_KIND(p),
		.unwritten = p->where & PACK_UNWRITTEN,
		.fragmented = p->where & PACK_FRAG,
		.odd = p->where & PACK_ODD,
	};
}

struct packed model_pack(uint32_t off, const struct run *r)
{
	return (struct packed){
		.where = off | (uint64_t)r->len << 20 | (uint64_t)r->kind << 40 |
			 (r->unwritten ? PACK_UNWRITTEN : 0) |
			 (r->fragmented ? PACK_FRAG : 0) | (r->odd ? PACK_ODD : 0),
		.ino = r->ino,
		.lblk = r->lblk,
	};
}

struct packed *model_find(const struct model *m, blkno_t b)
{
	uint32_t span = model_span_of(m, b),
		 off = (uint32_t)(b - model_span_start(m, span));
	struct span *s = &m->span[span];
	uint32_t i = span_after(s, off);

	return i < s->n && PACK_OFF(&s->v[i]) == off ? &s->v[i] : NULL;
}

bool span_reserve(struct span *s, uint32_t need)
{
	uint32_t cap = s->cap + s->cap / 4 + 16;
	struct packed *v;

	if (need <= s->cap)
		return true;
	if (cap < need)
		cap = need;
	v = realloc(s->v, cap * sizeof(*v));
	if (!v)
		return false;
	s->v = v;
	s->cap = cap;
	return true;
}

/* --- life
 * ---------------------------------------------------------------------------------------
 */

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
	m->chunks = geom->groups;
	m->span = calloc(m->spans ? m->spans : 1, sizeof(*m->span));
	m->chunk = calloc(m->chunks ? m->chunks : 1, sizeof(*m->chunk));
	if (m->span && m->chunk && add_fixed(m))
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
		free(m->chunk[i].ref);
	}
	free(m->span);
	free(m->chunk);
	free(m->stretch);
	free(m->stretch_sum);
	free(m);
}

const struct geom *model_geom(const struct model *m)
{
	return m->geom;
}

/* --- filling
 * ------------------------------------------------------------------------------------ */

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

static struct inode_info unpack_attr(uint32_t attr)
{
	return (struct inode_info){
		.type = (enum inode_type)(attr >> 29),
		.flags = attr >> 25 & 0xF,
		.size = (uint64_t)(attr & 0xFFFFF) << (attr >> 20 & 0x1F),
	};
}

static struct slot *slot_of(const struct model *m, inum_t ino)
{
	struct chunk *c;
	uint32_t at;

	if (ino == 0 || ino > m->geom->inodes)
		return NULL;
	c = &m->chunk[geom_group_of_inode(m->geom, ino)];
	at = (ino - 1) % m->geom->inodes_per_group;
	return at < c->slots && c->slot[at].attr >> 29 ? &c->slot[at] : NULL;
}

bool model_set_inode(struct model *m, inum_t ino, const struct inode_info *info)
{
	struct chunk *c = &m->chunk[geom_group_of_inode(m->geom, ino)];
	uint32_t at = (ino - 1) % m->geom->inodes_per_group;

	if (at >= c->slot_cap) {
		uint32_t cap = c->slot_cap * 2 > at + 1 ? c->slot_cap * 2 : at + 64;
		struct slot *slot;

		if (cap > m->geom->inodes_per_group)
			cap = m->geom->inodes_per_group;
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
	struct slot *s = slot_of(m, ino);

	if (s && !s->parent)
		s->parent = parent;
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

/* --- asking about places
 * -------------------------------------------------------------------------- */

/* The hole around b: back to the end of the run before, forth to the next run. */
static void hole_at(const struct model *m, blkno_t b, struct run *out)
{
	uint32_t span = model_span_of(m, b);
	uint32_t i =
		span_after(&m->span[span], (uint32_t)(b - model_span_start(m, span)));
	blkno_t start = m->geom->first_block, end = m->geom->blocks;

	for (uint32_t s = span, k = i;; k = m->span[--s].n) {
		if (k) {
			const struct packed *p = &m->span[s].v[k - 1];

			start = model_span_start(m, s) + PACK_OFF(p) + PACK_LEN(p);
			break;
		}
		if (s == 0)
			break;
	}
	for (uint32_t s = span, k = i; s < m->spans; s++, k = 0)
		if (k < m->span[s].n) {
			end = model_span_start(m, s) + PACK_OFF(&m->span[s].v[k]);
			break;
		}
	*out = (struct run){.phys = start, .kind = OWNER_FREE};
	out->len = end - start < UINT32_MAX ? (uint32_t)(end - start) : UINT32_MAX;
}

void model_at(const struct model *m, blkno_t b, struct run *out)
{
	uint32_t span = model_span_of(m, b),
		 off = (uint32_t)(b - model_span_start(m, span));
	const struct span *s = &m->span[span];
	uint32_t i = span_after(s, off);

	if (i < s->n && PACK_OFF(&s->v[i]) <= off)
		model_unpack(m, span, &s->v[i], out);
	else
		hole_at(m, b, out);
}

static bool walk_hole(blkno_t from, blkno_t to, bool (*fn)(void *, const struct run *),
		      void *arg)
{
	while (from < to) {
		struct run hole = {.phys = from, .kind = OWNER_FREE};

		hole.len = to - from < UINT32_MAX ? (uint32_t)(to - from) : UINT32_MAX;
		if (!fn(arg, &hole))
			return false;
		from += hole.len;
	}
	return true;
}

static void clip(struct run *r, blkno_t start, blkno_t end)
{
	if (r->phys < start) {
		uint32_t cut = (uint32_t)(start - r->phys);

		r->phys = start;
		r->len -= cut;
		if (owner_is_data(r->kind))
			r->lblk += cut;
	}
	if (r->phys + r->len > end)
		r->len = (uint32_t)(end - r->phys);
}

void model_walk(const struct model *m, blkno_t start, blkno_t len,
		bool (*fn)(void *arg, const struct run *r), void *arg)
{
	blkno_t at = start, end = start + len;

	if (end > m->geom->blocks || end < start)
		end = m->geom->blocks;
	if (at < m->geom->first_block)
		at = m->geom->first_block;
	if (at >= end)
		return;
	for (uint32_t span = model_span_of(m, at); span < m->spans; span++) {
		const struct span *s = &m->span[span];
		blkno_t base = model_span_start(m, span);
		uint32_t i = base < at ? span_after(s, (uint32_t)(at - base)) : 0;

		if (base >= end)
			break;
		for (; i < s->n && base + PACK_OFF(&s->v[i]) < end; i++) {
			struct run r;

			model_unpack(m, span, &s->v[i], &r);
			clip(&r, at, end);
			if (!walk_hole(at, r.phys, fn, arg) || !fn(arg, &r))
				return;
			at = r.phys + r.len;
		}
	}
	walk_hole(at, end, fn, arg);
}

/* --- asking about files
 * ----------------------------------------------------------------------------- */

struct chunk *model_refs(const struct model *m, inum_t ino, uint32_t *first,
			 uint32_t *end)
{
	struct chunk *c;
	uint32_t at, lo = 0, hi;

	if (ino == 0 || ino > m->geom->inodes)
		return NULL;
	c = &m->chunk[geom_group_of_inode(m->geom, ino)];
	at = (ino - 1) % m->geom->inodes_per_group;
	for (hi = c->refs; lo < hi;) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (REF_INODE(c->ref[mid]) >= at)
			hi = mid;
		else
			lo = mid + 1;
	}
	*first = lo;
	while (lo < c->refs && REF_INODE(c->ref[lo]) == at)
		lo++;
	*end = lo;
	return c;
}

bool model_runs(const struct model *m, inum_t ino, struct run_list *out)
{
	uint32_t i, end;
	struct chunk *c = model_refs(m, ino, &i, &end);

	if (!c)
		return true;
	if (!vec_reserve(out, out->n + (end - i)))
		return false;
	for (; i < end; i++) {
		blkno_t b = REF_PHYS(c->ref[i]);

		model_unpack(m, model_span_of(m, b), model_find(m, b), &out->v[out->n++]);
	}
	return true;
}

bool model_file(const struct model *m, inum_t ino, struct file_info *out)
{
	const struct slot *s = slot_of(m, ino);
	struct run_list runs = {0};

	if (!s)
		return false;
	*out = (struct file_info){
		.inode = unpack_attr(s->attr), .parent = s->parent, .first = BLKNO_NONE};
	if (!model_runs(m, ino, &runs))
		return true; /* without memory for its runs: known, but nothing to show */
	for (size_t i = 0; i < runs.n; i++)
		if (runs.v[i].kind == OWNER_TREE)
			out->map_blocks += runs.v[i].len;
	out->blocks = extent_blocks(runs.v, runs.n);
	out->fragments = extent_fragments(runs.v, runs.n);
	out->ideal = model_ideal(m, out->blocks);
	if (runs.n && owner_is_data(runs.v[0].kind))
		out->first = runs.v[0].phys;
	vec_release(&runs);
	return true;
}

bool model_inode(const struct model *m, inum_t ino, struct inode_info *out)
{
	const struct slot *s = slot_of(m, ino);

	if (s)
		*out = unpack_attr(s->attr);
	return s != NULL;
}

inum_t model_parent(const struct model *m, inum_t ino)
{
	const struct slot *s = slot_of(m, ino);

	return s ? s->parent : 0;
}

inum_t model_next_inode(const struct model *m, inum_t ino)
{
	uint32_t per = m->geom->inodes_per_group;

	for (group_t g = ino / per; g < m->chunks; g++) {
		const struct chunk *c = &m->chunk[g];

		for (uint32_t at = g == ino / per ? ino % per : 0; at < c->slots; at++)
			if (c->slot[at].attr >> 29)
				return g * per + at + 1;
	}
	return 0;
}

uint32_t model_ideal(const struct model *m, uint64_t blocks)
{
	size_t lo = 0, hi = m->stretches;

	if (blocks == 0)
		return 0;
	while (lo < hi) { /* the first prefix that holds them all */
		size_t mid = lo + (hi - lo) / 2;

		if (m->stretch_sum[mid] >= blocks)
			hi = mid;
		else
			lo = mid + 1;
	}
	return (uint32_t)(lo + 1);
}

bool model_fragment_at(const struct model *m, blkno_t b, struct fragment *out)
{
	struct run_list runs = {0};
	struct run at;
	bool found = false;

	model_at(m, b, &at);
	if (!at.ino || !owner_is_data(at.kind) || !model_runs(m, at.ino, &runs))
		return false;
	*out = (struct fragment){.next = BLKNO_NONE};
	for (size_t i = 0; i < runs.n && owner_is_data(runs.v[i].kind); i++) {
		const struct run *r = &runs.v[i];

		if (extent_starts_fragment(runs.v, runs.n, i)) {
			if (found && out->next == BLKNO_NONE)
				out->next = r->phys;
			if (!found) {
				out->index = out->count;
				out->lblk = r->lblk;
				out->phys = r->phys;
				out->len = 0;
			}
			out->count++;
		}
		if (!found || out->count == out->index + 1)
			out->len += r->len;
		found = found || r->phys == at.phys;
	}
	vec_release(&runs);
	return found;
}

void model_stats(const struct model *m, struct model_stats *out)
{
	*out = (struct model_stats){.inodes = m->inodes, .memory_bytes = sizeof(*m)};
	out->memory_bytes += m->spans * sizeof(*m->span) + m->chunks * sizeof(*m->chunk) +
			     m->stretches * 16;
	for (uint32_t i = 0; i < m->spans; i++) {
		out->runs += m->span[i].n;
		out->memory_bytes += m->span[i].cap * sizeof(struct packed);
		for (uint32_t k = 0; k < m->span[i].n; k++)
			out->used_blocks += PACK_LEN(&m->span[i].v[k]);
	}
	for (uint32_t i = 0; i < m->chunks; i++)
		out->memory_bytes += m->chunk[i].slot_cap * sizeof(struct slot) +
				     m->chunk[i].ref_cap * sizeof(uint64_t);
	out->free_blocks = m->geom->blocks - m->geom->first_block - out->used_blocks;
}
