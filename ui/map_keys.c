/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * map_keys.c - moving about on the map, by key and by mouse.
 *
 * The cursor is a block number: it stays on its block when the view is resized or zoomed.
 * Every move ends in map_cursor_set(), which also scrolls.
 */
#include <stdlib.h>
#include "ui/map_frame.h"
#include "ui/pane.h"
#include "ui/place.h"

void map_cursor_set(struct app *a, const struct view *v, blkno_t block)
{
	struct map_frame f;

	a->map.cursor = block;
	if (map_frame_init(&f, a, v)) {
		a->map.cursor = map_frame_cursor(&f, a);
		a->map.top = f.layout.top;
	}
}

/* --- the region --- */

/* What a region grows by: a cell, in the table a block group. */
static struct range step_at(const struct app *a, const struct map_frame *f, blkno_t b)
{
	const struct geom *g = f->layout.geom;
	struct range r = map_layout_cell_of(&f->layout, b);
	group_t group = (group_t)((r.start - g->first_block) / g->blocks_per_group);

	if (a->map.view != VIEW_TABLE)
		return r;
	r.start = g->first_block + (blkno_t)group * g->blocks_per_group;
	r.len = g->blocks - r.start;
	if (r.len > g->blocks_per_group)
		r.len = g->blocks_per_group;
	return r;
}

void map_region_follow(struct app *a, const struct view *v)
{
	struct map_frame f;
	struct range here, there;

	if (!a->map.selecting || !map_frame_init(&f, a, v))
		return;
	here = step_at(a, &f, a->map.cursor);
	there = step_at(a, &f, a->map.anchor);
	a->map.region.start = here.start < there.start ? here.start : there.start;
	a->map.region.len = (here.start < there.start ? there.start + there.len
						      : here.start + here.len) -
			    a->map.region.start;
}

/* v begins a region, ends it, and drops it. */
static void key_region(struct app *a, const struct view *v)
{
	if (a->map.selecting) {
		a->map.selecting = false;
	} else if (a->map.region.len > 0) {
		region_clear(a);
	} else {
		a->message[0] = '\0'; /* the region is told of in its place */
		a->map.selecting = true;
		a->map.anchor = a->map.cursor;
		map_region_follow(a, v);
	}
}

/* --- zoom --- */

static void set_scale(struct app *a, const struct view *v, const struct map_frame *old,
		      uint64_t blocks_per_cell)
{
	struct map_frame f;
	int row = 0, col = 0;

	/* The cursor stays in its place on the screen. */
	map_layout_find(&old->layout, a->map.cursor, &row, &col);
	a->map.blocks_per_cell = blocks_per_cell;
	if (!map_frame_init(&f, a, v))
		return;
	a->map.top = map_layout_step(&f.layout, a->map.cursor, -row, 0);
	map_cursor_set(a, v, a->map.cursor);
}

static void zoom_in(struct app *a, const struct view *v, const struct map_frame *f)
{
	if (f->layout.blocks_per_cell > 1) {
		set_scale(a, v, f, (f->layout.blocks_per_cell + 1) / 2);
	} else if (f->half) {
		a->map.glyphs = true;
		set_scale(a, v, f, 1);
	}
}

static void zoom_out(struct app *a, const struct view *v, const struct map_frame *f)
{
	uint64_t next = f->layout.blocks_per_cell * 2;

	if (a->map.glyphs) {
		a->map.glyphs = false;
		next = 1;
	}
	if (next >= map_layout_fit(&f->layout))
		next = 0;
	set_scale(a, v, f, next);
}

static bool key_zoom(struct app *a, int key, int count, const struct view *v)
{
	struct map_frame f;

	for (int i = 0; i < (count < 1 ? 1 : count) && i < 64; i++) {
		if (!map_frame_init(&f, a, v))
			break;
		if (key == '+')
			zoom_in(a, v, &f);
		else if (key == '-')
			zoom_out(a, v, &f);
	}
	if (key == '=' && map_frame_init(&f, a, v)) {
		a->map.glyphs = false;
		set_scale(a, v, &f, 0);
	}
	return key == '+' || key == '-' || key == '=';
}

/* --- by cells, rows, groups --- */

static blkno_t row_end(const struct map_frame *f, blkno_t b, bool last)
{
	struct range best = {b, 0};
	int row, col;

	if (!map_layout_find(&f->layout, b, &row, &col))
		return b;
	if (!last)
		return map_layout_cell(&f->layout, row, 0).start;
	for (col = f->layout.cols - 1; col > 0 && best.len == 0; col--)
		best = map_layout_cell(&f->layout, row, col);
	return best.len > 0 ? best.start : b;
}

