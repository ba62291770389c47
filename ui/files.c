/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files.c - see files.h. Sorted by 64-bit keys in a temporary array, byte by byte (radix;
 * bytes that are the same in all keys cost nothing), so that equal keys stay in inode
 * order. Names are compared as such.
 */
#include "ui/files.h"
#include <stdlib.h>
#include <string.h>
#include "core/extent.h"
#include "ui/names.h"

struct key {
	uint64_t key;
	inum_t ino;
};

struct keys {
	struct key *v;
	size_t n, cap;
};

static const char *const sort_names[] = {"fragments", "size", "inode", "first", "name"};

struct files *files_new(void)
{
	return calloc(1, sizeof(struct files));
}

void files_free(struct files *f)
{
	if (f)
		vec_release(&f->list);
	free(f);
}

const char *files_sort_name(enum files_sort sort)
{
	return sort_names[sort];
}

/* --- sorting --- */

static void radix_pass(const struct key *from, struct key *to, size_t n, int shift,
		       size_t count[256])
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

static bool sort_keys(struct keys *k)
{
	size_t(*count)[256] = calloc(8, sizeof(*count));
	struct key *other = malloc((k->n ? k->n : 1) * sizeof(*other));
	bool ok = count && other;

	for (size_t i = 0; ok && i < k->n; i++)
		for (int byte = 0; byte < 8; byte++)
			count[byte][k->v[i].key >> (8 * byte) & 0xFF]++;
	for (int byte = 0; ok && k->n && byte < 8; byte++) {
		struct key *from = k->v;

		if (count[byte][from[0].key >> (8 * byte) & 0xFF] == k->n)
			continue;
		radix_pass(from, other, k->n, 8 * byte, count[byte]);
		k->v = other;
		k->cap = k->n;
		other = from;
	}
	free(other);
	free(count);
	return ok;
}

struct named {
	const char *path;
	inum_t ino;
};

static int by_path(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int order = strcmp(x->path, y->path);

	return order ? order : (x->ino > y->ino) - (x->ino < y->ino);
}

static bool sort_by_name(struct files *f, struct app *a, struct err *err)
{
	struct named *v = NULL;
	size_t n = f->list.n, len;
	bool ok = names_fetch(a->names, a, f->list.v, n, err);

	if (ok) {
		v = malloc((n ? n : 1) * sizeof(*v));
		ok = v || err_nomem(err);
	}
	for (size_t i = 0; ok && i < n; i++) {
		const char *path = names_get(a->names, f->list.v[i], &len);

		v[i] = (struct named){path ? path : "", f->list.v[i]};
	}
	if (ok) {
		qsort(v, n, sizeof(*v), by_path);
		for (size_t i = 0; i < n; i++)
			f->list.v[f->reverse ? n - 1 - i : i] = v[i].ino;
	}
	free(v);
	return ok;
}

/* --- building --- */

/* Most fragments and largest size first, the others upwards. */
static uint64_t key_of(const struct files *f, inum_t ino, const struct inode_info *info,
		       const struct run *runs, size_t n)
{
	uint64_t key = 0, blocks;

	switch (f->sort) {
	case SORT_FRAGMENTS:
		blocks = extent_blocks(runs, n);
		key = (uint64_t)extent_fragments(runs, n) << 32 |
		      (blocks < UINT32_MAX ? blocks : UINT32_MAX);
		key = ~key;
		break;
	case SORT_SIZE:
		key = ~info->size;
		break;
	case SORT_FIRST:
		key = runs[0].phys;
		break;
	default:
		return ino;
	}
	return f->reverse ? ~key : key;
}

/* Is it for the list? Files, directories and long links that own data blocks. */
static bool belongs(const struct files *f, const struct inode_info *info,
		    const struct run *runs, size_t n)
{
	return n > 0 && owner_is_data(runs[0].kind) && !(info->flags & INODE_SYSTEM) &&
	       info->type != INODE_OTHER && (!f->only_fragmented || runs[0].fragmented);
}

/* Only the first FILES_MAX in the order are kept. */
static bool trim(struct files *f, struct keys *k)
{
	bool backwards = f->reverse && (f->sort == SORT_INODE || f->sort == SORT_NAME);

	if (!sort_keys(k))
		return false;
	if (k->n > FILES_MAX && backwards)
		memmove(k->v, k->v + k->n - FILES_MAX, FILES_MAX * sizeof(*k->v));
	if (k->n > FILES_MAX)
		k->n = FILES_MAX;
	return true;
}

static bool collect(struct files *f, const struct model *m, struct keys *k)
{
	struct run_list runs = {0};
	struct inode_info info;
	bool ok = true;

	f->total = 0;
	for (inum_t ino = model_next_inode(m, 0); ok && ino;
	     ino = model_next_inode(m, ino)) {
		runs.n = 0;
		ok = model_runs(m, ino, &runs);
		if (!ok || !runs.n || !model_inode(m, ino, &info) ||
		    !belongs(f, &info, runs.v, runs.n))
			continue;
		f->total++;
		ok = vec_push(k,
			      (struct key){key_of(f, ino, &info, runs.v, runs.n), ino});
		if (ok && k->n == 2 * (size_t)FILES_MAX)
			ok = trim(f, k);
	}
	vec_release(&runs);
	return ok && trim(f, k);
}

static void keep_cursor(struct files *f, inum_t ino)
{
	files_goto(f, ino);
	if (f->cursor >= f->list.n)
		f->cursor = f->list.n ? f->list.n - 1 : 0;
}

bool files_refresh(struct files *f, struct app *a, struct err *err)
{
	inum_t ino = f->cursor < f->list.n ? f->list.v[f->cursor] : 0;
	struct keys k = {0};
	bool ok;

	if (!a->model) {
		f->list.n = f->cursor = f->top = 0;
		f->total = 0;
		return true;
	}
	ok = collect(f, a->model, &k) && vec_reserve(&f->list, k.n ? k.n : 1);
	if (ok) {
		bool backwards = f->reverse && f->sort == SORT_INODE;

		f->list.n = k.n;
		for (size_t i = 0; i < k.n; i++)
			f->list.v[i] = k.v[backwards ? k.n - 1 - i : i].ino;
	}
	free(k.v);
	if (!ok)
		return err_nomem(err);
	ok = f->sort != SORT_NAME || sort_by_name(f, a, err);
	keep_cursor(f, ino);
	return ok;
}

bool files_set_sort(struct files *f, struct app *a, enum files_sort sort, bool reverse,
		    struct err *err)
{
	bool top = f->cursor == 0, ok;

	f->sort = sort;
	f->reverse = reverse;
	ok = files_refresh(f, a, err);
	if (top)
		f->cursor = 0;
	return ok;
}

void files_goto(struct files *f, inum_t ino)
{
	if (!ino || (f->cursor < f->list.n && f->list.v[f->cursor] == ino))
		return;
	for (size_t i = 0; i < f->list.n; i++)
		if (f->list.v[i] == ino) {
			f->cursor = i;
			return;
		}
}
