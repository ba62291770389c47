/* SPDX-License-Identifier: GPL-3.0-or-later */
/* job_survey.c - what reports ask the volume: times, and the order of a walk. */
#include "src/engine/engine_priv.h"

static struct event *begin(struct engine *e, struct job *j, enum event_kind kind,
			   struct err *err)
{
	struct event *ev;

	if (!engine_need_volume(e, err))
		return NULL;
	if (!j->task->r.model) {
		err_set(err, ERR_USAGE, "the volume has not been scanned");
		return NULL;
	}
	ev = event_new(kind, j->task->ticket);
	if (!ev)
		err_nomem(err);
	return ev;
}

static enum job_state finish(struct engine *e, struct event *ev, bool ok)
{
	if (!ok) {
		event_free(ev);
		return JOB_FAILED;
	}
	event_post(e, ev);
	return JOB_DONE;
}

static enum job_state times_step(struct engine *e, struct job *j, struct err *err)
{
	struct event *ev = begin(e, j, EV_TIMES, err);

	return finish(e, ev,
		      ev && survey_times(e->volume, j->task->r.model, &ev->times, err));
}

const struct job_ops job_times = {.name = "times", .step = times_step};

static enum job_state order_step(struct engine *e, struct job *j, struct err *err)
{
	const struct request *r = &j->task->r;
	struct event *ev = begin(e, j, EV_ORDER, err);

	return finish(e, ev,
		      ev && survey_tree(e->volume, r->model,
					r->ino_count ? r->inos[0] : 2,
					(enum survey_order)r->count, &ev->order, err));
}

const struct job_ops job_order = {.name = "order", .step = order_step};
