/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_refs.c - the packed list of the runs of an inode group; see struct refs. */
#include <string.h>
#include "src/core/model_priv.h"

#define SAMPLE 64

/* --- bits --- */

static uint64_t get_bits(const uint64_t *w, uint64_t at, unsigned n)
{
	unsigned shift = at % 64;
	uint64_t v = w[at / 64] >> shift;

	if (shift + n > 64)
		v |= w[at / 64 + 1] << (64 - shift);
	return n < 64 ? v & ((1ull << n) - 1) : v;
}

static void put_bits(uint64_t *w, uint64_t at, unsigned n, uint64_t v)
{
	unsigned shift = at % 64;
	uint64_t mask = n < 64 ? (1ull << n) - 1 : UINT64_MAX;

	w[at / 64] = (w[at / 64] & ~(mask << shift)) | v << shift;
	if (shift + n > 64)
		w[at / 64 + 1] =
			(w[at / 64 + 1] & ~(mask >> (64 - shift))) | v >> (64 - shift);
}

/* Like memmove, for n bits. */
static void move_bits(uint64_t *w, uint64_t from, uint64_t to, uint64_t n)
{
	uint64_t i = 0;

	if (to < from) {
		for (; i + 64 <= n; i += 64)
			put_bits(w, to + i, 64, get_bits(w, from + i, 64));
		if (i < n)
			put_bits(w, to + i, (unsigned)(n - i),
				 get_bits(w, from + i, (unsigned)(n - i)));
		return;
	}
	for (; n >= 64; n -= 64)
		put_bits(w, to + n - 64, 64, get_bits(w, from + n - 64, 64));
	if (n)
		put_bits(w, to, (unsigned)n, get_bits(w, from, (unsigned)n));
}

static void clear_bits(uint64_t *w, uint64_t from, uint64_t to)
{
	while (from < to) {
		unsigned n = 64 - from % 64;

		if (n > to - from)
			n = (unsigned)(to - from);
		put_bits(w, from, n, 0);
		from += n;
	}
}

/* --- marks --- */

/* Position of the mark of inode `at`. */
static uint64_t mark_of(const struct refs *r, uint32_t at)
{
	uint64_t pos = r->sample[at / SAMPLE], i = pos / 64;
	uint64_t word = r->marks[i] & (UINT64_MAX << pos % 64);
	unsigned skip = at % SAMPLE;

	for (unsigned n; (n = (unsigned)__builtin_popcountll(word)) <= skip; skip -= n)
		word = r->marks[++i];
	while (skip--)
		word &= word - 1;
	return i * 64 + (unsigned)__builtin_ctzll(word);
}

/* Position of the first mark after pos; there is always one behind an inode's. */
static uint64_t mark_after(const struct refs *r, uint64_t pos)
{
	uint64_t i = (pos + 1) / 64;
	uint64_t word = r->marks[i] & (UINT64_MAX << (pos + 1) % 64);

	while (!word)
		word = r->marks[++i];
	return i * 64 + (unsigned)__builtin_ctzll(word);
}

void refs_range(const struct refs *r, uint32_t at, uint32_t *first, uint32_t *end)
{
	uint64_t mark;

	*first = *end = 0;
	if (!r->marks)
		return;
	mark = mark_of(r, at);
	*first = (uint32_t)(mark - at);
	*end = *first + (uint32_t)(mark_after(r, mark) - mark - 1);
}

/* --- memory --- */

static uint32_t words_for(uint32_t inodes, uint32_t n)
{
	return (uint32_t)(((uint64_t)inodes + n) / 64 + 1);
}

static uint32_t samples_for(uint32_t inodes)
{
	return inodes / SAMPLE + 1;
}

