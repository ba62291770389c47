/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen.c - composes the screen from its panes; the lines around them are drawn here. */
#include "ui/lesson.h"
#include "ui/screen.h"
#include <stdio.h>
#include <string.h>
#include "ui/bind.h"
#include "ui/draw.h"
#include "ui/picker.h"
#include "ui/place.h"
#include "ui/prompt.h"
#include "ui/replay.h"
#include "ui/screen_priv.h"

#define MESSAGE_ROWS 4 /* a longer message is cut */
#define FKEY_MIN     8
#define FKEY_MAX     12

/* --- tabs --- */

int screen_tabs(const struct screen_layout *l, struct screen_tab tabs[SCREEN_TABS_MAX])
{
	static const char *const names[TAB_COUNT] = {"Plan", "Jobs", "Journal", "Log",
						     "Tree"};
	int n = 0, col = 1, limit = l->part[PART_TABS].cols;

	tabs[n++] = (struct screen_tab){"Map", FOCUS_MAP, TAB_PLAN, 0, 0};
	if (!l->wide) {
		tabs[n++] = (struct screen_tab){"Files", FOCUS_FILES, TAB_PLAN, 0, 0};
		tabs[n++] = (struct screen_tab){"Inspect", FOCUS_INSPECT, TAB_PLAN, 0, 0};
	}
	for (int i = 0; i < TAB_COUNT; i++)
		tabs[n++] = (struct screen_tab){names[i], FOCUS_BOTTOM, (enum app_tab)i,
						0, 0};
	for (int i = 0; i < n; i++) {
		tabs[i].col = col;
		tabs[i].cols = (int)strlen(tabs[i].name) + 2;
		/* Close together where the line is short. */
		col += tabs[i].cols + (limit >= 70 ? 2 : 0);
	}
	return n;
}

bool screen_tab_shown(const struct app *a, const struct screen_layout *l,
		      const struct screen_tab *t)
{
	enum app_focus lower = l->wide ? FOCUS_BOTTOM : screen_lower(a);

	return t->focus != FOCUS_MAP && t->focus == lower &&
	       (t->focus != FOCUS_BOTTOM || t->tab == a->tab);
}

void screen_show_tab(struct app *a, const struct screen_tab *t)
{
	if (t->focus == FOCUS_BOTTOM)
		app_show_tab(a, t->tab);
	else if (t->focus != FOCUS_MAP)
		a->lower = t->focus;
	a->focus = t->focus;
}

static bool has_focus(const struct app *a, const struct screen_tab *t)
{
	return a->focus == t->focus && (t->focus != FOCUS_BOTTOM || t->tab == a->tab);
}

/* The pane on show stands in brackets, the one with the focus has a mark before it: not
 * by colour alone. */
static void draw_tab(const struct app *a, const struct screen_layout *l,
		     const struct view *v, const struct screen_tab *t)
{
	bool shown = screen_tab_shown(a, l, t), focus = has_focus(a, t);
	struct style style = a->theme.styles[focus   ? STYLE_UI_HEAD
					     : shown ? STYLE_UI_TAB_ACTIVE
						     : STYLE_UI_TAB];

	if (focus)
		view_put(v, 0, t->col - 1, a->theme.utf8 ? L'\u25b8' : L'>',
			 a->theme.styles[STYLE_UI_TAB_ACTIVE]);
	view_textf(v, 0, t->col, style, shown ? "[%s]" : " %s ", t->name);
}

static void draw_tabs(const struct app *a, const struct screen_layout *l,
		      const struct view *v)
{
	struct screen_tab tabs[SCREEN_TABS_MAX];
	int n = screen_tabs(l, tabs);

	draw_rule(a, v, 0);
	for (int i = 0; i < n; i++)
		draw_tab(a, l, v, &tabs[i]);
}

/* --- lines --- */

static void draw_divider(const struct app *a, const struct view *v)
{
	view_fill(v, a->theme.utf8 ? L'\u2502' : L'|', a->theme.styles[STYLE_UI_RULE]);
}

static void draw_inspect_rule(const struct app *a, const struct view *v)
{
	bool focus = a->focus == FOCUS_INSPECT;

	draw_rule(a, v, 0);
	if (focus)
		view_put(v, 0, 0, a->theme.utf8 ? L'\u25b8' : L'>',
			 a->theme.styles[STYLE_UI_TAB_ACTIVE]);
	view_text(v, 0, 1, a->theme.styles[focus ? STYLE_UI_HEAD : STYLE_UI_TAB],
		  " Inspect ");
}

