/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_plan.h - from a request to a plan that has been shown. */
#ifndef UI_CMD_PLAN_H
#define UI_CMD_PLAN_H

#include "ui/app.h"

/* Has r->goal planned under this title; batch: waits for it and prints its summary. */
bool plan_make(struct app *a, struct request *r, const char *title, struct err *err);

/* Writes the plan to a file; reads one back, which takes the place of the present one if
 * every move of it is possible on the volume as it is. */
bool plan_save(struct app *a, const char *path, struct err *err);
bool plan_load(struct app *a, const char *path, struct err *err);

#endif
