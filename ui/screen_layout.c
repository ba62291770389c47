/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * screen_layout.c - which pane gets which cells.
 *
 *   wide (100 columns, 20 rows or more)      narrow
 *   header                                   header
 *   map            | files                   map
 *   map            | - inspect -             map
 *   legend         | inspect                 legend
 *   tabs, then the bottom pane               tabs, then files or inspector or bottom pane
 *   job, readout, prompt, function keys      the same
 *
 * With few rows the legend goes first (the map pane sees to that), then the tabs, then
 * the job line.
 */
#include <string.h>
#include "ui/screen_priv.h"

#define WIDE_COLS     100
#define WIDE_ROWS     20
#define RIGHT_COLS    38 /* up to 120 columns; then a quarter of the rest, for names */
#define RIGHT_MAX     64
#define MIN_COLS      40
#define MIN_ROWS      10
#define TABS_MIN_ROWS 17
#define JOB_MIN_ROWS  13

static void place(struct screen_layout *l, enum screen_part part, int row, int col,
		  int rows, int cols)
{
	l->part[part].row = row;
	l->part[part].col = col;
	l->part[part].rows = rows;
	l->part[part].cols = cols;
}

static int right_cols(int cols)
{
	int width = RIGHT_COLS + (cols > 120 ? (cols - 120) / 4 : 0);

	return width < RIGHT_MAX ? width : RIGHT_MAX;
}

/* The right column beside the map. */
static void place_right(struct screen_layout *l, int row, int rows, int cols)
{
	int width = right_cols(cols), col = cols - width,
	    inspect = rows >= 12 ? rows / 2 : 0;

	place(l, PART_DIVIDER, row, col - 1, rows, 1);
	place(l, PART_FILES, row, col, rows - inspect, width);
	if (inspect < 2)
		return;
	place(l, PART_INSPECT_RULE, row + rows - inspect, col, 1, width);
	place(l, PART_INSPECT, row + rows - inspect + 1, col, inspect - 1, width);
}

void screen_layout(struct screen_layout *l, int rows, int cols)
{
	int tabs = rows >= TABS_MIN_ROWS, job = rows >= JOB_MIN_ROWS, bottom, rest,
	    row = 1;

	memset(l, 0, sizeof(*l));
	l->too_small = rows < MIN_ROWS || cols < MIN_COLS;
	if (l->too_small)
		return;
	l->wide = cols >= WIDE_COLS && rows >= WIDE_ROWS;
	rest = rows - 4 - tabs - job;
	bottom = l->wide ? rest * 2 / 9 : rest * 2 / 7;
	if (bottom < 3)
		bottom = 3;
	place(l, PART_HEADER, 0, 0, 1, cols);
	place(l, PART_MAP, row, 0, rest - bottom,
	      cols - (l->wide ? right_cols(cols) + 1 : 0));
	if (l->wide)
		place_right(l, row, rest - bottom, cols);
	row += rest - bottom;
	place(l, PART_TABS, row, 0, tabs, cols);
	row += tabs;
	place(l, PART_BOTTOM, row, 0, bottom, cols);
	row += bottom;
	place(l, PART_JOB, row, 0, job, cols);
	row += job;
	place(l, PART_READOUT, row, 0, 1, cols);
	place(l, PART_PROMPT, row + 1, 0, 1, cols);
	place(l, PART_FKEYS, row + 2, 0, 1, cols);
}

struct view screen_view(const struct screen_layout *l, struct canvas *c,
			enum screen_part part)
{
	struct view all = canvas_view(c);

	return view_part(&all, l->part[part].row, l->part[part].col, l->part[part].rows,
			 l->part[part].cols);
}

enum app_focus screen_lower(const struct app *a)
{
	return a->lower == FOCUS_MAP ? FOCUS_FILES : a->lower;
}

void screen_settle(struct app *a, const struct screen_layout *l)
{
	if (!l->wide && a->focus != FOCUS_MAP)
		a->focus = screen_lower(a);
}

enum screen_part screen_part_of(const struct screen_layout *l, enum app_focus focus)
{
	if (focus == FOCUS_MAP)
		return PART_MAP;
	if (!l->wide || focus == FOCUS_BOTTOM)
		return PART_BOTTOM;
	return focus == FOCUS_FILES ? PART_FILES : PART_INSPECT;
}

const struct pane *screen_pane(const struct app *a, enum app_focus focus)
{
	static const struct pane *const tabs[TAB_COUNT] = {
		&pane_plan, &pane_jobs, &pane_journal, &pane_log, &pane_tree};

	switch (focus) {
	case FOCUS_FILES:
		return &pane_files;
	case FOCUS_INSPECT:
		return &pane_inspect;
	case FOCUS_BOTTOM:
		return tabs[a->tab];
	default:
		return &pane_map;
	}
}
