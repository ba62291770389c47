/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pane_map.c - draws the block map: cells, the gutter with group numbers, the legend. */
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "ui/map_frame.h"
#include "ui/map_look.h"
#include "ui/pane.h"

#define GUTTER_MIN_COLS 24 /* narrower views have none */
#define LEGEND_MIN_ROWS 6

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

bool map_frame_init(struct map_frame *f, const struct app *a, const struct view *v)
{
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
	f->gutter = view_part(v, 0, 0, v->rows - legend, gutter);
	f->cells = view_part(v, 0, gutter, v->rows - legend, v->cols - gutter);
	f->legend = view_part(v, v->rows - legend, 0, legend, v->cols);
	map_layout_init(&f->layout, g, f->cells.rows * (f->half ? 2 : 1), f->cells.cols,
			a->map.blocks_per_cell, a->map.top);
	top = map_layout_scroll_to(&f->layout, map_frame_cursor(f, a));
	if (top != f->layout.top)
		map_layout_init(&f->layout, g, f->layout.rows, f->layout.cols,
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
static void draw_cells(struct app *a, const struct map_frame *f,
		       const struct map_cell *cells)
{
	const struct map_layout *l = &f->layout;
	struct look_context x;
	int cursor_row = -1, cursor_col = -1;

	look_begin(&x, a, a->theme.depth == DEPTH_256 && !f->half);
	map_layout_find(l, map_frame_cursor(f, a), &cursor_row, &cursor_col);
	for (int row = 0; row < l->rows; row++) {
		const struct map_cell *line = cells + (size_t)row * (size_t)l->cols;

		for (int col = 0; col < l->cols; col++) {
			bool cursor = row == cursor_row && col == cursor_col;
			struct look look = look_cell(&x, &line[col], cursor);

			if (!f->half) {
				view_put(&f->cells, row, col, look.glyph, look.style);
			} else if (row % 2 == 0) {
				put_halves(&f->cells, row / 2, col, look.style.fg,
					   look.style.fg);
			} else {
				const struct cell *above =
					&f->cells.canvas
						 ->cells[(f->cells.row + row / 2) *
								 f->cells.canvas->cols +
							 f->cells.col + col];

				put_halves(&f->cells, row / 2, col, above->style.bg,
					   look.style.fg);
			}
		}
	}
}

static void draw_gutter(const struct app *a, const struct map_frame *f)
{
	struct style number = a->theme.styles[STYLE_UI_GUTTER];
	struct style rule = a->theme.styles[STYLE_UI_RULE];
	wchar_t line = a->theme.utf8 ? L'\u2502' : L'|';
	int width = f->gutter.cols - 2, cursor = -1, col;

	/* Where the cursor is must be seen by every eye, whatever its colour. */
	map_layout_find(&f->layout, map_frame_cursor(f, a), &cursor, &col);
	if (f->half && cursor >= 0)
		cursor /= 2;
	for (int row = 0; row < f->gutter.rows && width > 0; row++) {
		int64_t group = map_layout_row_group(&f->layout, f->half ? row * 2 : row);
		char text[NUM_TEXT_MAX] = "";

		if (f->half && group < 0)
			group = map_layout_row_group(&f->layout, row * 2 + 1);
		if (group >= 0)
			snprintf(text, sizeof(text), "%lld", (long long)group);
		view_field(&f->gutter, row, 0, width, 1, number, text);
		view_put(&f->gutter, row, width, L' ', number);
		view_put(&f->gutter, row, width + 1, line, rule);
		if (row == cursor)
			view_put(&f->gutter, row, width + 1,
				 a->theme.utf8 ? L'\u25b6' : L'>', number);
	}
}

/* --- legend --- */

struct legend {
	const struct app *app;
	const struct view *view;
	bool solid; /* swatches of colour rather than glyphs */
	int col, limit;
};

static void legend_swatch(struct legend *g, const struct look *look, int width)
{
	if (g->app->theme.depth == DEPTH_256 && g->solid) {
		struct style s = {look->style.fg, COLOR_DEFAULT, 0};

		while (width-- > 0)
			view_put(g->view, 0, g->col++, L'\u2588', s);
	} else {
		view_put(g->view, 0, g->col++, look->glyph, look->style);
	}
}

/* Adds swatches and a word; false if they do not fit any more. */
static bool legend_add(struct legend *g, const struct look *looks, int n,
		       const char *word)
{
	struct style text = g->app->theme.styles[STYLE_UI_DIM];
	int each = n == 1 && g->solid && g->view->cols >= 100 ? 2 : 1;

	if (g->col + n * each + 1 + text_width(word) > g->limit)
		return false;
	for (int i = 0; i < n; i++)
		legend_swatch(g, &looks[i], each);
	if (g->solid || g->app->theme.utf8)
		g->col++;
	g->col = view_text(g->view, 0, g->col, text, word) + 1;
	return true;
}

static bool legend_class(struct legend *g, int id, const char *word)
{
	struct look look = {g->app->theme.styles[id], g->app->theme.glyphs[id]};

	return legend_add(g, &look, 1, word);
}

/* The tones that a kind of file can have. */
static bool legend_files(struct legend *g, bool fragmented, const char *word)
{
	const struct theme *t = &g->app->theme;
	int id = fragmented ? STYLE_MAP_FRAGMENTED : STYLE_MAP_CONTIGUOUS;
	int n = fragmented ? t->vivid_count : t->calm_count;
	struct look looks[4];

	n = n > 3 && g->view->cols < 100 ? 3 : n > 4 ? 4 : n;
	if (fragmented && !g->solid) {
		/* Each file has a letter of its own. */
		if (g->col + 4 + text_width(word) > g->limit)
			return false;
		g->col = view_text(g->view, 0, g->col, t->styles[id], "a-z") + 1;
		g->col = view_text(g->view, 0, g->col, t->styles[STYLE_UI_DIM], word) + 1;
		return true;
	}
	if (n == 0 || !g->solid)
		return legend_class(g, id, word);
	for (int i = 0; i < n; i++) {
		looks[i].style = t->styles[id];
		looks[i].style.fg = fragmented ? t->vivid[i][0] : t->calm[i];
		looks[i].glyph = t->glyphs[id];
	}
	return legend_add(g, looks, n, word);
}

static void legend_heat(struct legend *g)
{
	const struct theme *t = &g->app->theme;
	int steps = t->heat_count > 0 ? t->heat_count : 2;

	for (int i = 0; i < steps; i++) {
		int id = i ? STYLE_MAP_FRAGMENTED : STYLE_MAP_CONTIGUOUS;
		struct look look = {t->styles[id], t->glyphs[id]};
		char word[40];

		if (t->heat_count > 0)
			look.style.fg = t->heat[i];
		if (i > 0)
			look.glyph = i == 1 ? L'2' : i == 2 ? L'4' : L'*';
		if (i == 0)
			snprintf(word, sizeof(word), "contiguous");
		else if (i + 1 == steps)
			snprintf(word, sizeof(word), "%u+ fragments", look_heat_from(i));
		else
			snprintf(word, sizeof(word), "%u-%u", look_heat_from(i),
				 look_heat_from(i + 1) - 1);
		if (!legend_add(g, &look, 1, word))
			return;
	}
}

static void legend_usage(struct legend *g)
{
	const struct theme *t = &g->app->theme;
	struct look looks[THEME_RAMP_MAX];

	for (int i = 0; i < t->usage_count; i++) {
		looks[i].style = t->styles[STYLE_MAP_FREE];
		looks[i].style.fg = t->usage[i];
		looks[i].glyph = t->utf8 ? L'\u2588' : L'#';
	}
	if (!g->solid) {
		looks[0].style = t->styles[STYLE_MAP_FREE];
		looks[0].glyph = t->utf8 ? L'\u00b7' : L'.';
		legend_add(g, looks, 1,
			   t->utf8 ? "free \u2591 \u2592 \u2593 \u2588 full"
				   : "free : + x # full");
		return;
	}
	if (legend_class(g, STYLE_MAP_FREE, "free"))
		legend_add(g, looks, t->usage_count, "full");
}

/* Words in order of use: what does not fit is left out from the end. */
static void legend_kinds(struct legend *g)
{
	const struct app *a = g->app;
	bool by_file = a->map.color == COLOR_BY_FILE;

	if (!legend_class(g, STYLE_MAP_FREE, "free") ||
	    !legend_class(g, STYLE_MAP_META, "meta") ||
	    !legend_class(g, STYLE_MAP_DIR, "dir") ||
	    !legend_class(g, STYLE_MAP_JOURNAL, "journal"))
		return;
	if (a->map.color == COLOR_BY_FRAG) {
		legend_heat(g);
		return;
	}
	if (!(by_file ? legend_files(g, false, "contiguous")
		      : legend_class(g, STYLE_MAP_CONTIGUOUS, "contiguous")) ||
	    !(by_file ? legend_files(g, true, "fragmented")
		      : legend_class(g, STYLE_MAP_FRAGMENTED, "fragmented")))
		return;
	if (!by_file && a->plan)
		if (!legend_class(g, STYLE_MAP_SOURCE, "from") ||
		    !legend_class(g, STYLE_MAP_DESTINATION, "to"))
			return;
	if (a->selected != 0 && !legend_class(g, STYLE_MAP_SELECTED, "selected"))
		return;
	if (a->tags.n > 0 && !legend_class(g, STYLE_MAP_MARKED, "tagged"))
		return;
	if (legend_class(g, STYLE_MAP_CURSOR, "cursor"))
		legend_class(g, STYLE_MAP_TREE, "tree");
}

static void legend_spotlight(struct legend *g)
{
	if (legend_class(g, STYLE_MAP_SELECTED, "selected file") &&
	    legend_class(g, STYLE_MAP_DIMMED, "others") &&
	    legend_class(g, STYLE_MAP_FREE, "free"))
		legend_class(g, STYLE_MAP_CURSOR, "cursor");
}

/* Doublings from fit down to this scale. */
static int zoom_level(const struct map_frame *f)
{
	const struct map_layout *l = &f->layout;
	uint64_t fit = map_layout_fit(l->geom, l->rows, l->cols);
	int level = 0;

	while (fit > l->blocks_per_cell) {
		fit = (fit + 1) / 2;
		level++;
	}
	while (fit < l->blocks_per_cell) {
		fit *= 2;
		level--;
	}
	return level;
}

static void draw_legend(const struct app *a, const struct map_frame *f)
{
	struct legend g = {a, &f->legend, a->theme.utf8 && a->theme.depth == DEPTH_256,
			   f->gutter.cols, f->legend.cols};
	uint64_t scale = f->layout.blocks_per_cell;
	char text[80];

	if (f->legend.rows < 1)
		return;
	snprintf(text, sizeof(text), "1 cell = %llu block%s, zoom %d",
		 (unsigned long long)scale, scale == 1 ? "" : "s", zoom_level(f));
	if (f->legend.cols < 110)
		snprintf(text, sizeof(text), "%llu blk/cell z%d",
			 (unsigned long long)scale, zoom_level(f));
	view_fill(&f->legend, L' ', a->theme.styles[STYLE_UI_TEXT]);
	g.limit = f->legend.cols - text_width(text) - 1;
	if (a->map.spotlight && a->selected != 0)
		legend_spotlight(&g);
	else if (a->map.color == COLOR_BY_USAGE)
		legend_usage(&g);
	else
		legend_kinds(&g);
	view_text(&f->legend, 0, f->legend.cols - text_width(text),
		  a->theme.styles[STYLE_UI_DIM], text);
}

static void draw(struct app *a, const struct view *v)
{
	struct map_frame f;
	const struct map_cell *cells = NULL;

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	if (!map_frame_init(&f, a, v))
		return;
	if (a->map_cache)
		cells = map_cache_update(a->map_cache, a, &f.layout, num_now_ms());
	if (cells)
		draw_cells(a, &f, cells);
	draw_gutter(a, &f);
	draw_legend(a, &f);
}

const struct pane pane_map = {"Map", draw, map_key, map_mouse};
