/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_run.c - what writes to the volume: run, step, undo, redo; stop; and check. */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/num.h"
#include "ui/app_priv.h"
#include "ui/batch.h"
#include "ui/cmd_priv.h"
#include "ui/cmd_skips.h"
#include "ui/fsck.h"
#include "ui/json.h"
#include "ui/names.h"
#include "ui/report.h"
#include "ui/run_record.h"
#include "ui/safety.h"

static bool need_write(struct app *a, struct err *err)
{
	if (!app_need_sound(a, err))
		return false;
	if (a->volume.write)
		return true;
	err_set(err, ERR_REFUSED,
		"the volume is open for viewing only; open it for writing with: open -w "
		"%s",
		a->volume.path);
	return false;
}

/* --- what a run says of itself --- */

static json_t *summary_json(const struct app *a)
{
	const struct run_summary *s = &a->last_run;

	return json_pack(
		"{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "moves", (json_int_t)s->moves,
		"blocks_moved", (json_int_t)s->blocks_moved, "bytes_read",
		(json_int_t)s->bytes_read, "bytes_written", (json_int_t)s->bytes_written,
		"batches", (json_int_t)s->batches, "barriers", (json_int_t)s->barriers,
		"bytes_verified", (json_int_t)s->bytes_verified, "elapsed_ms",
		(json_int_t)s->elapsed_ms);
}

/* skipped: NULL for undo and redo. */
static void report_json(struct app *a, json_t *skipped, bool stopped)
{
	json_t *o = summary_json(a);

	if (skipped) {
		json_object_set_new(o, "skipped", skipped);
	} else {
		json_object_set_new(o, "actions",
				    json_integer((json_int_t)a->last_run.actions));
		json_object_set_new(o, "copied_blocks",
				    json_integer((json_int_t)a->last_run.copied_blocks));
	}
	if (a->record && a->record->ended) {
		json_t *all = run_record_json(a);

		json_object_update(all, o);
		json_decref(o);
		o = all;
	} else {
		json_object_set_new(o, "before", json_metrics(&a->before_run));
		json_object_set_new(o, "after", json_metrics(&a->metrics));
	}
	json_object_set_new(o, "stopped", json_boolean(stopped));
	json_print(a, o);
}

static void report_text(struct app *a, const char *job)
{
	const struct run_summary *s = &a->last_run;
	char n[4][NUM_TEXT_MAX];
	double before = a->before_run.read_time_ms, after = a->metrics.read_time_ms;

	app_print(
		a,
		"%s: %s moves, %s blocks, read %s, written %s, %llu batches in %.2f s\n",
		job, num_format_count(s->moves, n[0]),
		num_format_count(s->blocks_moved, n[1]),
		num_format_bytes(s->bytes_read, n[2]),
		num_format_bytes(s->bytes_written, n[3]), (unsigned long long)s->batches,
		(double)s->elapsed_ms / 1000);
	if (s->bytes_verified)
		app_print(a, "read back from the device and right: %s\n",
			  num_format_bytes(s->bytes_verified, n[0]));
	if (a->record && a->record->ended)
		run_record_print(a);
	else
		cmd_print_change(a, &a->before_run, &a->metrics);
	if (before > 0)
		app_print(a, "reading every file takes %.1f %% %s time\n",
			  100 * (before > after ? before - after : after - before) /
				  before,
			  after <= before ? "less" : "more");
}

/* After a job that moved blocks; what it did before it failed is reported too. */
static bool moved(struct app *a, const char *job, json_t *skipped, struct err *err)
{
	struct err local = ERR_INIT;
	bool ok = app_finish(a, &local);

	if (a->interactive || (!ok && !a->last_run.moves)) {
		json_decref(skipped);
	} else if (a->json) {
		report_json(a, skipped, local.class == ERR_STOPPED);
	} else {
		json_decref(skipped);
		report_text(a, job);
	}
	if (!ok)
		*err = local;
	return ok;
}

/* --- run, step --- */

static bool start_run(struct app *a, uint32_t limit, struct err *err)
{
	struct request r = {.kind = REQ_RUN,
			    .plan = a->plan,
			    .count = limit,
			    .keep_free = a->undo_full,
			    .verify = a->verify};
	struct inum_list inos = {0};
	json_t *skipped = NULL;
	bool ok = true;

	if (a->json && !a->interactive) { /* the plan is gone afterwards */
		for (size_t i = 0; ok && i < a->plan->skips.n; i++)
			ok = vec_push(&inos, a->plan->skips.v[i].ino) || err_nomem(err);
		ok = ok && names_fetch(a->names, a, inos.v, inos.n, err);
		skipped = ok ? skips_json(a, a->plan) : NULL;
		vec_release(&inos);
	}
	ok = ok && run_record_begin(a, "run", a->plan, err);
	if (!ok || !app_submit(a, &r, "run", err)) {
		json_decref(skipped);
		return false;
	}
	if (a->interactive)
		app_show_tab(a, TAB_JOBS);
	return moved(a, "run", skipped, err);
}

