/* SPDX-License-Identifier: GPL-3.0-or-later */
/* life.h - the ager's life in memory; age.h tells what the options mean. */
#ifndef SRC_LAB_LIFE_H
#define SRC_LAB_LIFE_H

#include "lab/age.h"
#include "src/lab/world.h"

/* Lives it. False: out of memory, or not even the directories fit. */
bool life_run(struct world *w, const struct age_options *o, struct age_report *out,
	      struct err *err);
/* Counts files, extents and holes into the report. */
void life_count(const struct world *w, struct age_report *out);

#endif
