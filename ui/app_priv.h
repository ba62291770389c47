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

#endif
