/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pane_log.c - what the program and its libraries said, newest last. */
#include <string.h>
#include <time.h>
#include "ui/draw.h"
#include "ui/pane.h"

#define TEXT_COL 10

/* bottom_scroll counts from the end here, so that new lines stay in sight. */
static int top_line(struct app *a, const struct view *v)
{
	int n = (int)a->log.n;

	a->bottom_scroll = draw_scroll_clamp(a->bottom_scroll, v->rows, n);
	return draw_scroll_clamp(n - v->rows - a->bottom_scroll, v->rows, n);
}

static void draw_line(const struct app *a, const struct view *v, int row,
		      const struct log_line *line)
{
	struct style text = a->theme.styles[line->error ? STYLE_UI_ERROR : STYLE_UI_TEXT];
	time_t when = (time_t)line->time;
	struct str safe = STR_INIT;
	char clock[16] = "";
	struct tm tm;

	if (localtime_r(&when, &tm))
		strftime(clock, sizeof(clock), "%H:%M:%S", &tm);
	view_text(v, row, 1, a->theme.styles[STYLE_UI_DIM], clock);
	str_add_safe(&safe, line->text, strlen(line->text));
	view_field(v, row, TEXT_COL, v->cols - TEXT_COL, 0, text, safe.buf);
	str_release(&safe);
}

static void draw(struct app *a, const struct view *v)
{
	int top = top_line(a, v);

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	if (a->log.n == 0)
		view_text(v, 0, 1, a->theme.styles[STYLE_UI_DIM], "nothing to report");
	for (int row = 0; row < v->rows && top + row < (int)a->log.n; row++)
		draw_line(a, v, row, &a->log.v[top + row]);
}

static void scroll_to(struct app *a, const struct view *v, int top)
{
	a->bottom_scroll =
		draw_scroll_clamp((int)a->log.n - v->rows - top, v->rows, (int)a->log.n);
}

static bool key(struct app *a, int k, int count, const struct view *v)
{
	int top = top_line(a, v);

	if (!draw_scroll_key(k, count, v->rows, (int)a->log.n, &top))
		return false;
	scroll_to(a, v, top);
	return true;
}

static bool mouse(struct app *a, const struct mouse *m, const struct view *v)
{
	int top = top_line(a, v);

	if (!draw_scroll_mouse(m->kind, v->rows, (int)a->log.n, &top))
		return false;
	scroll_to(a, v, top);
	return true;
}

const struct pane pane_log = {"Log", draw, key, mouse};
