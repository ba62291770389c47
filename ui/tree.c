/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tree.c - see tree.h. */
#include "ui/tree.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ui/names.h"

#define ROOT	 2
#define TIMES_MS 30000

static const char *const sort_names[TREE_SORTS] = {
	"heat", "excess", "read", "fragments", "blocks", "files", "name"};

const char *tree_sort_name(enum tree_sort sort)
{
	return sort_names[sort];
}

struct tree *tree_new(void)
{
	struct tree *t = calloc(1, sizeof(*t));

	if (t)
		t->dir = ROOT;
	return t;
}

void tree_forget(struct tree *t)
{
	rollup_release(&t->dirs);
	t->ready = false;
}

void tree_clear(struct tree *t)
{
	tree_forget(t);
	rollup_release(&t->rows);
	vec_release(&t->times);
	vec_release(&t->used);
	t->traced = t->flat = false;
	t->dir = ROOT;
	t->cursor = t->top = 0;
}

void tree_free(struct tree *t)
{
	if (t)
		tree_clear(t);
	free(t);
}

/* --- order --- */

static double figure(const struct rollup_row *r, enum tree_sort sort)
{
	switch (sort) {
	case TREE_HEAT:
		return r->heat;
	case TREE_EXCESS:
		return r->excess_ms;
	case TREE_READ:
		return r->read_ms;
	case TREE_FRAGMENTS:
		return (double)r->fragments;
	case TREE_BLOCKS:
		return (double)r->blocks;
	default:
		return (double)r->files;
	}
}

static enum tree_sort order;
static struct names *order_names;

/* Largest first; what is equal by its blocks, then by inode. */
static int by_figure(const void *a, const void *b)
{
	const struct rollup_row *x = a, *y = b;
	double p = figure(x, order), q = figure(y, order);

	if (p < q || p > q)
		return p > q ? -1 : 1;
	if (x->blocks != y->blocks)
		return x->blocks > y->blocks ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static int by_name(const void *a, const void *b)
{
	const struct rollup_row *x = a, *y = b;
	size_t len;
	const char *p = names_get(order_names, x->ino, &len);
	const char *q = names_get(order_names, y->ino, &len);
	int c = strcmp(p ? p : "", q ? q : "");

	return c ? c : (x->ino > y->ino) - (x->ino < y->ino);
}

static bool sort_rows(struct app *a, struct err *err)
{
	struct tree *t = a->tree;
	struct inum_list inos = {0};
	bool ok = true;

	order = t->sort;
	order_names = a->names;
	for (size_t i = 0; ok && t->sort == TREE_NAME && i < t->rows.n; i++)
		ok = vec_push(&inos, t->rows.v[i].ino) || err_nomem(err);
	ok = ok && (!inos.n || names_fetch(a->names, a, inos.v, inos.n, err));
	if (ok && t->rows.n)
		qsort(t->rows.v, t->rows.n, sizeof(*t->rows.v),
		      t->sort == TREE_NAME ? by_name : by_figure);
	vec_release(&inos);
	return ok;
}

/* --- working it out --- */

static bool fetch_times(struct app *a, struct err *err)
{
	struct request r = {.kind = REQ_TIMES, .model = a->model};
	struct tree *t = a->tree;
	struct event *ev;

	if (t->times.n)
		return true;
	ev = app_query(a, &r, a->interactive ? TIMES_MS : -1, err);
	if (!ev)
		return false;
	t->times = ev->times;
	ev->times = (struct times_list){0};
	event_free(ev);
	t->now = (int64_t)time(NULL);
	return true;
}

static struct rollup_options options(const struct app *a, const struct tree *t)
{
	struct rollup_options opt = {.disk = disk_now(),
				     .times = &t->times,
				     .now = t->now,
				     .half_life_days = a->heat_days};

	if (t->traced) {
		opt.used = t->used.v;
		opt.used_n = t->used.n;
	}
	return opt;
}

/* The directory that is shown may be gone. */
static bool fill(struct app *a, struct err *err)
{
	struct tree *t = a->tree;
	struct rollup_options opt = options(a, t);
	bool ok = true;

	vec_clear(&t->rows);
	if (!rollup_dir(&t->dirs, t->dir))
		t->dir = ROOT;
	if (!t->flat)
		ok = rollup_children(a->model, &opt, &t->dirs, t->dir, &t->rows);
	for (size_t i = 0; ok && t->flat && i < t->dirs.n; i++)
		ok = vec_push(&t->rows, t->dirs.v[i]);
	return (ok || err_nomem(err)) && sort_rows(a, err);
}

bool tree_ready(struct app *a, struct err *err)
{
	struct tree *t = a->tree;
	struct rollup_options opt;

	if (t->ready)
		return true;
	if (!fetch_times(a, err))
		return false;
	opt = options(a, t);
	rollup_release(&t->dirs);
	if (!rollup_compute(a->model, &opt, &t->dirs))
		return err_nomem(err);
	t->ready = true;
	return fill(a, err);
}

bool tree_show(struct app *a, inum_t dir, bool flat, enum tree_sort sort, struct err *err)
{
	struct tree *t = a->tree;
	inum_t from = t->dir;
	bool ready = t->ready;

	t->dir = dir;
	t->flat = flat;
	t->sort = sort;
	if (!tree_ready(a, err) || (ready && !fill(a, err)))
		return false;
	t->cursor = t->top = 0;
	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.v[i].ino == from) /* going up: where it came from */
			t->cursor = i;
	return true;
}

