/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * app_event.c - the front end's side of the engine: requests go down, events come up and
 * change the app. The only place that applies moves to the model.
 *
 * One rule guards the model: a request for names reads it on the worker's side, so moves
 * that arrive meanwhile are held (with all that comes after them) until it has ended.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "ui/ages.h"
#include "ui/anim.h"
#include "ui/app_priv.h"
#include "ui/cmd.h"
#include "ui/files.h"
#include "ui/groups.h"
#include "ui/map_cell.h"
#include "ui/names.h"
#include "ui/run_record.h"
#include "ui/search.h"
#include "ui/tree.h"
#include "ui/watch.h"

#define RECENT_MAX 64

/* --- what events carry --- */

static void take_overview(struct app *a, struct event *ev)
{
	if (a->model)
		return;
	if (a->overview)
		free(a->overview->count);
	free(a->overview);
	a->overview = ev->overview;
	ev->overview = NULL;
	map_cache_invalidate(a->map_cache);
}

static void take_info(struct app *a, struct event *ev)
{
	if (!ev->info)
		return;
	volume_info_release(&a->volume);
	a->volume = *ev->info;
	free(ev->info);
	ev->info = NULL;
}

/* The loop does the rest, in slices. */
static void refresh_files(struct app *a)
{
	struct err err = ERR_INIT;

	if (!files_begin(a->files, a, &err))
		app_fail(a, &err);
}

static void take_model(struct app *a, struct event *ev)
{
	app_drop_model(a);
	a->model = ev->model;
	ev->model = NULL;
	if (ev->flaws) {
		a->flaws = *ev->flaws;
		free(ev->flaws);
		ev->flaws = NULL;
	}
	take_info(a, ev);
	a->metrics = ev->metrics;
	memcpy(a->scan_costs, ev->costs, sizeof(a->scan_costs));
	if (a->map.cursor < model_geom(a->model)->first_block)
		a->map.cursor = model_geom(a->model)->first_block;
	groups_forget(a->groups);
	map_cache_invalidate(a->map_cache);
	watch_model(a);
}

static void take_plan(struct app *a, struct event *ev)
{
	app_drop_plan(a);
	a->plan = ev->plan;
	ev->plan = NULL;
}

static void take_history(struct app *a, struct event *ev)
{
	if (a->history)
		history_release(a->history);
	free(a->history);
	a->history = ev->history;
	ev->history = NULL;
}

/* Takes the files of these moves out of the totals (-1) or puts them in (+1). Free space
 * is counted again at the end of the job. */
static void count_moved(struct app *a, const struct event *ev, int sign)
{
	const struct geom *g = model_geom(a->model);
	struct run_list runs = {0};

	for (size_t i = 0; i < ev->move_count; i++) {
		inum_t ino = ev->moves[i].ino;

		if (i && ev->moves[i - 1].ino == ino)
			continue;
		runs.n = 0;
		if (model_runs(a->model, ino, &runs))
			metrics_count_file(
				&a->metrics, runs.v, runs.n,
				model_ideal(a->model, extent_blocks(runs.v, runs.n)),
				g->block_size, sign);
	}
	vec_release(&runs);
}

static void note_recent(struct app *a, const struct event *ev)
{
	size_t first = ev->move_count > RECENT_MAX ? ev->move_count - RECENT_MAX : 0;
	size_t n = ev->move_count - first, keep = RECENT_MAX - n;

	if (!vec_reserve(&a->recent, RECENT_MAX))
		return;
	if (a->recent.n > keep) {
		memmove(a->recent.v, a->recent.v + a->recent.n - keep,
			keep * sizeof(*a->recent.v));
		a->recent.n = keep;
	}
	memcpy(a->recent.v + a->recent.n, ev->moves + first, n * sizeof(*a->recent.v));
	a->recent.n += n;
}

static void apply_moves(struct app *a, const struct event *ev)
{
	struct err err = ERR_INIT;

	if (!a->model)
		return;
	count_moved(a, ev, -1);
	map_cache_touch(a->map_cache, a->model, ev->moves, ev->move_count);
	groups_touch(a->groups, a->model, ev->moves, ev->move_count);
	if (!engine_apply(a->model, ev->moves, ev->move_count, &err)) {
		app_fail(a, &err);
		engine_stop(a->engine);
	}
	map_cache_touch(a->map_cache, a->model, ev->moves, ev->move_count);
	groups_touch(a->groups, a->model, ev->moves, ev->move_count);
	count_moved(a, ev, +1);
	note_recent(a, ev);
	strips_moves(&a->strips, ev->moves, ev->move_count, num_now_ms());
	if (!files_busy(a->files))
		files_forget(a->files);
	a->job_moves += ev->move_count;
	if (a->interactive)
		anim_moves(a->anim, ev->moves, ev->move_count, num_now_ms());
}