static blkno_t group_step(const struct geom *g, blkno_t b, int steps)
{
	group_t now = (group_t)((b - g->first_block) / g->blocks_per_group);
	blkno_t start = g->first_block + (blkno_t)now * g->blocks_per_group;
	int64_t to = (int64_t)now + steps;

	if (steps < 0 && b != start)
		to++;
	if (to < 0)
		to = 0;
	if (to >= g->groups)
		to = (int64_t)g->groups - 1;
	return g->first_block + (blkno_t)to * g->blocks_per_group;
}

/* G without a count: the last block; with one: the start of that group. */
static blkno_t go_group(const struct geom *g, int count)
{
	if (count <= 0)
		return g->blocks - 1;
	return g->first_block +
	       (blkno_t)((group_t)count < g->groups ? (group_t)count : g->groups - 1) *
		       g->blocks_per_group;
}

/* Screen rows as map rows. */
static int page_rows(const struct map_frame *f, bool half_page)
{
	int rows = f->layout.rows / (half_page ? 2 : 1);

	if (!half_page && rows > 2)
		rows -= f->half ? 2 : 1;
	return rows > 0 ? rows : 1;
}

/* The far steps: row ends, groups, the ends of the volume. BLKNO_NONE: none of them. */
static blkno_t far_step(struct app *a, const struct map_frame *f, int key, int count,
			blkno_t b)
{
	const struct geom *g = f->layout.geom;
	int n = count < 1 ? 1 : count;

	switch (key) {
	case '0':
	case KEY_UI_HOME:
		return row_end(f, b, false);
	case '$':
	case KEY_UI_END:
		return row_end(f, b, true);
	case '{':
		return group_step(g, b, -n);
	case '}':
		return group_step(g, b, n);
	case 'g':
		mark_jump(a, b);
		return g->first_block;
	case 'G':
		mark_jump(a, b);
		return go_group(g, count);
	default:
		return BLKNO_NONE;
	}
}

/* Scrolls by map rows; the cursor is taken along only as far as it must. */
static bool key_scroll(struct app *a, int key, int count, const struct view *v)
{
	struct map_frame f;
	struct map_layout moved;
	int rows, row, col;

	if ((key != KEY_CTRL('e') && key != KEY_CTRL('y')) || !map_frame_init(&f, a, v))
		return false;
	rows = (count < 1 ? 1 : count > 10000 ? 10000 : count) * (f.half ? 2 : 1);
	if (key == KEY_CTRL('y'))
		rows = -rows;
	map_layout_init(&moved, f.layout.geom, f.layout.order, f.layout.rows,
			f.layout.cols, a->map.blocks_per_cell,
			map_layout_step(&f.layout, f.layout.top, rows, 0));
	a->map.top = moved.top;
	if (!map_layout_find(&moved, a->map.cursor, &row, &col) &&
	    moved.top != f.layout.top)
		map_cursor_set(a, v, map_layout_step(&f.layout, a->map.cursor, rows, 0));
	return true;
}

static bool key_step(struct app *a, int key, int count, const struct view *v)
{
	struct map_frame f;
	const struct map_layout *l = &f.layout;
	int n = count < 1 ? 1 : count > 1000000 ? 1000000 : count;
	blkno_t b;

	if (!map_frame_init(&f, a, v))
		return false;
	b = map_frame_cursor(&f, a);
	switch (key) {
	case 'h':
	case KEY_UI_LEFT:
		b = map_layout_step(l, b, 0, -n);
		break;
	case 'l':
	case KEY_UI_RIGHT:
		b = map_layout_step(l, b, 0, n);
		break;
	case 'k':
	case KEY_UI_UP:
		b = map_layout_step(l, b, -n, 0);
		break;
	case 'j':
	case KEY_UI_DOWN:
		b = map_layout_step(l, b, n, 0);
		break;
	case KEY_UI_PGUP:
		b = map_layout_step(l, b, -page_rows(&f, false), 0);
		break;
	case KEY_UI_PGDN:
		b = map_layout_step(l, b, page_rows(&f, false), 0);
		break;
	case KEY_CTRL('u'):
		b = map_layout_step(l, b, -page_rows(&f, true), 0);
		break;
	case KEY_CTRL('d'):
		b = map_layout_step(l, b, page_rows(&f, true), 0);
		break;
	default:
		b = far_step(a, &f, key, count, b);
		if (b == BLKNO_NONE)
			return false;
	}
	map_cursor_set(a, v, b);
	return true;
}

