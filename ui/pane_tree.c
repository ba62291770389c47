/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pane_tree.c - directories with what reading them costs, hot ones first. */
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "ui/draw.h"
#include "ui/pane.h"
#include "ui/tree.h"

#define WIDE_COLS 100
#define ROOT	  2

/* A column; width 0: takes the rest. */
struct column {
	const char *title;
	enum tree_sort sort;
	int col, width;
};
enum {
	COL_HEAT,
	COL_BAR,
	COL_EXCESS,
	COL_READ,
	COL_FRAG,
	COL_SIZE,
	COL_FILES,
	COL_AGE,
	COL_NAME,
	COL_COUNT
};

static const struct column wide[COL_COUNT] = {
	{"HEAT", TREE_HEAT, 1, 8},	 {NULL, TREE_HEAT, 10, 10},
	{"EXCESS", TREE_EXCESS, 21, 8},	 {"READ", TREE_READ, 31, 8},
	{"FRAG", TREE_FRAGMENTS, 41, 7}, {"SIZE", TREE_BLOCKS, 50, 6},
	{"FILES", TREE_FILES, 58, 8},	 {"USED", TREE_SORTS, 68, 6},
	{"NAME", TREE_NAME, 76, 0},
};
static const struct column slim[COL_COUNT] = {
	{"HEAT", TREE_HEAT, 1, 7},	 {NULL, TREE_HEAT, 9, 6},
	{"EXCESS", TREE_EXCESS, 16, 7},	 {NULL, TREE_READ, 0, 0},
	{"FRAG", TREE_FRAGMENTS, 25, 6}, {"SIZE", TREE_BLOCKS, 33, 5},
	{NULL, TREE_FILES, 0, 0},	 {NULL, TREE_SORTS, 0, 0},
	{"NAME", TREE_NAME, 41, 0},
};

static const struct column *columns(const struct view *v)
{
	return v->cols >= WIDE_COLS ? wide : slim;
}

static int list_rows(const struct view *v)
{
	return v->rows > 2 ? v->rows - 2 : 0;
}

/* "12.3s", "850ms", "-": at most six columns. */
static void format_ms(double ms, char out[16])
{
	if (ms < 0.05)
		snprintf(out, 16, "-");
	else if (ms < 999.5)
		snprintf(out, 16, "%.*fms", ms < 9.95 ? 1 : 0, ms);
	else
		snprintf(out, 16, "%.*fs", ms < 99950 ? 1 : 0, ms / 1000);
}

static void format_age(double days, char out[16])
{
	if (days < 0)
		snprintf(out, 16, "-");
	else if (days < 1)
		snprintf(out, 16, "today");
	else if (days < 999)
		snprintf(out, 16, "%.0fd", days);
	else
		snprintf(out, 16, "%.1fy", days / 365.25);
}

/* Where we are, and what the whole of it costs. */
static void draw_title(struct app *a, const struct view *v)
{
	const struct tree *t = a->tree;
	const struct rollup_row *r = rollup_dir(&t->dirs, t->flat ? ROOT : t->dir);
	struct style text = a->theme.styles[STYLE_UI_TAB_ACTIVE];
	char read[16], excess[16], num[NUM_TEXT_MAX];
	struct str s = STR_INIT;
	int col = 1;

	if (t->flat)
		str_add(&s, "all directories");
	else if (t->dir == ROOT)
		str_add(&s, "/");
	else
		draw_name(a, t->dir, &s);
	col = view_text(v, 0, col, text, s.buf) + 2;
	str_release(&s);
	if (!r)
		return;
	format_ms(r->read_ms, read);
	format_ms(r->excess_ms, excess);
	col = view_textf(v, 0, col, a->theme.styles[STYLE_UI_TEXT],
			 "%s files, read in %s, %s of it seeks",
			 num_format_count(r->files, num), read, excess);
	view_textf(v, 0, col + 2, a->theme.styles[STYLE_UI_DIM], "heat by %s",
		   t->traced ? "trace" : "last use");
}

