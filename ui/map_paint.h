/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map_paint.h - fills cells of the map from the model or the overview. For map_cell.c. */
#ifndef UI_MAP_PAINT_H
#define UI_MAP_PAINT_H

#include "core/forecast.h"
#include "ui/map_cell.h"

struct map_paint {
	const struct map_layout *layout;
	struct map_cell *cells; /* rows * cols */
	inum_t selected;
	const uint8_t *tag_bits; /* bit i: inode i is tagged */
	size_t tag_bytes;
	const uint8_t *pinned_bits; /* the same for inodes not to be moved; NULL: none */
	const struct forecast *after; /* in place of the model, or NULL */
};

/* The class of a run: a style of the map. */
int map_class_of(const struct run *r);
/* Fills the cells [first, last] in one walk over their blocks. */
void map_paint_cells(const struct map_paint *to, const struct model *m, size_t first,
		     size_t last);
/* Fills all cells; o may be NULL: all that is known is the size of the volume. */
void map_paint_overview(const struct map_paint *to, const struct overview *o);

#endif
