/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw.c - see draw.h. */
#include "ui/draw.h"
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "ui/names.h"
#include "ui/pane.h"

void draw_name(const struct app *a, inum_t ino, struct str *out)
{
	size_t len = 0;
	const char *path = a->names ? names_get(a->names, ino, &len) : NULL;

	if (path)
		str_add_safe(out, path, len);
	else
		str_addf(out, "inode %u", ino);
}

void draw_name_field(const struct app *a, const struct view *v, int row, int col,
		     inum_t ino, struct style style)
{
	struct str name = STR_INIT;

	draw_name(a, ino, &name);
	if (col < v->cols)
		view_field(v, row, col, v->cols - col, -1, style, name.buf);
	str_release(&name);
}

void draw_bar(const struct app *a, const struct view *v, int row, int col, int width,
	      double share)
{
	struct style full = a->theme.styles[STYLE_UI_BAR];
	struct style empty = a->theme.styles[STYLE_UI_BAR_EMPTY];
	int eighths;

	if (!(share > 0))
		share = 0;
	if (share > 1)
		share = 1;
	eighths = (int)(share * width * 8);
	for (int i = 0; i < width; i++) {
		int part = eighths - i * 8;

		if (!a->theme.utf8)
			view_put(v, row, col + i, part >= 4 ? L'#' : L'.',
				 part >= 4 ? full : empty);
		else if (part <= 0)
			view_put(v, row, col + i, L' ', empty);
		else
			view_put(v, row, col + i,
				 part >= 8 ? L'\u2588' : (wchar_t)(0x2590 - part), full);
	}
}

void draw_rule(const struct app *a, const struct view *v, int row)
{
	wchar_t line = a->theme.utf8 ? L'\u2500' : L'-';

	for (int col = 0; col < v->cols; col++)
		view_put(v, row, col, line, a->theme.styles[STYLE_UI_RULE]);
}

double draw_job_share(const struct app *a)
{
	const struct progress *p = &a->progress;

	if (p->total > 0)
		return (double)p->done / (double)p->total;
	if (p->moves_total > 0)
		return (double)p->moves_done / (double)p->moves_total;
	return 0;
}

bool draw_job_writes(const struct app *a)
{
	return a->job != 0 &&
	       (!strcmp(a->progress.job, "run") || !strcmp(a->progress.job, "undo") ||
		!strcmp(a->progress.job, "redo"));
}

void draw_job(const struct app *a, const struct view *v, int row)
{
	const struct progress *p = &a->progress;
	struct style text = a->theme.styles[STYLE_UI_TEXT];
	const char *job = p->job[0] ? p->job : a->job_name;
	int col = view_textf(v, row, 1, text, "%s ", job), width;
	struct str s = STR_INIT;
	char num[NUM_TEXT_MAX];

	str_addf(&s, " %3.0f%%", draw_job_share(a) * 100);
	if (p->moves_total > 0)
		str_addf(&s, "  #%llu/%llu", (unsigned long long)p->moves_done,
			 (unsigned long long)p->moves_total);
	str_addf(&s, "%s%s", p->phase[0] ? "  " : "", p->phase);
	if (p->bytes_per_second > 0)
		str_addf(&s, "  %s/s", num_format_bytes(p->bytes_per_second, num));
	if (p->eta_ms > 0)
		str_addf(&s, "  %s", num_format_seconds((p->eta_ms + 999) / 1000, num));
	str_add(&s, "  ^C stop");
	width = v->cols - col - text_width(s.buf) - 3;
	if (width > v->cols / 3)
		width = v->cols / 3;
	if (width >= 4) {
		view_put(v, row, col++, L'[', text);
		draw_bar(a, v, row, col, width, draw_job_share(a));
		col += width;
		view_put(v, row, col++, L']', text);
	}
	view_text(v, row, col, text, s.buf);
	str_release(&s);
}

/* --- lists --- */

bool draw_list_key(int key, int count, int page, int64_t max, int64_t *at)
{
	int64_t n = count < 1 ? 1 : count, to = *at;

	if (page < 1)
		page = 1;
	switch (key) {
	case 'j':
	case KEY_UI_DOWN:
		to += n;
		break;
	case 'k':
	case KEY_UI_UP:
		to -= n;
		break;
	case KEY_UI_PGDN:
		to += n * (page > 1 ? page - 1 : 1);
		break;
	case KEY_UI_PGUP:
		to -= n * (page > 1 ? page - 1 : 1);
		break;
	case KEY_CTRL('d'):
		to += n * ((page + 1) / 2);
		break;
	case KEY_CTRL('u'):
		to -= n * ((page + 1) / 2);
		break;
	case 'g':
	case KEY_UI_HOME:
		to = count > 0 ? count - 1 : 0;
		break;
	case 'G':
	case KEY_UI_END:
		to = count > 0 ? count - 1 : max;
		break;
	default:
		return false;
	}
	if (to > max)
		to = max;
	*at = to < 0 ? 0 : to;
	return true;
}

int draw_scroll_clamp(int top, int page, int lines)
{
	int max = lines - (page < 1 ? 1 : page);

	if (top > max)
		top = max;
	return top < 0 ? 0 : top;
}

bool draw_scroll_key(int key, int count, int page, int lines, int *top)
{
	int64_t at = draw_scroll_clamp(*top, page, lines);

	if (!draw_list_key(key, count, page, draw_scroll_clamp(lines, page, lines), &at))
		return false;
	*top = (int)at;
	return true;
}

bool draw_scroll_mouse(int kind, int page, int lines, int *top)
{
	if (kind != MOUSE_UP && kind != MOUSE_DOWN)
		return false;
	*top = draw_scroll_clamp(*top + (kind == MOUSE_UP ? -3 : 3), page, lines);
	return true;
}
