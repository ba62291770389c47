/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model_seal.c - from a heap of claims to runs that do not contradict each other.
 *
 * Phases: sort each span and look for contradictions (threads) - settle those (few) -
 * build the indices (model_index.c). Whatever a hostile disk claims, afterwards M1 to M4
 * hold: the first claim of a block keeps it (fixed metadata comes first of all), later
 * ones lose what they share, and each is a flaw.
 */
#include <malloc.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include "src/core/model_priv.h"

/* --- a tiny parallel for --- */

struct crew {
	void *ctx;
	bool (*fn)(void *ctx, uint32_t i);
	uint32_t n;
	atomic_uint next;
	atomic_bool failed;
};

static void *crew_work(void *arg)
{
	struct crew *c = arg;
	uint32_t i;

	while ((i = atomic_fetch_add(&c->next, 1)) < c->n && !atomic_load(&c->failed))
		if (!c->fn(c->ctx, i))
			atomic_store(&c->failed, true);
	return NULL;
}

bool model_for_all(void *ctx, uint32_t n, int threads, bool (*fn)(void *ctx, uint32_t i))
{
	struct crew c = {.ctx = ctx, .fn = fn, .n = n};
	pthread_t helper[16];
	int started = 0;

	for (; started < threads - 1 && started < 16; started++)
		if (pthread_create(&helper[started], NULL, crew_work, &c))
			break;
	crew_work(&c);
	while (started)
		pthread_join(helper[--started], NULL);
	return !atomic_load(&c.failed);
}

/* --- bits --- */

/* First bit at or after `at` (below end) that is `value`. */
static uint64_t next_bit(const uint8_t *map, uint64_t at, uint64_t end, bool value)
{
	uint64_t skip = value ? 0 : UINT64_MAX, word;

	while (at < end) {
		if (at % 8 == 0) {
			while (at + 64 <= end &&
			       (memcpy(&word, map + at / 8, 8), word == skip))
				at += 64;
			while (at + 8 <= end && map[at / 8] == (uint8_t)skip)
				at += 8;
			if (at >= end)
				break;
		}
		if ((map[at / 8] >> at % 8 & 1) == value)
			return at;
		at++;
	}
	return end;
}

static void set_bits(uint8_t *map, uint64_t at, uint64_t end)
{
	for (; at < end && at % 8; at++)
		map[at / 8] |= (uint8_t)(1u << at % 8);
	if (end - at >= 8) {
		memset(map + at / 8, 0xFF, (end - at) / 8);
		at += (end - at) / 8 * 8;
	}
	for (; at < end; at++)
		map[at / 8] |= (uint8_t)(1u << at % 8);
}

/* --- sorting, and looking for contradictions --- */

struct seal {
	struct model *m;
	const uint8_t *used;
	struct flaw_list *flaws;
	VEC(struct packed) out; /* the span as it will be */
	uint32_t span;		/* at work */
	blkno_t base;		/* its first block */
};

/* Stable, by ten bits of the offset. */
static void radix_pass(const struct packed *from, struct packed *to, uint32_t n,
		       int shift)
{
	uint32_t start[1025] = {0};

	for (uint32_t i = 0; i < n; i++)
		start[(from[i].where >> shift & 0x3FF) + 1]++;
	for (int i = 0; i < 1024; i++)
		start[i + 1] += start[i];
	for (uint32_t i = 0; i < n; i++)
		to[start[from[i].where >> shift & 0x3FF]++] = from[i];
}

static bool is_sorted(const struct packed *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (pack_off(&v[i - 1]) > pack_off(&v[i]))
			return false;
	return true;
}

/* A sorted copy; NULL if memory ran out. */
static struct packed *sorted_copy(const struct span *s)
{
	struct packed *v = malloc(s->n * sizeof(*v));
	struct packed *half;

	if (!v || is_sorted(s->v, s->n)) {
		if (v)
			memcpy(v, s->v, s->n * sizeof(*v));
		return v;
	}
	half = malloc(s->n * sizeof(*half));
	if (half) {
		radix_pass(s->v, half, s->n, 0);
		radix_pass(half, v, s->n, 10);
		free(half);
		return v;
	}
	free(v);
	return NULL;
}

static bool has_overlap(const struct packed *v, uint32_t n)
{
	for (uint32_t i = 1; i < n; i++)
		if (pack_off(&v[i]) < pack_end(&v[i - 1]))
			return true;
	return false;
}

static bool continues(const struct packed *last, const struct packed *p)
{
	uint64_t same = 0x3Full << 40 | PACK_UNWRITTEN;
	enum owner_kind kind = pack_kind(p);

	if (!p->ino || last->ino != p->ino || ((last->where ^ p->where) & same) ||
	    pack_end(last) != pack_off(p))
		return false;
	return owner_is_data(kind) ? last->lblk + pack_len(last) == p->lblk
				   : kind == OWNER_TREE;
}

/* Runs that continue each other become one, however the disk cuts them: equal layouts
 * have equal models. */
