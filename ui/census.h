/* SPDX-License-Identifier: GPL-3.0-or-later */
/* census.h - how many blocks of the volume each class of the map has, for its legend. */
#ifndef UI_CENSUS_H
#define UI_CENSUS_H

#include "ui/theme.h"

struct model;

/* Blocks by style (STYLE_MAP_FREE and those that follow). */
struct census {
	const struct model *model; /* that it was taken of, NULL: none */
	uint64_t blocks[STYLE_COUNT];
	uint64_t total;
};

/* Takes it if there is none. False: the volume has too many runs to be counted while
 * somebody waits for the screen. */
bool census_take(struct census *c, const struct model *m);
void census_forget(struct census *c);
/* "26%", "<1%", "" for none. */
void census_percent(const struct census *c, int style, char out[8]);

#endif
