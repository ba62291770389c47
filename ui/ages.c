/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ages.c - see ages.h. */
#include "ui/ages.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define DAY 86400

const char *const age_words[] = {"day", "week", "month", "year", "older", "unknown"};
const char age_letters[] = {'d', 'w', 'm', 'y', 'o', '?'};

static int age_of(int64_t used, int64_t now)
{
	static const int64_t days[] = {1, 7, 30, 365};
	int age = 0;

	if (used == 0)
		return AGE_UNKNOWN;
	while (age < AGE_OLDER && now - used >= days[age] * DAY)
		age++;
	return age;
}

static void take(struct app *a, const struct times_list *times)
{
	int64_t now = (int64_t)time(NULL);
	size_t size = (size_t)model_geom(a->model)->inodes + 1;

	ages_forget(a);
	a->ages.v = malloc(size);
	if (!a->ages.v)
		return;
	a->ages.inodes = (inum_t)(size - 1);
	memset(a->ages.v, AGE_UNKNOWN, size);
	for (size_t i = 0; i < times->n; i++)
		if (times->v[i].ino < size)
			a->ages.v[times->v[i].ino] = (uint8_t)age_of(
				times_last_use(times, times->v[i].ino), now);
}

void ages_want(struct app *a)
{
	struct request r = {.kind = REQ_TIMES, .model = a->model};

	if (a->ages.v || a->ages.ticket || a->job || !a->model || !a->open)
		return;
	a->ages.ticket = engine_submit(a->engine, &r, NULL);
}

bool ages_fetch(struct app *a, struct err *err)
{
	struct request r = {.kind = REQ_TIMES, .model = a->model};
	struct event *ev = a->ages.v ? NULL : app_query(a, &r, -1, err);

	if (ev)
		take(a, &ev->times);
	event_free(ev);
	return a->ages.v != NULL;
}

int ages_get(const struct app *a, inum_t ino)
{
	return a->ages.v && ino <= a->ages.inodes ? a->ages.v[ino] : AGE_UNKNOWN;
}

bool ages_event(struct app *a, struct event *ev)
{
	if (!a->ages.ticket || ev->ticket != a->ages.ticket)
		return false;
	if (ev->kind == EV_TIMES && a->model)
		take(a, &ev->times);
	if (ev->kind != EV_ENDED)
		return true;
	a->ages.ticket = 0;
	if (err_isset(&ev->err)) {
		app_fail(a, &ev->err);
		a->map.color =
			COLOR_BY_FILE; /* or it would be asked for again and again */
	}
	return true;
}

bool ages_settle(struct app *a, struct err *err)
{
	if (!a->ages.ticket || app_wait(a, a->ages.ticket, -1))
		return true;
	err_set(err, ERR_BUG, "the engine left a request for times without an answer");
	return false;
}

void ages_forget(struct app *a)
{
	free(a->ages.v);
	a->ages.v = NULL;
	a->ages.inodes = 0;
}

int ages_step(int age, int steps)
{
	int step = steps - 1 - age;

	return step > 0 ? step : 0;
}
