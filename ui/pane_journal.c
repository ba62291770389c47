/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pane_journal.c - what was done and can be undone, newest first. */
#include <stdio.h>
#include <string.h>
#include <time.h>
#include "base/num.h"
#include "ui/draw.h"
#include "ui/pane.h"

#define SLIM_COLS 76

static int action_count(const struct app *a)
{
	return a->history ? (int)a->history->actions.n : 0;
}

static int body_rows(const struct view *v)
{
	return v->rows > 1 ? v->rows - 1 : 0;
}

static void draw_state(const struct app *a, const struct view *v)
{
	const struct history *h = a->history;
	char num[NUM_TEXT_MAX];

	if (!h) {
		view_text(v, 0, 1, a->theme.styles[STYLE_UI_DIM],
			  a->open ? "the journal has not been read yet"
				  : "no volume is open");
	} else if (h->open) {
		view_text(v, 0, 1, a->theme.styles[STYLE_UI_ERROR],
			  "the last session was cut short: recovery is due");
	} else if (h->actions.n == 0) {
		view_text(v, 0, 1, a->theme.styles[STYLE_UI_DIM],
			  "the journal is empty: nothing to undo");
	} else if (!h->fits) {
		view_textf(v, 0, 1, a->theme.styles[STYLE_UI_WARN],
			   "cannot be undone: %s", h->why);
	} else {
		view_textf(v, 0, 1, a->theme.styles[STYLE_UI_GOOD],
			   "%s, fits the volume: U undoes the last, Enter all back to a "
			   "line",
			   num_format_bytes(h->bytes, num));
	}
}

static void draw_action(const struct app *a, const struct view *v, int row, int index)
{
	const struct history_action *h = &a->history->actions.v[index];
	bool undone = h->undone >= h->batches;
	bool here = (int)a->history->actions.n - 1 - index == a->journal_cursor &&
		    a->focus == FOCUS_BOTTOM;
	struct style style = a->theme.styles[here     ? STYLE_UI_SELECTED
					     : undone ? STYLE_UI_DIM
						      : STYLE_UI_TEXT];
	struct view line = view_part(v, row, 0, 1, v->cols);
	time_t when = (time_t)h->time;
	char text[80], num[NUM_TEXT_MAX];
	bool slim = v->cols < SLIM_COLS;
	struct str name = STR_INIT;
	struct tm tm;
	int col;

	view_fill(&line, L' ', style);
	snprintf(text, sizeof(text), "%d", index + 1);
	view_field(v, row, 0, 4, 1, here ? style : a->theme.styles[STYLE_UI_DIM], text);
	if (!localtime_r(&when, &tm) ||
	    !strftime(text, sizeof(text), slim ? "%H:%M" : "%Y-%m-%d %H:%M", &tm))
		text[0] = '\0';
	col = view_text(v, row, 5, here ? style : a->theme.styles[STYLE_UI_DIM], text) +
	      2;
	if (undone)
		snprintf(text, sizeof(text), "undone");
	else if (h->undone > 0)
		snprintf(text, sizeof(text), "%u/%u undone", h->undone, h->batches);
	else
		snprintf(text, sizeof(text), "done");
	view_field(v, row, col, 13, 0,
		   here ? style : a->theme.styles[undone ? STYLE_UI_DIM : STYLE_UI_GOOD],
		   text);
	col += 14;
	if (!slim) {
		view_field(v, row, col, 7, 1, style, num_format_count(h->moves, num));
		view_text(v, row, col + 8, style, "moves");
		view_field(v, row, col + 14, 9, 1, style,
			   num_format_count(h->blocks, num));
		view_text(v, row, col + 24, style, "blk");
		col += 29;
	}
	str_add_safe(&name, h->name, strnlen(h->name, sizeof(h->name)));
	view_text(v, row, col, style, name.buf);
	str_release(&name);
}

/* The cursor stays in sight and in the list. */
static void settle(struct app *a, int rows)
{
	int n = action_count(a);

	if (a->journal_cursor >= n)
		a->journal_cursor = n ? n - 1 : 0;
	if (a->bottom_scroll > a->journal_cursor)
		a->bottom_scroll = a->journal_cursor;
	if (rows > 0 && a->journal_cursor >= a->bottom_scroll + rows)
		a->bottom_scroll = a->journal_cursor - rows + 1;
	a->bottom_scroll = draw_scroll_clamp(a->bottom_scroll, rows, n);
}

static void draw(struct app *a, const struct view *v)
{
	int n = action_count(a);

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	draw_state(a, v);
	settle(a, body_rows(v));
	for (int row = 0; row < body_rows(v) && row + a->bottom_scroll < n; row++)
		draw_action(a, v, row + 1, n - 1 - a->bottom_scroll - row);
}

/* To the state before the action on the line, or after it if it is undone: by undoing all
 * that came later, or doing again what came before. */
static void go_to(struct app *a)
{
	int n = action_count(a), at = n - 1 - a->journal_cursor, count = 0;
	const struct history_action *v = a->history->actions.v;
	bool undone = v[at].undone >= v[at].batches;
	char text[160], line[40];

	if (a->job != 0) {
		app_say(a, "%s is running; ^C stops it", a->job_name);
		return;
	}
	for (int i = undone ? 0 : at; i < (undone ? at + 1 : n); i++)
		count += undone ? v[i].undone > 0 : v[i].undone < v[i].batches;
	snprintf(text, sizeof(text), "%s %d action%s, %s \"%.60s\"?",
		 undone ? "redo" : "undo", count, count == 1 ? "" : "s",
		 undone ? "up to and with" : "back to before", v[at].name);
	snprintf(line, sizeof(line), "%s! %d", undone ? "redo" : "undo", count);
	app_ask(a, text, line);
}

static bool key(struct app *a, int k, int count, const struct view *v)
{
	int64_t at = a->journal_cursor;

	if (k == '\r' || k == '\n') {
		if (action_count(a))
			go_to(a);
		return true;
	}
	if (!draw_list_key(k, count, body_rows(v),
			   action_count(a) ? action_count(a) - 1 : 0, &at))
		return false;
	a->journal_cursor = (int)at;
	return true;
}

static bool mouse(struct app *a, const struct mouse *m, const struct view *v)
{
	int at = a->bottom_scroll + m->row - 1;

	if (m->kind == MOUSE_UP || m->kind == MOUSE_DOWN)
		return key(a, m->kind == MOUSE_UP ? KEY_UI_UP : KEY_UI_DOWN, 3, v);
	if ((m->kind != MOUSE_PRESS && m->kind != MOUSE_DOUBLE) || m->row < 1 ||
	    at >= action_count(a))
		return false;
	a->journal_cursor = at;
	if (m->kind == MOUSE_DOUBLE)
		go_to(a);
	return true;
}

const struct pane pane_journal = {"Journal", draw, key, mouse};
