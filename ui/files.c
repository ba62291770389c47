/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files.c - see files.h. The work is done in files_build.c; here is when.
 */
#include "ui/files_priv.h"
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "ui/names.h"

#define AT_ONCE_MS 40 /* what a key may take */

struct files *files_new(void)
{
	return calloc(1, sizeof(struct files));
}

void files_free(struct files *f)
{
	if (f) {
		files_build_drop(f);
		files_forget(f);
		filter_release(&f->filter);
		vec_release(&f->list);
	}
	free(f);
}

void files_forget(struct files *f)
{
	vec_release(&f->rows);
	vec_release(&f->rank);
	f->rows_whole = false;
}

void files_clear(struct files *f)
{
	files_build_drop(f);
	files_forget(f);
	if (f->filter.times.n) /* they were of this volume */
		filter_release(&f->filter);
	vec_clear(&f->list);
	f->cursor = f->top = 0;
	f->total = 0;
}

/* --- a rebuild --- */

static bool begin(struct files *f, struct app *a, struct err *err)
{
	files_build_drop(f);
	if (!a->model) {
		files_clear(f);
		return true;
	}
	f->build = calloc(1, sizeof(*f->build));
	if (!f->build)
		return err_nomem(err);
	f->build->from_rows = f->rows_whole;
	if (!f->rows_whole)
		f->build->next = model_next_inode(a->model, 0);
	f->rows_whole = true;
	return true;
}

bool files_begin(struct files *f, struct app *a, struct err *err)
{
	files_build_drop(f);
	files_forget(f);
	return begin(f, a, err);
}

bool files_step(struct files *f, struct app *a, struct err *err)
{
	return !f->build || files_wait(f, a) || files_build_step(f, a, false, err);
}

bool files_busy(const struct files *f)
{
	return f->build != NULL;
}

/* Moves wait for names that are under way: they come first. */
bool files_wait(const struct files *f, const struct app *a)
{
	return f->build && f->build->phase == BUILD_NAMES &&
	       (names_busy(a->names) || a->held.n || !names_may_ask(a));
}

unsigned files_percent(const struct files *f, const struct app *a)
{
	const struct files_build *b = f->build;

	if (!b || b->phase == BUILD_FINISH)
		return 100;
	if (b->phase == BUILD_NAMES)
		return (unsigned)(100ull * b->asked / (b->open.n + b->keys.n + 1));
	if (b->from_rows)
		return (unsigned)(100ull * b->row / (f->rows.n + 1));
	return (unsigned)(100ull * b->next / model_geom(a->model)->inodes);
}

static bool run_build(struct files *f, struct app *a, struct err *err)
{
	while (files_busy(f))
		if (!files_build_step(f, a, true, err))
			return false;
	return true;
}

bool files_refresh(struct files *f, struct app *a, struct err *err)
{
	return files_begin(f, a, err) && run_build(f, a, err);
}

/* Other files or another order, from the rows that are there. */
static bool rebuild(struct files *f, struct app *a, struct err *err)
{
	uint64_t start = num_now_ms();
	bool top = f->cursor == 0, ok;

	if (f->build) /* its rows are not whole */
		files_forget(f);
	ok = begin(f, a, err);
	if (!f->build)
		return ok;
	f->build->top = top;
	if (!a->interactive)
		return run_build(f, a, err);
	while (ok && files_busy(f) && !files_wait(f, a) &&
	       num_now_ms() - start < AT_ONCE_MS)
		ok = files_build_step(f, a, false, err);
	return ok;
}

bool files_set_sort(struct files *f, struct app *a, enum files_sort sort, bool reverse,
		    struct err *err)
{
	f->sort = sort;
	f->reverse = reverse;
	return rebuild(f, a, err);
}

bool files_set_filter(struct files *f, struct app *a, struct filter *filter,
		      struct err *err)
{
	filter_release(&f->filter);
	if (filter) {
		f->filter = *filter;
		memset(filter, 0, sizeof(*filter));
	}
	return rebuild(f, a, err);
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
