/* SPDX-License-Identifier: GPL-3.0-or-later */
/* job_copy.c - clone, image, restore, compare: two threads of src/clone do the work, the
 * steps of the job only watch them. */
#include <stdio.h>
#include "base/num.h"
#include "src/engine/engine_priv.h"

#define WATCH_MS 50

static bool begin(struct engine *e, struct job *j, struct err *err)
{
	const struct request *r = &j->task->r;
	struct clone_request copy = r->copy;

	if (copy.op != CLONE_RESTORE && !engine_need_volume(e, err))
		return false;
	copy.dest = r->path;
	copy.source = r->title;
	copy.model = r->model;
	if ((copy.flags & CLONE_METADATA) && !copy.model) {
		err_set(err, ERR_USAGE, "the volume has not been scanned");
		return false;
	}
	j->state = clone_start(e->volume, &copy, err);
	return j->state != NULL;
}

static void report(struct engine *e, const struct job *j)
{
	struct progress p = {0};
	uint64_t ms = num_now_ms() - j->started_ms;

	snprintf(p.job, sizeof(p.job), "copy");
	snprintf(p.phase, sizeof(p.phase), "%s",
		 j->task->r.copy.op == CLONE_COMPARE ? "compare" : "copy");
	clone_progress(j->state, &p.done, &p.total);
	if (ms)
		p.bytes_per_second = p.done * 1000 / ms;
	if (p.bytes_per_second && p.total > p.done)
		p.eta_ms = (p.total - p.done) * 1000 / p.bytes_per_second;
	event_progress(e, &p);
}

static enum job_state copy_step(struct engine *e, struct job *j, struct err *err)
{
	struct event *ev;

	if (!j->state && !begin(e, j, err))
		return JOB_FAILED;
	if (!clone_wait(j->state, WATCH_MS, err)) {
		report(e, j);
		return JOB_MORE;
	}
	if (err_isset(err))
		return JOB_FAILED;
	ev = event_new(EV_COPIED, j->task->ticket);
	if (!ev) {
		err_nomem(err);
		return JOB_FAILED;
	}
	clone_report(j->state, &ev->copied);
	event_post(e, ev);
	return JOB_DONE;
}

static void copy_end(struct engine *e, struct job *j, struct err *err)
{
	(void)e;
	(void)err;
	clone_free(j->state);
	j->state = NULL;
}

const struct job_ops job_copy = {.name = "copy", .step = copy_step, .end = copy_end};
