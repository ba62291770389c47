/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pane_files.c - the sorted list of files. */
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "ui/cmd.h"
#include "ui/draw.h"
#include "ui/files.h"
#include "ui/map_look.h"
#include "ui/pane.h"

#define WIDE_COLS 70 /* from here on with first block and score */

/* A column of the list; width 0: takes the rest. */
struct column {
	const char *title;
	int sort; /* enum files_sort, or -1 */
	int col, width;
};
enum { COL_FRAG, COL_SIZE, COL_INO, COL_FIRST, COL_SCORE, COL_NAME, COL_COUNT };

/* Where there is little room the inode gives way to the name, unless it is the order. */
static void place_columns(struct column c[COL_COUNT], int cols, enum files_sort sort)
{
	static const struct column wide[COL_COUNT] = {
		{"FRAG", SORT_FRAGMENTS, 1, 6}, {"SIZE", SORT_SIZE, 8, 8},
		{"INO", SORT_INODE, 17, 9},	{"1ST BLK", SORT_FIRST, 27, 12},
		{"SCORE", SORT_SCORE, 40, 6},	{"NAME", SORT_NAME, 50, 0},
	};
	static const struct column slim[COL_COUNT] = {
		{"FRAG", SORT_FRAGMENTS, 1, 4},
		{"SIZE", SORT_SIZE, 7, 4},
		{NULL, -1, 0, 0},
		{NULL, -1, 0, 0},
		{NULL, -1, 0, 0},
		{"NAME", SORT_NAME, 14, 0},
	};

	memcpy(c, cols >= WIDE_COLS ? wide : slim, sizeof(wide));
	if (cols < WIDE_COLS && sort == SORT_INODE) {
		c[COL_INO] = (struct column){"INO", SORT_INODE, 12, 7};
		c[COL_NAME].col = 22;
	}
	c[COL_NAME].width = cols - c[COL_NAME].col;
}

/* Most fragments and largest first, all else from the smallest. */
static bool falls(const struct files *f)
{
	return files_sort_falls(f->sort) != f->reverse;
}

/* Which line of how many, or how far a new order is; returns where it begins. */
static int draw_count(const struct app *a, const struct view *v, struct style style,
		      int room)
{
	const struct files *f = a->files;
	char count[48];
	int len;

	if (files_busy(f) && f->list.n)
		snprintf(count, sizeof(count), "listing: %u %%", files_percent(f, a));
	else
		snprintf(count, sizeof(count), "%zu/%zu", f->list.n ? f->cursor + 1 : 0,
			 f->list.n);
	len = (int)strlen(count);
	if (room <= len)
		return v->cols;
	view_text(v, 0, v->cols - len - 1, style, count);
	return v->cols - len - 1;
}

/* What the list is limited to, in brackets. */
static void draw_filter(const struct app *a, const struct view *v, struct style style,
			int from, int to)
{
	struct str s = STR_INIT;

	str_addc(&s, '[');
	str_add_safe(&s, a->files->filter.source, strlen(a->files->filter.source));
	str_addc(&s, ']');
	if (to - from >= 6)
		view_field(v, 0, from, to - from, 0, style, s.buf);
	str_release(&s);
}

static void draw_head(const struct app *a, const struct view *v, const struct column *c)
{
	const struct files *f = a->files;
	struct style style =
		a->theme.styles[a->focus == FOCUS_FILES ? STYLE_UI_HEAD : STYLE_UI_DIM];
	wchar_t arrow = a->theme.utf8 ? (falls(f) ? L'\u25bc' : L'\u25b2')
				      : (falls(f) ? L'v' : L'^');
	struct view head = view_part(v, 0, 0, 1, v->cols);
	int right;

	view_fill(&head, L' ', style);
	if (a->focus == FOCUS_FILES)
		view_put(v, 0, 0, a->theme.utf8 ? L'\u25b8' : L'>', style);
	for (int i = 0; i < COL_COUNT; i++) {
		int end;

		if (!c[i].title)
			continue;
		end = i == COL_NAME ? c[i].col + (int)strlen(c[i].title)
				    : c[i].col + c[i].width;
		view_text(v, 0, end - (int)strlen(c[i].title), style, c[i].title);
		if (c[i].sort == (int)f->sort)
			view_put(v, 0, end, arrow, style);
	}
	right = draw_count(a, v, style, c[COL_NAME].width - 8);
	if (f->filter.terms.n)
		draw_filter(a, v, style, c[COL_NAME].col + 7, right - 1);
}

