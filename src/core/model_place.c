/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_place.c - block -> owner: spans, their packed runs, and the holes in between. */
#include "src/core/model_priv.h"

uint32_t model_span_of(const struct model *m, blkno_t b)
{
	return (uint32_t)((b - m->geom->first_block) / m->span_blocks);
}

blkno_t model_span_start(const struct model *m, uint32_t span)
{
	return m->geom->first_block + (blkno_t)span * m->span_blocks;
}

uint32_t model_span_len(const struct model *m, uint32_t span)
{
	blkno_t left = m->geom->blocks - model_span_start(m, span);

	return left < m->span_blocks ? (uint32_t)left : m->span_blocks;
}

/* The first run of [lo, hi) that ends after off, or hi. */
static uint32_t halve(const struct span *s, uint32_t off, uint32_t lo, uint32_t hi)
{
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (pack_end(&s->v[mid]) > off)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

uint32_t span_after(const struct span *s, uint32_t off)
{
	return halve(s, off, 0, s->n);
}

/* The same. Runs mostly lie evenly in a span, so the search begins where off would be
 * then, and widens from there: fewer lines of memory are touched than by halving. */
static uint32_t span_after_near(const struct span *s, uint32_t off, uint32_t span_blocks)
{
	uint32_t at = (uint32_t)((uint64_t)off * s->n / span_blocks), step = 1;

	if (at >= s->n)
		return halve(s, off, 0, s->n);
	if (pack_end(&s->v[at]) > off) {
		while (at >= step && pack_end(&s->v[at - step]) > off) {
			at -= step;
			step *= 2;
		}
		return halve(s, off, at >= step ? at - step + 1 : 0, at);
	}
	while (step < s->n - at && pack_end(&s->v[at + step]) <= off) {
		at += step;
		step *= 2;
	}
	return halve(s, off, at + 1, step < s->n - at ? at + step : s->n);
}

void model_unpack(const struct model *m, uint32_t span, const struct packed *p,
		  struct run *out)
{
	*out = (struct run){
		.phys = model_span_start(m, span) + pack_off(p),
		.len = pack_len(p),
		.lblk = p->lblk,
		.ino = p->ino,
		.kind = pack_kind(p),
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
	uint32_t i = span_after_near(s, off, m->span_blocks);

	return i < s->n && pack_off(&s->v[i]) == off ? &s->v[i] : NULL;
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

/* --- asking --- */

static void set_bit(uint64_t *bits, uint32_t i, bool on)
{
	uint64_t bit = 1ull << (i % 64);

	bits[i / 64] = on ? bits[i / 64] | bit : bits[i / 64] & ~bit;
}

void model_note_span(struct model *m, uint32_t span)
{
	set_bit(m->busy, span, m->span[span].n > 0);
	set_bit(m->busier, span / 64, m->busy[span / 64] != 0);
}

void model_note_spans(struct model *m)
{
	for (uint32_t i = 0; i < m->spans; i++)
		model_note_span(m, i);
}

/* Index of the next bit set at or after i; limit: there is none. */
static uint32_t bit_from(const uint64_t *bits, uint32_t i, uint32_t limit)
{
	uint64_t word;

	if (i >= limit)
		return limit;
	word = bits[i / 64] & ~0ull << (i % 64);
	for (i -= i % 64; !word && (i += 64) < limit;)
		word = bits[i / 64];
	i += word ? (uint32_t)__builtin_ctzll(word) : 0;
	return word && i < limit ? i : limit;
}

/* Index of the last bit set before i; UINT32_MAX: there is none. */
static uint32_t bit_before(const uint64_t *bits, uint32_t i)
{
	uint64_t word = i % 64 ? bits[i / 64] & ((1ull << (i % 64)) - 1) : 0;

	for (i -= i % 64; !word && i > 0;) {
		i -= 64;
		word = bits[i / 64];
	}
	return word ? i + 63 - (uint32_t)__builtin_clzll(word) : UINT32_MAX;
}

/* The next span with runs at or after `span`; m->spans: there is none. */
static uint32_t busy_from(const struct model *m, uint32_t span)
{
	uint32_t words = m->spans / 64 + 1, end = (span / 64 + 1) * 64;
	uint32_t found = bit_from(m->busy, span, end < m->spans ? end : m->spans);

	if (found < end || end >= m->spans)
		return found < m->spans ? found : m->spans;
	found = bit_from(m->busier, span / 64 + 1, words);
	return found < words ? bit_from(m->busy, found * 64, m->spans) : m->spans;
}

/* The last span with runs before `span`; UINT32_MAX: there is none. */
static uint32_t busy_before(const struct model *m, uint32_t span)
{
	uint64_t word = span % 64 ? m->busy[span / 64] & ((1ull << (span % 64)) - 1) : 0;
	uint32_t found = span / 64;

	if (!word)
		found = bit_before(m->busier, span / 64);
	if (found == UINT32_MAX)
		return UINT32_MAX;
	word = word ? word : m->busy[found];
	return found * 64 + 63 - (uint32_t)__builtin_clzll(word);
}

/* The hole around b: back to the end of the run before, forth to the next run. */
static void hole_at(const struct model *m, blkno_t b, struct run *out)
{
	uint32_t span = model_span_of(m, b), next = span;
	uint32_t i =
		span_after(&m->span[span], (uint32_t)(b - model_span_start(m, span)));
	uint32_t before = i ? span : busy_before(m, span);
	blkno_t start = m->geom->first_block, end = m->geom->blocks;

	if (before != UINT32_MAX) {
		const struct span *s = &m->span[before];

		start = model_span_start(m, before) +
			pack_end(&s->v[(before == span ? i : s->n) - 1]);
	}
	if (i == m->span[span].n) {
		next = busy_from(m, span + 1);
		i = 0;
	}
	if (next < m->spans)
		end = model_span_start(m, next) + pack_off(&m->span[next].v[i]);
	*out = (struct run){.phys = start, .kind = OWNER_FREE};
	out->len = end - start < UINT32_MAX ? (uint32_t)(end - start) : UINT32_MAX;
}

void model_at(const struct model *m, blkno_t b, struct run *out)
{
	uint32_t span = model_span_of(m, b),
		 off = (uint32_t)(b - model_span_start(m, span));
	const struct span *s = &m->span[span];
	uint32_t i = span_after(s, off);

	if (i < s->n && pack_off(&s->v[i]) <= off)
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
	for (uint32_t span = busy_from(m, model_span_of(m, at)); span < m->spans;
	     span = busy_from(m, span + 1)) {
		const struct span *s = &m->span[span];
		blkno_t base = model_span_start(m, span);
		uint32_t i = base < at ? span_after(s, (uint32_t)(at - base)) : 0;

		if (base >= end)
			break;
		for (; i < s->n && base + pack_off(&s->v[i]) < end; i++) {
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
