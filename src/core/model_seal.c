/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model_seal.c - from a heap of runs to two sorted indices.
 *
 * Phases: sort each span (threads) - remove overlaps - compare with the bitmap -
 * stretches - refs (threads) - fragments (threads). Whatever a hostile disk claims,
 * afterwards M1 to M4 hold: the first claim of a block keeps it, later ones are trimmed,
 * and each is a flaw.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include "src/core/model_priv.h"

/* --- a tiny parallel for
 * --------------------------------------------------------------------------- */

struct crew {
	struct model *m;
	bool (*fn)(struct model *m, uint32_t i);
	uint32_t n;
	atomic_uint next;
	atomic_bool failed;
};

static void *crew_work(void *arg)
{
	struct crew *c = arg;
	uint32_t i;

	while ((i = atomic_fetch_add(&c->next, 1)) < c->n && !atomic_load(&c->failed))
		if (!c->fn(c->m, i))
			atomic_store(&c->failed, true);
	return NULL;
}

/* fn(m, i) for all i < n. False if one of them ran out of memory. */
static bool for_all(struct model *m, uint32_t n, int threads,
		    bool (*fn)(struct model *, uint32_t))
{
	struct crew c = {.m = m, .fn = fn, .n = n};
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

/* --- sorting spans
 * ------------------------------------------------------------------------------------ */

/* Stable, by offset: two passes of ten bits. */
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

static bool sort_span(struct model *m, uint32_t i)
{
	struct span *s = &m->span[i];
	struct packed *other;
	bool sorted = true;

	for (uint32_t k = 1; k < s->n && sorted; k++)
		sorted = PACK_OFF(&s->v[k - 1]) <= PACK_OFF(&s->v[k]);
	if (!sorted) {
		other = malloc(s->n * sizeof(*other));
		if (!other)
			return false;
		radix_pass(s->v, other, s->n, 0);
		radix_pass(other, s->v, s->n, 10);
		free(other);
	}
	if (s->cap > s->n + 16) { /* give the growth slack back */
		struct packed *v = realloc(s->v, (s->n + 1) * sizeof(*v));

		if (v) {
			s->v = v;
			s->cap = s->n + 1;
		}
	}
	return true;
}

/* --- overlaps
 * ------------------------------------------------------------------------------------------
 */

static void cut_front(struct packed *p, uint32_t by)
{
	uint64_t rest = p->where & ~0xFFFFFFFFFFull;

	p->where = rest | (PACK_OFF(p) + by) | (uint64_t)(PACK_LEN(p) - by) << 20;
	if (owner_is_data(PACK_KIND(p)))
		p->lblk += by;
}

/* Runs that continue each other become one, however the disk cuts them: equal layouts
 * have equal models. */
static bool join(struct packed *last, const struct packed *p)
{
	uint64_t same = 0x3Full << 40 | PACK_UNWRITTEN;
	enum owner_kind kind = PACK_KIND(p);

	if (!last || !p->ino || last->ino != p->ino ||
	    ((last->where ^ p->where) & same) ||
	    PACK_OFF(last) + PACK_LEN(last) != PACK_OFF(p))
		return false;
	if (owner_is_data(kind) ? last->lblk + PACK_LEN(last) != p->lblk
				: kind != OWNER_TREE)
		return false;
	last->where += (uint64_t)PACK_LEN(p) << 20;
	return true;
}

static void drop_overlaps(struct model *m, uint32_t span, struct flaw_list *flaws)
{
	struct span *s = &m->span[span];
	uint32_t out = 0;

	for (uint32_t i = 0; i < s->n; i++) {
		struct packed p = s->v[i];
		const struct packed *last = out ? &s->v[out - 1] : NULL;
		uint32_t end = last ? PACK_OFF(last) + PACK_LEN(last) : 0;

		if (PACK_OFF(&p) < end) {
			uint32_t by = end - PACK_OFF(&p);

			flaw_add(flaws, model_span_start(m, span) + PACK_OFF(&p), p.ino,
				 "block %llu has two owners: %s of inode %u and %s of "
				 "inode %u",
				 (unsigned long long)(model_span_start(m, span) +
						      PACK_OFF(&p)),
				 owner_name(PACK_KIND(last)), last->ino,
				 owner_name(PACK_KIND(&p)), p.ino);
			if (by >= PACK_LEN(&p))
				continue;
			cut_front(&p, by);
		}
		if (!join(out ? &s->v[out - 1] : NULL, &p))
			s->v[out++] = p;
	}
	s->n = out;
}

/* --- the bitmap
 * -------------------------------------------------------------------------------------------
 */

/* First bit at or after `at` (below end) that is `value`. */
static uint64_t next_bit(const uint8_t *map, uint64_t at, uint64_t end, bool value)
{
	uint8_t skip = value ? 0 : 0xFF;

	while (at < end) {
		if (at % 8 == 0) {
			while (at + 64 <= end) {
				uint64_t word;

				memcpy(&word, map + at / 8, 8);
				if (word != (value ? 0 : UINT64_MAX))
					break;
				at += 64;
			}
			while (at + 8 <= end && map[at / 8] == skip)
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

struct compare {
	struct model *m;
	const uint8_t *used;
	struct flaw_list *flaws;
	VEC(struct packed) out;
	uint32_t span;
	blkno_t base; /* first block of the span */
};

/* Is a block of the cluster of b owned by the run that ends at `before` or starts at
 * `after`? */
static bool cluster_has_owner(const struct compare *c, blkno_t b, blkno_t before,
			      blkno_t after)
{
	uint32_t ratio = c->m->geom->cluster_ratio;
	blkno_t start = b - (b - c->m->geom->first_block) % ratio;

	return before > start || after < start + ratio;
}

/* Blocks [from, to) have no owner; those that are used become unknown, or rest of a
 * cluster. */
static bool compare_gap(struct compare *c, blkno_t from, blkno_t to)
{
	blkno_t first = c->m->geom->first_block, before = from, after = to;
	uint32_t ratio = c->m->geom->cluster_ratio;

	while ((from = next_bit(c->used, from - first, to - first, true) + first) < to) {
		blkno_t end = next_bit(c->used, from - first, to - first, false) + first;
		struct run r = {.phys = from, .kind = OWNER_UNKNOWN};

		if (ratio > 1) { /* cluster by cluster */
			blkno_t edge = from - (from - first) % ratio + ratio;

			end = end < edge ? end : edge;
			if (cluster_has_owner(c, from, before, after))
				r.kind = OWNER_CLUSTER_PAD;
		}
		r.len = (uint32_t)(end - from);
		if (r.kind == OWNER_UNKNOWN)
			flaw_add(c->flaws, from, 0,
				 "blocks %llu to %llu are marked used, but nobody owns "
				 "them",
				 (unsigned long long)from, (unsigned long long)end - 1);
		if (!vec_push(&c->out, model_pack((uint32_t)(from - c->base), &r)))
			return false;
		from = end;
	}
	return true;
}

static void compare_run(struct compare *c, const struct packed *p)
{
	blkno_t first = c->m->geom->first_block, from = c->base + PACK_OFF(p);
	uint64_t end = from + PACK_LEN(p) - first;
	uint64_t hit = next_bit(c->used, from - first, end, false);

	if (hit < end)
		flaw_add(c->flaws, hit + first, p->ino,
			 "block %llu is %s of inode %u, but is marked free",
			 (unsigned long long)(hit + first), owner_name(PACK_KIND(p)),
			 p->ino);
}

static bool compare_span(struct compare *c, uint32_t span)
{
	struct span *s = &c->m->span[span];
	blkno_t end;
	blkno_t at;

	c->base = at = model_span_start(c->m, span);
	end = c->base + c->m->span_blocks;
	if (end > c->m->geom->blocks)
		end = c->m->geom->blocks;
	c->span = span;
	vec_clear(&c->out);
	for (uint32_t i = 0; i < s->n; i++) {
		if (!compare_gap(c, at, c->base + PACK_OFF(&s->v[i])) ||
		    !vec_push(&c->out, s->v[i]))
			return false;
		compare_run(c, &s->v[i]);
		at = c->base + PACK_OFF(&s->v[i]) + PACK_LEN(&s->v[i]);
	}
	if (!compare_gap(c, at, end))
		return false;
	if (c->out.n == s->n)
		return true;
	if (!span_reserve(s, (uint32_t)c->out.n))
		return false;
	memcpy(s->v, c->out.v, c->out.n * sizeof(*s->v));
	s->n = (uint32_t)c->out.n;
	return true;
}

/* --- stretches between obstacles
 * --------------------------------------------------------------------------- */

static bool is_obstacle(enum owner_kind kind)
{
	return owner_is_fixed(kind) && kind != OWNER_XATTR &&
	       kind != OWNER_XATTR_SHARED && kind != OWNER_CLUSTER_PAD;
}

static int longest_first(const void *a, const void *b)
{
	const blkno_t *x = a, *y = b;

	return *x > *y ? -1 : *x < *y;
}

static bool find_stretches(struct model *m)
{
	VEC(blkno_t) found = VEC_INIT;
	blkno_t at = m->geom->first_block;
	uint64_t sum = 0;

	for (uint32_t span = 0; span < m->spans; span++)
		for (uint32_t i = 0; i < m->span[span].n; i++) {
			const struct packed *p = &m->span[span].v[i];
			blkno_t start = model_span_start(m, span) + PACK_OFF(p);

			if (!is_obstacle(PACK_KIND(p)))
				continue;
			if (start > at && !vec_push(&found, start - at))
				goto fail;
			at = start + PACK_LEN(p);
		}
	if (m->geom->blocks > at && !vec_push(&found, m->geom->blocks - at))
		goto fail;
	if (found.n)
		qsort(found.v, found.n, sizeof(*found.v), longest_first);
	m->stretch_sum = malloc((found.n ? found.n : 1) * sizeof(*m->stretch_sum));
	if (!m->stretch_sum)
		goto fail;
	for (size_t i = 0; i < found.n; i++)
		m->stretch_sum[i] = sum += found.v[i];
	m->stretch = found.v;
	m->stretches = found.n;
	return true;
fail:
	vec_release(&found);
	return false;
}

/* --- refs
 * ------------------------------------------------------------------------------------------------------
 */

static bool collect_refs(struct model *m)
{
	uint32_t per = m->geom->inodes_per_group;

	for (uint32_t span = 0; span < m->spans; span++)
		for (uint32_t i = 0; i < m->span[span].n; i++) {
			inum_t ino = m->span[span].v[i].ino;

			m->runs++;
			if (ino)
				m->chunk[(ino - 1) / per].ref_cap++;
		}
	for (uint32_t g = 0; g < m->chunks; g++) {
		struct chunk *c = &m->chunk[g];

		if (c->ref_cap && !(c->ref = malloc(c->ref_cap * sizeof(*c->ref))))
			return false;
	}
	for (uint32_t span = 0; span < m->spans; span++)
		for (uint32_t i = 0; i < m->span[span].n; i++) {
			const struct packed *p = &m->span[span].v[i];
			struct chunk *c;

			if (!p->ino)
				continue;
			c = &m->chunk[(p->ino - 1) / per];
			c->ref[c->refs++] = (uint64_t)((p->ino - 1) % per)
						    << REF_BLOCK_BITS |
					    (model_span_start(m, span) + PACK_OFF(p));
		}
	return true;
}

int model_run_order(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	bool dx = owner_is_data(x->kind), dy = owner_is_data(y->kind);

	if (dx != dy)
		return dx ? -1 : 1;
	if (dx && x->lblk != y->lblk)
		return x->lblk < y->lblk ? -1 : 1;
	return x->phys < y->phys ? -1 : x->phys > y->phys;
}

void model_mark_fragments(const struct model *m, struct run *runs, size_t n)
{
	uint32_t ideal = model_ideal(m, extent_blocks(runs, n));
	bool many = extent_fragments(runs, n) > ideal;
	uint32_t index = UINT32_MAX;

	for (size_t i = 0; i < n && owner_is_data(runs[i].kind); i++) {
		index += extent_starts_fragment(runs, n, i);
		runs[i].fragmented = many;
		runs[i].odd = index & 1;
	}
}

static void store_flags(const struct model *m, const struct run *r)
{
	struct packed *p = model_find(m, r->phys);

	p->where &= ~(PACK_FRAG | PACK_ODD);
	p->where |= (r->fragmented ? PACK_FRAG : 0) | (r->odd ? PACK_ODD : 0);
}

/* Stable by inode: a counting sort over the places in the chunk. */
static bool sort_refs(struct chunk *c, uint32_t inodes)
{
	uint32_t *start = calloc((size_t)inodes + 1, sizeof(*start));
	uint64_t *sorted = malloc(c->refs * sizeof(*sorted));

	if (!start || !sorted) {
		free(start);
		free(sorted);
		return false;
	}
	for (uint32_t i = 0; i < c->refs; i++)
		start[REF_INODE(c->ref[i]) + 1]++;
	for (uint32_t i = 0; i < inodes; i++)
		start[i + 1] += start[i];
	for (uint32_t i = 0; i < c->refs; i++)
		sorted[start[REF_INODE(c->ref[i])]++] = c->ref[i];
	free(start);
	free(c->ref);
	c->ref = sorted;
	c->ref_cap = c->refs;
	return true;
}

/* Orders the refs of one inode by M3 and marks its fragments. */
static bool order_file(struct model *m, struct chunk *c, uint32_t first, uint32_t end,
		       struct run_list *runs)
{
	uint64_t ino_bits = c->ref[first] & ~((1ull << REF_BLOCK_BITS) - 1);

	runs->n = 0;
	if (!vec_reserve(runs, end - first))
		return false;
	for (uint32_t i = first; i < end; i++) {
		blkno_t b = REF_PHYS(c->ref[i]);

		model_unpack(m, model_span_of(m, b), model_find(m, b),
			     &runs->v[runs->n++]);
	}
	qsort(runs->v, runs->n, sizeof(*runs->v), model_run_order);
	model_mark_fragments(m, runs->v, runs->n);
	for (size_t i = 0; i < runs->n; i++) {
		c->ref[first + i] = ino_bits | runs->v[i].phys;
		store_flags(m, &runs->v[i]);
	}
	return true;
}

static bool finish_chunk(struct model *m, uint32_t g)
{
	struct chunk *c = &m->chunk[g];
	struct run_list runs = {0};
	bool ok = true;

	if (c->slot_cap > c->slots && c->slots) {
		struct slot *slot = realloc(c->slot, c->slots * sizeof(*slot));

		if (slot) {
			c->slot = slot;
			c->slot_cap = c->slots;
		}
	}
	if (!c->refs)
		return true;
	ok = sort_refs(c, m->geom->inodes_per_group);
	for (uint32_t i = 0, end; ok && i < c->refs; i = end) {
		for (end = i + 1;
		     end < c->refs && REF_INODE(c->ref[end]) == REF_INODE(c->ref[i]);)
			end++;
		if (end - i > 1)
			ok = order_file(m, c, i, end, &runs);
	}
	vec_release(&runs);
	return ok;
}

/* --- all of it
 * -----------------------------------------------------------------------------------------------------
 */

bool model_seal(struct model *m, const uint8_t *used, int threads,
		struct flaw_list *flaws, struct err *err)
{
	struct compare c = {.m = m, .used = used, .flaws = flaws};
	bool ok = for_all(m, m->spans, threads, sort_span);

	for (uint32_t i = 0; ok && i < m->spans; i++) {
		drop_overlaps(m, i, flaws);
		ok = !used || compare_span(&c, i);
	}
	vec_release(&c.out);
	ok = ok && find_stretches(m) && collect_refs(m) &&
	     for_all(m, m->chunks, threads, finish_chunk);
	m->sealed = ok;
	return ok || err_nomem(err);
}
