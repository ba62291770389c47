/* SPDX-License-Identifier: GPL-3.0-or-later */
/* target.c - what a command is about: words into inodes. */
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "ui/cmd_priv.h"
#include "ui/files.h"
#include "ui/filter.h"

#define LOOKUP_MS 10000 /* a path must be found in this time */

static bool push(struct inum_list *out, inum_t ino, struct err *err)
{
	return vec_push(out, ino) || err_nomem(err);
}

inum_t cmd_lookup(struct app *a, const char *path, struct err *err)
{
	struct request r = {.kind = REQ_LOOKUP};
	struct str clean = STR_INIT;
	struct event *ev;
	inum_t ino = 0;

	str_add(&clean, path);
	while (clean.len > 1 && clean.buf[clean.len - 1] == '/')
		clean.buf[--clean.len] = '\0';
	r.path = clean.buf;
	ev = app_query(a, &r, a->interactive ? LOOKUP_MS : -1, err);
	if (ev)
		ino = ev->ino;
	event_free(ev);
	str_release(&clean);
	return ino;
}

/* --- one word --- */

static inum_t under_cursor(const struct app *a)
{
	const struct geom *g = model_geom(a->model);
	struct run r;

	if (a->interactive && a->focus == FOCUS_FILES &&
	    a->files->cursor < a->files->list.n)
		return a->files->list.v[a->files->cursor];
	if (a->map.cursor < g->first_block || a->map.cursor >= g->blocks)
		return a->selected;
	model_at(a->model, a->map.cursor, &r);
	return r.ino ? r.ino : a->selected;
}

static bool target_cursor(struct app *a, struct inum_list *out, struct err *err)
{
	inum_t ino = under_cursor(a);

	if (ino)
		return push(out, ino, err);
	err_set(err, ERR_USAGE, "no file is under the cursor, and none is selected");
	return false;
}

static bool target_tags(struct app *a, struct inum_list *out, struct err *err)
{
	if (!a->tags.n) {
		err_set(err, ERR_USAGE, "nothing is tagged; tag files with: tag TARGET");
		return false;
	}
	for (size_t i = 0; i < a->tags.n; i++)
		if (!push(out, a->tags.v[i], err))
			return false;
	return true;
}

/* "ino N": is it used? */
static bool parse_ino(struct app *a, const char *word, inum_t *ino, struct err *err)
{
	struct inode_info info;
	uint64_t n;

	word += 3;
	word += strspn(word, " \t");
	if (!num_parse_u64(word, &n)) {
		err_set(err, ERR_USAGE, "\"%s\" is not an inode number", word);
		return false;
	}
	if (n > UINT32_MAX || !model_inode(a->model, (inum_t)n, &info)) {
		err_set(err, ERR_USAGE, "inode %llu is not in use",
			(unsigned long long)n);
		return false;
	}
	*ino = (inum_t)n;
	return true;
}

/* "dir N": all below it. */
static bool target_dir(struct app *a, const char *word, struct inum_list *out,
		       struct err *err)
{
	struct inode_info info;
	inum_t ino;

	if (!parse_ino(a, word, &ino, err))
		return false;
	if (model_inode(a->model, ino, &info) && info.type == INODE_DIR)
		return model_tree(a->model, ino, out) || err_nomem(err);
	err_set(err, ERR_USAGE, "inode %u is no directory", ino);
	return false;
}

static bool is_ino(const char *word)
{
	return !strncmp(word, "ino", 3) && (word[3] == ' ' || word[3] == '\t');
}

static bool target_path(struct app *a, const char *word, struct inum_list *out,
			struct err *err)
{
	inum_t ino = cmd_lookup(a, word, err);
	struct inode_info info;

	if (!ino)
		return false;
	if (model_inode(a->model, ino, &info) && info.type == INODE_DIR)
		return model_tree(a->model, ino, out) || err_nomem(err);
	return push(out, ino, err);
}

struct owners {
	struct inum_list *out;
	inum_t last;
	bool oom;
};

static bool note_owner(void *arg, const struct run *r)
{
	struct owners *o = arg;

	if (r->ino && r->ino != o->last && !vec_push(o->out, r->ino))
		o->oom = true;
	o->last = r->ino;
	return !o->oom;
}

static bool target_range(struct app *a, const char *word, struct inum_list *out,
			 struct err *err)
{
	struct owners o = {.out = out};
	struct err local = ERR_INIT;
	size_t before = out->n;
	struct range r;

	if (!cmd_range(a, word, &r, &local)) {
		if (err_isset(&local))
			err_set(err, ERR_USAGE, "%s", local.msg);
		else
			err_set(err, ERR_USAGE,
				"\"%s\" is no target; one of: /PATH %% . @tags {frag>4} "
				"\"ino N\" "
				"BLOCK a,b a+len gN 'x region",
				word);
		return false;
	}
	model_walk(a->model, r.start, r.len, note_owner, &o);
	if (o.oom)
		return err_nomem(err);
	if (out->n == before)
		err_set(err, ERR_USAGE, "no file owns a block of %s", word);
	return out->n > before;
}

