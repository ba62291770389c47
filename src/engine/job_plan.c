/* SPDX-License-Identifier: GPL-3.0-or-later */
/* job_plan.c - planning on the front end's model, which stands still meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include "base/num.h"
#include "core/predict.h"
#include "core/space.h"
#include "src/engine/engine_priv.h"

#define PROGRESS_MS 100

struct stop_watch {
	struct engine *engine;
	uint64_t last_ms;
};

static bool tick(void *arg, uint64_t done, uint64_t total)
{
	struct stop_watch *w = arg;
	uint64_t now = num_now_ms();
	struct progress p = {.moves_done = done, .moves_total = total};

	if (now - w->last_ms >= PROGRESS_MS) {
		w->last_ms = now;
		snprintf(p.job, sizeof(p.job), "plan");
		snprintf(p.phase, sizeof(p.phase), "files");
		event_progress(w->engine, &p);
	}
	return atomic_load(&w->engine->stop) || atomic_load(&w->engine->quit);
}

/* A tail is emptied to make the volume smaller: how small could it be then? */
static bool note_shrink(const struct model *m, const struct goal_request *g,
			struct plan *p, struct err *err)
{
	const struct geom *geom = model_geom(m);
	char now[NUM_TEXT_MAX], then[NUM_TEXT_MAX], size[NUM_TEXT_MAX];
	struct blockers before, after;
	struct model *next;

	if (g->range.start + g->range.len < geom->blocks)
		return true;
	next = model_predict(m, p, err);
	if (!next)
		return false;
	blockers_compute(m, &before);
	blockers_compute(next, &after);
	model_free(next);
	snprintf(p->note, sizeof(p->note),
		 "the volume could be shrunk to %s blocks now, to %s (%s) afterwards; it "
		 "has %llu",
		 num_format_count(before.now, now), num_format_count(after.now, then),
		 num_format_bytes(after.now * geom->block_size, size),
		 (unsigned long long)geom->blocks);
	return true;
}

static enum job_state plan_step(struct engine *e, struct job *j, struct err *err)
{
	const struct request *r = &j->task->r;
	struct stop_watch watch = {e, 0};
	struct strategy_options opt = {.stop = tick, .stop_arg = &watch};
	struct goal_request goal = r->goal;
	struct inum_list sorted = {0};
	struct event *ev;
	bool ok;

	if (!r->model) {
		err_set(err, ERR_USAGE, "the volume has not been scanned");
		return JOB_FAILED;
	}
	ev = event_new(EV_PLAN, j->task->ticket);
	if (ev)
		ev->plan = malloc(sizeof(*ev->plan));
	if (!ev || !ev->plan) {
		event_free(ev);
		err_nomem(err);
		return JOB_FAILED;
	}
	plan_init(ev->plan);
	snprintf(ev->plan->title, sizeof(ev->plan->title), "%s",
		 r->title ? r->title : goal_name(goal.goal));
	ok = order_files(e, r->model, &goal, &sorted, err) &&
	     strategy_plan(r->model, &goal, &opt, ev->plan, err);
	vec_release(&sorted);
	if (ok && goal.goal == GOAL_EVACUATE)
		ok = note_shrink(r->model, &goal, ev->plan, err);
	if (!ok) {
		event_free(ev);
		return JOB_FAILED;
	}
	event_post(e, ev);
	return JOB_DONE;
}

const struct job_ops job_plan = {.name = "plan", .step = plan_step};
