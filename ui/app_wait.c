/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app_wait.c - jobs and questions for the engine, and waiting for their end. */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "ui/ages.h"
#include "ui/app_priv.h"
#include "ui/names.h"
#include "ui/replay.h"

#define WAIT_MS 50

bool app_kind_writes(enum request_kind kind)
{
	return kind == REQ_RUN || kind == REQ_UNDO || kind == REQ_REDO;
}

bool app_kind_plans(enum request_kind kind)
{
	return kind == REQ_PLAN;
}

/* --- waiting --- */

/* Lets the engine work for a moment. False: there is nothing it could do. */
static bool let_work(struct app *a)
{
	struct pollfd fd = {engine_fd(a->engine), POLLIN, 0};

	if (fd.fd < 0)
		return engine_pump(a->engine);
	poll(&fd, 1, WAIT_MS);
	return true;
}

static bool wait_for(struct app *a, struct app_waiter *w, int ms)
{
	uint64_t start = num_now_ms();
	bool idle = false;

	w->below = a->waiters;
	a->waiters = w;
	while (!w->over && !idle) {
		idle = !let_work(a);
		app_drain(a);
		if (a->on_wait)
			a->on_wait(a);
		if (ms >= 0 && num_now_ms() - start > (uint64_t)ms)
			break;
	}
	a->waiters = w->below;
	return w->over;
}

bool app_wait(struct app *a, uint32_t ticket, int ms)
{
	struct app_waiter w = {.ticket = ticket};
	bool over = wait_for(a, &w, ms);

	if (w.reply)
		event_free(w.reply);
	return over;
}

struct event *app_query(struct app *a, const struct request *r, int ms, struct err *err)
{
	struct app_waiter w = {.ticket = engine_submit(a->engine, r, err)};

	if (!w.ticket)
		return NULL;
	if (!wait_for(a, &w, ms))
		err_set(err, ERR_REFUSED, "the engine is busy; try again in a moment");
	else if (err_isset(&w.err) && err)
		*err = w.err;
	else if (!w.reply)
		err_nomem(err);
	if (w.reply && err_isset(&w.err)) {
		event_free(w.reply);
		w.reply = NULL;
	}
	return w.reply;
}

/* --- jobs --- */

bool app_submit(struct app *a, const struct request *r, const char *name, struct err *err)
{
	if (a->job) {
		err_set(err, ERR_REFUSED, "%s is running; stop it with: stop",
			a->job_name);
		return false;
	}
	if (a->replay) {
		err_set(err, ERR_REFUSED, "the past is shown; end that with: replay end");
		return false;
	}
	if (app_kind_writes(r->kind))
		a->before_run = a->metrics;
	a->job = engine_submit(a->engine, r, err);
	if (!a->job)
		return false;
	a->job_kind = r->kind;
	a->job_moves = 0;
	strips_reset(&a->strips, num_now_ms());
	memset(&a->progress, 0, sizeof(a->progress));
	snprintf(a->job_name, sizeof(a->job_name), "%s", name);
	snprintf(a->progress.job, sizeof(a->progress.job), "%s", name);
	return true;
}

bool app_await(struct app *a, uint32_t ticket, struct err *err)
{
	struct app_waiter w = {.ticket = ticket};

	if (!wait_for(a, &w, -1))
		err_set(err, ERR_BUG, "the engine left a request without an answer");
	else if (err_isset(&w.err) && err)
		*err = w.err;
	return w.over && !err_isset(&w.err);
}

bool app_finish(struct app *a, struct err *err)
{
	return a->interactive || app_await(a, a->job, err);
}

/* The model goes first: what it stands on belongs to the volume. */
static bool let_go(struct app *a, struct err *err)
{
	if (a->job) {
		err_set(err, ERR_REFUSED, "%s is running; stop it with: stop",
			a->job_name);
		return false;
	}
	if (!names_settle(a->names, a, err) || !ages_settle(a, err))
		return false;
	replay_free(a->replay);
	a->replay = NULL;
	app_drop_volume(a);
	return true;
}

bool app_open(struct app *a, const char *path, uint64_t offset, bool write,
	      struct err *err)
{
	struct request r = {.kind = REQ_OPEN,
			    .path = path,
			    .offset = offset,
			    .write = write,
			    .journal = a->journal};
	uint8_t uuid[16];

	/* A mistyped path must not cost the volume that is open. With nothing to lose,
	 * the engine may find more than a superblock. */
	if (((a->open || !write) && !volume_peek_uuid(path, offset, uuid, err)) ||
	    !let_go(a, err))
		return false;
	/* For the header until the volume is open, and for viewing if it may not be
	 * written. */
	snprintf(a->volume.path, sizeof(a->volume.path), "%s", path);
	a->volume.offset = offset;
	a->volume.write = write;
	return app_submit(a, &r, "open", err);
}

bool app_close(struct app *a, struct err *err)
{
	struct request r = {.kind = REQ_CLOSE};

	return let_go(a, err) && app_submit(a, &r, "close", err);
}

bool app_scan(struct app *a, struct err *err)
{
	struct request r = {.kind = REQ_SCAN};

	return app_submit(a, &r, "scan", err);
}

bool app_need_model(struct app *a, struct err *err)
{
	if (a->model)
		return true;
	if (!a->open) {
		err_set(err, ERR_USAGE, "no volume is open; open one with: open PATH");
		return false;
	}
	if (a->interactive && a->job) {
		err_set(err, ERR_REFUSED, "the volume is still being read");
		return false;
	}
	if (!app_scan(a, err) || !app_finish(a, err))
		return false;
	if (!a->model)
		err_set(err, ERR_REFUSED, "the volume is being read; try again then");
	return a->model != NULL;
}

bool app_need_sound(struct app *a, struct err *err)
{
	if (!app_need_model(a, err))
		return false;
	if (a->flaws.count == 0)
		return true;
	err_set(err, ERR_CORRUPT,
		"the volume contradicts itself in %llu places (first: %s); nothing is "
		"moved; run: e2fsck -fn %s",
		(unsigned long long)a->flaws.count,
		a->flaws.list.n ? a->flaws.list.v[0].text : "?", a->volume.path);
	return false;
}