static uint32_t join_runs(struct packed *v, uint32_t n)
{
	uint32_t out = 0;

	for (uint32_t i = 0; i < n; i++)
		if (out && continues(&v[out - 1], &v[i]))
			v[out - 1].where += (uint64_t)pack_len(&v[i]) << 20;
		else
			v[out++] = v[i];
	return out;
}

/* Joins the sorted runs of v, copies them over those of the span and gives back the
 * growth slack. In place: an array of its own from each thread would leave as much
 * garbage as there are runs. */
static void span_take(struct span *s, struct packed *v)
{
	struct packed *less = NULL;

	s->n = join_runs(v, s->n);
	memcpy(s->v, v, s->n * sizeof(*v));
	if (s->cap > s->n)
		less = realloc(s->v, s->n * sizeof(*less));
	if (less) {
		s->v = less;
		s->cap = s->n;
	}
}

/* Sorts runs that do not overlap. */
static bool span_sort(struct span *s)
{
	struct packed *v;

	if (s->n == 0)
		return true;
	v = sorted_copy(s);
	if (v)
		span_take(s, v);
	free(v);
	return v != NULL;
}

/* Is the span used exactly where it has runs? Cautious: false where it cannot tell. */
static bool agrees(const struct seal *x, uint32_t span, uint8_t *owned)
{
	const struct span *s = &x->m->span[span];
	uint32_t len = model_span_len(x->m, span), whole = len / 8;
	const uint8_t *used;
	unsigned rest;

	if (x->m->span_blocks % 8)
		return false;
	used = x->used + (uint64_t)span * x->m->span_blocks / 8;
	for (uint32_t i = 0; i < s->n; i++)
		set_bits(owned, pack_off(&s->v[i]), pack_end(&s->v[i]));
	rest = (1u << len % 8) - 1;
	return memcmp(owned, used, whole) == 0 &&
	       (rest == 0 || (used[whole] & rest) == owned[whole]);
}

static bool sort_and_look(void *ctx, uint32_t i)
{
	struct seal *x = ctx;
	struct span *s = &x->m->span[i];
	uint8_t *owned = NULL;

	if (s->n) {
		struct packed *v = sorted_copy(s);

		if (!v)
			return false;
		s->clash = has_overlap(v, s->n);
		if (!s->clash)
			span_take(s, v);
		free(v);
	}
	if (x->used && !s->clash) {
		owned = calloc(1, x->m->span_blocks / 8 + 1);
		if (!owned)
			return false;
		s->differs = !agrees(x, i, owned);
		free(owned);
	}
	return true;
}

/* --- one owner a block --- */

static const char *claimant(char *buf, size_t size, const struct packed *p)
{
	if (p->ino)
		snprintf(buf, size, "%s of inode %u", owner_name(pack_kind(p)), p->ino);
	else
		snprintf(buf, size, "%s of group %u", owner_name(pack_kind(p)), p->lblk);
	return buf;
}

static bool wants_text(const struct flaw_list *f)
{
	return f && f->list.n < (f->limit ? f->limit : 32);
}

/* p also claims the block at off, which one of the pieces kept so far has. */
static void report_clash(struct seal *x, const struct packed *p, uint32_t off)
{
	char first[80] = "another", second[80];
	blkno_t b = x->base + off;

	if (wants_text(x->flaws))
		for (size_t i = 0; i < x->out.n; i++)
			if (pack_off(&x->out.v[i]) <= off && off < pack_end(&x->out.v[i]))
				claimant(first, sizeof(first), &x->out.v[i]);
	flaw_add(x->flaws, b, p->ino, "block %llu has two owners: %s and %s",
		 (unsigned long long)b, first, claimant(second, sizeof(second), p));
}

/* Appends what nobody has of claim p, piece by piece. */
static bool keep_rest(struct seal *x, const struct packed *p, uint8_t *taken)
{
	uint32_t start = pack_off(p), end = pack_end(p);

	for (uint32_t at = start; at < end;) {
		uint32_t hit = (uint32_t)next_bit(taken, at, end, true);

		if (hit > at) {
			struct packed piece = *p;

			piece.where &= ~0xFFFFFFFFFFull;
			piece.where |= at | (uint64_t)(hit - at) << 20;
			if (owner_is_data(pack_kind(p)))
				piece.lblk += at - start;
			if (!vec_push(&x->out, piece))
				return false;
			set_bits(taken, at, hit);
		}
		if (hit < end)
			report_clash(x, p, hit);
		at = (uint32_t)next_bit(taken, hit, end, false);
	}
	return true;
}

static bool take_out(struct seal *x)
{
	struct span *s = &x->m->span[x->span];

	if (!span_reserve(s, (uint32_t)x->out.n))
		return false;
	s->n = (uint32_t)x->out.n;
	if (s->n)
		memcpy(s->v, x->out.v, s->n * sizeof(*s->v));
	return true;
}

