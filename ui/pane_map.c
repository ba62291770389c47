/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pane_map.c - draws the block map: cells and the gutter with group numbers. */
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "ui/after.h"
#include "ui/ages.h"
#include "ui/draw.h"
#include "ui/map_frame.h"
#include "ui/map_look.h"
#include "ui/pane.h"
#include "ui/place.h"

#define GUTTER_MIN_COLS 24 /* narrower views have none */
#define LEGEND_MIN_ROWS 6
#define SPLIT_MIN_ROWS	5
#define SHARES_MIN_COLS 80 /* of a legend with parts of the volume */

/* Geometry before the model brings it: mke2fs makes groups of 8 * block size blocks
 * unless told otherwise. */
static void guess_geom(struct geom *g, const struct volume_info *v)
{
	uint64_t len;

	memset(g, 0, sizeof(*g));
	if (v->block_size == 0)
		return;
	g->block_size = v->block_size;
	g->blocks = v->blocks;
	g->first_block = v->block_size == 1024 && v->blocks > 1 ? 1 : 0;
	g->groups = v->groups > 0 ? v->groups : 1;
	len = g->blocks - g->first_block;
	g->blocks_per_group = 8 * v->block_size;
	if ((len + g->blocks_per_group - 1) / g->blocks_per_group != g->groups)
		g->blocks_per_group = (uint32_t)((len + g->groups - 1) / g->groups);
	if (g->blocks_per_group == 0)
		g->blocks_per_group = 1;
	g->groups = (group_t)((len + g->blocks_per_group - 1) / g->blocks_per_group);
}

static int gutter_width(const struct geom *g, int cols)
{
	char text[NUM_TEXT_MAX];
	int digits = snprintf(text, sizeof(text), "%u", g->groups ? g->groups - 1 : 0);

	return cols < GUTTER_MIN_COLS ? 0 : (digits < 3 ? 3 : digits) + 2;
}

blkno_t map_frame_cursor(const struct map_frame *f, const struct app *a)
{
	const struct geom *g = f->layout.geom;
	blkno_t cursor = a->map.cursor;

	if (cursor < g->first_block)
		cursor = g->first_block;
	return cursor < g->blocks ? cursor : g->blocks - 1;
}

/* One map, or two of the same height with a rule between. */
static void place_maps(struct map_frame *f, const struct app *a, const struct view *v,
		       int rows, int gutter)
{
	bool split = a->map.split && a->plan && a->model && rows >= SPLIT_MIN_ROWS;
	int half = split ? (rows - 1) / 2 : rows;

	f->gutter = view_part(v, 0, 0, half, gutter);
	f->cells = view_part(v, 0, gutter, half, v->cols - gutter);
	if (!split)
		return;
	f->rule = view_part(v, half, 0, 1, v->cols);
	f->gutter_after = view_part(v, half + 1, 0, half, gutter);
	f->cells_after = view_part(v, half + 1, gutter, half, v->cols - gutter);
}

bool map_frame_init(struct map_frame *f, const struct app *a, const struct view *v)
{
	enum map_order order = a->map.view == VIEW_LINEAR ? MAP_LINEAR : MAP_GROUPS;
	const struct geom *g = &f->geom;
	int legend = v->rows >= LEGEND_MIN_ROWS ? 1 : 0, gutter;
	blkno_t top;

	memset(f, 0, sizeof(*f));
	if (v->rows < 1 || v->cols < 1)
		return false;
	if (a->model)
		g = model_geom(a->model);
	else
		guess_geom(&f->geom, &a->volume);
	if (g->blocks <= g->first_block || g->blocks_per_group == 0)
		return false;
	gutter = gutter_width(g, v->cols);
	f->half = a->theme.utf8 && a->theme.depth == DEPTH_256 && !a->map.glyphs;
	place_maps(f, a, v, v->rows - legend, gutter);
	f->legend = view_part(v, v->rows - legend, 0, legend, v->cols);
	map_layout_init(&f->layout, g, order, f->cells.rows * (f->half ? 2 : 1),
			f->cells.cols, a->map.blocks_per_cell, a->map.top);
	top = map_layout_scroll_to(&f->layout, map_frame_cursor(f, a));
	if (top != f->layout.top)
		map_layout_init(&f->layout, g, order, f->layout.rows, f->layout.cols,
				a->map.blocks_per_cell, top);
	return true;
}

/* Two cells in one character. Which half is the foreground is decided by the colours
 * alone, so that terminals get along with half the colour pairs. */
static void put_halves(const struct view *v, int row, int col, int16_t upper,
		       int16_t lower)
{
	struct style s = {upper, lower, 0};

	if (upper == lower) {
		view_put(v, row, col, L' ', s);
	} else if (upper < lower) {
		view_put(v, row, col, L'\u2580', s);
	} else {
		s.fg = lower;
		s.bg = upper;
		view_put(v, row, col, L'\u2584', s);
	}
}

/* Rows are looked at in pairs, but each row from left to right as a whole: the hue of a
 * file depends on the one before it. */