static void draw_head(const struct app *a, const struct view *v)
{
	const struct column *c = columns(v);
	struct style style =
		a->theme.styles[a->focus == FOCUS_BOTTOM ? STYLE_UI_HEAD : STYLE_UI_DIM];
	struct view head = view_part(v, 1, 0, 1, v->cols);

	view_fill(&head, L' ', style);
	for (int i = 0; i < COL_COUNT; i++) {
		int len, end;

		if (!c[i].title)
			continue;
		len = (int)strlen(c[i].title);
		end = c[i].width ? c[i].col + c[i].width : c[i].col + len;
		view_text(v, 1, end - len, style, c[i].title);
		if (c[i].sort == a->tree->sort)
			view_put(v, 1, end, a->theme.utf8 ? L'\u25bc' : L'v', style);
	}
}

static void put(const struct view *v, int row, const struct column *c, struct style style,
		const char *text)
{
	if (c->title)
		view_field(v, row, c->col, c->width, 1, style, text);
}

/* Inside a directory its own path would say the same in every line. */
static void draw_own_name(const struct app *a, const struct view *v, int row, int col,
			  const struct rollup_row *r, struct style style)
{
	struct str s = STR_INIT;
	const char *name;

	draw_name(a, r->ino, &s);
	if (r->type == INODE_DIR && r->ino != ROOT)
		str_addc(&s, '/');
	name = s.buf;
	if (!a->tree->flat && s.buf[0] == '/')
		for (const char *p = s.buf; *p; p++)
			if (*p == '/' && p[1])
				name = p + 1;
	view_field(v, row, col, v->cols - col, 0, style, name);
	str_release(&s);
}

static void draw_row(const struct app *a, const struct view *v, int row, size_t at,
		     double hottest)
{
	const struct tree *t = a->tree;
	const struct rollup_row *r = &t->rows.v[at];
	struct style style =
		a->theme.styles[at == t->cursor ? STYLE_UI_SELECTED : STYLE_UI_TEXT];
	struct view line = view_part(v, row, 0, 1, v->cols);
	const struct column *c = columns(v);
	char text[NUM_TEXT_MAX];

	view_fill(&line, L' ', style);
	if (app_is_tagged(a, r->ino))
		view_put(v, row, 0, L'*', style);
	else if (at == t->cursor)
		view_put(v, row, 0, a->theme.utf8 ? L'\u25b8' : L'>', style);
	snprintf(text, sizeof(text), r->heat < 9.95 ? "%.1f" : "%.0f", r->heat);
	put(v, row, &c[COL_HEAT], style, text);
	draw_bar(a, v, row, c[COL_BAR].col, c[COL_BAR].width,
		 hottest > 0 ? r->heat / hottest : 0);
	format_ms(r->excess_ms, text);
	put(v, row, &c[COL_EXCESS], style, text);
	format_ms(r->read_ms, text);
	put(v, row, &c[COL_READ], style, text);
	put(v, row, &c[COL_FRAG], style, num_format_count(r->fragments, text));
	put(v, row, &c[COL_SIZE], style,
	    num_format_bytes(r->blocks * model_geom(a->model)->block_size, text));
	put(v, row, &c[COL_FILES], style, num_format_count(r->files, text));
	format_age(r->age_days, text);
	put(v, row, &c[COL_AGE], style, text);
	draw_own_name(a, v, row, c[COL_NAME].col, r, style);
}

static void show_cursor(struct tree *t, int rows)
{
	size_t page = rows < 1 ? 1 : (size_t)rows;

	if (t->cursor >= t->rows.n)
		t->cursor = t->rows.n ? t->rows.n - 1 : 0;
	if (t->top > t->cursor)
		t->top = t->cursor;
	if (t->cursor >= t->top + page)
		t->top = t->cursor - page + 1;
}