bool app_apply_past(struct app *a, struct move *moves, size_t n, struct err *err)
{
	struct event ev = {.kind = EV_MOVED, .moves = moves, .move_count = n};
	size_t job_moves = a->job_moves;

	/* The worker may be reading the model for names. */
	if (!names_settle(a->names, a, err))
		return false;
	apply_moves(a, &ev);
	a->job_moves = job_moves;
	return true;
}

/* --- the end of a job --- */

static void ask_history(struct app *a)
{
	struct request r = {.kind = REQ_HISTORY};

	if (a->interactive)
		engine_submit(a->engine, &r, NULL);
}

/* A volume that may not be written is looked at all the same. */
static void open_to_view(struct app *a)
{
	struct request r = {.kind = REQ_OPEN,
			    .path = a->volume.path,
			    .offset = a->volume.offset,
			    .journal = a->journal};

	app_log(a, false, "opening it for viewing only");
	app_submit(a, &r, "open", NULL);
}

static void open_ended(struct app *a, const struct err *err)
{
	struct err next = ERR_INIT;

	if (err_isset(err)) {
		bool view = a->interactive && a->volume.write &&
			    (err->class == ERR_REFUSED || err->class == ERR_RECOVER);

		a->volume.write = false;
		if (view)
			open_to_view(a);
		else
			app_drop_volume(a);
		return;
	}
	a->open = true;
	a->copy_made = false;
	ask_history(a);
	if (a->interactive && !app_scan(a, &next))
		app_fail(a, &next);
}

/* What a run has done is taken out of the plan; after `step` or a stop the rest stays. */
static void shorten_plan(struct app *a, bool keep)
{
	struct plan *p = a->plan;
	size_t done = a->job_moves;
	struct err err = ERR_INIT;

	if (!p)
		return;
	if (!keep || done >= p->moves.n) {
		app_drop_plan(a);
		return;
	}
	p->moves.n -= done;
	memmove(p->moves.v, p->moves.v + done, p->moves.n * sizeof(*p->moves.v));
	plan_price(p, a->volume.block_size);
	if (plan_check(p, a->model, &err))
		return;
	app_log(a, true, "the rest of the plan is dropped: %s", err.msg);
	app_drop_plan(a);
}

static void say_moved(struct app *a, enum request_kind kind, const struct event *ev)
{
	const struct run_summary *s = &ev->summary;
	const char *job = kind == REQ_RUN ? "run" : kind == REQ_UNDO ? "undo" : "redo";
	char moves[NUM_TEXT_MAX], blocks[NUM_TEXT_MAX], time[NUM_TEXT_MAX];

	app_say(a, "%s%s: %s moves, %s blocks in %s; fragments %llu -> %llu", job,
		err_isset(&ev->err) ? " stopped" : "", num_format_count(s->moves, moves),
		num_format_count(s->blocks_moved, blocks),
		num_format_seconds((s->elapsed_ms + 999) / 1000, time),
		(unsigned long long)a->before_run.fragments,
		(unsigned long long)a->metrics.fragments);
	app_log(a, false, "%s", a->message);
}

static void moving_ended(struct app *a, enum request_kind kind, const struct event *ev)
{
	bool ok = !err_isset(&ev->err) || ev->err.class == ERR_STOPPED;

	a->last_run = ev->summary;
	a->run_ended = true;
	tree_forget(a->tree);
	census_forget(&a->census);
	if (a->model)
		metrics_count_free(a->model, &a->metrics);
	run_record_end(a);
	if (kind == REQ_RUN)
		shorten_plan(a, ok);
	else
		app_drop_plan(a); /* made for other places */
	if (ev->err.class == ERR_IO || ev->err.class == ERR_RECOVER)
		a->volume.write = false;
	if (!a->interactive)
		return;
	refresh_files(a);
	ask_history(a);
	if (ok && ev->summary.moves)
		say_moved(a, kind, ev);
}

static void say_planned(struct app *a)
{
	const struct plan *p = a->plan;
	char moves[NUM_TEXT_MAX], blocks[NUM_TEXT_MAX];

	if (!p)
		return;
	if (!p->moves.n && !p->skips.n)
		app_say(a, "nothing to do: every file is as whole as it can be");
	else
		app_say(a, "plan: %s moves of %s blocks, %zu files left as they are",
			num_format_count(p->moves.n, moves),
			num_format_count(p->data_blocks, blocks), p->skips.n);
	app_show_tab(a, TAB_PLAN);
}

