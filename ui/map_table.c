/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * map_table.c - the map as a table: a row a block group, with a strip of its blocks and its
 * figures. The strip is a small map of its own: the same cells, a group a row.
 */
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "ui/draw.h"
#include "ui/groups.h"
#include "ui/map_frame.h"
#include "ui/map_look.h"
#include "ui/pane.h"

#define STRIP_MIN 8
#define STRIP_MAX 256

/* Figures right of the strip, from the most wanted on; what does not fit is left out. */
static const struct {
	const char *head;
	int width;
} columns[] = {{"USED", 5},    {"HOLES", 7}, {"FRAGS", 7},
	       {"LARGEST", 8}, {"FILES", 7}, {"PIECED", 7}};
#define COLUMNS ((int)(sizeof(columns) / sizeof(columns[0])))

struct table {
	struct view view;
	int gutter; /* columns of the group number */
	int strip;  /* of the strip */
	int shown;  /* figures that fit */
	int rows;   /* of groups */
};

static void table_init(struct table *t, const struct geom *g, const struct view *v)
{
	char text[NUM_TEXT_MAX];
	int digits = snprintf(text, sizeof(text), "%u", g->groups ? g->groups - 1 : 0);
	int room;

	t->view = *v;
	t->gutter = (digits < 3 ? 3 : digits) + 2;
	t->rows = v->rows - 1;
	room = v->cols - t->gutter - 1;
	t->shown = 0;
	while (t->shown < COLUMNS && room - columns[t->shown].width >= 2 * STRIP_MIN)
		room -= columns[t->shown++].width;
	t->strip = room < 0 ? 0 : room > STRIP_MAX ? STRIP_MAX : room;
}

static group_t cursor_group(const struct app *a, const struct geom *g)
{
	blkno_t b = a->map.cursor;

	if (b < g->first_block)
		b = g->first_block;
	return geom_group_of(g, b < g->blocks ? b : g->blocks - 1);
}

/* The first group on show, so that the cursor's is. */
static group_t table_top(const struct app *a, const struct geom *g, int rows)
{
	group_t at = cursor_group(a, g), top = a->map.table_top;
	group_t room = rows > 0 ? (group_t)rows : 1;
	group_t most = g->groups > room ? g->groups - room : 0;

	if (at < top)
		top = at;
	else if (at - top >= room)
		top = at - room + 1;
	return top < most ? top : most;
}

static void draw_head(const struct app *a, const struct table *t)
{
	struct style dim = a->theme.styles[STYLE_UI_DIM];
	int col = t->gutter + t->strip + 1;

	view_field(&t->view, 0, 0, t->gutter - 2, 1, dim, "GRP");
	view_text(&t->view, 0, t->gutter, dim, t->strip >= 16 ? "BLOCKS" : "");
	for (int i = 0; i < t->shown; i++) {
		view_field(&t->view, 0, col, columns[i].width - 1, 1, dim,
			   columns[i].head);
		col += columns[i].width;
	}
}

static void figure_text(const struct group_stat *s, int column, char *out, size_t size)
{
	uint32_t used = s->blocks - s->free;
	uint32_t values[] = {0,		 s->holes, s->fragments,
			     s->largest, s->files, s->in_pieces};
	char num[NUM_TEXT_MAX];

	if (column == 0)
		snprintf(out, size, "%u%%", (uint32_t)(100ull * used / s->blocks));
	else
		snprintf(out, size, "%s", num_format_count(values[column], num));
}

static void draw_figures(struct app *a, const struct table *t, int row, group_t group,
			 struct style style)
{
	const struct group_stat *s = groups_get(a->groups, a->model, group);
	int col = t->gutter + t->strip + 1;
	char text[NUM_TEXT_MAX + 4];

	if (row > 0 && style.bg != a->theme.styles[STYLE_UI_TEXT].bg) {
		struct view rest = view_part(&t->view, row, col - 1, 1, t->view.cols);

		view_fill(&rest, L' ', style);
	}
	for (int i = 0; s && i < t->shown; i++) {
		figure_text(s, i, text, sizeof(text));
		view_field(&t->view, row, col, columns[i].width - 1, 1, style, text);
		col += columns[i].width;
	}
}