static int by_number(const void *a, const void *b)
{
	inum_t x = *(const inum_t *)a, y = *(const inum_t *)b;

	return (x > y) - (x < y);
}

static void make_unique(struct inum_list *l, size_t from)
{
	size_t kept = from;

	qsort(l->v + from, l->n - from, sizeof(*l->v), by_number);
	for (size_t i = from; i < l->n; i++)
		if (i == from || l->v[i] != l->v[i - 1])
			l->v[kept++] = l->v[i];
	l->n = kept;
}

/* "{frag>4 name~*.log}" */
static bool target_filter(struct app *a, const char *word, struct inum_list *out,
			  struct err *err)
{
	size_t len = strlen(word), before = out->n;
	char *text = strndup(word + 1, len - 2);
	struct filter f;
	bool ok = text || err_nomem(err);

	if (ok && word[len - 1] != '}') {
		err_set(err, ERR_USAGE, "nothing may follow the } of a filter");
		ok = false;
	}
	ok = ok && filter_parse(text, &f, NULL, err);
	if (ok) {
		ok = filter_select(&f, a, out, err);
		filter_release(&f);
	}
	free(text);
	if (ok && out->n == before)
		err_set(err, ERR_USAGE, "no file is like that: %s", word);
	return ok && out->n > before;
}

bool cmd_target(struct app *a, const char *word, struct inum_list *out, struct err *err)
{
	size_t before = out->n;
	inum_t ino;
	bool ok;

	if (!app_need_model(a, err))
		return false;
	if (!strcmp(word, "%"))
		ok = model_tree(a->model, 2, out) || err_nomem(err);
	else if (!strcmp(word, "."))
		ok = target_cursor(a, out, err);
	else if (!strcmp(word, "@tags") || !strcmp(word, "@"))
		ok = target_tags(a, out, err);
	else if (is_ino(word))
		ok = parse_ino(a, word, &ino, err) && push(out, ino, err);
	else if (!strncmp(word, "dir ", 4))
		ok = target_dir(a, word, out, err);
	else if (word[0] == '{')
		ok = target_filter(a, word, out, err);
	else if (word[0] == '/')
		ok = target_path(a, word, out, err);
	else
		ok = target_range(a, word, out, err);
	if (out->n > before)
		make_unique(out, before);
	return ok;
}

/* --- the words of a call --- */

/* Word i, with its number if it is "ino"; *next is the word after it. */
static void word_at(const struct cmd_call *c, int i, struct str *out, int *next)
{
	str_clear(out);
	str_add(out, c->argv[i]);
	*next = i + 1;
	if (!strcmp(c->argv[i], "ino") && i + 1 < c->argc) {
		str_addf(out, " %s", c->argv[i + 1]);
		*next = i + 2;
	}
}

bool cmd_targets(struct app *a, struct cmd_call *c, const char *otherwise,
		 struct inum_list *out, struct err *err)
{
	struct str word = STR_INIT;
	bool ok = true;

	if (!c->argc)
		ok = cmd_target(a, otherwise, out, err);
	for (int i = 0, next; ok && i < c->argc; i = next) {
		word_at(c, i, &word, &next);
		ok = cmd_target(a, word.buf, out, err);
		if (!ok)
			c->bad = next - 1 > i && err->class == ERR_USAGE ? next - 1 : i;
	}
	if (ok && out->n)
		make_unique(out, 0);
	str_release(&word);
	return ok;
}

bool cmd_inode(struct app *a, struct cmd_call *c, inum_t *out, struct err *err)
{
	struct inum_list list = {0};
	struct str word = STR_INIT;
	int next = 0;
	bool ok;

	if (c->argc)
		word_at(c, 0, &word, &next);
	else
		str_add(&word, ".");
	if (next < c->argc) {
		cmd_bad(c, next, err, "one target is enough here");
		ok = false;
	} else if (word.buf[0] == '/') {
		ok = app_need_model(a, err) && (*out = cmd_lookup(a, word.buf, err)) != 0;
	} else {
		ok = cmd_target(a, word.buf, &list, err);
		if (ok && list.n != 1)
			ok = cmd_bad(c, 0, err, "that is %zu files; name one", list.n);
		if (ok)
			*out = list.v[0];
	}
	if (!ok && c->bad < 0 && c->argc)
		c->bad = next > 1 ? next - 1 : 0;
	vec_release(&list);
	str_release(&word);
	return ok;
}

void cmd_words_text(const struct cmd_call *c, struct str *out)
{
	for (int i = 0; i < c->argc; i++)
		str_addf(out, "%s%s", i ? " " : "", c->argv[i]);
}
