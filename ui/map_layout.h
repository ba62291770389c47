/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * map_layout.h - block <-> cell. Pure arithmetic, no drawing.
 *
 * Order `groups`: raster in block order, each block group starts a row; `linear`: rows follow
 * each other without breaks, for as few blocks a cell as there can be. With UTF-8 a
 * character cell is two map cells (upper, lower half), so "rows" here are map rows: twice
 * the screen's. Scale: any integer blocks per cell; fit = the smallest that shows the
 * whole volume. Where the groups outnumber the rows and a row would hold more than a
 * group, there are no breaks at groups either.
 */
#ifndef UI_MAP_LAYOUT_H
#define UI_MAP_LAYOUT_H

#include "core/geom.h"

enum map_order { MAP_GROUPS, MAP_LINEAR };

struct map_layout {
	const struct geom *geom;
	enum map_order order; /* as wished */
	int rows, cols;	      /* map cells: rows are halves with UTF-8 */
	uint64_t blocks_per_cell;
	blkno_t top; /* first block of the first row: start of a map row */
	bool linear; /* rows do not break at groups */
};

/* blocks_per_cell 0 = fit; top is moved to a row start and so that the screen is not left
 * empty. */
void map_layout_init(struct map_layout *l, const struct geom *g, enum map_order order,
		     int rows, int cols, uint64_t blocks_per_cell, blkno_t top);
/* The fewest blocks a cell with which all of the volume is on the screen. */
uint64_t map_layout_fit(const struct map_layout *l);
/* The blocks of a map cell; len 0: nothing there (after a group's end, after the volume).
 */
struct range map_layout_cell(const struct map_layout *l, int row, int col);
/* The blocks of the map cell that holds a block, on the screen or not. */
struct range map_layout_cell_of(const struct map_layout *l, blkno_t b);
/* The map cell of a block; false if it is not on the screen. */
bool map_layout_find(const struct map_layout *l, blkno_t b, int *row, int *col);
/* The group that starts in this map row (the first of them, if linear), or -1. */
int64_t map_layout_row_group(const struct map_layout *l, int row);
/* top such that block b is visible, moving as little as possible (whole rows). */
blkno_t map_layout_scroll_to(const struct map_layout *l, blkno_t b);
/* The block `cols` cells further in block order, then `rows` map rows away (negative:
 * back, up) at the same column; clamped to the volume. A short row gives its last cell.
 */
blkno_t map_layout_step(const struct map_layout *l, blkno_t b, int rows, int cols);

#endif
