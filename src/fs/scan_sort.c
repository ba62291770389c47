/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan_sort.c - what is to be read, by place.
 *
 * In place, for these lists can be a good part of all memory: an "American flag" radix sort
 * (McIlroy, Bostic, McIlroy, 1993), one byte of the key after the other, insertion sort
 * for what is small.
 */
#include "src/fs/scan_priv.h"

#define BLOCK_BYTES 6
#define KEY_BYTES   (BLOCK_BYTES + 4) /* and those of the inode */
#define SMALL	    32

static unsigned digit(const struct todo *t, int at)
{
	if (at < BLOCK_BYTES)
		return todo_block(t) >> (8 * (BLOCK_BYTES - 1 - at)) & 0xFF;
	return t->ino >> (8 * (KEY_BYTES - 1 - at)) & 0xFF;
}

static bool is_after(const struct todo *a, const struct todo *b)
{
	blkno_t x = todo_block(a), y = todo_block(b);

	return x != y ? x > y : a->ino > b->ino;
}

static void sort_small(struct todo *v, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		struct todo t = v[i];
		size_t k = i;

		for (; k && is_after(&v[k - 1], &t); k--)
			v[k] = v[k - 1];
		v[k] = t;
	}
}

/* Puts each item into the part of its digit: `next` moves from the start to the end of
 * each. */
static void deal(struct todo *v, int at, size_t next[256], const size_t end[256])
{
	for (unsigned d = 0; d < 256; d++)
		while (next[d] < end[d]) {
			struct todo t = v[next[d]];
			unsigned to;

			while ((to = digit(&t, at)) != d) {
				struct todo other = v[next[to]];

				v[next[to]++] = t;
				t = other;
			}
			v[next[d]++] = t;
		}
}

static void sort_from(struct todo *v, size_t n, int at)
{
	size_t next[256] = {0}, end[256], sum = 0;

	if (n <= SMALL) {
		sort_small(v, n);
		return;
	}
	if (at == KEY_BYTES)
		return;
	for (size_t i = 0; i < n; i++)
		next[digit(&v[i], at)]++;
	for (unsigned d = 0; d < 256; d++) {
		size_t count = next[d];

		next[d] = sum;
		end[d] = sum += count;
	}
	deal(v, at, next, end);
	for (size_t start = 0, d = 0; d < 256; start = end[d++])
		if (end[d] - start > 1)
			sort_from(v + start, end[d] - start, at + 1);
}

void todo_sort(struct todo *v, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (is_after(&v[i - 1], &v[i])) {
			sort_from(v, n, 0);
			return;
		}
}