/* The strips of all rows on show, in one map. */
static void draw_strips(struct app *a, const struct table *t, group_t top)
{
	const struct geom *g = model_geom(a->model);
	int rows = g->groups - top < (group_t)t->rows ? (int)(g->groups - top) : t->rows;
	struct view v = view_part(&t->view, 1, t->gutter, rows, t->strip);
	struct map_cache *cache = map_cache_more(a->map_cache);
	const struct map_cell *cells;
	struct map_layout l;
	struct look_context x;

	if (v.rows < 1 || v.cols < 1 || !cache)
		return;
	map_layout_init(&l, g, MAP_GROUPS, v.rows, v.cols,
			(g->blocks_per_group + (uint32_t)v.cols - 1) / (uint32_t)v.cols,
			geom_group_start(g, top));
	if (l.linear) /* more groups than rows: still a group a row */
		l.linear = false, l.top = geom_group_start(g, top);
	map_cache_foretell(cache, NULL);
	cells = map_cache_update(cache, a, &l, num_now_ms());
	look_begin(&x, a, a->theme.depth == DEPTH_256);
	for (int row = 0; cells && row < l.rows; row++)
		for (int col = 0; col < l.cols; col++) {
			const struct map_cell *c = &cells[row * l.cols + col];
			struct range r = map_layout_cell(&l, row, col);
			bool cursor = a->map.cursor >= r.start &&
				      a->map.cursor - r.start < r.len;
			struct look look = look_cell(&x, c, cursor);

			view_put(&v, row, col,
				 a->theme.utf8 && a->theme.depth == DEPTH_256 &&
						 c->class != STYLE_MAP_OUTSIDE
					 ? L' '
					 : look.glyph,
				 look.style);
		}
}

void map_table_draw(struct app *a, const struct view *v)
{
	struct style plain = a->theme.styles[STYLE_UI_TEXT];
	struct style number = a->theme.styles[STYLE_UI_GUTTER];
	wchar_t mark = a->theme.utf8 ? L'\u25b6' : L'>';
	const struct geom *g;
	struct table t;
	group_t at, top;
	char text[NUM_TEXT_MAX];

	if (!a->model || v->rows < 2 || v->cols < 12) {
		view_text(v, 0, 1, plain, a->model ? "" : "the volume is being read");
		return;
	}
	g = model_geom(a->model);
	table_init(&t, g, v);
	at = cursor_group(a, g);
	top = a->map.table_top = table_top(a, g, t.rows);
	draw_head(a, &t);
	draw_strips(a, &t, top);
	for (int row = 0; row < t.rows && top + (group_t)row < g->groups; row++) {
		group_t group = top + (group_t)row;
		bool here = group == at;

		snprintf(text, sizeof(text), "%u", group);
		view_field(v, row + 1, 0, t.gutter - 2, 1, here ? plain : number, text);
		view_put(v, row + 1, t.gutter - 1, here ? mark : L' ', number);
		draw_figures(a, &t, row + 1, group,
			     here ? a->theme.styles[STYLE_UI_SELECTED] : plain);
	}
}

/* --- keys and mouse --- */

static void go_group(struct app *a, int64_t group)
{
	const struct geom *g = model_geom(a->model);

	if (group < 0)
		group = 0;
	if (group >= g->groups)
		group = (int64_t)g->groups - 1;
	a->map.cursor = geom_group_start(g, (group_t)group);
}

/* By rows; the cursor is taken along only as far as it must. */
static void scroll(struct app *a, const struct table *t, int step, int count)
{
	const struct geom *g = model_geom(a->model);
	int64_t top = (int64_t)a->map.table_top + (int64_t)step * count;
	int64_t at = cursor_group(a, g), most = (int64_t)g->groups - t->rows;

	if (top > most)
		top = most;
	if (top < 0)
		top = 0;
	a->map.table_top = (group_t)top;
	if (at < top)
		go_group(a, top);
	else if (at >= top + t->rows)
		go_group(a, top + t->rows - 1);
}

bool map_table_key(struct app *a, int key, int count, const struct view *v)
{
	struct table t;
	int64_t at;

	if (!a->model)
		return false;
	table_init(&t, model_geom(a->model), v);
	if (key == '\r' || key == '\n' || key == '+') { /* nearer */
		a->map.view = VIEW_GROUPS;
		return true;
	}
	at = cursor_group(a, model_geom(a->model));
	if (key == KEY_CTRL('e') || key == KEY_CTRL('y')) {
		scroll(a, &t, key == KEY_CTRL('e') ? 1 : -1, count < 1 ? 1 : count);
		return true;
	}
	if (key == 'g' || key == 'G' || key == KEY_UI_HOME || key == KEY_UI_END ||
	    !draw_list_key(key, count, t.rows, (int64_t)model_geom(a->model)->groups - 1,
			   &at))
		return false;
	go_group(a, at);
	return true;
}

bool map_table_mouse(struct app *a, const struct mouse *m, const struct view *v)
{
	struct table t;
	int64_t top;

	if (!a->model || m->kind == MOUSE_RELEASE)
		return false;
	table_init(&t, model_geom(a->model), v);
	top = table_top(a, model_geom(a->model), t.rows);
	if (m->kind == MOUSE_UP || m->kind == MOUSE_DOWN)
		go_group(a, (int64_t)cursor_group(a, model_geom(a->model)) +
				    (m->kind == MOUSE_UP ? -3 : 3));
	else if (m->row >= 1)
		go_group(a, top + m->row - 1);
	if (m->kind == MOUSE_DOUBLE)
		a->map.view = VIEW_GROUPS;
	return true;
}
