/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * predict.h - the volume as it would be after a plan, as a model of its own, so that every
 * figure and report exists for a layout that is only planned.
 */
#ifndef CORE_PREDICT_H
#define CORE_PREDICT_H

#include "core/plan.h"

/* A sealed model that shares only the geometry with m. The moves are believed (plan_check
 * does not believe them). NULL: ERR_NOMEM, or ERR_REFUSED if a move does not fit m. */
struct model *model_predict(const struct model *m, const struct plan *p, struct err *err);

#endif
