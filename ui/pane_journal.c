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
			   "%s, fits the volume: U undoes, ^R redoes",
			   num_format_bytes(h->bytes, num));
	}
}

static void draw_action(const struct app *a, const struct view *v, int row, int index)
{
	const struct history_action *h = &a->history->actions.v[index];
	bool undone = h->undone >= h->batches;
	struct style style = a->theme.styles[undone ? STYLE_UI_DIM : STYLE_UI_TEXT];
	time_t when = (time_t)h->time;
	char text[80], num[NUM_TEXT_MAX];
	bool slim = v->cols < SLIM_COLS;
	struct str name = STR_INIT;
	struct tm tm;
	int col;

	snprintf(text, sizeof(text), "%d", index + 1);
	view_field(v, row, 0, 4, 1, a->theme.styles[STYLE_UI_DIM], text);
	if (!localtime_r(&when, &tm) ||
	    !strftime(text, sizeof(text), slim ? "%H:%M" : "%Y-%m-%d %H:%M", &tm))
		text[0] = '\0';
	col = view_text(v, row, 5, a->theme.styles[STYLE_UI_DIM], text) + 2;
	if (undone)
		snprintf(text, sizeof(text), "undone");
	else if (h->undone > 0)
		snprintf(text, sizeof(text), "%u/%u undone", h->undone, h->batches);
	else
		snprintf(text, sizeof(text), "done");
	view_field(v, row, col, 13, 0,
		   a->theme.styles[undone ? STYLE_UI_DIM : STYLE_UI_GOOD], text);
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

static void draw(struct app *a, const struct view *v)
{
	int n = action_count(a);

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	draw_state(a, v);
	a->bottom_scroll = draw_scroll_clamp(a->bottom_scroll, body_rows(v), n);
	for (int row = 0; row < body_rows(v) && row + a->bottom_scroll < n; row++)
		draw_action(a, v, row + 1, n - 1 - a->bottom_scroll - row);
}

static bool key(struct app *a, int k, int count, const struct view *v)
{
	return draw_scroll_key(k, count, body_rows(v), action_count(a),
			       &a->bottom_scroll);
}

static bool mouse(struct app *a, const struct mouse *m, const struct view *v)
{
	return draw_scroll_mouse(m->kind, body_rows(v), action_count(a),
				 &a->bottom_scroll);
}

const struct pane pane_journal = {"Journal", draw, key, mouse};