static double file_score(const struct model *m, inum_t ino, uint32_t ideal)
{
	struct run_list runs = {NULL, 0, 0};
	struct metrics one;

	memset(&one, 0, sizeof(one));
	if (model_runs(m, ino, &runs))
		metrics_count_file(&one, runs.v, runs.n, ideal, model_geom(m)->block_size,
				   1);
	vec_release(&runs);
	return metrics_layout_score(&one) * 100;
}

static struct style frag_style(const struct app *a, const struct file_info *info,
			       struct style plain)
{
	int id;

	if (info->fragments <= info->ideal)
		return plain;
	id = info->fragments >= 10 ? STYLE_UI_ERROR : STYLE_UI_WARN;
	plain.fg = a->theme.styles[id].fg;
	return plain;
}

/* A square in the colour that the file has on the map. */
static void draw_swatch(const struct app *a, const struct view *v, int row, int col,
			inum_t ino, const struct file_info *info, struct style plain)
{
	struct style s = look_file_style(&a->theme, ino, info->fragments > info->ideal);

	if (a->theme.depth == DEPTH_MONO)
		return;
	plain.fg = s.fg;
	if (ino == a->selected && a->map.spotlight)
		plain.fg = a->theme.styles[STYLE_MAP_SELECTED].fg;
	view_put(v, row, col, a->theme.utf8 ? L'\u25a0' : L'#', plain);
}

static void draw_line(const struct app *a, const struct view *v, int row,
		      const struct column *c, size_t index)
{
	inum_t ino = a->files->list.v[index];
	struct style style = a->theme.styles[STYLE_UI_TEXT], tag = style;
	struct view line = view_part(v, row, 0, 1, v->cols);
	struct file_info info;
	char text[64], num[NUM_TEXT_MAX];

	if (index == a->files->cursor)
		style = a->theme.styles[STYLE_UI_SELECTED];
	view_fill(&line, L' ', style);
	if (!model_file(a->model, ino, &info))
		return;
	tag = style;
	tag.fg = a->theme.styles[STYLE_UI_TAGGED].fg;
	if (app_is_tagged(a, ino))
		view_put(v, row, 0, L'*', tag);
	else if (index == a->files->cursor)
		view_put(v, row, 0, a->theme.utf8 ? L'\u25b8' : L'>', style);
	if (info.fragments > 9999 && c[COL_FRAG].width < 5)
		snprintf(text, sizeof(text), "%uk", info.fragments / 1000);
	else
		snprintf(text, sizeof(text), "%u", info.fragments);
	view_field(v, row, c[COL_FRAG].col, c[COL_FRAG].width, 1,
		   frag_style(a, &info, style), text);
	view_field(v, row, c[COL_SIZE].col, c[COL_SIZE].width, 1, style,
		   num_format_bytes(info.inode.size, num));
	if (c[COL_INO].title) {
		snprintf(text, sizeof(text), "%u", ino);
		view_field(v, row, c[COL_INO].col, c[COL_INO].width, 1, style, text);
	}
	if (c[COL_FIRST].title) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)info.first);
		view_field(v, row, c[COL_FIRST].col, c[COL_FIRST].width, 1, style,
			   info.first == BLKNO_NONE ? "-" : text);
		snprintf(text, sizeof(text), "%.1f",
			 file_score(a->model, ino, info.ideal));
		view_field(v, row, c[COL_SCORE].col, c[COL_SCORE].width, 1, style, text);
	}
	draw_swatch(a, v, row, c[COL_NAME].col - 2, ino, &info, style);
	draw_name_field(a, v, row, c[COL_NAME].col, ino, style);
}

