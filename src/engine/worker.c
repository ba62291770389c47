/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * worker.c - the one thread: takes requests, drives the steps of one job at a time, and
 * answers questions about names between them.
 */
#include <string.h>
#include "base/num.h"
#include "src/engine/engine_priv.h"

bool engine_need_volume(struct engine *e, struct err *err)
{
	if (e->volume)
		return true;
	err_set(err, ERR_USAGE, "no volume is open; open one with: open PATH");
	return false;
}

static const struct job_ops *ops_of(enum request_kind kind)
{
	switch (kind) {
	case REQ_OPEN:
		return &job_open;
	case REQ_CLOSE:
		return &job_close;
	case REQ_SCAN:
		return &job_scan;
	case REQ_PLAN:
		return &job_plan;
	case REQ_RUN:
		return &job_run;
	case REQ_UNDO:
		return &job_undo;
	case REQ_REDO:
		return &job_redo;
	case REQ_CHECK:
		return &job_check;
	case REQ_TIMES:
		return &job_times;
	case REQ_COPY:
		return &job_copy;
	case REQ_READ:
		return &job_read;
	case REQ_RATE:
		return &job_rate;
	case REQ_ORDER:
		return &job_order;
	default:
		return NULL;
	}
}

/* Questions are small and may be asked while a job runs. Returns false if t is not one.
 */
static bool answer(struct engine *e, struct task *t)
{
	struct err err = ERR_INIT;

	if (ops_of(t->r.kind))
		return false;
	if (engine_need_volume(e, &err)) {
		if (t->r.kind == REQ_PATHS)
			answer_paths(e, &t->r, t->ticket, &err);
		else if (t->r.kind == REQ_LIST)
			answer_list(e, &t->r, t->ticket, &err);
		else if (t->r.kind == REQ_LOOKUP)
			answer_lookup(e, &t->r, t->ticket, &err);
		else if (t->r.kind == REQ_JOURNAL)
			answer_journal(e, &t->r, t->ticket, &err);
		else
			answer_history(e, t->ticket, &err);
	}
	event_ended(e, t, &err, NULL);
	task_free(t);
	return true;
}

static void begin_job(struct engine *e, struct task *t)
{
	memset(&e->job, 0, sizeof(e->job));
	e->job.ops = ops_of(t->r.kind);
	e->job.task = t;
	e->job.started_ms = num_now_ms();
}

static void end_job(struct engine *e, struct err *err)
{
	struct job *j = &e->job;

	if (j->ops->end)
		j->ops->end(e, j, err);
	j->summary.elapsed_ms = num_now_ms() - j->started_ms;
	j->ops = NULL;
	atomic_store(&e->stop, false); /* it was meant for this job */
	event_ended(e, j->task, err, &j->summary);
	task_free(j->task);
	j->task = NULL;
}

static void step_job(struct engine *e)
{
	struct err err = ERR_INIT;

	if (atomic_load(&e->stop) || atomic_load(&e->quit)) {
		err_set(&err, ERR_STOPPED, "stopped; all that was done is safe");
		end_job(e, &err);
	} else if (e->job.ops->step(e, &e->job, &err) != JOB_MORE) {
		end_job(e, &err);
	}
}

/* What came in while the job was stepping: questions are answered, jobs wait in line. */
static void serve_questions(struct engine *e)
{
	struct task *t;

	while ((t = queue_try_take(e->requests)))
		if (!answer(e, t) && !vec_push(&e->waiting, t)) {
			struct err err = ERR_INIT;

			err_nomem(&err);
			event_ended(e, t, &err, NULL);
			task_free(t);
		}
}

static struct task *next_task(struct engine *e, int wait_ms)
{
	struct task *t;

	if (e->waiting.n) {
		t = e->waiting.v[0];
		memmove(e->waiting.v, e->waiting.v + 1, --e->waiting.n * sizeof(t));
		return t;
	}
	return queue_take(e->requests, wait_ms);
}

bool worker_step(struct engine *e, int wait_ms)
{
	struct task *t;

	if (e->job.ops) {
		serve_questions(e);
		step_job(e);
		return true;
	}
	t = next_task(e, wait_ms);
	if (!t)
		return false;
	if (!answer(e, t))
		begin_job(e, t);
	return true;
}

void *worker_main(void *engine)
{
	struct engine *e = engine;

	while (!atomic_load(&e->quit) || e->job.ops)
		worker_step(e, -1);
	return NULL;
}