/* Room for n places. A part of it may have succeeded when this fails: harmless. */
static bool grow_places(struct refs *r, uint32_t n, bool wide)
{
	uint32_t *low = realloc(r->low, n * sizeof(*low));
	uint16_t *high;

	if (!low)
		return false;
	r->low = low;
	if (wide) {
		high = realloc(r->high, n * sizeof(*high));
		if (!high)
			return false;
		r->high = high;
	}
	r->cap = n;
	return true;
}

bool refs_build(struct refs *r, uint32_t inodes, const uint32_t *start, bool wide)
{
	uint32_t n = start[inodes];

	*r = (struct refs){.words = words_for(inodes, n)};
	r->marks = calloc(r->words, sizeof(*r->marks));
	r->sample = malloc(samples_for(inodes) * sizeof(*r->sample));
	if (!r->marks || !r->sample || (n && !grow_places(r, n, wide))) {
		refs_release(r);
		return false;
	}
	for (uint32_t k = 0; k <= inodes; k++) {
		uint64_t pos = (uint64_t)start[k] + k;

		r->marks[pos / 64] |= 1ull << pos % 64;
		if (k % SAMPLE == 0)
			r->sample[k / SAMPLE] = (uint32_t)pos;
	}
	r->n = n;
	return true;
}

void refs_release(struct refs *r)
{
	free(r->low);
	free(r->high);
	free(r->marks);
	free(r->sample);
	*r = (struct refs){0};
}

static bool build_empty(struct refs *r, uint32_t inodes, bool wide)
{
	uint32_t *start = calloc((size_t)inodes + 1, sizeof(*start));
	bool ok = start && refs_build(r, inodes, start, wide);

	free(start);
	return ok;
}

bool refs_reserve(struct refs *r, uint32_t inodes, uint32_t n, bool wide)
{
	uint32_t words;

	if (!r->marks && !build_empty(r, inodes, wide))
		return false;
	if (n <= r->cap)
		return true;
	n += n / 16 + 8;
	words = words_for(inodes, n);
	if (words > r->words) {
		uint64_t *marks = realloc(r->marks, words * sizeof(*marks));

		if (!marks)
			return false;
		memset(marks + r->words, 0, (words - r->words) * sizeof(*marks));
		r->marks = marks;
		r->words = words;
	}
	return grow_places(r, n, wide);
}

size_t refs_bytes(const struct refs *r, uint32_t inodes)
{
	size_t bytes = r->cap * (sizeof(*r->low) + (r->high ? sizeof(*r->high) : 0));

	if (r->marks)
		bytes += r->words * sizeof(*r->marks) +
			 samples_for(inodes) * sizeof(*r->sample);
	return bytes;
}

/* --- places --- */

blkno_t refs_get(const struct refs *r, uint32_t i)
{
	return r->low[i] | (r->high ? (blkno_t)r->high[i] << 32 : 0);
}

void refs_set(struct refs *r, uint32_t i, blkno_t b)
{
	r->low[i] = (uint32_t)b;
	if (r->high)
		r->high[i] = (uint16_t)(b >> 32);
}

void refs_resize(struct refs *r, uint32_t inodes, uint32_t at, uint32_t count)
{
	uint64_t mark = mark_of(r, at), next = mark_after(r, mark);
	uint64_t total = (uint64_t)inodes + r->n + 1, moved = mark + 1 + count;
	uint32_t end = (uint32_t)(next - at - 1), now = (uint32_t)(mark - at) + count;

	if (moved == next)
		return;
	/* What lies behind the last mark is never read. */
	move_bits(r->marks, next, moved, total - next);
	if (moved > next)
		clear_bits(r->marks, next, moved);
	for (uint32_t i = at / SAMPLE + 1; i < samples_for(inodes); i++)
		r->sample[i] = (uint32_t)(r->sample[i] + moved - next);
	if (r->n > end) {
		memmove(r->low + now, r->low + end, (r->n - end) * sizeof(*r->low));
		if (r->high)
			memmove(r->high + now, r->high + end,
				(r->n - end) * sizeof(*r->high));
	}
	r->n = r->n - end + now;
}