/* --- traces --- */

/* From `at` to the closing quote, with strace's escapes of quote and backslash. */
static char *quoted(const char *at, const char *end)
{
	struct str s = STR_INIT;

	for (; at < end && *at != '"'; at++) {
		if (*at == '\\' && at + 1 < end)
			at++;
		str_addc(&s, *at);
	}
	return str_detach(&s);
}

char *trace_path(const char *line, size_t len)
{
	const char *end = line + len, *p;

	while (line < end && (*line == ' ' || *line == '\t'))
		line++;
	while (end > line && strchr(" \t\r", end[-1]))
		end--;
	if (line == end)
		return NULL;
	if (*line == '/')
		return strndup(line, (size_t)(end - line));
	p = memmem(line, (size_t)(end - line), "\"/", 2); /* strace: open("/x", */
	if (p)
		return memmem(p, (size_t)(end - p), ") = -1 ", 7) ? NULL
								  : quoted(p + 1, end);
	p = memmem(line, (size_t)(end - line), "): ", 3); /* fatrace: cat(12): RO /x */
	if (p)
		p = memmem(p, (size_t)(end - p), " /", 2);
	return p ? strndup(p + 1, (size_t)(end - p - 1)) : NULL;
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct paths {
	VEC(char *) list;
};

static bool read_paths(const char *text, const char *strip, struct paths *out)
{
	size_t skip = strip ? strlen(strip) : 0;

	while (skip && strip[skip - 1] == '/')
		skip--;
	while (*text) {
		size_t len = strcspn(text, "\n");
		char *path = trace_path(text, len);

		text += len + (text[len] != '\0');
		if (path && skip && (strncmp(path, strip, skip) || path[skip] != '/')) {
			free(path); /* of another volume */
			continue;
		}
		if (path)
			memmove(path, path + skip, strlen(path + skip) + 1);
		if (path && !vec_push(&out->list, path)) {
			free(path);
			return false;
		}
	}
	if (out->list.n)
		qsort(out->list.v, out->list.n, sizeof(*out->list.v), by_text);
	return true;
}

static inum_t lookup(struct app *a, const char *path)
{
	struct request r = {.kind = REQ_LOOKUP, .path = path};
	struct event *ev = app_query(a, &r, a->interactive ? 10000 : -1, NULL);
	inum_t ino = ev ? ev->ino : 0;

	event_free(ev);
	return ino;
}

static int by_use(const void *a, const void *b)
{
	const struct rollup_use *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* Each path is looked up once. *lost: paths that the volume does not have. */
static bool count_uses(struct app *a, const struct paths *p, size_t *lost)
{
	struct tree *t = a->tree;
	size_t kept = 0;

	for (size_t i = 0, end; i < p->list.n; i = end) {
		inum_t ino = lookup(a, p->list.v[i]);

		for (end = i + 1;
		     end < p->list.n && !strcmp(p->list.v[i], p->list.v[end]);)
			end++;
		*lost += ino == 0;
		if (ino &&
		    !vec_push(&t->used, (struct rollup_use){ino, (uint32_t)(end - i)}))
			return false;
	}
	if (t->used.n)
		qsort(t->used.v, t->used.n, sizeof(*t->used.v), by_use);
	for (size_t i = 0; i < t->used.n; i++) /* hard links */
		if (kept && t->used.v[kept - 1].ino == t->used.v[i].ino)
			t->used.v[kept - 1].count += t->used.v[i].count;
		else
			t->used.v[kept++] = t->used.v[i];
	t->used.n = kept;
	return true;
}

bool tree_trace(struct app *a, const char *text, const char *strip, struct err *err)
{
	struct tree *t = a->tree;
	struct paths p = {0};
	size_t lost = 0;
	bool ok;

	vec_clear(&t->used);
	t->traced = false;
	tree_forget(t);
	if (!text)
		return true;
	ok = (read_paths(text, strip, &p) && count_uses(a, &p, &lost)) || err_nomem(err);
	if (ok && !t->used.n) {
		err_set(err, ERR_USAGE,
			"no file of this volume is in the trace (%zu paths in it); where "
			"it was mounted goes to --strip",
			p.list.n);
		ok = false;
	} else if (ok) {
		app_say(a, "%zu files used %zu times; %zu paths are not of this volume",
			t->used.n, p.list.n - lost, lost);
	}
	t->traced = ok;
	for (size_t i = 0; i < p.list.n; i++)
		free(p.list.v[i]);
	vec_release(&p.list);
	return ok;
}