/* --- acting on the file under the cursor --- */

/* The map of what the plan will make: in place of the map of now, or below it. */
static void key_after(struct app *a, int key)
{
	if (!a->plan) {
		app_say(a, "there is no plan to look at; d plans the file at hand");
		return;
	}
	if (key == 'A')
		a->map.after = !a->map.after;
	else
		a->map.split = !a->map.split;
	if (a->map.view == VIEW_TABLE)
		a->map.view = VIEW_GROUPS;
}

static bool key_act(struct app *a, int key, const struct view *v)
{
	inum_t ino = map_file_under(a);

	switch (key) {
	case 'v':
		key_region(a, v);
		return true;
	case 'x':
		if (a->map.pick.len > 0)
			pick_drop(a);
		else
			pick_up(a);
		return true;
	case 'z':
		a->map.spotlight = !a->map.spotlight;
		return true;
	case 'c':
		a->map.color = (enum app_color)((a->map.color + 1) % COLOR_MODES);
		if (a->map.color == COLOR_BY_PLAN && !a->plan)
			a->map.color = COLOR_BY_FILE;
		return true;
	case 'V':
		a->map.view = (enum app_view)((a->map.view + 1) % VIEW_COUNT);
		return true;
	case 'A':
	case '|':
		key_after(a, key);
		return true;
	case '\r':
	case '\n':
	case '*':
		if (key != '*' && a->map.pick.len > 0)
			pick_drop(a);
		else if (ino != 0)
			app_select(a, ino, false);
		return true;
	case ' ':
		if (ino != 0 && !app_tag(a, ino, !app_is_tagged(a, ino)))
			app_say(a, "out of memory: not tagged");
		return true;
	default:
		return false;
	}
}

bool map_key(struct app *a, int key, int count, const struct view *v)
{
	return (a->map.view == VIEW_TABLE && map_table_key(a, key, count, v)) ||
	       key_step(a, key, count, v) || key_scroll(a, key, count, v) ||
	       key_zoom(a, key, count, v) || map_key_seek(a, key, count, v) ||
	       map_key_fragment(a, key, count, v) || key_act(a, key, v);
}

/* The block at a place of the view; BLKNO_NONE: no cell there. */
static blkno_t block_at(const struct map_frame *f, int row, int col)
{
	struct range r;

	if (row > f->cells.rows && row <= f->cells.rows + f->cells_after.rows)
		row -= f->cells.rows + 1;
	if (row < 0 || row >= f->cells.rows)
		return BLKNO_NONE;
	col -= f->gutter.cols;
	r = map_layout_cell(&f->layout, f->half ? row * 2 : row, col);
	if (r.len == 0 && f->half)
		r = map_layout_cell(&f->layout, row * 2 + 1, col);
	return r.len > 0 ? r.start : BLKNO_NONE;
}

/* A drag selects from where the button went down; a click lets go of a region. */
static void mouse_region(struct app *a, const struct mouse *m, blkno_t block)
{
	if (m->kind == MOUSE_PRESS)
		region_clear(a);
	if (m->kind == MOUSE_DRAG && !a->map.dragging && block != a->map.cursor) {
		a->message[0] = '\0';
		a->map.dragging = a->map.selecting = true;
		a->map.anchor = a->map.cursor;
	}
}

bool map_mouse(struct app *a, const struct mouse *m, const struct view *v)
{
	struct map_frame f;
	blkno_t b;

	if (a->map.view == VIEW_TABLE)
		return map_table_mouse(a, m, v);
	if (m->kind == MOUSE_RELEASE || !map_frame_init(&f, a, v))
		return false;
	b = block_at(&f, m->row, m->col);
	if (b == BLKNO_NONE)
		return false;
	mouse_region(a, m, b);
	map_cursor_set(a, v, b);
	map_region_follow(a, v);
	if (m->kind == MOUSE_DOUBLE && map_file_under(a) != 0)
		app_select(a, map_file_under(a), false);
	if (m->kind == MOUSE_UP || m->kind == MOUSE_DOWN)
		key_zoom(a, m->kind == MOUSE_UP ? '+' : '-', 1, v);
	return true;
}