/* The span is still in the order of claims: goes through them as they came. */
static bool settle_clash(struct seal *x)
{
	struct span *s = &x->m->span[x->span];
	uint8_t *taken = calloc(1, x->m->span_blocks / 8 + 1);
	bool ok = taken != NULL;

	vec_clear(&x->out);
	for (uint32_t i = 0; ok && i < s->n; i++)
		ok = keep_rest(x, &s->v[i], taken);
	free(taken);
	return ok && take_out(x) && span_sort(s);
}

/* --- as the bitmap says --- */

static bool push_unowned(struct seal *x, blkno_t from, blkno_t to, enum owner_kind kind)
{
	struct run r = {.phys = from, .len = (uint32_t)(to - from), .kind = kind};

	if (from >= to)
		return true;
	if (kind == OWNER_UNKNOWN)
		flaw_add(x->flaws, from, 0,
			 "blocks %llu to %llu are marked used, but nobody owns them",
			 (unsigned long long)from, (unsigned long long)to - 1);
	return vec_push(&x->out, model_pack((uint32_t)(from - x->base), &r));
}

/* Used blocks [from, to) inside the gap between owners [start, end). What shares a
 * cluster with the owner before or behind the gap is the rest of that cluster. */
static bool push_used(struct seal *x, struct range used, struct range gap)
{
	const struct geom *g = x->m->geom;
	uint32_t ratio = g->cluster_ratio;
	blkno_t from = used.start, to = from + used.len, gap_end = gap.start + gap.len;
	blkno_t head = gap.start + ratio - 1, tail = gap_end;

	if (ratio <= 1)
		return push_unowned(x, from, to, OWNER_UNKNOWN);
	head -= (head - g->first_block) % ratio; /* where the owner's cluster ends */
	if (gap_end < x->base + model_span_len(x->m, x->span))
		tail -= (tail - g->first_block) % ratio;
	if (head < from)
		head = from;
	if (head > to)
		head = to;
	if (tail < head)
		tail = head;
	if (tail > to)
		tail = to;
	return push_unowned(x, from, head, OWNER_CLUSTER_PAD) &&
	       push_unowned(x, head, tail, OWNER_UNKNOWN) &&
	       push_unowned(x, tail, to, OWNER_CLUSTER_PAD);
}

static bool compare_gap(struct seal *x, struct range gap)
{
	blkno_t first = x->m->geom->first_block, end = gap.start + gap.len;
	blkno_t at = gap.start;

	while ((at = next_bit(x->used, at - first, end - first, true) + first) < end) {
		blkno_t to = next_bit(x->used, at - first, end - first, false) + first;

		if (!push_used(x, (struct range){at, to - at}, gap))
			return false;
		at = to;
	}
	return true;
}

static void compare_run(struct seal *x, const struct packed *p)
{
	uint64_t at = x->base + pack_off(p) - x->m->geom->first_block;
	uint64_t end = at + pack_len(p), hit = next_bit(x->used, at, end, false);
	blkno_t b = hit + x->m->geom->first_block;
	char owner[80];

	if (hit < end)
		flaw_add(x->flaws, b, p->ino, "block %llu is %s, but is marked free",
			 (unsigned long long)b, claimant(owner, sizeof(owner), p));
}

static bool settle_difference(struct seal *x)
{
	const struct span *s = &x->m->span[x->span];
	blkno_t at = x->base, end = x->base + model_span_len(x->m, x->span);

	vec_clear(&x->out);
	for (uint32_t i = 0; i < s->n; i++) {
		blkno_t start = x->base + pack_off(&s->v[i]);

		if (!compare_gap(x, (struct range){at, start - at}) ||
		    !vec_push(&x->out, s->v[i]))
			return false;
		compare_run(x, &s->v[i]);
		at = start + pack_len(&s->v[i]);
	}
	return compare_gap(x, (struct range){at, end - at}) && take_out(x);
}

static bool settle(struct seal *x)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < x->m->spans; i++) {
		const struct span *s = &x->m->span[i];

		x->span = i;
		x->base = model_span_start(x->m, i);
		if (s->clash)
			ok = settle_clash(x);
		if (ok && x->used && (s->clash || s->differs))
			ok = settle_difference(x);
	}
	vec_release(&x->out);
	return ok;
}

/* --- all of it --- */

/* Gives back what the growing arrays have too much. */
static void trim_slots(struct model *m)
{
	for (uint32_t i = 0; i < m->chunks; i++) {
		struct chunk *c = &m->chunk[i];
		struct slot *slot = c->slot_cap > c->slots
					    ? realloc(c->slot, c->slots * sizeof(*slot))
					    : NULL;

		if (slot) {
			c->slot = slot;
			c->slot_cap = c->slots;
		}
	}
}

bool model_seal(struct model *m, const uint8_t *used, int threads,
		struct flaw_list *flaws, struct err *err)
{
	struct seal x = {.m = m, .used = used, .flaws = flaws};
	bool ok = model_for_all(&x, m->spans, threads, sort_and_look) && settle(&x);

	model_note_spans(m);
	trim_slots(m);
	malloc_trim(0); /* the slack of tens of thousands of arrays: a sixth of it all */
	return (ok && model_index(m, threads)) || err_nomem(err);
}
