/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job_rate.c - how fast does this device read in a row? Used blocks in ascending order past
 * the page cache, free ones in between read as well where they are few, in large pieces.
 */
#include <stdlib.h>
#include "base/num.h"
#include "src/engine/engine_priv.h"

#define PIECE_BYTES (8u << 20)
#define MOST_BYTES  (256ull << 20)
#define MOST_MS	    2000
#define READ_OVER   (1u << 20) /* a gap up to this is read too */

struct rate_job {
	struct read_report report;
	blkno_t at;
	uint8_t *buf;
	uint64_t user_ms, sys_ms;
};

/* The next stretch to read: at most one piece, used at both ends. */
struct stretch {
	struct range range;
	blkno_t most, gap; /* blocks */
};

static bool join(void *arg, const struct run *r)
{
	struct stretch *s = arg;
	blkno_t end = s->range.start + s->range.len;

	if (r->kind == OWNER_FREE)
		return true;
	if (!s->range.len)
		s->range.start = end = r->phys;
	if (r->phys - end > s->gap || end - s->range.start >= s->most)
		return false;
	s->range.len = r->phys + r->len - s->range.start;
	return s->range.len < s->most;
}

static bool begin(struct engine *e, struct job *j, struct err *err)
{
	struct rate_job *r;

	if (!engine_need_volume(e, err))
		return false;
	r = j->state = calloc(1, sizeof(*r));
	if (r)
		r->buf = aligned_alloc(4096, PIECE_BYTES);
	if (!r || !r->buf)
		return err_nomem(err);
	r->at = volume_geom(e->volume)->first_block;
	num_cpu_ms(&r->user_ms, &r->sys_ms);
	return true;
}

static enum job_state hand_over(struct engine *e, struct job *j, struct err *err)
{
	struct event *ev = event_new(EV_READ, j->task->ticket);
	struct rate_job *r = j->state;
	uint64_t user, sys;

	if (!ev) {
		err_nomem(err);
		return JOB_FAILED;
	}
	num_cpu_ms(&user, &sys);
	r->report.real_ms = num_now_ms() - j->started_ms;
	r->report.user_ms = user - r->user_ms;
	r->report.sys_ms = sys - r->sys_ms;
	ev->read = r->report;
	event_post(e, ev);
	return JOB_DONE;
}

static enum job_state rate_step(struct engine *e, struct job *j, struct err *err)
{
	const struct geom *g;
	struct rate_job *r;
	struct stretch s;

	if (!j->state && !begin(e, j, err))
		return JOB_FAILED;
	r = j->state;
	g = volume_geom(e->volume);
	s = (struct stretch){
		.most = PIECE_BYTES / g->block_size,
		.gap = READ_OVER / g->block_size,
	};
	if (r->at < g->blocks)
		model_walk(j->task->r.model, r->at, g->blocks - r->at, join, &s);
	if (s.range.len > s.most)
		s.range.len = s.most;
	if (!s.range.len || r->report.bytes >= MOST_BYTES ||
	    num_now_ms() - j->started_ms >= MOST_MS)
		return hand_over(e, j, err);
	if (!volume_read_blocks(e->volume, s.range.start, s.range.len, r->buf, err))
		return JOB_FAILED;
	r->at = s.range.start + s.range.len;
	r->report.bytes += s.range.len * g->block_size;
	r->report.reads++;
	return JOB_MORE;
}

static void rate_end(struct engine *e, struct job *j, struct err *err)
{
	struct rate_job *r = j->state;

	(void)e;
	(void)err;
	if (r)
		free(r->buf);
	free(r);
	j->state = NULL;
}

const struct job_ops job_rate = {.name = "rate", .step = rate_step, .end = rate_end};
