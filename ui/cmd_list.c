/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_list.c - lists of files and of what was done. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/num.h"
#include "ui/cmd_priv.h"
#include "ui/files.h"
#include "ui/filter.h"
#include "ui/json.h"
#include "ui/names.h"

#define LIMIT_TEXT 50	 /* lines of `files` unless told otherwise */
#define CHUNK	   65536 /* names in memory at a time */

/* "size", "size-", or an unambiguous beginning of it. */
static bool parse_sort(const char *word, enum files_sort *sort, bool *reverse)
{
	size_t len = strlen(word);
	int hits = 0;

	*reverse = len > 1 && word[len - 1] == '-';
	len -= *reverse;
	for (int i = 0; i < SORT_COUNT; i++) {
		const char *name = files_sort_name((enum files_sort)i);

		if (strncmp(name, word, len))
			continue;
		*sort = (enum files_sort)i;
		hits++;
		if (!name[len])
			return true;
	}
	return hits == 1 && len;
}

static bool take_sort(struct cmd_call *c, int i, const char *word, enum files_sort *sort,
		      bool *reverse, struct err *err)
{
	if (parse_sort(word, sort, reverse))
		return true;
	return cmd_bad(c, i, err,
		       "\"%s\" is no sort key: fragments, size, inode, first, score, "
		       "blocks, name "
		       "(and - for reversed)",
		       word);
}

bool cmd_sort(struct app *a, struct cmd_call *c, struct err *err)
{
	enum files_sort sort;
	bool reverse;

	if (!cmd_args(c, 1, 1, err) || !take_sort(c, 0, c->argv[0], &sort, &reverse, err))
		return false;
	if (a->model)
		return files_set_sort(a->files, a, sort, reverse, err);
	a->files->sort = sort; /* for when there are files */
	a->files->reverse = reverse;
	return true;
}

/* The words as a filter: {...}, or its terms one by one. */
static bool take_filter(struct app *a, struct cmd_call *c, struct filter *out,
			struct err *err)
{
	struct str text = STR_INIT;
	int start[CMD_WORDS_MAX], bad = -1, i;
	bool ok;

	for (i = 0; i < c->argc; i++) {
		const char *word = c->argv[i];
		size_t len = strlen(word);

		str_add(&text, i ? " " : "");
		start[i] = (int)text.len;
		if (word[0] == '{' && word[len - 1] == '}')
			str_addn(&text, word + 1, len - 2);
		else
			str_add(&text, word);
	}
	ok = filter_parse(text.buf, out, &bad, err);
	for (i = c->argc - 1; !ok && i > 0 && start[i] > bad;)
		i--;
	if (!ok && c->argc)
		c->bad = i;
	if (ok && !filter_prepare(out, a, err)) {
		filter_release(out);
		ok = false;
	}
	str_release(&text);
	return ok;
}

bool cmd_filter(struct app *a, struct cmd_call *c, struct err *err)
{
	struct filter filter = {0};

	if (!app_need_model(a, err) || !take_filter(a, c, &filter, err))
		return false;
	a->files->only_fragmented = false;
	if (!files_set_filter(a->files, a, &filter, err))
		return false;
	a->files->cursor = a->files->top = 0;
	if (a->interactive)
		a->focus = a->lower = FOCUS_FILES;
	return true;
}

static void file_line(struct app *a, inum_t ino)
{
	struct file_info f;

	if (!model_file(a->model, ino, &f))
		return;
	app_print(a, "%9u %9u %10llu %12llu %9u  ", f.fragments, f.ideal,
		  (unsigned long long)f.blocks, (unsigned long long)f.first, ino);
	cmd_print_name(a, ino);
	app_print(a, "\n");
}

/* In chunks, so that a list of millions needs no memory for all of it. */
static bool print_files(struct app *a, size_t n, struct err *err)
{
	const struct files *f = a->files;

	for (size_t at = 0; at < n && !a->quit; at += CHUNK) {
		size_t len = n - at < CHUNK ? n - at : CHUNK;

		if (!names_fetch(a->names, a, f->list.v + at, len, err))
			return false;
		for (size_t i = at; i < at + len; i++) {
			if (!a->json) {
				file_line(a, f->list.v[i]);
				continue;
			}
			str_add(a->out, i ? "," : "[");
			json_print(a, json_file(a, f->list.v[i]));
			a->out->buf[--a->out->len] = '\0'; /* the line end */
		}
		if (!a->interactive)
			app_flush(a);
	}
	if (a->json)
		str_add(a->out, n ? "]\n" : "[]\n");
	a->json_done = true;
	return true;
}

bool cmd_files(struct app *a, struct cmd_call *c, struct err *err)
{
	struct files *f = a->files;
	struct filter filter = {0};
	const char *sort_text, *limit_text;
	bool fragmented = cmd_flag(c, "--fragmented"), reverse = f->reverse, ok;
	enum files_sort sort = f->sort;
	uint64_t limit = a->json ? UINT64_MAX : LIMIT_TEXT;
	char shown[NUM_TEXT_MAX], total[NUM_TEXT_MAX];

	if (!cmd_option(c, "--sort", &sort_text, err) ||
	    !cmd_option(c, "--limit", &limit_text, err) ||
	    !cmd_args(c, 0, CMD_WORDS_MAX, err) ||
	    (sort_text && !take_sort(c, -1, sort_text, &sort, &reverse, err)))
		return false;
	if (limit_text && !num_parse_u64(limit_text, &limit))
		return cmd_bad(c, -1, err, "\"%s\" is not a number", limit_text);
	if (!app_need_model(a, err) || !take_filter(a, c, &filter, err))
		return false;
	f->only_fragmented = fragmented;
	f->sort = sort;
	f->reverse = reverse;
	if (!files_set_filter(f, a, &filter, err))
		return false;
	if (a->interactive) {
		a->focus = a->lower = FOCUS_FILES;
		return true;
	}
	if (limit > f->list.n)
		limit = f->list.n;
	if (!a->json)
		app_print(a, "%9s %9s %10s %12s %9s  %s\n", "FRAGMENTS", "IDEAL",
			  "BLOCKS", "FIRST BLOCK", "INODE", "PATH");
	ok = print_files(a, (size_t)limit, err);
	if (ok && !a->json && limit < f->list.n)
		app_print(a, "%s of %s files; more with --limit N\n",
			  num_format_count(limit, shown),
			  num_format_count(f->list.n, total));
	return ok;
}