static void draw_job_line(struct app *a, const struct view *v)
{
	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	if (a->job != 0)
		draw_job(a, v, 0);
	else
		screen_draw_idle(a, v);
}

static void draw_readout(struct app *a, const struct view *v)
{
	struct style style = a->theme.styles[STYLE_UI_READOUT];
	struct str s = STR_INIT;

	view_fill(v, L' ', style);
	if (a->open)
		app_readout(a, a->map.cursor, v->cols - 2, &s);
	view_field(v, 0, 1, v->cols - 1, 0, style, s.buf);
	str_release(&s);
}

/* --- messages and questions --- */

/* Bytes of the next line of a message: up to a line end, or as much as fits. */
static size_t message_line(const char *text, int cols)
{
	size_t n = 0, len = strcspn(text, "\n");

	while (n < len && n < (size_t)cols)
		n++;
	while (n > 0 && n < len && ((unsigned char)text[n] & 0xC0) == 0x80)
		n--;
	if (n == len)
		return n;
	/* Rather between words. */
	for (size_t i = n; i > n / 2; i--)
		if (text[i] == ' ')
			return i;
	return n > 0 ? n : 1;
}

/* A message that takes more than its line grows upwards over the lines above. */
static void draw_message(struct canvas *c, const struct view *line, const char *text,
			 struct style style)
{
	struct view all = canvas_view(c);
	const char *at[MESSAGE_ROWS];
	size_t len[MESSAGE_ROWS];
	int n = 0;

	while (*text && n < MESSAGE_ROWS) {
		at[n] = text;
		len[n] = message_line(text, line->cols - 2);
		text += len[n++];
		if (*text == '\n' || *text == ' ')
			text++;
	}
	for (int i = 0; i < n; i++) {
		struct view row =
			view_part(&all, line->row - n + 1 + i, line->col, 1, line->cols);

		view_fill(&row, L' ', style);
		view_textf(&row, 0, 1, style, "%.*s", (int)len[i], at[i]);
	}
}

static void draw_region(const struct app *a, const struct view *v)
{
	struct str s = STR_INIT;

	if (a->map.pick.len > 0 && a->model)
		pick_text(a, &s);
	else
		region_text(a, &s);
	view_text(v, 0, 1, a->theme.styles[STYLE_UI_DIM], s.buf);
	str_release(&s);
}

static void draw_prompt_row(struct app *a, struct canvas *c, const struct view *v)
{
	struct view all = canvas_view(c), above = view_part(&all, 0, 0, v->row, v->cols);
	struct style style = a->theme.styles[STYLE_UI_TEXT];
	char text[260], prefix[2] = {(char)a->key_prefix, '\0'};

	view_fill(v, L' ', style);
	if (prompt_active()) {
		prompt_draw(a, v, &above);
	} else if (a->confirm_line) {
		snprintf(text, sizeof(text), "%s (y/n) ", a->confirm_text);
		draw_message(c, v, text, a->theme.styles[STYLE_UI_WARN]);
	} else if (a->key_count > 0 || a->key_prefix) {
		if (a->key_count > 0)
			snprintf(text, sizeof(text), "%d", a->key_count);
		view_textf(v, 0, 1, style, "%s%s", a->key_count > 0 ? text : "", prefix);
	} else if (!a->message[0] && (a->map.region.len > 0 || a->map.pick.len > 0)) {
		draw_region(a, v);
	} else {
		draw_message(c, v, a->message,
			     a->theme.styles[a->message_is_error ? STYLE_UI_ERROR
								 : STYLE_UI_TEXT]);
	}
}

/* --- the function bar --- */

/* Fields as wide as their labels; returns the columns they take. */
static int close_up(struct screen_fkey *keys, int n)
{
	int col = 0;

	for (int i = 0; i < n; i++) {
		keys[i].col = col;
		keys[i].cols =
			(keys[i].number > 9 ? 3 : 2) + (int)strlen(keys[i].row->bar);
		col += keys[i].cols;
	}
	return col - 1; /* the last one needs no gap */
}

