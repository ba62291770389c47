/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job_run.c - carrying out: run, undo and redo. One step = one batch. A session lasts as
 * long as the job: whenever nothing runs, the volume is clean and its journal closed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "fs/dirs.h"
#include "src/engine/engine_priv.h"

#define PROGRESS_MS 50

struct run_job {
	struct session *session;
	size_t at;	      /* next move of the plan */
	uint64_t steps_left;  /* undo, redo: batches of the actions asked for */
	uint64_t bytes_total; /* of the job, as far as it is known; 0 = not known */
	uint64_t bytes_done;
	uint64_t last_ms;
	uint32_t batch;
	struct progress progress;
};

static void on_batch_progress(void *arg, enum batch_phase phase, uint64_t done,
			      uint64_t total)
{
	struct engine *e = arg;
	struct run_job *r = e->job.state;
	struct progress p = r->progress;
	uint64_t now = num_now_ms(), run_ms = now - e->job.started_ms;

	if (now - r->last_ms < PROGRESS_MS)
		return;
	r->last_ms = now;
	snprintf(p.phase, sizeof(p.phase), "%s", batch_phase_name(phase));
	p.done = r->bytes_done + (phase == BATCH_COPY  ? done
				  : phase > BATCH_COPY ? total
						       : 0);
	p.batch = r->batch + 1;
	if (run_ms > 0)
		p.bytes_per_second = p.done * 1000 / run_ms;
	if (p.total > p.done && p.bytes_per_second)
		p.eta_ms = (p.total - p.done) * 1000 / p.bytes_per_second;
	event_progress(e, &p);
}

static bool open_session(struct engine *e, struct job *j, struct err *err)
{
	struct session_options opt = {.journal = e->journal.buf,
				      .keep_free = j->task->r.keep_free,
				      .journal_limit =
					      j->ops == &job_run ? JOURNAL_LIMIT : 0,
				      .verify = j->task->r.verify};
	struct str note = STR_INIT;
	struct run_job *r;

	if (!engine_need_volume(e, err))
		return false;
	if (!volume_info(e->volume)->write) {
		err_set(err, ERR_REFUSED,
			"the volume is open for viewing only; open it for writing with: "
			"open -w %s",
			volume_info(e->volume)->path);
		return false;
	}
	r = j->state = calloc(1, sizeof(*r));
	if (!r)
		return err_nomem(err);
	snprintf(r->progress.job, sizeof(r->progress.job), "%s", j->ops->name);
	r->session = session_open(e->volume, &opt, &note, err);
	if (note.len)
		event_log(e, "%s", note.buf);
	str_release(&note);
	if (!r->session)
		return false;
	session_on_progress(r->session, on_batch_progress, e);
	return true;
}

#define PART_MOVES \
	512u /* applied in a few milliseconds, so that keys are heard between */

/* Sends the moves of a finished batch up, the inodes one after the other. */
static void post_moves(struct engine *e, const struct job *j,
		       const struct batch_result *b)
{
	for (size_t i = 0, end; i < b->moves.n; i = end) {
		struct event *ev = event_new(EV_MOVED, j->task->ticket);
		size_t n;

		end = i + PART_MOVES < b->moves.n ? i + PART_MOVES : b->moves.n;
		while (end < b->moves.n && b->moves.v[end].ino == b->moves.v[end - 1].ino)
			end++;
		n = end - i;
		if (ev)
			ev->moves = malloc(n * sizeof(*ev->moves));
		if (!ev || !ev->moves) {
			event_free(ev);
			return;
		}
		memcpy(ev->moves, b->moves.v + i, n * sizeof(*ev->moves));
		ev->move_count = n;
		ev->batch = b->number;
		event_post(e, ev);
	}
}

/* Counts a finished batch and sends its moves up. */
static void account(struct engine *e, struct job *j, struct batch_result *b)
{
	struct run_job *r = j->state;

	j->summary.batches++;
	j->summary.moves += b->moves.n;
	j->summary.bytes_read += b->bytes_read;
	j->summary.bytes_written += b->bytes_written;
	j->summary.barriers += b->barriers;
	j->summary.copied_blocks += b->copied_blocks;
	j->summary.bytes_verified += b->bytes_verified;
	for (size_t i = 0; i < b->moves.n; i++)
		if (b->moves.v[i].kind == MOVE_DATA)
			j->summary.blocks_moved += b->moves.v[i].len;
	r->bytes_done = j->summary.blocks_moved * volume_info(e->volume)->block_size;
	r->progress.moves_done = j->summary.moves;
	r->batch++;
	dir_cache_drop(e->volume);
	post_moves(e, j, b);
}

/* Closes the session; what is on the disk is safe in any case, but it may need recovery.
 */
