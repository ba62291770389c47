/* SPDX-License-Identifier: GPL-3.0-or-later */
/* event.c - making, posting and freeing events. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include "src/engine/engine_priv.h"

struct event *event_new(enum event_kind kind, uint32_t ticket)
{
	struct event *ev = calloc(1, sizeof(*ev));

	if (ev) {
		ev->kind = kind;
		ev->ticket = ticket;
	}
	return ev;
}

static void free_overview(struct overview *o)
{
	if (o)
		free(o->count);
	free(o);
}

void event_free(struct event *ev)
{
	if (!ev)
		return;
	if (ev->info)
		volume_info_release(ev->info);
	free(ev->info);
	free_overview(ev->overview);
	model_free(ev->model);
	if (ev->flaws)
		vec_release(&ev->flaws->list);
	free(ev->flaws);
	if (ev->plan)
		plan_release(ev->plan);
	free(ev->plan);
	free(ev->moves);
	for (size_t i = 0; i < ev->path_count; i++)
		free(ev->paths[i]);
	free(ev->paths);
	free(ev->path_len);
	for (size_t i = 0; i < ev->entry_count; i++)
		free(ev->entries[i].name);
	free(ev->entries);
	vec_release(&ev->times);
	vec_release(&ev->order);
	if (ev->history)
		history_release(ev->history);
	free(ev->history);
	vec_release(&ev->moved_files);
	free(ev);
}

void event_post(struct engine *e, struct event *ev)
{
	if (ev && !queue_put(e->events, ev))
		event_free(ev);
}

void event_log(struct engine *e, const char *fmt, ...)
{
	struct event *ev = event_new(EV_LOG, e->job.task ? e->job.task->ticket : 0);
	va_list ap;

	if (!ev)
		return;
	va_start(ap, fmt);
	vsnprintf(ev->text, sizeof(ev->text), fmt, ap);
	va_end(ap);
	event_post(e, ev);
}

void event_progress(struct engine *e, const struct progress *p)
{
	struct event *ev = event_new(EV_PROGRESS, e->job.task ? e->job.task->ticket : 0);

	if (!ev)
		return;
	ev->progress = *p;
	if (!queue_try_put(e->events, ev))
		event_free(ev);
}

void event_ended(struct engine *e, const struct task *t, const struct err *err,
		 const struct run_summary *summary)
{
	struct event *ev = event_new(EV_ENDED, t->ticket);

	atomic_fetch_sub(&e->pending, 1);
	if (!ev)
		return;
	ev->err = *err;
	if (summary)
		ev->summary = *summary;
	event_post(e, ev);
}
