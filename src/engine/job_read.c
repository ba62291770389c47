/* SPDX-License-Identifier: GPL-3.0-or-later */
/* job_read.c - reading files for real, in the order of a list, past the page cache: how
 * long does that take? Nothing is kept of what is read. */
#include <stdlib.h>
#include "base/num.h"
#include "src/engine/engine_priv.h"

#define PIECE_BYTES (1u << 20)
#define STEP_MS	    50

struct read_job {
	struct read_report report;
	size_t at; /* next inode */
	struct run_list runs;
	uint8_t *buf;
	uint64_t user_ms, sys_ms;
};

static bool begin(struct engine *e, struct job *j, struct err *err)
{
	struct read_job *r;

	if (!engine_need_volume(e, err))
		return false;
	r = j->state = calloc(1, sizeof(*r));
	if (r)
		r->buf = aligned_alloc(4096, PIECE_BYTES);
	if (!r || !r->buf)
		return err_nomem(err);
	num_cpu_ms(&r->user_ms, &r->sys_ms);
	return true;
}

static bool read_run(struct engine *e, struct read_job *r, const struct run *run,
		     struct err *err)
{
	uint32_t bs = volume_geom(e->volume)->block_size, step = PIECE_BYTES / bs;

	for (uint32_t at = 0; at < run->len; at += step) {
		uint32_t n = run->len - at < step ? run->len - at : step;

		if (!volume_read_blocks(e->volume, run->phys + at, n, r->buf, err))
			return false;
		r->report.bytes += (uint64_t)n * bs;
		r->report.reads++;
	}
	return true;
}

/* Unwritten blocks are not read: the kernel gives zeros for them. */
static bool read_file(struct engine *e, const struct job *j, struct read_job *r,
		      struct err *err)
{
	const struct request *q = &j->task->r;

	r->runs.n = 0;
	if (!model_runs(q->model, q->inos[r->at++], &r->runs))
		return err_nomem(err);
	for (size_t i = 0; i < r->runs.n && owner_is_data(r->runs.v[i].kind); i++)
		if (!r->runs.v[i].unwritten && !read_run(e, r, &r->runs.v[i], err))
			return false;
	return true;
}

static enum job_state read_step(struct engine *e, struct job *j, struct err *err)
{
	uint64_t until = num_now_ms() + STEP_MS, user, sys;
	struct read_job *r;
	struct event *ev;

	if (!j->state && !begin(e, j, err))
		return JOB_FAILED;
	r = j->state;
	while (r->at < j->task->r.ino_count && num_now_ms() < until)
		if (!read_file(e, j, r, err))
			return JOB_FAILED;
	if (r->at < j->task->r.ino_count)
		return JOB_MORE;
	num_cpu_ms(&user, &sys);
	r->report.real_ms = num_now_ms() - j->started_ms;
	r->report.user_ms = user - r->user_ms;
	r->report.sys_ms = sys - r->sys_ms;
	ev = event_new(EV_READ, j->task->ticket);
	if (!ev) {
		err_nomem(err);
		return JOB_FAILED;
	}
	ev->read = r->report;
	event_post(e, ev);
	return JOB_DONE;
}

static void read_end(struct engine *e, struct job *j, struct err *err)
{
	struct read_job *r = j->state;

	(void)e;
	(void)err;
	if (r) {
		vec_release(&r->runs);
		free(r->buf);
	}
	free(r);
	j->state = NULL;
}

const struct job_ops job_read = {.name = "read", .step = read_step, .end = read_end};