/* Rows of the list in sight. */
static int list_rows(const struct view *v)
{
	return v->rows > 1 ? v->rows - 1 : 0;
}

static void show_cursor(struct files *f, int rows)
{
	size_t page = rows < 1 ? 1 : (size_t)rows;

	if (f->cursor >= f->list.n)
		f->cursor = f->list.n ? f->list.n - 1 : 0;
	if (f->top > f->cursor)
		f->top = f->cursor;
	if (f->cursor >= f->top + page)
		f->top = f->cursor - page + 1;
	/* No blank rows at the end while there are lines above. */
	if (f->top + page > f->list.n)
		f->top = f->list.n > page ? f->list.n - page : 0;
}

static void draw_empty(const struct app *a, const struct view *v)
{
	struct style dim = a->theme.styles[STYLE_UI_DIM];

	if (!a->open)
		view_text(v, 1, 1, dim, "no volume is open; :open PATH opens one");
	else if (!a->model)
		view_text(v, 1, 1, dim, "the files come when the scan is done");
	else if (files_busy(a->files))
		view_textf(v, 1, 1, dim, "listing the files: %u %%",
			   files_percent(a->files, a));
	else
		view_text(v, 1, 1, dim,
			  a->files->filter.terms.n
				  ? "no file is like that; :filter shows all"
				  : "no files");
}

static void draw(struct app *a, const struct view *v)
{
	struct column c[COL_COUNT];
	struct files *f = a->files;

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	if (!f)
		return;
	place_columns(c, v->cols, f->sort);
	draw_head(a, v, c);
	if (!a->model || f->list.n == 0) {
		draw_empty(a, v);
		return;
	}
	show_cursor(f, list_rows(v));
	for (int row = 0; row < list_rows(v) && f->top + (size_t)row < f->list.n; row++)
		draw_line(a, v, row + 1, c, f->top + (size_t)row);
}

/* The inspector and the spotlight follow the cursor of the list. */
static void cursor_to(struct app *a, int64_t at)
{
	struct files *f = a->files;

	f->cursor = (size_t)at;
	app_select(a, f->list.v[f->cursor], false);
}

static bool key(struct app *a, int k, int count, const struct view *v)
{
	struct files *f = a->files;
	int64_t at;

	if (!f || !a->model || f->list.n == 0)
		return false;
	at = (int64_t)f->cursor;
	if (!draw_list_key(k, count, list_rows(v), (int64_t)f->list.n - 1, &at))
		return false;
	cursor_to(a, at);
	return true;
}

static bool click_head(struct app *a, int col, const struct view *v)
{
	struct column c[COL_COUNT];
	char line[64];

	place_columns(c, v->cols, a->files->sort);
	for (int i = 0; i < COL_COUNT; i++) {
		if (!c[i].title || c[i].sort < 0 || col < c[i].col ||
		    col > c[i].col + c[i].width)
			continue;
		snprintf(line, sizeof(line), "sort %s%s",
			 files_sort_name((enum files_sort)c[i].sort),
			 c[i].sort == (int)a->files->sort && !a->files->reverse ? "-"
										: "");
		return cmd_run_line(a, line);
	}
	return false;
}

static bool mouse(struct app *a, const struct mouse *m, const struct view *v)
{
	struct files *f = a->files;
	size_t at;

	if (!f || !a->model)
		return false;
	if (m->kind == MOUSE_UP || m->kind == MOUSE_DOWN)
		return key(a, m->kind == MOUSE_UP ? KEY_UI_UP : KEY_UI_DOWN, 3, v);
	if (m->kind != MOUSE_PRESS && m->kind != MOUSE_DOUBLE)
		return false;
	if (m->row == 0)
		return click_head(a, m->col, v);
	at = f->top + (size_t)m->row - 1;
	if (at >= f->list.n)
		return false;
	cursor_to(a, (int64_t)at);
	if (m->kind == MOUSE_DOUBLE)
		app_select(a, f->list.v[at], true);
	return true;
}

const struct pane pane_files = {"Files", draw, key, mouse};
