/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files_sort.c - see files_sort.h. Keys byte by byte from the lowest (radix; bytes that
 * are the same in all keys cost nothing). Paths eight bytes at a time: those that agree so
 * far are sorted by their next eight.
 */
#include "ui/files_sort.h"
#include <stdlib.h>
#include <string.h>

#define FEW 512 /* from here on comparing is no slower */

static void radix_pass(const struct sort_key *from, struct sort_key *to, size_t n,
		       int shift, size_t count[256])
{
	size_t at = 0;

	for (int i = 0; i < 256; i++) {
		size_t here = count[i];

		count[i] = at;
		at += here;
	}
	for (size_t i = 0; i < n; i++)
		to[count[from[i].key >> shift & 0xFF]++] = from[i];
}

/* Sorts v by way of spare; the result is in the one that is returned. */
static struct sort_key *radix(struct sort_key *v, struct sort_key *spare, size_t n)
{
	size_t count[8][256] = {0};

	for (size_t i = 0; i < n; i++)
		for (int byte = 0; byte < 8; byte++)
			count[byte][v[i].key >> (8 * byte) & 0xFF]++;
	for (int byte = 0; n && byte < 8; byte++) {
		struct sort_key *from = v;

		if (count[byte][from[0].key >> (8 * byte) & 0xFF] == n)
			continue;
		radix_pass(from, spare, n, 8 * byte, count[byte]);
		v = spare;
		spare = from;
	}
	return v;
}

bool sort_keys(struct sort_keys *k)
{
	struct sort_key *other = malloc((k->n ? k->n : 1) * sizeof(*other)), *sorted;

	if (!other)
		return false;
	sorted = radix(k->v, other, k->n);
	if (sorted == other) {
		other = k->v;
		k->v = sorted;
		k->cap = k->n;
	}
	free(other);
	return true;
}

/* --- paths --- */

struct work {
	struct sort_key *keys, *spare;
	struct sort_path *paths;
};

static int by_path(const void *a, const void *b)
{
	const struct sort_path *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : (x->ino > y->ino) - (x->ino < y->ino);
}

/* The next eight bytes as a number that sorts like them; zeros behind the end. */
static uint64_t eight(const char *p)
{
	uint64_t key = 0;
	int i = 0;

	for (; i < 8 && p[i]; i++)
		key = key << 8 | (unsigned char)p[i];
	return i ? key << (8 * (8 - i)) : 0;
}

static void sort_part(struct sort_path *v, size_t n, size_t depth, struct work *w)
{
	const struct sort_key *sorted;

	if (n < FEW) {
		qsort(v, n, sizeof(*v), by_path);
		return;
	}
	for (size_t i = 0; i < n; i++)
		w->keys[i] = (struct sort_key){eight(v[i].path + depth), (uint32_t)i};
	sorted = radix(w->keys, w->spare, n);
	for (size_t i = 0; i < n; i++)
		w->paths[i] = v[sorted[i].id];
	memcpy(v, w->paths, n * sizeof(*v));
	for (size_t i = 0, end; i < n; i = end) {
		uint64_t key = eight(v[i].path + depth);

		for (end = i + 1; end < n && eight(v[end].path + depth) == key; end++)
			;
		if (end - i > 1 && key & 0xFF) /* else the paths end here */
			sort_part(v + i, end - i, depth + 8, w);
	}
}

bool sort_paths(struct sort_path *v, size_t n)
{
	struct work w = {
		.keys = n < FEW ? NULL : malloc(n * sizeof(*w.keys)),
		.spare = n < FEW ? NULL : malloc(n * sizeof(*w.spare)),
		.paths = n < FEW ? NULL : malloc(n * sizeof(*w.paths)),
	};
	bool ok = n < FEW || (w.keys && w.spare && w.paths);

	if (ok)
		sort_part(v, n, 0, &w);
	free(w.keys);
	free(w.spare);
	free(w.paths);
	return ok;
}
