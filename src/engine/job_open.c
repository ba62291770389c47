/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job_open.c - opening a volume: find its journal, recover what a crash left, open, tell
 * the front end.
 */
#include <stdlib.h>
#include <unistd.h>
#include "src/engine/engine_priv.h"

static bool choose_journal(struct engine *e, const struct request *r, struct err *err)
{
	uint8_t uuid[16];

	str_clear(&e->journal);
	if (r->journal) {
		str_add(&e->journal, r->journal);
		return true;
	}
	return volume_peek_uuid(r->path, r->offset, uuid, err) &&
	       engine_default_journal(uuid, &e->journal, err);
}

static bool recover(struct engine *e, const struct request *r, struct err *err)
{
	struct recover_report report = {0};

	if (!recover_volume(r->path, r->offset, e->journal.buf, &report, err))
		return false;
	if (report.needed)
		event_log(e, "recovered: %s", report.text);
	return true;
}

/* A volume opened for viewing is left as it is; the operator should know all the same. */
static void warn_if_cut_short(struct engine *e)
{
	struct history h;
	struct err err = ERR_INIT;

	history_init(&h);
	if (access(e->journal.buf, F_OK) == 0 &&
	    history_read(e->journal.buf, e->volume, &h, &err) && h.open)
		event_log(e, "a session on this volume was cut short; open it with -w to "
			     "recover");
	history_release(&h);
}

static bool post_opened(struct engine *e, uint32_t ticket, struct err *err)
{
	struct event *ev = event_new(EV_OPENED, ticket);

	if (ev)
		ev->info = calloc(1, sizeof(*ev->info));
	if (!ev || !ev->info || !volume_info_copy(ev->info, volume_info(e->volume))) {
		event_free(ev);
		return err_nomem(err);
	}
	event_post(e, ev);
	return true;
}

static enum job_state open_step(struct engine *e, struct job *j, struct err *err)
{
	const struct request *r = &j->task->r;
	struct volume_options opt = {.write = r->write, .offset = r->offset};

	volume_close(e->volume);
	e->volume = NULL;
	if (!choose_journal(e, r, err) || (r->write && !recover(e, r, err)))
		return JOB_FAILED;
	e->volume = volume_open(r->path, &opt, err);
	if (!e->volume)
		return JOB_FAILED;
	if (!r->write)
		warn_if_cut_short(e);
	return post_opened(e, j->task->ticket, err) ? JOB_DONE : JOB_FAILED;
}

const struct job_ops job_open = {.name = "open", .step = open_step};

static enum job_state close_step(struct engine *e, struct job *j, struct err *err)
{
	(void)j;
	(void)err;
	volume_close(e->volume);
	e->volume = NULL;
	return JOB_DONE;
}

const struct job_ops job_close = {.name = "close", .step = close_step};