static void draw(struct app *a, const struct view *v)
{
	struct tree *t = a->tree;
	struct style dim = a->theme.styles[STYLE_UI_DIM];
	double hottest = 0;

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	if (!a->model || !t->ready) {
		view_text(v, 0, 1, dim,
			  !a->model ? "the directories come when the scan is done"
			  : a->job  ? "worked out when the job has ended: Enter"
				    : "Enter works out what the directories hold");
		return;
	}
	draw_title(a, v);
	draw_head(a, v);
	show_cursor(t, list_rows(v));
	for (size_t i = 0; i < t->rows.n; i++)
		if (t->rows.v[i].heat > hottest)
			hottest = t->rows.v[i].heat;
	for (int row = 0; row < list_rows(v) && t->top + (size_t)row < t->rows.n; row++)
		draw_row(a, v, row + 2, t->top + (size_t)row, hottest);
}

/* --- keys --- */

static void show(struct app *a, inum_t dir, bool flat, enum tree_sort sort)
{
	struct err err = ERR_INIT;

	if (!tree_show(a, dir, flat, sort, &err))
		app_fail(a, &err);
}

static void descend(struct app *a)
{
	const struct tree *t = a->tree;
	const struct rollup_row *r = t->cursor < t->rows.n ? &t->rows.v[t->cursor] : NULL;

	if (r && r->type == INODE_DIR)
		show(a, r->ino, false, t->sort);
	else if (r)
		app_select(a, r->ino, true);
}

static void ascend(struct app *a)
{
	inum_t up = a->tree->dir == ROOT ? ROOT : model_parent(a->model, a->tree->dir);

	show(a, up ? up : ROOT, false, a->tree->sort);
}

static void cursor_to(struct app *a, int64_t at)
{
	a->tree->cursor = (size_t)at;
	app_select(a, a->tree->rows.v[at].ino, false);
}

static bool key(struct app *a, int k, int count, const struct view *v)
{
	struct tree *t = a->tree;
	int64_t at = (int64_t)t->cursor;

	if (!a->model)
		return false;
	if (!t->ready) {
		show(a, t->dir, t->flat, t->sort);
	} else if (k == 's') {
		show(a, t->dir, t->flat, (enum tree_sort)((t->sort + 1) % TREE_SORTS));
	} else if (k == 'a') {
		show(a, t->dir, !t->flat, t->sort);
	} else if (k == '\r' || k == '\n' || k == 'l' || k == KEY_UI_RIGHT) {
		descend(a);
	} else if (k == 'h' || k == KEY_UI_LEFT || k == KEY_UI_BACKSPACE) {
		ascend(a);
	} else {
		if (!t->rows.n ||
		    !draw_list_key(k, count, list_rows(v), (int64_t)t->rows.n - 1, &at))
			return false;
		cursor_to(a, at);
	}
	return true;
}

static bool mouse(struct app *a, const struct mouse *m, const struct view *v)
{
	struct tree *t = a->tree;
	size_t at = t->top + (size_t)m->row - 2;

	if (!a->model || !t->ready)
		return false;
	if (m->kind == MOUSE_UP || m->kind == MOUSE_DOWN)
		return key(a, m->kind == MOUSE_UP ? KEY_UI_UP : KEY_UI_DOWN, 3, v);
	if (m->kind != MOUSE_PRESS && m->kind != MOUSE_DOUBLE)
		return false;
	if (m->row == 1) {
		const struct column *c = columns(v);

		for (int i = 0; i < COL_COUNT; i++)
			if (c[i].title && c[i].sort < TREE_SORTS && m->col >= c[i].col &&
			    (!c[i].width || m->col <= c[i].col + c[i].width))
				show(a, t->dir, t->flat, c[i].sort);
		return true;
	}
	if (m->row < 2 || at >= t->rows.n)
		return false;
	cursor_to(a, (int64_t)at);
	if (m->kind == MOUSE_DOUBLE)
		descend(a);
	return true;
}

const struct pane pane_tree = {"Tree", draw, key, mouse};