static void run_end(struct engine *e, struct job *j, struct err *err)
{
	struct run_job *r = j->state;
	struct err closing = ERR_INIT;

	if (!r)
		return;
	if (r->session) {
		bool dead = err->class == ERR_IO || err->class == ERR_RECOVER;

		if (dead)
			session_free(r->session);
		else if (!session_close(r->session, &closing))
			dead = true;
		if (dead)
			volume_forbid(e->volume, "an error cut the session short",
				      "open it again with -w: it recovers by itself");
		if (err_isset(&closing)) /* worse than whatever ended the job */
			*err = closing;
	}
	free(r);
	j->state = NULL;
}

/* --- run --- */

static bool run_begin(struct engine *e, struct job *j, struct err *err)
{
	const struct plan *plan = j->task->r.plan;
	struct run_job *r;

	if (!plan || !plan->moves.n) {
		err_set(err, ERR_USAGE, "there is no plan; make one with: defrag TARGET");
		return false;
	}
	if (!open_session(e, j, err))
		return false;
	r = j->state;
	r->progress.moves_total = plan->moves.n;
	r->progress.total = plan->data_blocks * volume_info(e->volume)->block_size;
	return session_action(r->session, plan->title, err);
}

/* One move in single-step mode = all pieces of one inode, since they switch together. */
static size_t next_end(const struct job *j, const struct run_job *r)
{
	const struct plan *plan = j->task->r.plan;
	size_t end = plan_batch_end(plan, r->at), one = r->at + 1;

	if (!j->task->r.count)
		return end;
	while (one < end && plan->moves.v[one].ino == plan->moves.v[r->at].ino)
		one++;
	return one;
}

static enum job_state run_step(struct engine *e, struct job *j, struct err *err)
{
	const struct plan *plan = j->task->r.plan;
	struct batch_result result;
	struct run_job *r;
	size_t end;
	bool ok;

	if (!j->state && !run_begin(e, j, err))
		return JOB_FAILED;
	r = j->state;
	end = next_end(j, r);
	batch_result_init(&result);
	ok = session_batch(r->session, plan->moves.v + r->at, end - r->at, &result, err);
	if (ok) {
		account(e, j, &result);
		r->at = end;
		r->steps_left++; /* here: steps done */
	}
	batch_result_release(&result);
	if (!ok)
		return JOB_FAILED;
	if (r->at == plan->moves.n ||
	    (j->task->r.count && r->steps_left >= j->task->r.count))
		return JOB_DONE;
	return JOB_MORE;
}

const struct job_ops job_run = {.name = "run", .step = run_step, .end = run_end};

/* --- undo, redo --- */

/* Batches in the last (undo) or next (redo) `count` actions; 0 counts all. */
static uint64_t count_batches(const struct history *h, uint32_t count, bool redo)
{
	uint64_t batches = 0;
	uint32_t actions = 0;

	for (size_t k = 0; k < h->actions.n; k++) {
		size_t i = redo ? k : h->actions.n - 1 - k;
		const struct history_action *a = &h->actions.v[i];
		uint32_t left = redo ? a->undone : a->batches - a->undone;

		if (!left)
			continue;
		if (count && actions++ == count)
			break;
		batches += left;
	}
	return batches;
}

/* *idle: all of nothing has been done. */
static bool back_begin(struct engine *e, struct job *j, bool *idle, struct err *err)
{
	bool redo = j->ops == &job_redo, ok;
	struct history h;
	struct run_job *r;
	uint64_t steps;

	if (!engine_need_volume(e, err))
		return false;
	history_init(&h);
	ok = history_read(e->journal.buf, e->volume, &h, err);
	steps = ok ? count_batches(&h, j->task->r.count, redo) : 0;
	if (ok && !steps && !j->task->r.count && volume_info(e->volume)->write) {
		history_release(&h);
		event_log(e, "nothing to %s", j->ops->name);
		*idle = true;
		return true;
	}
	if (ok && !steps) {
		err_set(err, ERR_REFUSED, "nothing to %s in %s", j->ops->name,
			e->journal.buf);
		ok = false;
	} else if (ok && !h.fits) {
		err_set(err, ERR_REFUSED, "cannot %s: %s", j->ops->name, h.why);
		ok = false;
	}
	history_release(&h);
	if (!ok || !open_session(e, j, err))
		return false;
	r = j->state;
	r->steps_left = steps;
	return true;
}

static enum job_state back_step(struct engine *e, struct job *j, struct err *err)
{
	bool redo = j->ops == &job_redo;
	struct batch_result result;
	bool ok, idle = false;
	struct run_job *r;

	if (!j->state && !back_begin(e, j, &idle, err))
		return JOB_FAILED;
	if (idle)
		return JOB_DONE;
	r = j->state;
	batch_result_init(&result);
	ok = redo ? session_redo_batch(r->session, &result, err)
		  : session_undo_batch(r->session, &result, err);
	if (ok) {
		j->summary.actions += result.action_done;
		account(e, j, &result);
		r->steps_left--;
	}
	batch_result_release(&result);
	return !ok ? JOB_FAILED : r->steps_left ? JOB_MORE : JOB_DONE;
}

const struct job_ops job_undo = {.name = "undo", .step = back_step, .end = run_end};
const struct job_ops job_redo = {.name = "redo", .step = back_step, .end = run_end};
