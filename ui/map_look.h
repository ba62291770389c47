/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map_look.h - colours and glyphs of cells. For pane_map.c. */
#ifndef UI_MAP_LOOK_H
#define UI_MAP_LOOK_H

#include "ui/map_cell.h"

/* How a whole cell looks; a half block shows style.fg alone. */
struct look {
	struct style style;
	wchar_t glyph;
};

/* Goes through cells in block order: neighbours that would share a hue get different
 * ones. */
struct look_context {
	const struct app *app;
	struct map_cache *cache;
	bool solid; /* whole cells of colour: 256 colours */
	bool after; /* the cells are of the volume as the plan will make it */
	bool plan;  /* show what the pending plan would do */
	inum_t ino; /* the last fragmented file met, and the hue it got */
	int hue;
	int16_t mixed[2][4][256]; /* flash colours, -1 = not mixed yet */
	int16_t lit[256];	  /* colours of the region, the same */
};

void look_begin(struct look_context *x, const struct app *a, bool solid);
struct look look_cell(struct look_context *x, const struct map_cell *cell, bool cursor);

/* Places in the heat ramp: 0 contiguous, then more and more fragments. */
int look_heat_step(uint32_t fragments, int steps);
/* Fewest fragments of a step. */
uint32_t look_heat_from(int step);
/* Light tone of a contiguous file, or of a fragmented one: as its cells have it when no
 * neighbour is in the way. For file lists. */
struct style look_file_style(const struct theme *t, inum_t ino, bool fragmented);

#endif