static void draw_cells(struct app *a, const struct map_frame *f, const struct view *v,
		       const struct map_cell *cells, bool after)
{
	const struct map_layout *l = &f->layout;
	struct look_context x;
	int cursor_row = -1, cursor_col = -1;

	look_begin(&x, a, a->theme.depth == DEPTH_256 && !f->half);
	x.after = after;
	map_layout_find(l, map_frame_cursor(f, a), &cursor_row, &cursor_col);
	for (int row = 0; row < l->rows; row++) {
		const struct map_cell *line = cells + (size_t)row * (size_t)l->cols;

		for (int col = 0; col < l->cols; col++) {
			bool cursor = row == cursor_row && col == cursor_col;
			struct look look = look_cell(&x, &line[col], cursor);

			if (!f->half) {
				view_put(v, row, col, look.glyph, look.style);
			} else if (row % 2 == 0) {
				put_halves(v, row / 2, col, look.style.fg, look.style.fg);
			} else {
				const struct cell *above =
					&v->canvas->cells[(v->row + row / 2) *
								  v->canvas->cols +
							  v->col + col];

				put_halves(v, row / 2, col, above->style.bg,
					   look.style.fg);
			}
		}
	}
}

/* The letter of a mark in a screen row, or a blank. */
static char row_mark(const struct app *a, const struct map_frame *f, int row)
{
	int rows = f->half ? 2 : 1, first = row * rows, col = f->layout.cols - 1;
	struct range r = map_layout_cell(&f->layout, first, 0), end = {0, 0};
	char mark;

	for (int i = first + rows - 1; i >= first && end.len == 0; i--)
		for (col = f->layout.cols - 1; col >= 0 && end.len == 0; col--)
			end = map_layout_cell(&f->layout, i, col);
	if (r.len == 0 || end.len == 0)
		return ' ';
	r.len = end.start + end.len - r.start;
	mark = mark_in(a, r);
	return mark ? mark : ' ';
}

static void draw_gutter(const struct app *a, const struct map_frame *f,
			const struct view *v)
{
	struct style number = a->theme.styles[STYLE_UI_GUTTER];
	struct style rule = a->theme.styles[STYLE_UI_RULE];
	struct style head = a->theme.styles[STYLE_UI_TAB_ACTIVE];
	wchar_t line = a->theme.utf8 ? L'\u2502' : L'|';
	int width = v->cols - 2, cursor = -1, col;

	/* Where the cursor is must be seen by every eye, whatever its colour. */
	map_layout_find(&f->layout, map_frame_cursor(f, a), &cursor, &col);
	if (f->half && cursor >= 0)
		cursor /= 2;
	for (int row = 0; row < v->rows && width > 0; row++) {
		int64_t group = map_layout_row_group(&f->layout, f->half ? row * 2 : row);
		char text[NUM_TEXT_MAX] = "", mark = row_mark(a, f, row);

		if (f->half && group < 0)
			group = map_layout_row_group(&f->layout, row * 2 + 1);
		if (group >= 0)
			snprintf(text, sizeof(text), "%lld", (long long)group);
		view_field(v, row, 0, width, 1, number, text);
		view_put(v, row, width, (wchar_t)mark, head);
		view_put(v, row, width + 1, line, rule);
		if (row == cursor)
			view_put(v, row, width + 1, a->theme.utf8 ? L'\u25b6' : L'>',
				 number);
	}
}

/* One of the two maps: as it is, or as the plan will make it. */
static void draw_map(struct app *a, const struct map_frame *f, struct map_cache *cache,
		     const struct forecast *after, bool below)
{
	const struct map_cell *cells = NULL;

	if (cache) {
		map_cache_foretell(cache, after);
		cells = map_cache_update(cache, a, &f->layout, num_now_ms());
	}
	if (cells)
		draw_cells(a, f, below ? &f->cells_after : &f->cells, cells,
			   after != NULL);
	draw_gutter(a, f, below ? &f->gutter_after : &f->gutter);
}

static void draw_split_rule(const struct app *a, const struct map_frame *f)
{
	draw_rule(a, &f->rule, 0);
	view_text(&f->rule, 0, 1, a->theme.styles[STYLE_UI_TAB_ACTIVE],
		  " after the plan ");
}

static void draw(struct app *a, const struct view *v)
{
	const struct forecast *after = NULL;
	struct map_frame f;

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	map_region_follow(a, v); /* a command may have moved the cursor */
	if (a->map.color == COLOR_BY_AGE)
		ages_want(a);
	if (a->map.view == VIEW_TABLE) {
		map_table_draw(a, v);
		return;
	}
	if (!map_frame_init(&f, a, v))
		return;
	if (a->map.after || f.rule.rows > 0)
		after = after_get(a);
	draw_map(a, &f, a->map_cache, f.rule.rows > 0 ? NULL : after, false);
	if (f.rule.rows > 0) {
		draw_split_rule(a, &f);
		draw_map(a, &f, a->map_cache ? map_cache_more(a->map_cache) : NULL, after,
			 true);
	}
	if (a->model && f.legend.cols >= SHARES_MIN_COLS)
		census_take(&a->census, a->model);
	map_legend_draw(a, &f);
}

const struct pane pane_map = {"Map", draw, map_key, map_mouse};
