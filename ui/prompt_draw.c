/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prompt_draw.c - the edited line and its completions on a canvas. */
#include <string.h>
#include <wchar.h>
#include "base/vec.h"
#include "ui/pane.h"
#include "ui/prompt.h"

#define POPUP_ROWS 8

/* The line as columns: prompt, then text, control characters as ^X. */
struct line {
	wchar_t *v;
	size_t n, cap;
	int cursor; /* column */
	int cols;
};

static bool add_char(struct line *l, wchar_t ch)
{
	l->cols += char_width(ch);
	return vec_push(l, ch);
}

/* marks: \001 and \002 are readline's, not to be shown. point: byte of the cursor,
 * SIZE_MAX none. */
static bool add_text(struct line *l, const char *text, size_t len, size_t point,
		     bool marks)
{
	mbstate_t state;
	size_t at = 0;

	memset(&state, 0, sizeof(state));
	while (at < len) {
		wchar_t ch = L'?';
		size_t n = mbrtowc(&ch, text + at, len - at, &state);

		if (at >= point && l->cursor < 0)
			l->cursor = l->cols;
		if (n == 0 || n > len - at) { /* NUL, broken or cut */
			memset(&state, 0, sizeof(state));
			ch = L'?';
			n = 1;
		}
		at += n;
		if (marks && (ch == 1 || ch == 2))
			continue;
		if (ch < 0x20 || ch == 0x7f) {
			if (!add_char(l, L'^') || !add_char(l, ch ^ 0x40))
				return false;
		} else if (!add_char(l, ch)) {
			return false;
		}
	}
	return true;
}

/* The first column in sight: the cursor stays inside, and a line that fits does not
 * move. It depends on the line alone, so that a redraw shows the same. */
static int first_column(const struct line *l, int cols)
{
	int step = cols / 2 < 1 ? 1 : cols / 2;

	if (l->cursor < cols - 1)
		return 0;
	return (l->cursor - (cols - 2) + step - 1) / step * step;
}

static void draw_line(const struct app *a, const struct view *v, const struct line *l)
{
	struct style text = a->theme.styles[STYLE_UI_TEXT];
	struct style dim = a->theme.styles[STYLE_UI_DIM];
	int left = first_column(l, v->cols), col = -left;

	view_fill(v, L' ', text);
	for (size_t i = 0; i < l->n && col < v->cols; i++) {
		view_put(v, 0, col, l->v[i], text);
		col += char_width(l->v[i]);
	}
	if (left > 0)
		view_put(v, 0, 0, L'<', dim);
	if (l->cols - left > v->cols)
		view_put(v, 0, v->cols - 1, L'>', dim);
	if (v->rows > 0 && v->cols > 0) {
		v->canvas->cursor_row = v->row;
		v->canvas->cursor_col =
			v->col + (l->cursor > left ? l->cursor - left : 0);
	}
}

/* Words in columns, filled row by row; a long list shows the page of the current one. */
static void draw_words(const struct app *a, const struct prompt_look *look,
		       const struct view *above)
{
	size_t n = look->word_count, rows, across, page, first = 0;
	int width = 0;

	for (size_t i = 0; i < n; i++)
		if (text_width(look->words[i]) > width)
			width = text_width(look->words[i]);
	width += 2;
	if (width > above->cols)
		width = above->cols;
	if (width < 1 || above->rows < 1)
		return;
	across = (size_t)(above->cols / width);
	rows = (n + across - 1) / across;
	if (rows > POPUP_ROWS)
		rows = POPUP_ROWS;
	if (rows > (size_t)above->rows)
		rows = (size_t)above->rows;
	page = rows * across;
	if (look->word_at > 0)
		first = (size_t)look->word_at / page * page;
	for (size_t i = 0; i < page; i++) {
		size_t at = first + i;
		struct style style = a->theme.styles[at == (size_t)look->word_at
							     ? STYLE_UI_POPUP_SELECTED
							     : STYLE_UI_POPUP];
		int row = above->rows - (int)rows + (int)(i / across);

		view_field(above, row, (int)(i % across) * width, width, 0, style, "");
		if (at < n)
			view_field(above, row, (int)(i % across) * width + 1, width - 1,
				   0, style, look->words[at]);
	}
	if (n > page)
		view_textf(above, above->rows - 1, above->cols - 14,
			   a->theme.styles[STYLE_UI_POPUP], " %zu of %zu ",
			   first + page < n ? first + page : n, n);
}

void prompt_draw(const struct app *a, const struct view *line, const struct view *above)
{
	struct line l = {NULL, 0, 0, -1, 0};
	struct prompt_look look;

	if (!prompt_look(&look))
		return;
	if (add_text(&l, look.prompt, strlen(look.prompt), SIZE_MAX, true) &&
	    add_text(&l, look.line, look.len, look.point, false)) {
		if (l.cursor < 0)
			l.cursor = l.cols;
		draw_line(a, line, &l);
	}
	if (look.word_count > 0)
		draw_words(a, &look, above);
	vec_release(&l);
}
