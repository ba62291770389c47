/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_journal.c - the undo journal: what was done, is it whole, and what becomes of it. */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/num.h"
#include "ui/batch.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"
#include "ui/names.h"

/* --- list --- */

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
			json_pack("{s:I, s:s, s:I, s:I, s:I, s:I, s:I, s:s}", "number",
				  (json_int_t)(i + 1), "name", name.buf, "time_s",
				  (json_int_t)x->time, "batches", (json_int_t)x->batches,
				  "undone_batches", (json_int_t)x->undone, "moves",
				  (json_int_t)x->moves, "blocks", (json_int_t)x->blocks,
				  "undo", x->full ? "full" : "blocks"));
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
	app_print(a, "%4zu  %s  %-14s %9s moves %12s blocks %5u batches  %s%s\n", i + 1,
		  when,
		  x->undone == 0	   ? "done"
		  : x->undone < x->batches ? "partly undone"
					   : "undone",
		  num_format_count(x->moves, moves), num_format_count(x->blocks, blocks),
		  x->batches, name.buf, x->full ? " (undo=full)" : "");
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

static bool run_list(struct app *a, struct err *err)
{
	struct request r = {.kind = REQ_HISTORY};
	uint32_t ticket;

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

/* --- show --- */

static void show_json(struct app *a, const struct event *ev, uint32_t action)
{
	json_t *list = json_array();

	for (size_t i = 0; i < ev->moved_files.n; i++) {
		const struct history_file *f = &ev->moved_files.v[i];
		json_t *o = json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:b}", "inode",
				      (json_int_t)f->ino, "batch", (json_int_t)f->batch,
				      "pieces", (json_int_t)f->pieces, "blocks",
				      (json_int_t)f->blocks, "from_block",
				      (json_int_t)f->from, "to_block", (json_int_t)f->to,
				      "undone", f->undone);

		json_add_name(o, a, f->ino);
		json_array_append_new(list, o);
	}
	json_print(a,
		   json_pack("{s:I, s:o}", "action", (json_int_t)action, "files", list));
}

static void show_text(struct app *a, const struct event *ev)
{
	char blocks[NUM_TEXT_MAX], from[NUM_TEXT_MAX], to[NUM_TEXT_MAX];

	app_print(a, "%6s %7s %10s %14s %14s  %s\n", "BATCH", "PIECES", "BLOCKS", "FROM",
		  "TO", "PATH");
	for (size_t i = 0; i < ev->moved_files.n; i++) {
		const struct history_file *f = &ev->moved_files.v[i];

		app_print(a, "%6u %7u %10s %14s %14s  ", f->batch, f->pieces,
			  num_format_count(f->blocks, blocks),
			  num_format_count(f->from, from), num_format_count(f->to, to));
		cmd_print_name(a, f->ino);
		app_print(a, f->undone ? " (undone)\n" : "\n");
	}
}

static bool fetch_names(struct app *a, const struct history_files *files, struct err *err)
{
	struct inum_list inos = {0};
	bool ok = app_need_model(a, err);

	for (size_t i = 0; ok && i < files->n; i++)
		ok = vec_push(&inos, files->v[i].ino) || err_nomem(err);
	ok = ok && names_fetch(a->names, a, inos.v, inos.n, err);
	vec_release(&inos);
	return ok;
}

/* Without a number: the last action. */
static bool last_action(struct app *a, uint32_t *out, struct err *err)
{
	struct request r = {.kind = REQ_HISTORY};
	uint32_t ticket = engine_submit(a->engine, &r, err);

	if (!ticket || !app_await(a, ticket, err))
		return false;
	*out = (uint32_t)a->history->actions.n;
	if (*out)
		return true;
	err_set(err, ERR_REFUSED, "the journal is empty: nothing was moved yet");
	return false;
}

static bool run_show(struct app *a, struct cmd_call *c, struct err *err)
{
	struct request r = {.kind = REQ_JOURNAL, .op = OP_SHOW};
	struct event *ev;
	uint64_t n = 0;
	bool ok;

	if (c->argc > 1 ? !cmd_number(c, 1, 1, UINT32_MAX, &n, err)
			: !last_action(a, &r.count, err))
		return false;
	if (n)
		r.count = (uint32_t)n;
	ev = app_query(a, &r, -1, err);
	if (!ev)
		return false;
	ok = fetch_names(a, &ev->moved_files, err);
	if (ok && a->json)
		show_json(a, ev, r.count);
	else if (ok)
		show_text(a, ev);
	event_free(ev);
	return ok;
}

/* --- verify --- */

static void verify_json(struct app *a, const struct history_verdict *v)
{
	json_print(a, json_pack("{s:b, s:I, s:I, s:I, s:I, s:I, s:I, s:b, s:o}", "whole",
				true, "records", (json_int_t)v->records, "size_bytes",
				(json_int_t)v->bytes, "batches", (json_int_t)v->batches,
				"undone_batches", (json_int_t)v->undone, "inodes",
				(json_int_t)v->inodes, "inodes_changed",
				(json_int_t)v->changed, "fits", v->fits, "why",
				json_text(v->fits ? "" : v->why)));
}

