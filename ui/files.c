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

static void drop_build(struct files *f);

static const char *const sort_names[] = {"fragments", "size", "inode", "first", "name"};

struct files *files_new(void)
{
	return calloc(1, sizeof(struct files));
}

void files_free(struct files *f)
{
	if (f) {
		drop_build(f);
		vec_release(&f->list);
	}
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

/* --- in slices --- */

#define SLICE_INODES 8192u /* a few milliseconds */

struct files_build {
	struct keys keys;
	struct run_list runs; /* of one file, kept for the next */
	inum_t next;	      /* 0: all have been looked at */
	uint64_t total;
};

static void drop_build(struct files *f)
{
	if (!f->build)
		return;
	free(f->build->keys.v);
	vec_release(&f->build->runs);
	free(f->build);
	f->build = NULL;
}

static bool collect_one(struct files *f, const struct model *m, inum_t ino)
{
	struct files_build *b = f->build;
	struct inode_info info;

	b->runs.n = 0;
	if (!model_runs(m, ino, &b->runs))
		return false;
	if (!b->runs.n || !model_inode(m, ino, &info) ||
	    !belongs(f, &info, b->runs.v, b->runs.n))
		return true;
	b->total++;
	return vec_push(&b->keys,
			(struct key){key_of(f, ino, &info, b->runs.v, b->runs.n), ino}) &&
	       (b->keys.n < 2 * (size_t)FILES_MAX || trim(f, &b->keys));
}

static bool collect_slice(struct files *f, const struct model *m)
{
	struct files_build *b = f->build;

	for (unsigned i = 0; b->next && i < SLICE_INODES; i++) {
		if (!collect_one(f, m, b->next))
			return false;
		b->next = model_next_inode(m, b->next);
	}
	return true;
}

static void keep_cursor(struct files *f, inum_t ino)
{
	files_goto(f, ino);
	if (f->cursor >= f->list.n)
		f->cursor = f->list.n ? f->list.n - 1 : 0;
}

/* All keys are there: puts them in order and takes them over. */
static bool finish_build(struct files *f, struct app *a, struct err *err)
{
	inum_t ino = f->cursor < f->list.n ? f->list.v[f->cursor] : a->selected;
	bool backwards = f->reverse && f->sort == SORT_INODE;
	struct keys *k = &f->build->keys;

	if (!trim(f, k) || !vec_reserve(&f->list, k->n ? k->n : 1))
		return err_nomem(err);
	f->list.n = k->n;
	for (size_t i = 0; i < k->n; i++)
		f->list.v[i] = k->v[backwards ? k->n - 1 - i : i].ino;
	f->total = f->build->total;
	drop_build(f);
	if (f->sort == SORT_NAME && !sort_by_name(f, a, err))
		return false;
	keep_cursor(f, ino);
	return true;
}

bool files_begin(struct files *f, struct app *a, struct err *err)
{
	drop_build(f);
	if (!a->model) {
		files_clear(f);
		return true;
	}
	f->build = calloc(1, sizeof(*f->build));
	if (!f->build)
		return err_nomem(err);
	f->build->next = model_next_inode(a->model, 0);
	return true;
}

bool files_step(struct files *f, struct app *a, struct err *err)
{
	bool ok = true;

	if (!f->build)
		return true;
	if (f->build->next)
		ok = collect_slice(f, a->model) || err_nomem(err);
	else
		ok = finish_build(f, a, err);
	if (!ok)
		drop_build(f);
	return ok;
}

bool files_busy(const struct files *f)
{
	return f->build != NULL;
}

unsigned files_percent(const struct files *f, const struct app *a)
{
	if (!f->build || !f->build->next)
		return 100;
	return (unsigned)(100ull * f->build->next / model_geom(a->model)->inodes);
}

bool files_refresh(struct files *f, struct app *a, struct err *err)
{
	if (!files_begin(f, a, err))
		return false;
	while (files_busy(f))
		if (!files_step(f, a, err))
			return false;
	return true;
}

void files_clear(struct files *f)
{
	drop_build(f);
	vec_clear(&f->list);
	f->cursor = f->top = 0;
	f->total = 0;
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
