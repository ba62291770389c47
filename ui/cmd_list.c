/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_list.c - lists of files and of what was done. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/num.h"
#include "ui/cmd_priv.h"
#include "ui/files.h"
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
	return cmd_bad(
		c, i, err,
		"\"%s\" is no sort key: fragments, size, inode, first, name (and - "
		"for reversed)",
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
	const char *sort_text, *limit_text;
	bool fragmented = cmd_flag(c, "--fragmented"), reverse = f->reverse, ok;
	enum files_sort sort = f->sort;
	uint64_t limit = a->json ? UINT64_MAX : LIMIT_TEXT;
	char shown[NUM_TEXT_MAX], total[NUM_TEXT_MAX];

	if (!cmd_option(c, "--sort", &sort_text, err) ||
	    !cmd_option(c, "--limit", &limit_text, err) || !cmd_args(c, 0, 0, err) ||
	    (sort_text && !take_sort(c, -1, sort_text, &sort, &reverse, err)))
		return false;
	if (limit_text && !num_parse_u64(limit_text, &limit))
		return cmd_bad(c, -1, err, "\"%s\" is not a number", limit_text);
	if (!app_need_model(a, err))
		return false;
	f->only_fragmented = fragmented;
	if (!files_set_sort(f, a, sort, reverse, err))
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
	if (ok && !a->json && limit < f->total)
		app_print(a, "%s of %s files; more with --limit N\n",
			  num_format_count(limit, shown),
			  num_format_count(f->total, total));
	return ok;
}

/* --- journal --- */

static void journal_json(struct app *a)
{
	const struct history *h = a->history;
	json_t *list = json_array();

	for (size_t i = 0; i < h->actions.n; i++) {
		const struct history_action *x = &h->actions.v[i];
		struct str name = STR_INIT;

		str_add_safe(&name, x->name, strnlen(x->name, sizeof(x->name)));
		json_array_append_new(
			list,
			json_pack("{s:I, s:s, s:I, s:I, s:I, s:I, s:I}", "number",
				  (json_int_t)(i + 1), "name", name.buf, "time_s",
				  (json_int_t)x->time, "batches", (json_int_t)x->batches,
				  "undone_batches", (json_int_t)x->undone, "moves",
				  (json_int_t)x->moves, "blocks", (json_int_t)x->blocks));
		str_release(&name);
	}
	json_print(a,
		   json_pack("{s:o, s:I, s:b, s:b, s:o}", "actions", list, "size_bytes",
			     (json_int_t)h->bytes, "cut_short", h->open, "fits", h->fits,
			     "why", json_text(h->fits ? "" : h->why)));
}

static void journal_line(struct app *a, size_t i)
{
	const struct history_action *x = &a->history->actions.v[i];
	char when[32] = "?", moves[NUM_TEXT_MAX], blocks[NUM_TEXT_MAX];
	time_t time = (time_t)x->time;
	struct str name = STR_INIT;
	struct tm tm;

	if (localtime_r(&time, &tm))
		strftime(when, sizeof(when), "%Y-%m-%d %H:%M:%S", &tm);
	str_add_safe(&name, x->name, strnlen(x->name, sizeof(x->name)));
	app_print(a, "%4zu  %s  %-14s %9s moves %12s blocks %5u batches  %s\n", i + 1,
		  when,
		  x->undone == 0	   ? "done"
		  : x->undone < x->batches ? "partly undone"
					   : "undone",
		  num_format_count(x->moves, moves), num_format_count(x->blocks, blocks),
		  x->batches, name.buf);
	str_release(&name);
}

static void journal_text(struct app *a)
{
	const struct history *h = a->history;

	if (!h->actions.n)
		app_print(a, "the journal is empty: nothing to undo\n");
	for (size_t i = 0; i < h->actions.n; i++)
		journal_line(a, i);
	if (h->open)
		app_print(a, "the last session was cut short; open the volume with -w to "
			     "recover it\n");
	else if (h->actions.n && !h->fits)
		app_print(a, "cannot be undone: %s\n", h->why);
}

bool cmd_journal(struct app *a, struct cmd_call *c, struct err *err)
{
	struct request r = {.kind = REQ_HISTORY};
	uint32_t ticket;

	if (!cmd_args(c, 0, 1, err))
		return false;
	if (c->argc && strcmp(c->argv[0], "list") && strcmp(c->argv[0], "show"))
		return cmd_bad(c, 0, err, "journal list shows the actions");
	if (!a->open) {
		err_set(err, ERR_USAGE, "no volume is open; open one with: open PATH");
		return false;
	}
	if (a->interactive) {
		app_show_tab(a, TAB_JOURNAL);
		return engine_submit(a->engine, &r, err) != 0;
	}
	ticket = engine_submit(a->engine, &r, err);
	if (!ticket || !app_await(a, ticket, err))
		return false;
	if (a->json)
		journal_json(a);
	else
		journal_text(a);
	return true;
}
