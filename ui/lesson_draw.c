/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lesson_draw.c - the caption of a lesson: a box over the lower panes. */
#include <string.h>
#include "ui/lesson_priv.h"

#define ROWS_MAX 12

/* Bytes of the next row: up to a line's end or the last blank that fits. */
static size_t row_bytes(const char *text, int cols)
{
	size_t line = strcspn(text, "\n"), fit = 0, blank = 0;

	if ((int)line <= cols)
		return line;
	while (fit < (size_t)cols) {
		if (text[fit] == ' ')
			blank = fit;
		fit++;
	}
	return blank ? blank : fit;
}

static int count_rows(const char *text, int cols)
{
	int n = 0;

	while (*text) {
		text += row_bytes(text, cols);
		text += *text == '\n' || *text == ' ';
		n++;
	}
	return n;
}

void lesson_draw(const struct app *a, struct canvas *c)
{
	const struct lesson *l = a->lesson;
	struct style style = a->theme.styles[STYLE_UI_POPUP];
	struct view all = canvas_view(c), box;
	int cols = c->cols, rows, skip, row = 1;
	const char *p;

	if (!l || l->closed || (!l->caption.len && !l->waiting))
		return;
	rows = count_rows(l->caption.buf, cols - 4);
	skip = rows > ROWS_MAX ? rows - ROWS_MAX : 0; /* the end is what counts */
	rows -= skip;
	box = view_part(&all, c->rows - rows - 5, 0, rows + 2, cols);
	view_fill(&box, L' ', style);
	view_textf(&box, 0, 2, style, "Lesson: %s", l->name);
	view_text(&box, rows + 1, 2, a->theme.styles[STYLE_UI_KEY],
		  l->over      ? "the end: Space or Esc closes this"
		  : l->waiting ? "Space goes on, Esc ends the lesson"
			       : "...");
	for (p = l->caption.buf; *p;) {
		size_t n = row_bytes(p, cols - 4);

		if (skip > 0)
			skip--;
		else
			view_textf(&box, row++, 2, style, "%.*s", (int)n, p);
		p += n;
		p += *p == '\n' || *p == ' ';
	}
}
