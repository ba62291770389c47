/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_plan.c - making a plan and looking at it. Nothing here writes to the volume. */
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "ui/app_priv.h"
#include "ui/cmd_plan.h"
#include "ui/cmd_priv.h"
#include "ui/cmd_skips.h"
#include "ui/json.h"
#include "ui/names.h"

static bool need_plan(struct app *a, struct err *err)
{
	if (a->plan)
		return true;
	err_set(err, ERR_USAGE, "there is no plan; make one with: defrag TARGET");
	return false;
}

/* --- what a plan says of itself --- */

static bool fetch_names(struct app *a, bool moves, struct err *err)
{
	const struct plan *p = a->plan;
	struct inum_list inos = {0};
	bool ok = true;

	for (size_t i = 0; ok && moves && i < p->moves.n; i++)
		if (!i || p->moves.v[i].ino != p->moves.v[i - 1].ino)
			ok = vec_push(&inos, p->moves.v[i].ino);
	for (size_t i = 0; ok && i < p->skips.n; i++)
		ok = vec_push(&inos, p->skips.v[i].ino);
	ok = (ok || err_nomem(err)) && names_fetch(a->names, a, inos.v, inos.n, err);
	vec_release(&inos);
	return ok;
}

static json_t *plan_json(struct app *a)
{
	const struct plan *p = a->plan;

	return json_pack(
		"{s:o, s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:f, s:o, s:o, s:o}",
		"title", json_text(p->title), "note",
		p->note[0] ? json_text(p->note) : json_null(), "moves",
		(json_int_t)p->moves.n, "files", (json_int_t)p->files, "blocks_to_move",
		(json_int_t)p->data_blocks, "ideal_already", (json_int_t)p->ideal_already,
		"bytes_read", (json_int_t)p->price.bytes_read, "bytes_written",
		(json_int_t)p->price.bytes_written, "batches",
		(json_int_t)p->price.batches, "run_time_ms", p->price.run_ms, "skipped",
		skips_json(a, p), "before", json_metrics(&p->before), "after",
		json_metrics(&p->after));
}

static void plan_summary(struct app *a)
{
	const struct plan *p = a->plan;
	char n[4][NUM_TEXT_MAX];

	app_print(
		a,
		"%s: %s moves of %s blocks in %s files, %s already as whole as can be\n",
		p->title, num_format_count(p->moves.n, n[0]),
		num_format_count(p->data_blocks, n[1]), num_format_count(p->files, n[2]),
		num_format_count(p->ideal_already, n[3]));
	app_print(a, "price: read %s, write %s, %llu batches, about %s\n",
		  num_format_bytes(p->price.bytes_read, n[0]),
		  num_format_bytes(p->price.bytes_written, n[1]),
		  (unsigned long long)p->price.batches,
		  num_format_seconds((uint64_t)(p->price.run_ms / 1000 + 0.5), n[2]));
	cmd_print_change(a, &p->before, &p->after);
	if (p->note[0])
		app_print(a, "%s\n", p->note);
	skips_print_counts(a, p);
}

static void move_line(struct app *a, size_t i)
{
	const struct move *m = &a->plan->moves.v[i];

	app_print(a, "%7zu %9u ", i + 1, m->len);
	if (m->from == BLKNO_NONE)
		app_print(a, "%12s", "tree");
	else
		app_print(a, "%12llu", (unsigned long long)m->from);
	app_print(a, " %12llu %6u  %-28s ", (unsigned long long)m->to, m->gain,
		  move_reason_text((enum move_reason)m->reason));
	cmd_print_name(a, m->ino);
	app_print(a, "\n");
}

static json_t *move_json(struct app *a, const struct move *m)
{
	json_t *o = json_pack("{s:I, s:I, s:I, s:I, s:s, s:I, s:I}", "inode",
			      (json_int_t)m->ino, "batch", (json_int_t)m->batch, "blocks",
			      (json_int_t)m->len, "to", (json_int_t)m->to, "reason",
			      move_reason_text((enum move_reason)m->reason), "gain",
			      (json_int_t)m->gain, "logical", (json_int_t)m->lblk);

	json_object_set_new(o, "kind",
			    json_string(m->kind == MOVE_TREE ? "tree" : "data"));
	json_object_set_new(o, "from",
			    m->from == BLKNO_NONE ? json_null()
						  : json_integer((json_int_t)m->from));
	json_add_name(o, a, m->ino);
	return o;
}