static void verify_text(struct app *a, const struct history_verdict *v)
{
	char size[NUM_TEXT_MAX], records[NUM_TEXT_MAX], inodes[NUM_TEXT_MAX];

	app_print(a, "journal   %s records, %s: every checksum is right\n",
		  num_format_count(v->records, records),
		  num_format_bytes(v->bytes, size));
	app_print(a, "batches   %u done, %u undone\n", v->batches - v->undone, v->undone);
	if (!v->changed)
		app_print(a, "files     %s, each as the journal left it\n",
			  num_format_count(v->inodes, inodes));
	app_print(a, "volume    %s\n",
		  v->fits ? "as the journal left it: all of it can be undone" : v->why);
}

/* A journal that is whole, but of a volume that went on without it, is a failure too. */
static bool run_verify(struct app *a, struct err *err)
{
	struct request r = {.kind = REQ_JOURNAL, .op = OP_VERIFY};
	struct event *ev = app_query(a, &r, -1, err);
	const struct history_verdict *v;
	bool ok;

	if (!ev)
		return false;
	v = &ev->verdict;
	if (a->json)
		verify_json(a, v);
	else
		verify_text(a, v);
	ok = v->fits && !v->changed;
	if (!v->fits)
		err_set(err, ERR_REFUSED, "nothing can be undone: %s", v->why);
	else if (v->changed)
		err_set(err, ERR_REFUSED,
			"%u of %u files were changed since by another program (first: "
			"inode %u); what was done before them cannot be undone",
			v->changed, v->inodes, v->first_changed);
	event_free(ev);
	return ok;
}

/* --- recover --- */

static bool run_recover(struct app *a, struct err *err)
{
	struct request r = {.kind = REQ_HISTORY};
	uint32_t ticket = engine_submit(a->engine, &r, err);
	bool due;

	if (!ticket || !app_await(a, ticket, err))
		return false;
	due = a->history->open;
	if (!due) {
		app_say(a, "nothing to recover: every session has ended");
	} else {
		struct str path = STR_INIT;
		bool ok;

		str_add(&path, a->volume.path);
		ok = app_open(a, path.buf, a->volume.offset, true, err) &&
		     app_finish(a, err);
		str_release(&path);
		if (!ok)
			return false;
	}
	if (a->json)
		json_print(a, json_pack("{s:b, s:b}", "needed", due, "writable",
					a->volume.write));
	return true;
}

/* --- the file --- */

static void file_result(struct app *a, const char *what, const char *path)
{
	struct str safe = STR_INIT;

	str_add_safe(&safe, path, strlen(path));
	if (a->json)
		json_print(a, json_pack("{s:s, s:o}", "done", what, "file",
					json_text(path)));
	else if (!strcmp(what, "exported"))
		app_say(a, "the journal is written to %s", safe.buf);
	else if (!strcmp(what, "archived"))
		app_say(a, "the journal is now %s; the next session begins a new one",
			safe.buf);
	else
		app_say(a, "deleted %s: what was done so far can no longer be undone",
			safe.buf);
	str_release(&safe);
}

static bool change_file(struct app *a, enum journal_op op, const char *path,
			const char *what, struct err *err)
{
	struct request r = {.kind = REQ_JOURNAL, .op = op, .path = path};
	struct event *ev;

	if (a->job) {
		err_set(err, ERR_REFUSED, "%s is running; stop it with: stop",
			a->job_name);
		return false;
	}
	ev = app_query(a, &r, -1, err);
	if (!ev)
		return false;
	file_result(a, what, ev->text);
	event_free(ev);
	if (a->interactive && op != OP_EXPORT) {
		struct request again = {.kind = REQ_HISTORY};

		engine_submit(a->engine, &again, NULL);
	}
	return true;
}

static bool run_forget(struct app *a, bool force, struct err *err)
{
	static const char question[] =
		"delete the undo journal? what was done so far stays, for good";

	if (force)
		return change_file(a, OP_FORGET, NULL, "forgotten", err);
	if (a->interactive) {
		app_ask(a, question, "journal! forget");
		return true;
	}
	switch (batch_ask(a, question)) {
	case BATCH_YES:
		return change_file(a, OP_FORGET, NULL, "forgotten", err);
	case BATCH_NO:
		err_set(err, ERR_REFUSED, "kept");
		return false;
	default:
		err_set(err, ERR_REFUSED,
			"kept: an answer is needed; use: journal! forget");
		return false;
	}
}

bool cmd_journal(struct app *a, struct cmd_call *c, struct err *err)
{
	const char *verb = c->argc ? c->argv[0] : "list";
	int max = !strcmp(verb, "show") || !strcmp(verb, "export") ? 2 : 1;
	int min = !strcmp(verb, "export") ? 2 : 0;

	if (!cmd_args(c, min, max, err))
		return false;
	if (!a->open) {
		err_set(err, ERR_USAGE, "no volume is open; open one with: open PATH");
		return false;
	}
	if (!strcmp(verb, "list"))
		return run_list(a, err);
	if (!strcmp(verb, "show"))
		return run_show(a, c, err);
	if (!strcmp(verb, "verify"))
		return run_verify(a, err);
	if (!strcmp(verb, "recover"))
		return run_recover(a, err);
	if (!strcmp(verb, "export"))
		return change_file(a, OP_EXPORT, c->argv[1], "exported", err);
	if (!strcmp(verb, "archive"))
		return change_file(a, OP_ARCHIVE, NULL, "archived", err);
	if (!strcmp(verb, "forget"))
		return run_forget(a, c->force, err);
	return cmd_bad(c, 0, err,
		       "journal list, show, verify, recover, export, archive or forget, "
		       "not \"%s\"",
		       verb);
}
