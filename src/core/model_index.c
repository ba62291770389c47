/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model_index.c - second half of the seal: which runs a file has, and how it lies.
 *
 * The refs of all chunks are built from the sorted spans. Chunks go in batches, so that
 * the unpacked refs of one batch at a time (8 bytes each) are all that is needed besides
 * the result; a batch reads only the spans that its inodes reach into.
 */
#include <string.h>
#include "src/core/model_priv.h"

/* Many batches read widely scattered spans again and again; few need memory. */
#define BATCHES	       16
#define BATCH_REFS_MIN (1u << 18)
#define BATCH_REFS_MAX (1u << 21)

#define REF_BLOCK_BITS 48
#define REF_BLOCK_MASK ((1ull << REF_BLOCK_BITS) - 1)

/* --- stretches between obstacles --- */

/* Extended attributes lie between the data as single blocks; to count them would call
 * every large file next to one broken. */
static bool is_obstacle(enum owner_kind kind)
{
	return owner_is_fixed(kind) && kind != OWNER_XATTR && kind != OWNER_CLUSTER_PAD;
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
			blkno_t start = model_span_start(m, span) + pack_off(p);

			if (!is_obstacle(pack_kind(p)))
				continue;
			if (start > at && !vec_push(&found, start - at))
				goto fail;
			at = start + pack_len(p);
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

/* --- batches of chunks --- */

/* How many runs a chunk has, and in which spans. */
struct reach {
	uint32_t runs, first, last;
};

struct batch {
	uint32_t from, to; /* chunks */
};

struct index {
	struct model *m;
	struct reach *reach;
	VEC(struct batch) batches;
};

static void measure(struct index *x)
{
	const struct model *m = x->m;

	for (uint32_t span = 0; span < m->spans; span++)
		for (uint32_t i = 0; i < m->span[span].n; i++) {
			inum_t ino = m->span[span].v[i].ino;
			struct reach *r;

			if (!ino)
				continue;
			r = &x->reach[(ino - 1) / m->per];
			if (!r->runs++)
				r->first = span;
			r->last = span;
		}
}

static uint64_t batch_refs(const struct index *x)
{
	uint64_t runs = 0;

	for (uint32_t i = 0; i < x->m->chunks; i++)
		runs += x->reach[i].runs;
	runs /= BATCHES;
	return runs < BATCH_REFS_MIN   ? BATCH_REFS_MIN
	       : runs > BATCH_REFS_MAX ? BATCH_REFS_MAX
				       : runs;
}

static bool cut_batches(struct index *x)
{
	struct batch b = {0, 0};
	uint64_t runs = 0, enough = batch_refs(x);

	for (uint32_t i = 0; i < x->m->chunks; i++) {
		runs += x->reach[i].runs;
		b.to = i + 1;
		if (runs < enough && b.to < x->m->chunks)
			continue;
		if (runs && !vec_push(&x->batches, b))
			return false;
		b.from = b.to;
		runs = 0;
	}
	return true;
}

/* --- one chunk --- */

/* Orders the refs [first, end) of one inode by M3 and marks its fragments. */
static bool order_file(const struct model *m, struct refs *refs, uint32_t first,
		       uint32_t end, struct run_list *runs)
{
	runs->n = 0;
	if (!vec_reserve(runs, end - first))
		return false;
	for (uint32_t i = first; i < end; i++) {
		blkno_t b = refs_get(refs, i);

		model_unpack(m, model_span_of(m, b), model_find(m, b),
			     &runs->v[runs->n++]);
	}
	qsort(runs->v, runs->n, sizeof(*runs->v), model_run_order);
	model_mark_fragments(m, runs->v, runs->n);
	for (size_t i = 0; i < runs->n; i++) {
		const struct run *r = &runs->v[i];
		struct packed *p = model_find(m, r->phys);
		uint64_t where = pack_where(p) & ~(PACK_FRAG | PACK_ODD);

		where |= (r->fragmented ? PACK_FRAG : 0) | (r->odd ? PACK_ODD : 0);
		__atomic_store_n(&p->where, where, __ATOMIC_RELAXED);
		refs_set(refs, first + (uint32_t)i, r->phys);
	}
	return true;
}

/* unpacked: n refs of the chunk by place. start: room for a number an inode and two. */
static bool build_chunk(const struct model *m, struct chunk *c, const uint64_t *unpacked,
			uint32_t n, uint32_t *start)
{
	struct run_list runs = {0};
	bool ok;

	memset(start, 0, (m->per + 2ul) * sizeof(*start));
	for (uint32_t i = 0; i < n; i++)
		start[(unpacked[i] >> REF_BLOCK_BITS) + 2]++;
	for (uint32_t k = 0; k < m->per; k++)
		start[k + 2] += start[k + 1];
	/* start[k + 1] is where inode k starts, and moves to where it ends */
	ok = refs_build(&c->refs, m->per, start + 1, m->wide);
	for (uint32_t i = 0; ok && i < n; i++)
		refs_set(&c->refs, start[(unpacked[i] >> REF_BLOCK_BITS) + 1]++,
			 unpacked[i] & REF_BLOCK_MASK);
	for (uint32_t k = 0; ok && k < m->per; k++)
		if (start[k + 1] - start[k] > 1)
			ok = order_file(m, &c->refs, start[k], start[k + 1], &runs);
	vec_release(&runs);
	return ok;
}

/* Distributes the runs of the spans over the chunks of the batch. at[i]: where the refs
 * of chunk from + i go in `unpacked`. */
static void unpack_batch(const struct index *x, const struct batch *b, struct range spans,
			 uint64_t *unpacked, size_t *at)
{
	const struct model *m = x->m;

	for (uint32_t s = (uint32_t)spans.start; s < spans.start + spans.len; s++) {
		blkno_t base = model_span_start(m, s);

		for (uint32_t i = 0; i < m->span[s].n; i++) {
			const struct packed *p = &m->span[s].v[i];
			uint32_t g = (p->ino - 1) / m->per;

			if (p->ino && g >= b->from && g < b->to)
				unpacked[at[g - b->from]++] =
					(uint64_t)((p->ino - 1) % m->per)
						<< REF_BLOCK_BITS |
					(base + pack_off(p));
		}
	}
}

static bool build_batch(void *ctx, uint32_t i)
{
	struct index *x = ctx;
	const struct batch *b = &x->batches.v[i];
	uint32_t *start = malloc((x->m->per + 2ul) * sizeof(*start));
	size_t *at = malloc((b->to - b->from) * sizeof(*at));
	uint32_t first = UINT32_MAX, last = 0;
	uint64_t *unpacked = NULL;
	size_t n = 0;
	bool ok = start && at;

	for (uint32_t g = b->from; ok && g < b->to; g++) {
		const struct reach *r = &x->reach[g];

		at[g - b->from] = n;
		n += r->runs;
		if (r->runs && r->first < first)
			first = r->first;
		if (r->runs && r->last > last)
			last = r->last;
	}
	ok = ok && (unpacked = malloc(n * sizeof(*unpacked)));
	if (ok)
		unpack_batch(x, b, (struct range){first, last - first + 1}, unpacked, at);
	for (uint32_t g = b->from; ok && g < b->to; g++) {
		uint32_t runs = x->reach[g].runs;

		ok = !runs || build_chunk(x->m, &x->m->chunk[g],
					  unpacked + at[g - b->from] - runs, runs, start);
	}
	free(unpacked);
	free(at);
	free(start);
	return ok;
}

bool model_index(struct model *m, int threads)
{
	struct index x = {.m = m};
	bool ok;

	if (!find_stretches(m))
		return false;
	x.reach = calloc(m->chunks ? m->chunks : 1, sizeof(*x.reach));
	ok = x.reach != NULL;
	if (ok)
		measure(&x);
	ok = ok && cut_batches(&x) &&
	     model_for_all(&x, (uint32_t)x.batches.n, threads, build_batch);
	vec_release(&x.batches);
	free(x.reach);
	return ok;
}
