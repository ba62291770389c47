/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * forecast.h - the volume as it will be when a plan is carried out: who owns which block.
 *
 * Made once for a plan, then asked like the model. It holds the runs of the files that move;
 * everything else is looked up in the model, which must outlive it. While the plan is being
 * carried out, and the model changes with it, the forecast stays true.
 */
#ifndef CORE_FORECAST_H
#define CORE_FORECAST_H

#include "core/plan.h"

struct forecast;

/* NULL: out of memory, or ERR_REFUSED if the plan does not fit the model. */
struct forecast *forecast_new(const struct model *m, const struct plan *p,
			      struct err *err);
void forecast_free(struct forecast *f);

/* As model_at and model_walk. A hole may come in several pieces. */
void forecast_at(const struct forecast *f, blkno_t b, struct run *out);
void forecast_walk(const struct forecast *f, blkno_t start, blkno_t len,
		   bool (*fn)(void *arg, const struct run *r), void *arg);

#endif
