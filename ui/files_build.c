/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files_build.c - one rebuild of the file list, in steps: through the inodes (or through
 * the rows that an earlier one kept), leaving out what the filter excludes; then names, if
 * they decide; then sorting 64-bit keys. Equal keys stay in the order of inodes.
 */
#include <stdlib.h>
#include "ui/files_priv.h"
#include "ui/names.h"

#define SLICE_INODES 8192u /* a few milliseconds */
#define SLICE_ROWS   65536u

static const struct {
	const char *name;
	bool falls;
} sorts[SORT_COUNT] = {
	[SORT_FRAGMENTS] = {"fragments", true}, [SORT_SIZE] = {"size", true},
	[SORT_INODE] = {"inode", false},	[SORT_FIRST] = {"first", false},
	[SORT_SCORE] = {"score", false},	[SORT_BLOCKS] = {"blocks", true},
	[SORT_NAME] = {"name", false},
};

const char *files_sort_name(enum files_sort sort)
{
	return sorts[sort].name;
}

bool files_sort_falls(enum files_sort sort)
{
	return sorts[sort].falls;
}

void files_build_drop(struct files *f)
{
	if (!f->build)
		return;
	free(f->build->keys.v);
	vec_release(&f->build->runs);
	vec_release(&f->build->open);
	free(f->build);
	f->build = NULL;
}

/* --- keys --- */

/* rank: of the path, where that is known. */
static uint64_t key_of(const struct files *f, const struct model *m,
		       const struct file_row *row, uint32_t rank)
{
	struct inode_info info;
	uint64_t key;

	switch (f->sort) {
	case SORT_FRAGMENTS:
		key = (uint64_t)row->fragments << 32 | row->blocks;
		break;
	case SORT_SIZE:
		key = model_inode(m, row->ino, &info) ? info.size : 0;
		break;
	case SORT_FIRST:
		key = row->first;
		break;
	case SORT_SCORE:
		key = (uint64_t)(filter_score(row->blocks, row->fragments) * 1e6);
		break;
	case SORT_BLOCKS:
		key = row->blocks;
		break;
	case SORT_NAME:
		key = rank;
		break;
	default:
		key = row->ino;
		break;
	}
	return f->reverse != sorts[f->sort].falls ? ~key : key;
}

/* Only the first FILES_MAX in the order are kept. */
static bool trim(struct sort_keys *k)
{
	if (!sort_keys(k))
		return false;
	if (k->n > FILES_MAX)
		k->n = FILES_MAX;
	return true;
}

static bool push_key(struct files *f, const struct model *m, const struct file_row *row,
		     uint32_t rank)
{
	struct sort_keys *k = &f->build->keys;

	return vec_push(k, (struct sort_key){key_of(f, m, row, rank), row->ino}) &&
	       (k->n < 2 * (size_t)FILES_MAX || trim(k));
}

/* --- collecting --- */

static bool take_row(struct files *f, const struct model *m, const struct file_row *row,
		     uint32_t rank)
{
	enum filter_verdict v;

	f->build->total++;
	if (f->only_fragmented && row->fragments <= row->ideal)
		return true;
	v = filter_test(&f->filter, m, row, NULL);
	if (v == FILTER_UNKNOWN)
		return vec_push(&f->build->open, row->ino);
	return v == FILTER_NO || push_key(f, m, row, rank);
}

static bool keep_row(struct files *f, const struct file_row *row)
{
	if (!f->rows_whole)
		return true;
	if (f->rows.n < FILES_MAX)
		return vec_push(&f->rows, *row);
	files_forget(f); /* too many: the model is asked each time */
	return true;
}

static bool collect_inodes(struct files *f, const struct model *m)
{
	struct files_build *b = f->build;
	struct file_row row;
	bool oom = false;

	for (unsigned i = 0; b->next && i < SLICE_INODES && !oom; i++) {
		if (file_row_get(m, b->next, &b->runs, &row, &oom))
			oom = !keep_row(f, &row) || !take_row(f, m, &row, 0);
		b->next = model_next_inode(m, b->next);
	}
	if (!b->next)
		b->phase = BUILD_NAMES;
	return !oom;
}

static bool collect_rows(struct files *f, const struct model *m)
{
	struct files_build *b = f->build;

	for (unsigned i = 0; b->row < f->rows.n && i < SLICE_ROWS; i++, b->row++)
		if (!take_row(f, m, &f->rows.v[b->row],
			      f->rank.n ? f->rank.v[b->row] : 0))
			return false;
	if (b->row == f->rows.n)
		b->phase = BUILD_NAMES;
	return true;
}

/* --- names --- */

static bool wants_names(const struct files *f)
{
	return f->sort == SORT_NAME && !f->rank.n;
}