/* The rest of the command line that started the job. */
static void go_on(struct app *a, bool ok)
{
	char *rest = a->rest;

	a->rest = NULL;
	if (rest && ok && !a->job)
		cmd_run_line(a, rest);
	else if (rest && ok)
		a->rest = rest, rest = NULL; /* open goes on to scan */
	free(rest);
}

static void job_ended(struct app *a, struct event *ev)
{
	enum request_kind kind = a->job_kind;
	bool ok = !err_isset(&ev->err);

	a->job = 0;
	a->job_name[0] = '\0';
	memset(&a->progress, 0, sizeof(a->progress));
	if (a->interactive && !ok)
		app_fail(a, &ev->err);
	if (kind == REQ_OPEN)
		open_ended(a, &ev->err);
	else if (kind == REQ_CLOSE)
		app_drop_volume(a);
	else if (app_kind_writes(kind))
		moving_ended(a, kind, ev);
	else if (kind == REQ_SCAN && ok && a->interactive)
		refresh_files(a);
	else if (kind == REQ_PLAN && ok && a->interactive)
		say_planned(a);
	else if (kind == REQ_CHECK && ok && a->interactive)
		app_say(a, "check: a fresh scan agrees with the picture in memory");
	if (kind == REQ_COPY && ok && a->interactive)
		cmd_copied(a);
	if (a->interactive)
		go_on(a, ok);
}

static void ended(struct app *a, struct event *ev)
{
	struct app_waiter *w;

	if (ev->ticket == a->job)
		job_ended(a, ev);
	for (w = a->waiters; w; w = w->below)
		if (w->ticket == ev->ticket) {
			w->over = true;
			w->err = ev->err;
		}
}

/* Keeps an answer for who asked. */
static bool keep_reply(struct app *a, struct event *ev)
{
	for (struct app_waiter *w = a->waiters; w; w = w->below)
		if (w->ticket == ev->ticket && !w->reply) {
			w->reply = ev;
			return true;
		}
	return false;
}

static void handle(struct app *a, struct event *ev)
{
	switch (ev->kind) {
	case EV_OPENED:
		take_info(a, ev);
		break;
	case EV_OVERVIEW:
		take_overview(a, ev);
		break;
	case EV_PROGRESS:
		a->progress = ev->progress;
		strips_progress(&a->strips, &a->progress, num_now_ms());
		break;
	case EV_MODEL:
		take_model(a, ev);
		break;
	case EV_PLAN:
		take_plan(a, ev);
		break;
	case EV_MOVED:
		apply_moves(a, ev);
		break;
	case EV_COPIED:
		a->copy_made = true;
		free(a->copied);
		a->copied = malloc(sizeof(*a->copied));
		if (a->copied)
			*a->copied = ev->copied;
		break;
	case EV_HISTORY:
		take_history(a, ev);
		break;
	case EV_LOG:
		app_log(a, false, "%s", ev->text);
		break;
	case EV_LOOKUP:
	case EV_LISTING:
	case EV_JOURNAL:
	case EV_TIMES:
	case EV_ORDER:
	case EV_READ:
		if (ages_event(a, ev))
			break;
		if (keep_reply(a, ev))
			return;
		break;
	case EV_ENDED:
		ages_event(a, ev);
		ended(a, ev);
		break;
	default:
		break;
	}
	event_free(ev);
}

bool app_may_release(const struct app *a)
{
	return a->held.n && !names_busy(a->names);
}

/* A search asks for more names, and so waits for moves that wait for the last ones. */
static void search_on(struct app *a)
{
	if (!a->held.n && !names_busy(a->names))
		search_step(a);
}

static void release_one(struct app *a)
{
	struct event *ev = a->held.v[0];

	memmove(a->held.v, a->held.v + 1, --a->held.n * sizeof(ev));
	handle(a, ev);
	search_on(a);
}

bool app_event(struct app *a, struct event *ev)
{
	if (names_owns(a->names, ev->ticket)) {
		names_event(a->names, ev);
		if (ev->kind == EV_ENDED)
			ended(a, ev);
		event_free(ev);
		search_on(a);
		return true;
	}
	if ((a->held.n || (ev->kind == EV_MOVED && names_busy(a->names))) &&
	    vec_push(&a->held, ev))
		return false;
	handle(a, ev);
	return true;
}

bool app_drain(struct app *a)
{
	return app_drain_for(a, UINT64_MAX);
}

bool app_drain_for(struct app *a, uint64_t ms)
{
	uint64_t start = num_now_ms();
	bool changed = false;

	do {
		struct event *ev = NULL;

		if (app_may_release(a)) {
			release_one(a);
			changed = true;
		} else if ((ev = engine_next(a->engine))) {
			changed |= app_event(a, ev);
		} else {
			break;
		}
	} while (num_now_ms() - start < ms);
	return changed;
}
