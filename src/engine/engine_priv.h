/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * engine_priv.h - what the files of src/engine share.
 *
 *   engine.c   facade, queues, the pump     worker.c   the one thread, what comes next
 *   event.c    making and freeing events    answer.c   small questions, between steps
 *   job_*.c    one step function a job
 *
 * Everything here runs on the worker (or in engine_pump), except the facade.
 */
#ifndef ENGINE_ENGINE_PRIV_H
#define ENGINE_ENGINE_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include "base/queue.h"
#include "engine/engine.h"

enum job_state { JOB_MORE, JOB_DONE, JOB_FAILED };

/* A request on its way, with its own copies of what it may own. */
struct task {
	struct request r;
	uint32_t ticket;
};
void task_free(void *task);

struct job;
struct job_ops {
	const char *name; /* "scan": for progress events */
	/* One slice of work. On JOB_FAILED err is set. */
	enum job_state (*step)(struct engine *e, struct job *j, struct err *err);
	/* Frees the job's state; runs once, after the last step, also on failure or stop
	 * (then err is set). May replace a success by an error. May be NULL. */
	void (*end)(struct engine *e, struct job *j, struct err *err);
};

struct job {
	const struct job_ops *ops; /* NULL: no job */
	struct task *task;
	void *state; /* of the job; made by its first step, freed by end */
	struct run_summary summary;
	uint64_t started_ms;
};

struct engine {
	struct queue *requests, *events;
	bool threaded;
	pthread_t thread;
	atomic_bool stop;     /* end the running job at its next step boundary */
	atomic_bool quit;     /* end the worker */
	atomic_uint pending;  /* requests submitted and not ended */
	uint32_t next_ticket; /* front end's side */

	VEC(struct task *) waiting; /* taken from the queue while a job runs */
	struct job job;
	struct volume *volume;
	struct str journal; /* path of the undo journal of this volume */
};

/* One step of whatever is to be done; waits up to wait_ms for a request if there is
 * nothing. False: nothing was done. */
bool worker_step(struct engine *e, int wait_ms);
void *worker_main(void *engine);

/* --- events; all of them drop the event silently if the front end is gone --- */
struct event *event_new(enum event_kind kind, uint32_t ticket); /* NULL: out of memory */
void event_post(struct engine *e, struct event *ev);
void event_log(struct engine *e, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Progress may be lost when the queue is full: it is overtaken by the next one anyway. */
void event_progress(struct engine *e, const struct progress *p);
void event_ended(struct engine *e, const struct task *t, const struct err *err,
		 const struct run_summary *summary);

extern const struct job_ops job_open, job_close, job_scan, job_plan, job_run, job_undo,
	job_redo, job_check, job_times, job_order, job_read, job_rate, job_copy;

/* Requests that are answered at once, between the steps of a job. */
void answer_paths(struct engine *e, const struct request *r, uint32_t ticket,
		  struct err *err);
void answer_list(struct engine *e, const struct request *r, uint32_t ticket,
		 struct err *err);
void answer_lookup(struct engine *e, const struct request *r, uint32_t ticket,
		   struct err *err);
void answer_history(struct engine *e, uint32_t ticket, struct err *err);
void answer_journal(struct engine *e, const struct request *r, uint32_t ticket,
		    struct err *err);

/* Puts g->inos into the order that g->order names, kept in *sorted; with GOAL_ORDER_GIVEN
 * they stay as they are. Reads directories or inode tables where it has to. */
bool order_files(struct engine *e, const struct model *m, struct goal_request *g,
		 struct inum_list *sorted, struct err *err);

/* ERR_USAGE if no volume is open. */
bool engine_need_volume(struct engine *e, struct err *err);

#endif