/* The next of those whose names decide, 0: that was the last. */
static size_t next_names(const struct files *f, inum_t *out, size_t max)
{
	const struct files_build *b = f->build;
	size_t all = b->open.n + (wants_names(f) ? b->keys.n : 0), n = 0;

	for (size_t at = b->asked; at < all && n < max; at++)
		out[n++] = at < b->open.n ? b->open.v[at] : b->keys.v[at - b->open.n].id;
	return n;
}

/* One question at a time on a terminal; all of them where somebody waits. */
static bool ask_names(struct files *f, struct app *a, bool wait, struct err *err)
{
	static inum_t inos[NAMES_ASK_MAX];
	size_t n = next_names(f, inos, NAMES_ASK_MAX);

	if (n == 0) {
		f->build->phase = BUILD_FINISH;
		return true;
	}
	if (wait && !names_fetch(a->names, a, inos, n, err))
		return false;
	f->build->asked += wait ? n : names_ask(a->names, a, inos, n);
	return true;
}

/* --- the end --- */

static bool decide(struct files *f, struct app *a)
{
	struct files_build *b = f->build;
	struct file_row row;
	bool oom = false;
	size_t len;

	for (size_t i = 0; i < b->open.n && !oom; i++) {
		const char *path = names_get(a->names, b->open.v[i], &len);

		if (file_row_get(a->model, b->open.v[i], &b->runs, &row, &oom) &&
		    filter_test(&f->filter, a->model, &row, path ? path : "") ==
			    FILTER_YES)
			oom = !push_key(f, a->model, &row, 0);
	}
	return !oom;
}

/* The order of all paths is kept for the next time. */
static void keep_rank(struct files *f, const struct sort_path *v, size_t n)
{
	if (!f->rows_whole || n != f->rows.n || !vec_reserve(&f->rank, n))
		return;
	for (size_t i = 0; i < n; i++) {
		size_t lo = 0, hi = n;

		while (hi - lo > 1) {
			size_t mid = lo + (hi - lo) / 2;

			if (f->rows.v[mid].ino <= v[i].ino)
				lo = mid;
			else
				hi = mid;
		}
		f->rank.v[lo] = (uint32_t)i;
	}
	f->rank.n = n;
}

/* Keys become places in the order of paths. */
static bool rank_paths(struct files *f, struct app *a)
{
	struct sort_keys *k = &f->build->keys;
	struct sort_path *v = malloc((k->n ? k->n : 1) * sizeof(*v));
	size_t len;

	if (!v)
		return false;
	for (size_t i = 0; i < k->n; i++)
		k->v[i].key = k->v[i].id;
	if (!sort_keys(k)) {
		free(v);
		return false;
	}
	for (size_t i = 0; i < k->n; i++) {
		const char *path = names_get(a->names, k->v[i].id, &len);

		v[i] = (struct sort_path){path ? path : "", k->v[i].id};
	}
	if (!sort_paths(v, k->n)) {
		free(v);
		return false;
	}
	keep_rank(f, v, k->n);
	for (size_t i = 0; i < k->n; i++)
		k->v[i] = (struct sort_key){f->reverse ? ~(uint64_t)i : i, v[i].ino};
	free(v);
	return true;
}

static void keep_cursor(struct files *f, inum_t ino, bool top)
{
	if (top)
		f->cursor = 0;
	else
		files_goto(f, ino);
	if (f->cursor >= f->list.n)
		f->cursor = f->list.n ? f->list.n - 1 : 0;
}

/* All keys are there: puts them in order and takes them over. */
static bool finish(struct files *f, struct app *a)
{
	inum_t ino = f->cursor < f->list.n ? f->list.v[f->cursor] : a->selected;
	struct sort_keys *k = &f->build->keys;
	bool top = f->build->top;

	if (!decide(f, a) || (wants_names(f) && !rank_paths(f, a)) || !trim(k) ||
	    !vec_reserve(&f->list, k->n ? k->n : 1))
		return false;
	f->list.n = k->n;
	for (size_t i = 0; i < k->n; i++)
		f->list.v[i] = k->v[i].id;
	f->total = f->build->total;
	files_build_drop(f);
	keep_cursor(f, ino, top);
	return true;
}

bool files_build_step(struct files *f, struct app *a, bool wait, struct err *err)
{
	bool ok;

	if (f->build->phase == BUILD_COLLECT)
		ok = (f->build->from_rows ? collect_rows(f, a->model)
					  : collect_inodes(f, a->model)) ||
		     err_nomem(err);
	else if (f->build->phase == BUILD_NAMES)
		ok = ask_names(f, a, wait, err);
	else
		ok = finish(f, a) || err_nomem(err);
	if (!ok) {
		files_build_drop(f);
		files_forget(f);
	}
	return ok;
}