int screen_fkeys(const struct app *a, int cols, struct screen_fkey keys[10])
{
	unsigned where = keymap_where(a);
	int n = 0, even;

	for (int i = 0; i < 10; i++) {
		const struct keymap_row *row = bind_find(a, KEY_UI_F1 + i, where);

		if (row && row->bar)
			keys[n++] = (struct screen_fkey){i + 1, row, 0, 0};
	}
	even = n > 0 ? cols / n : 0;
	if (even >= FKEY_MIN) {
		for (int i = 0; i < n; i++) {
			keys[i].cols = even > FKEY_MAX ? FKEY_MAX : even;
			keys[i].col = i * keys[i].cols;
		}
		return n;
	}
	/* Help and the last ones stay longest. */
	while (n > 1 && close_up(keys, n) > cols)
		memmove(&keys[1], &keys[2], (size_t)(--n - 1) * sizeof(keys[0]));
	close_up(keys, n);
	return n;
}

static void draw_fkeys(const struct app *a, const struct view *v)
{
	struct style key = a->theme.styles[STYLE_UI_KEY];
	struct style label = a->theme.styles[STYLE_UI_KEY_LABEL];
	struct screen_fkey keys[10];
	int n = screen_fkeys(a, v->cols, keys);

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	for (int i = 0; i < n; i++) {
		int col = view_textf(v, 0, keys[i].col, key, "%d", keys[i].number);

		view_field(v, 0, col, keys[i].col + keys[i].cols - col - 1, 0, label,
			   keys[i].row->bar);
	}
}

/* --- all together --- */

struct view screen_help_view(struct canvas *c)
{
	struct view all = canvas_view(c);
	int cols = c->cols > 92 ? 90 : c->cols - 2, rows = c->rows - 4;

	return view_part(&all, 2, (c->cols - cols) / 2, rows, cols);
}

static void draw_help(struct app *a, struct canvas *c)
{
	struct view v = screen_help_view(c), all = canvas_view(c);
	struct view frame = view_part(&all, v.row - 1, v.col - 1, v.rows + 2, v.cols + 2);

	view_fill(&frame, L' ', a->theme.styles[STYLE_UI_POPUP]);
	view_text(&frame, 0, 2, a->theme.styles[STYLE_UI_POPUP], "Help");
	pane_help.draw(a, &v);
}

static void draw_too_small(const struct app *a, const struct view *v)
{
	view_text(v, v->rows / 2, 0, a->theme.styles[STYLE_UI_TEXT],
		  "terminal too small (need 40x10)");
}

static void draw_pane(struct app *a, struct canvas *c, const struct screen_layout *l,
		      enum app_focus focus)
{
	struct view v = screen_view(l, c, screen_part_of(l, focus));

	if (v.rows > 0 && v.cols > 0)
		screen_pane(a, focus)->draw(a, &v);
}

static void draw_panes(struct app *a, struct canvas *c, const struct screen_layout *l)
{
	draw_pane(a, c, l, FOCUS_MAP);
	if (l->wide) {
		draw_pane(a, c, l, FOCUS_FILES);
		draw_pane(a, c, l, FOCUS_INSPECT);
		draw_pane(a, c, l, FOCUS_BOTTOM);
	} else {
		draw_pane(a, c, l, screen_lower(a));
	}
}

void screen_draw(struct app *a, struct canvas *c)
{
	struct view v[PART_COUNT], all = canvas_view(c);
	struct screen_layout l;

	screen_layout(&l, c->rows, c->cols);
	screen_settle(a, &l);
	c->cursor_row = -1;
	view_fill(&all, L' ', a->theme.styles[STYLE_UI_TEXT]);
	if (l.too_small) {
		draw_too_small(a, &all);
		return;
	}
	for (int i = 0; i < PART_COUNT; i++)
		v[i] = screen_view(&l, c, (enum screen_part)i);
	if (a->picker) {
		struct view list = view_part(&all, 0, 0, c->rows - 1, c->cols);

		picker_draw(a, &list);
		return;
	}
	screen_draw_header(a, &v[PART_HEADER]);
	draw_panes(a, c, &l);
	draw_divider(a, &v[PART_DIVIDER]);
	if (l.part[PART_INSPECT].rows > 0)
		draw_inspect_rule(a, &v[PART_INSPECT_RULE]);
	if (l.part[PART_TABS].rows > 0)
		draw_tabs(a, &l, &v[PART_TABS]);
	if (l.part[PART_JOB].rows > 0)
		draw_job_line(a, &v[PART_JOB]);
	draw_readout(a, &v[PART_READOUT]);
	draw_fkeys(a, &v[PART_FKEYS]);
	lesson_draw(a, c);
	replay_draw(a, c);
	if (a->help_open)
		draw_help(a, c);
	draw_prompt_row(a, c, &v[PART_PROMPT]);
}
