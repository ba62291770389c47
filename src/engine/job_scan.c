/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job_scan.c - scanning into a model for the front end, and scanning again to check one.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "src/engine/engine_priv.h"

#define OVERVIEW_MS 100 /* at most so often */

struct scan_job {
	struct scan *scan;
	uint64_t last_ms; /* when the last overview went up */
};

static bool begin(struct engine *e, struct job *j, struct err *err)
{
	struct scan_job *s;

	if (j->state)
		return true;
	if (!engine_need_volume(e, err))
		return false;
	s = j->state = calloc(1, sizeof(*s));
	if (!s)
		return err_nomem(err);
	s->scan = scan_new(e->volume, 0, err);
	return s->scan != NULL;
}

static void post_overview(struct engine *e, const struct job *j)
{
	const struct scan_job *s = j->state;
	const struct overview *o = scan_overview(s->scan);
	struct event *ev = event_new(EV_OVERVIEW, j->task->ticket);
	size_t bytes = o->cells * sizeof(*o->count);

	if (ev)
		ev->overview = malloc(sizeof(*o));
	if (ev && ev->overview) {
		*ev->overview = *o;
		ev->overview->count = malloc(bytes);
		if (ev->overview->count) {
			memcpy(ev->overview->count, o->count, bytes);
			event_post(e, ev);
			return;
		}
	}
	event_free(ev); /* a picture less; the next one is on its way */
}

static void report(struct engine *e, const struct job *j)
{
	struct scan_job *s = j->state;
	struct progress p = {0};
	uint64_t now = num_now_ms(), run_ms = now - j->started_ms;

	if (s->last_ms && now - s->last_ms < OVERVIEW_MS)
		return;
	s->last_ms = now;
	snprintf(p.job, sizeof(p.job), "%s", j->ops->name);
	snprintf(p.phase, sizeof(p.phase), "%s",
		 scan_phase_name(scan_progress(s->scan, &p.done, &p.total)));
	if (run_ms)
		p.bytes_per_second = scan_bytes_read(s->scan) * 1000 / run_ms;
	event_progress(e, &p);
	if (j->ops == &job_scan)
		post_overview(e, j);
}

static enum job_state slice(struct engine *e, struct job *j, struct err *err)
{
	struct scan_job *s;
	enum scan_state state;

	if (!begin(e, j, err))
		return JOB_FAILED;
	s = j->state;
	state = scan_step(s->scan, err);
	if (state != SCAN_FAILED)
		report(e, j);
	j->summary.bytes_read = scan_bytes_read(s->scan);
	return state == SCAN_MORE ? JOB_MORE : state == SCAN_DONE ? JOB_DONE : JOB_FAILED;
}

static void scan_end(struct engine *e, struct job *j, struct err *err)
{
	struct scan_job *s = j->state;

	(void)e;
	(void)err;
	if (s)
		scan_free(s->scan);
	free(s);
	j->state = NULL;
}

/* --- scan --- */

static enum job_state hand_over(struct engine *e, struct job *j, struct err *err)
{
	struct scan_job *s = j->state;
	struct event *ev = event_new(EV_MODEL, j->task->ticket);

	if (ev)
		ev->flaws = calloc(1, sizeof(*ev->flaws));
	if (!ev || !ev->flaws) {
		event_free(ev);
		err_nomem(err);
		return JOB_FAILED;
	}
	ev->model = scan_take(s->scan, ev->flaws);
	metrics_compute(ev->model, &ev->metrics);
	memcpy(ev->costs, scan_costs(s->scan), sizeof(ev->costs));
	ev->info = calloc(
		1, sizeof(*ev->info)); /* it may have been forbidden to write meanwhile */
	if (ev->info && !volume_info_copy(ev->info, volume_info(e->volume))) {
		free(ev->info);
		ev->info = NULL;
	}
	event_post(e, ev);
	return JOB_DONE;
}

static enum job_state scan_slice(struct engine *e, struct job *j, struct err *err)
{
	enum job_state state = slice(e, j, err);

	return state == JOB_DONE ? hand_over(e, j, err) : state;
}

const struct job_ops job_scan = {.name = "scan", .step = scan_slice, .end = scan_end};

/* --- check --- */

static bool same_run(const struct run *a, const struct run *b)
{
	return a->phys == b->phys && a->len == b->len && a->lblk == b->lblk &&
	       a->ino == b->ino && a->kind == b->kind && a->unwritten == b->unwritten &&
	       a->fragmented == b->fragmented && a->odd == b->odd;
}

static bool compare(const struct model *have, const struct model *fresh, struct err *err)
{
	const struct geom *g = model_geom(have);
	struct run a, b;

	for (blkno_t at = g->first_block; at < g->blocks; at = a.phys + a.len) {
		model_at(have, at, &a);
		model_at(fresh, at, &b);
		if (same_run(&a, &b))
			continue;
		err_set(err, ERR_BUG,
			"the picture in memory is not what is on the disk: block %llu is "
			"%s of "
			"inode %u there and %s of inode %u here; please report this",
			(unsigned long long)at, owner_name(b.kind), b.ino,
			owner_name(a.kind), a.ino);
		return false;
	}
	return true;
}

static enum job_state check_slice(struct engine *e, struct job *j, struct err *err)
{
	enum job_state state = slice(e, j, err);
	struct scan_job *s = j->state;
	struct flaw_list flaws = {.limit = 8};
	struct model *fresh;
	bool ok = true;

	if (state != JOB_DONE)
		return state;
	fresh = scan_take(s->scan, &flaws);
	for (size_t i = 0; i < flaws.list.n; i++)
		event_log(e, "check: %s", flaws.list.v[i].text);
	if (flaws.count) {
		err_set(err, ERR_CORRUPT,
			"the volume contradicts itself in %llu places; run: e2fsck -fn",
			(unsigned long long)flaws.count);
		ok = false;
	} else if (j->task->r.model) {
		ok = compare(j->task->r.model, fresh, err);
	}
	vec_release(&flaws.list);
	model_free(fresh);
	return ok ? JOB_DONE : JOB_FAILED;
}

const struct job_ops job_check = {.name = "check", .step = check_slice, .end = scan_end};