static bool plan_show(struct app *a, struct err *err)
{
	const struct plan *p = a->plan;
	json_t *o, *list;

	if (!need_plan(a, err))
		return false;
	if (a->interactive) {
		app_show_tab(a, TAB_PLAN);
		return true;
	}
	if (!fetch_names(a, true, err))
		return false;
	if (a->json) {
		o = plan_json(a);
		list = json_array();
		for (size_t i = 0; i < p->moves.n; i++)
			json_array_append_new(list, move_json(a, &p->moves.v[i]));
		json_object_set_new(o, "move_list", list);
		json_print(a, o);
		return true;
	}
	plan_summary(a);
	if (p->moves.n)
		app_print(a, "%7s %9s %12s %12s %6s  %-28s %s\n", "MOVE", "BLOCKS",
			  "FROM", "TO", "GAIN", "REASON", "FILE");
	for (size_t i = 0; i < p->moves.n; i++)
		move_line(a, i);
	skips_print(a, p);
	return true;
}

/* --- plan check, drop, clear --- */

static bool plan_check_now(struct app *a, struct err *err)
{
	if (!need_plan(a, err) || !app_need_model(a, err) ||
	    !plan_check(a->plan, a->model, err))
		return false;
	app_say(a, "plan: all %zu moves are possible as they stand", a->plan->moves.n);
	return true;
}

static const struct {
	const char *word;
	enum plan_edit how;
} edits[] = {
	{"drop", PLAN_DROP},
	{"keep", PLAN_KEEP},
	{"first", PLAN_FIRST},
};

static bool plan_by_hand(struct app *a, struct cmd_call *c, enum plan_edit how,
			 struct err *err)
{
	struct cmd_call rest = *c;
	struct inum_list list = {0};
	size_t before;
	bool ok;

	if (!need_plan(a, err))
		return false;
	if (c->argc < 2)
		return cmd_bad(c, -1, err, "usage: plan %s TARGET", c->argv[0]);
	before = a->plan->moves.n;
	rest.argc--;
	for (int i = 0; i < rest.argc; i++)
		rest.argv[i] = c->argv[i + 1];
	ok = cmd_targets(a, &rest, ".", &list, err);
	if (!ok && rest.bad >= 0)
		c->bad = rest.bad + 1;
	ok = ok && plan_edit(a->plan, a->model, list.v, list.n, how, err);
	vec_release(&list);
	if (!ok)
		return false;
	if (how == PLAN_FIRST)
		app_say(a, "these moves come first now");
	else
		app_say(a, "%zu moves dropped, %zu left", before - a->plan->moves.n,
			a->plan->moves.n);
	if (!a->plan->moves.n)
		app_drop_plan(a);
	return true;
}

static bool plan_file(struct app *a, struct cmd_call *c, bool save, struct err *err)
{
	if (c->argc != 2)
		return cmd_bad(c, -1, err, "usage: plan %s FILE", c->argv[0]);
	if (save)
		return need_plan(a, err) && plan_save(a, c->argv[1], err);
	return app_need_sound(a, err) && plan_load(a, c->argv[1], err);
}

bool cmd_plan(struct app *a, struct cmd_call *c, struct err *err)
{
	const char *word = c->argc ? c->argv[0] : "show";

	if (!cmd_args(c, 0, CMD_WORDS_MAX, err))
		return false;
	if (a->job && a->job_kind != REQ_SCAN && strcmp(word, "show")) {
		err_set(err, ERR_REFUSED, "%s is running; stop it with: stop",
			a->job_name);
		return false;
	}
	for (size_t i = 0; i < sizeof(edits) / sizeof(edits[0]); i++)
		if (!strcmp(word, edits[i].word))
			return plan_by_hand(a, c, edits[i].how, err);
	if (!strcmp(word, "save") || !strcmp(word, "load"))
		return plan_file(a, c, word[0] == 's', err);
	if (c->argc > 1)
		return cmd_bad(c, 1, err, "one word too many");
	if (!strcmp(word, "show"))
		return plan_show(a, err);
	if (!strcmp(word, "check"))
		return plan_check_now(a, err);
	if (strcmp(word, "clear"))
		return cmd_bad(
			c, 0, err,
			"plan can show, check, clear, drop, keep and first TARGET, "
			"save and load FILE");
	app_drop_plan(a);
	app_say(a, "no plan");
	return true;
}

/* --- making one --- */

bool plan_make(struct app *a, struct request *r, const char *title, struct err *err)
{
	r->model = a->model;
	r->title = title;
	if (!app_submit(a, r, "plan", err) || !app_finish(a, err))
		return false;
	if (a->interactive)
		return true;
	if (!fetch_names(a, false, err))
		return false;
	if (a->json)
		json_print(a, plan_json(a));
	else
		plan_summary(a);
	return true;
}
