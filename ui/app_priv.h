/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app_priv.h - what the files app*.c share. */
#ifndef UI_APP_PRIV_H
#define UI_APP_PRIV_H

#include "ui/app.h"

void app_drop_plan(struct app *a);
/* Model, plan, flaws, names, lists: all that a scan brought. No request may be reading
 * the model. */
void app_drop_model(struct app *a);
void app_drop_volume(struct app *a);

/* Does a job of this kind move blocks? */
bool app_kind_writes(enum request_kind kind);
/* Does it make a plan? */
bool app_kind_plans(enum request_kind kind);
bool app_scan(struct app *a, struct err *err);
/* Applies moves of the past to the model, as an EV_MOVED would be. */
bool app_apply_past(struct app *a, struct move *moves, size_t n, struct err *err);

/* Somebody who waits for a ticket; they form a stack, since handling an event may wait
 * for another. */
struct app_waiter {
	uint32_t ticket;
	bool over;
	struct err err;
	struct event *reply;
	struct app_waiter *below;
};

#endif
