/* SPDX-License-Identifier: GPL-3.0-or-later */
/* picker.c - see picker.h. */
#include "ui/picker.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "ui/draw.h"
#include "ui/pane.h"

#define HEAD_ROWS 3
#define FOOT_ROWS 4

bool picker_open(struct app *a, bool write, struct err *err)
{
	struct picker *p = calloc(1, sizeof(*p));

	if (!p)
		return err_nomem(err);
	if (!volumes_find(&p->list, err)) {
		free(p);
		return false;
	}
	p->write = write;
	picker_close(a);
	a->picker = p;
	return true;
}

void picker_close(struct app *a)
{
	if (a->picker)
		volumes_release(&a->picker->list);
	free(a->picker);
	a->picker = NULL;
}

const char *picker_state(const struct volume_found *f)
{
	if (!f->readable)
		return f->why;
	return f->info.reasons.n ? f->info.reasons.v[0].what : "ready";
}

/* --- drawing --- */

static void draw_line(const struct app *a, const struct view *v, int row,
		      const struct volume_found *f, bool here)
{
	struct style style = a->theme.styles[here ? STYLE_UI_SELECTED : STYLE_UI_TEXT];
	struct view line = view_part(v, row, 0, 1, v->cols);
	const struct volume_info *i = &f->info;
	char num[NUM_TEXT_MAX];
	struct str label = STR_INIT;

	view_fill(&line, L' ', style);
	if (here)
		view_put(v, row, 0, a->theme.utf8 ? L'\u25b8' : L'>', style);
	view_field(v, row, 2, 20, 0, style, i->path);
	view_field(v, row, 23, 4, 0, style, i->type);
	if (f->readable) {
		view_field(v, row, 28, 6, 1, style,
			   num_format_bytes(i->blocks * i->block_size, num));
		snprintf(num, sizeof(num), "%.0f%%",
			 i->blocks ? 100.0 * (double)(i->blocks - i->free_blocks) /
					     (double)i->blocks
				   : 0);
		view_field(v, row, 35, 4, 1, style, num);
	}
	str_add_safe(&label, i->label, strlen(i->label));
	view_field(v, row, 41, 14, 0, style, label.buf);
	str_release(&label);
	if (!here)
		style.fg = a->theme.styles[f->readable && !i->reasons.n ? STYLE_UI_GOOD
									: STYLE_UI_WARN]
				   .fg;
	view_field(v, row, 56, v->cols - 56, 0, style, picker_state(f));
}

static void draw_remedy(const struct app *a, const struct view *v,
			const struct volume_found *f)
{
	struct style dim = a->theme.styles[STYLE_UI_DIM];
	const struct volume_info *i = &f->info;

	if (i->uuid_text[0])
		view_textf(v, v->rows - 4, 2, dim, "UUID %s", i->uuid_text);
	if (f->readable && i->reasons.n)
		view_textf(v, v->rows - 3, 2, a->theme.styles[STYLE_UI_WARN],
			   "not for writing: %s%s%s", i->reasons.v[0].what,
			   i->reasons.v[0].remedy[0] ? "; " : "", i->reasons.v[0].remedy);
	else if (!f->readable)
		view_text(v, v->rows - 3, 2, a->theme.styles[STYLE_UI_WARN], f->why);
}

static int list_rows(const struct view *v)
{
	return v->rows > HEAD_ROWS + FOOT_ROWS ? v->rows - HEAD_ROWS - FOOT_ROWS : 1;
}

void picker_draw(struct app *a, const struct view *v)
{
	struct picker *p = a->picker;
	size_t page = (size_t)list_rows(v);

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	view_text(v, 0, 1, a->theme.styles[STYLE_UI_TITLE], " Volumes of this machine ");
	view_text(v, 2, 2, a->theme.styles[STYLE_UI_DIM],
		  "DEVICE               TYPE   SIZE  USE  LABEL          STATE");
	if (!p->list.n)
		view_text(v, 3, 2, a->theme.styles[STYLE_UI_TEXT],
			  "none that may be read; as root there may be more. q, then: "
			  "cdefrag IMAGE");
	if (p->top > p->cursor)
		p->top = p->cursor;
	if (p->cursor >= p->top + page)
		p->top = p->cursor - page + 1;
	for (size_t row = 0; row < page && p->top + row < p->list.n; row++)
		draw_line(a, v, HEAD_ROWS + (int)row, &p->list.v[p->top + row],
			  p->top + row == p->cursor);
	if (p->cursor < p->list.n)
		draw_remedy(a, v, &p->list.v[p->cursor]);
	view_textf(v, v->rows - 1, 2, a->theme.styles[STYLE_UI_DIM],
		   "Enter opens for %s, w: for %s, j k move, r looks again, q leaves",
		   p->write ? "writing" : "viewing", p->write ? "viewing" : "writing");
}

/* --- keys --- */

static void open_it(struct app *a)
{
	struct picker *p = a->picker;
	struct err err = ERR_INIT;
	char path[sizeof(p->list.v[0].info.path)];
	bool write = p->write;

	if (p->cursor >= p->list.n)
		return;
	snprintf(path, sizeof(path), "%s", p->list.v[p->cursor].info.path);
	picker_close(a);
	if (!app_open(a, path, 0, write, &err))
		app_fail(a, &err);
}

void picker_key(struct app *a, int key, const struct view *v)
{
	struct picker *p = a->picker;
	struct err err = ERR_INIT;
	int64_t at = (int64_t)p->cursor;

	if (key == 'q' || key == 0x1b || key == KEY_UI_F10 || key == KEY_CTRL('c')) {
		picker_close(a);
		a->quit = !a->open && !a->job;
	} else if (key == '\r' || key == '\n' || key == 'l') {
		open_it(a);
	} else if (key == 'w') {
		p->write = !p->write;
	} else if (key == 'r') {
		if (!picker_open(a, p->write, &err))
			app_fail(a, &err);
	} else if (p->list.n &&
		   draw_list_key(key, 0, list_rows(v), (int64_t)p->list.n - 1, &at)) {
		p->cursor = (size_t)at;
	}
}
