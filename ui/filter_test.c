/* SPDX-License-Identifier: GPL-3.0-or-later */
/* filter_test.c - see filter.h: does a filter hold for a file, and for which files. */
#include <fnmatch.h>
#include <string.h>
#include <time.h>
#include "core/extent.h"
#include "ui/filter.h"
#include "ui/names.h"

#define TIMES_MS 60000

double filter_score(uint64_t blocks, uint32_t fragments)
{
	/* A block that starts no fragment directly follows its predecessor. */
	return blocks > 1 ? 100.0 * (double)(blocks - fragments) / (double)(blocks - 1)
			  : 100.0;
}

bool file_row_get(const struct model *m, inum_t ino, struct run_list *runs,
		  struct file_row *out, bool *oom)
{
	struct inode_info info;
	uint64_t blocks;

	runs->n = 0;
	if (!model_runs(m, ino, runs)) {
		*oom = true;
		return false;
	}
	if (!runs->n || !owner_is_data(runs->v[0].kind) || !model_inode(m, ino, &info) ||
	    (info.flags & INODE_SYSTEM) || info.type == INODE_OTHER)
		return false;
	blocks = extent_blocks(runs->v, runs->n);
	out->ino = ino;
	out->fragments = extent_fragments(runs->v, runs->n);
	out->ideal = model_ideal(m, blocks);
	out->blocks = blocks < UINT32_MAX ? (uint32_t)blocks : UINT32_MAX;
	out->first = runs->v[0].phys;
	return true;
}

/* --- one file --- */

static double age_days(const struct filter *f, inum_t ino)
{
	const struct inode_times *t = times_find(&f->times, ino);
	int64_t used = t ? times_last_use(&f->times, ino) : 0;

	return used < f->now ? (double)(f->now - used) / 86400.0 : 0;
}

static double figure(const struct filter *f, const struct model *m,
		     const struct file_row *row, enum filter_key key)
{
	struct inode_info info = {0};

	switch (key) {
	case FILTER_FRAGMENTS:
		return row->fragments;
	case FILTER_IDEAL:
		return row->ideal;
	case FILTER_EXCESS:
		return row->fragments > row->ideal ? row->fragments - row->ideal : 0;
	case FILTER_BLOCKS:
		return row->blocks;
	case FILTER_INODE:
		return row->ino;
	case FILTER_FIRST:
		return (double)row->first;
	case FILTER_GROUP:
		return geom_group_of(model_geom(m), row->first);
	case FILTER_SCORE:
		return filter_score(row->blocks, row->fragments);
	case FILTER_AGE:
		return age_days(f, row->ino);
	default:
		model_inode(m, row->ino, &info);
		return key == FILTER_TYPE ? info.type : (double)info.size;
	}
}

static bool compare(double x, enum filter_op op, double y)
{
	switch (op) {
	case FILTER_EQUAL:
		return x >= y && x <= y;
	case FILTER_NOT_EQUAL:
		return x < y || x > y;
	case FILTER_LESS:
		return x < y;
	case FILTER_AT_MOST:
		return x <= y;
	case FILTER_MORE:
		return x > y;
	default:
		return x >= y;
	}
}

static bool like(const struct filter_term *t, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash && slash[1] ? slash + 1 : path;
	const char *text = t->key == FILTER_NAME ? name : path;

	if (t->op == FILTER_EQUAL || t->op == FILTER_NOT_EQUAL)
		return !strcmp(text, t->text);
	if (!t->text[strcspn(t->text, "*?[")])
		return (t->exact ? strstr(text, t->text) : strcasestr(text, t->text)) !=
		       NULL;
	return !fnmatch(t->text, text, t->exact ? 0 : FNM_CASEFOLD);
}