/* True if there is something to run; an empty plan is done at once. */
static bool has_moves(struct app *a, bool *nothing, struct err *err)
{
	*nothing = false;
	if (!a->plan) {
		err_set(err, ERR_USAGE, "there is no plan; make one with: defrag TARGET");
		return false;
	}
	if (a->plan->moves.n)
		return true;
	*nothing = true;
	memset(&a->last_run, 0, sizeof(a->last_run));
	a->before_run = a->metrics;
	if (a->json)
		report_json(a, skips_json(a, a->plan), false);
	else
		app_say(a, "run: nothing to move");
	app_drop_plan(a);
	return true;
}

static void question(const struct app *a, uint32_t limit, char *text, size_t size)
{
	char moves[NUM_TEXT_MAX], bytes[NUM_TEXT_MAX];

	if (limit) {
		snprintf(text, size, "run the next %s file%s of the plan on %.100s?",
			 num_format_count(limit, moves), limit == 1 ? "" : "s",
			 a->volume.path);
		return;
	}
	snprintf(text, size, "run %s moves (%s) on %.100s?",
		 num_format_count(a->plan->moves.n, moves),
		 num_format_bytes(a->plan->data_blocks * a->volume.block_size, bytes),
		 a->volume.path);
}

/* Without "!": the run is asked for, on a terminal to be answered later. */
static bool ask_run(struct app *a, uint32_t limit, struct err *err)
{
	char text[sizeof(a->confirm_text)], line[32] = "run!";

	question(a, limit, text, sizeof(text));
	if (a->interactive) {
		if (limit)
			snprintf(line, sizeof(line), "run! %u", limit);
		safety_ask(a, text, line);
		return true;
	}
	if (safety_due(a))
		app_say(a, "nothing was done to this volume yet; for a safety copy first: "
			   "clone FILE or image FILE.qcow2");
	switch (batch_ask(a, text)) {
	case BATCH_YES:
		return start_run(a, limit, err);
	case BATCH_NO:
		err_set(err, ERR_REFUSED, "not run");
		return false;
	default:
		err_set(err, ERR_REFUSED, "not run: an answer is needed; use run!");
		return false;
	}
}

bool cmd_run(struct app *a, struct cmd_call *c, struct err *err)
{
	uint64_t n = 0;
	bool nothing;

	if (!cmd_args(c, 0, 1, err) ||
	    (c->argc && !cmd_number(c, 0, 1, UINT32_MAX, &n, err)) ||
	    !need_write(a, err) || !has_moves(a, &nothing, err))
		return false;
	if (nothing)
		return true;
	return c->force ? start_run(a, (uint32_t)n, err) : ask_run(a, (uint32_t)n, err);
}

bool cmd_step(struct app *a, struct cmd_call *c, struct err *err)
{
	uint64_t n = 1;
	bool nothing;

	if (!cmd_args(c, 0, 1, err) ||
	    (c->argc && !cmd_number(c, 0, 1, UINT32_MAX, &n, err)) ||
	    !need_write(a, err) || !has_moves(a, &nothing, err))
		return false;
	return nothing || start_run(a, (uint32_t)n, err);
}

/* --- undo, redo --- */

static void ask_back(struct app *a, const char *name, uint32_t count)
{
	char text[80], line[32];

	if (count == 0)
		snprintf(text, sizeof(text), "%s all actions of the journal?", name);
	else if (count == 1)
		snprintf(text, sizeof(text), "%s one action?", name);
	else
		snprintf(text, sizeof(text), "%s %u actions?", name, count);
	if (count == 0)
		snprintf(line, sizeof(line), "%s! all", name);
	else
		snprintf(line, sizeof(line), "%s! %u", name, count);
	app_ask(a, text, line);
}

static bool back(struct app *a, struct cmd_call *c, enum request_kind kind,
		 struct err *err)
{
	struct request r = {.kind = kind, .count = 1, .verify = a->verify};
	const char *name = kind == REQ_UNDO ? "undo" : "redo";
	uint64_t n;

	if (!cmd_args(c, 0, 1, err))
		return false;
	if (c->argc && !strcmp(c->argv[0], "all")) {
		r.count = 0;
	} else if (c->argc) {
		if (!cmd_number(c, 0, 1, UINT32_MAX, &n, err))
			return false;
		r.count = (uint32_t)n;
	}
	if (!need_write(a, err))
		return false;
	if (a->interactive && !c->force && !a->job) {
		ask_back(a, name, r.count);
		return true;
	}
	if (!run_record_begin(a, name, NULL, err) || !app_submit(a, &r, name, err))
		return false;
	if (a->interactive)
		app_show_tab(a, TAB_JOBS);
	return moved(a, name, NULL, err);
}

