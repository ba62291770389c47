/* SPDX-License-Identifier: GPL-3.0-or-later */
/* after.h - the forecast of the pending plan, made when it is first looked at. */
#ifndef UI_AFTER_H
#define UI_AFTER_H

#include "core/forecast.h"
#include "ui/app.h"

/* The volume as the pending plan will make it; NULL: no plan, or it cannot be told (the log
 * says why). Valid until the plan changes. */
const struct forecast *after_get(struct app *a);
void after_drop(struct app *a);

#endif