static enum filter_verdict test_term(const struct filter *f, const struct filter_term *t,
				     const struct model *m, const struct file_row *row,
				     const char *path)
{
	bool yes;

	if (t->key != FILTER_NAME && t->key != FILTER_PATH)
		yes = compare(figure(f, m, row, t->key), t->op, t->number);
	else if (!path)
		return FILTER_UNKNOWN;
	else
		yes = like(t, path) !=
		      (t->op == FILTER_NOT_EQUAL || t->op == FILTER_NOT_LIKE);
	return yes != t->negated ? FILTER_YES : FILTER_NO;
}

enum filter_verdict filter_test(const struct filter *f, const struct model *m,
				const struct file_row *row, const char *path)
{
	enum filter_verdict all = f->terms.n ? FILTER_NO : FILTER_YES;

	for (size_t i = 0; i < f->terms.n && all != FILTER_YES;) {
		unsigned clause = f->terms.v[i].clause;
		enum filter_verdict here = FILTER_YES;

		for (; i < f->terms.n && f->terms.v[i].clause == clause; i++) {
			enum filter_verdict one;

			if (here == FILTER_NO)
				continue;
			one = test_term(f, &f->terms.v[i], m, row, path);
			if (one != FILTER_YES)
				here = one;
		}
		if (here != FILTER_NO)
			all = here;
	}
	return all;
}

bool filter_needs_names(const struct filter *f)
{
	for (size_t i = 0; i < f->terms.n; i++)
		if (f->terms.v[i].key == FILTER_NAME || f->terms.v[i].key == FILTER_PATH)
			return true;
	return false;
}

/* --- what the model lacks --- */

static bool needs_times(const struct filter *f)
{
	for (size_t i = 0; i < f->terms.n; i++)
		if (f->terms.v[i].key == FILTER_AGE)
			return true;
	return false;
}

bool filter_prepare(struct filter *f, struct app *a, struct err *err)
{
	struct request r = {.kind = REQ_TIMES, .model = a->model};
	struct event *ev;

	f->now = (int64_t)time(NULL);
	if (!needs_times(f) || f->times.n || !a->model)
		return true;
	ev = app_query(a, &r, a->interactive ? TIMES_MS : -1, err);
	if (!ev)
		return false;
	f->times = ev->times;
	ev->times = (struct times_list){0};
	event_free(ev);
	return true;
}

/* Those whose path decides are looked at again when the paths are there. */
static bool decide(struct filter *f, struct app *a, struct inum_list *open,
		   struct inum_list *out, struct err *err)
{
	struct run_list runs = {0};
	struct file_row row;
	bool oom = false;
	size_t len;

	if (!names_fetch(a->names, a, open->v, open->n, err))
		return false;
	for (size_t i = 0; i < open->n && !oom; i++) {
		const char *path = names_get(a->names, open->v[i], &len);

		if (file_row_get(a->model, open->v[i], &runs, &row, &oom) &&
		    filter_test(f, a->model, &row, path ? path : "") == FILTER_YES)
			oom = !vec_push(out, open->v[i]);
	}
	vec_release(&runs);
	return !oom || err_nomem(err);
}

bool filter_select(struct filter *f, struct app *a, struct inum_list *out,
		   struct err *err)
{
	struct inum_list open = {0};
	struct run_list runs = {0};
	struct file_row row;
	bool oom = false, ok = filter_prepare(f, a, err);

	for (inum_t ino = ok ? model_next_inode(a->model, 0) : 0; ino && !oom;
	     ino = model_next_inode(a->model, ino)) {
		enum filter_verdict v;

		if (!file_row_get(a->model, ino, &runs, &row, &oom))
			continue;
		v = filter_test(f, a->model, &row, NULL);
		if (v != FILTER_NO)
			oom = !vec_push(v == FILTER_YES ? out : &open, ino);
	}
	if (oom)
		ok = err_nomem(err);
	ok = ok && (!open.n || decide(f, a, &open, out, err));
	vec_release(&runs);
	vec_release(&open);
	return ok;
}