bool cmd_undo(struct app *a, struct cmd_call *c, struct err *err)
{
	return back(a, c, REQ_UNDO, err);
}

bool cmd_redo(struct app *a, struct cmd_call *c, struct err *err)
{
	return back(a, c, REQ_REDO, err);
}

bool cmd_stop(struct app *a, struct cmd_call *c, struct err *err)
{
	if (!cmd_args(c, 0, 0, err))
		return false;
	free(a->rest);
	a->rest = NULL;
	if (!a->job) {
		app_say(a, "nothing is running");
		return true;
	}
	engine_stop(a->engine);
	app_say(a, "%s stops at its next safe point", a->job_name);
	return true;
}

/* --- check --- */

/* The verdict of e2fsck as one line, its words before it if they are bad. */
static bool fsck_verdict(struct app *a, const struct fsck_result *r, struct err *err)
{
	if (r->exit_code == 0) {
		app_say(a, "e2fsck -fn: clean");
		return true;
	}
	if (!a->json)
		app_print(a, "%s", r->text.buf);
	err_set(err, ERR_CORRUPT, "e2fsck -fn ends with %d: the volume is not clean",
		r->exit_code);
	return false;
}

bool app_poll_fsck(struct app *a)
{
	struct fsck_result r;
	struct err err = ERR_INIT;

	if (!a->fsck || !fsck_poll(a->fsck, &r))
		return false;
	fsck_free(a->fsck);
	a->fsck = NULL;
	if (!fsck_verdict(a, &r, &err)) {
		app_flush(a);
		app_fail(a, &err);
	} else {
		app_log(a, false, "%s", a->message);
	}
	str_release(&r.text);
	return true;
}

int app_fsck_fd(const struct app *a)
{
	return a->fsck ? fsck_fd(a->fsck) : -1;
}

/* Batch: waits for e2fsck. False: it did not run to its end. */
static bool fsck_wait(struct app *a, struct fsck_result *r, struct err *err)
{
	struct fsck *f = fsck_start(a->volume.path, a->volume.offset, err);

	if (!f)
		return false;
	while (!fsck_poll(f, r)) {
		struct pollfd p = {fsck_fd(f), POLLIN, 0};

		poll(&p, 1, 100);
		if (batch_interrupted()) {
			fsck_free(f);
			err_set(err, ERR_STOPPED, "stopped");
			return false;
		}
	}
	fsck_free(f);
	return true;
}

static bool check_batch(struct app *a, struct err *err)
{
	struct err model_err = ERR_INIT, fsck_err = ERR_INIT;
	struct fsck_result r = {.text = STR_INIT};
	bool same = app_finish(a, &model_err), ran, clean;

	if (model_err.class == ERR_STOPPED) {
		*err = model_err;
		return false;
	}
	if (same)
		app_say(a, "model: a fresh scan agrees with the picture in memory");
	ran = fsck_wait(a, &r, &fsck_err);
	clean = ran && fsck_verdict(a, &r, &fsck_err);
	if (a->json) {
		str_clear(a->out);
		json_print(a, json_pack("{s:b, s:o, s:b, s:o, s:o}", "model_agrees", same,
					"model_error",
					same ? json_null() : json_text(model_err.msg),
					"e2fsck_ran", ran, "e2fsck_exit_code",
					ran ? json_integer(r.exit_code) : json_null(),
					"e2fsck_clean",
					ran ? json_boolean(clean) : json_null()));
	} else if (!ran && fsck_err.class == ERR_REFUSED) {
		app_say(a, "e2fsck -fn: not run: %s", fsck_err.msg);
	}
	str_release(&r.text);
	*err = !same ? model_err : fsck_err;
	if (same && !ran && fsck_err.class == ERR_REFUSED)
		err_clear(err); /* no second opinion is no failure */
	return !err_isset(err);
}

bool cmd_check(struct app *a, struct cmd_call *c, struct err *err)
{
	struct request r = {.kind = REQ_CHECK};

	if (!cmd_args(c, 0, 0, err) || !app_need_model(a, err))
		return false;
	r.model = a->model;
	if (a->fsck) {
		err_set(err, ERR_REFUSED, "e2fsck is still running");
		return false;
	}
	if (!app_submit(a, &r, "check", err))
		return false;
	if (!a->interactive)
		return check_batch(a, err);
	a->fsck = fsck_start(a->volume.path, a->volume.offset, err);
	return a->fsck != NULL;
}
