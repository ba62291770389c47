/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pane_help.c - the help overlay: keys from the key table, verbs from the command table.
 */
#include <stdio.h>
#include <string.h>
#include "ui/bind.h"
#include "ui/cmd.h"
#include "ui/draw.h"
#include "ui/keymap.h"
#include "ui/pane.h"

#define NAME_COLS 19

/* Writes lines that fall into the view, and counts all. */
struct page {
	const struct app *app;
	const struct view *view; /* NULL: only count */
	int top, line;
};

static void put_head(struct page *p, const char *text, const char *more)
{
	if (p->line > 0)
		p->line++;
	if (p->view)
		view_textf(p->view, p->line - p->top, 1,
			   p->app->theme.styles[STYLE_UI_TAB_ACTIVE], "%s %s", text,
			   more);
	p->line++;
}

static void put_text(struct page *p, int col, int style, const char *text)
{
	int row = p->line - p->top;

	if (p->view && row >= 0 && row < p->view->rows)
		view_text(p->view, row, col, p->app->theme.styles[style], text);
}

/* A name that is too long for its column has a line of its own. */
static void put_line(struct page *p, const char *name, const char *help)
{
	put_text(p, 2, STYLE_UI_KEY, name);
	if (strlen(name) >= NAME_COLS)
		p->line++;
	put_text(p, NAME_COLS + 2, STYLE_UI_TEXT, help);
	p->line++;
}

/* The F key among a row's keys, 0 if there is none. */
static int function_key(const struct keymap_row *row)
{
	for (int i = 0; i < KEYMAP_KEYS && row->keys[i]; i++)
		if (row->keys[i] >= KEY_UI_F1 && row->keys[i] <= KEY_UI_F10)
			return row->keys[i] - KEY_UI_F1 + 1;
	return 0;
}

static void put_keys(struct page *p, unsigned where, bool everywhere)
{
	for (size_t i = 0; i < keymap_count; i++) {
		const struct keymap_row *row = &keymap_table[i];
		char name[40];

		if (!(row->where & where) || (row->where == IN_ALL) != everywhere ||
		    !keymap_exists(row))
			continue;
		if (function_key(row) > 0)
			snprintf(name, sizeof(name), "%s F%d", row->name,
				 function_key(row));
		else
			snprintf(name, sizeof(name), "%s", row->name);
		put_line(p, name, row->help);
	}
}

/* What the user has bound and named. */
static void put_own(struct page *p, unsigned where)
{
	const struct app *a = p->app;

	if (a->user_keys.n || a->aliases.n)
		put_head(p, "Your own", "keys and words");
	for (size_t i = 0; i < a->user_keys.n; i++)
		if (a->user_keys.v[i]->row.where & where)
			put_line(p, a->user_keys.v[i]->name, a->user_keys.v[i]->line);
	for (size_t i = 0; i < a->aliases.n; i++)
		put_line(p, a->aliases.v[i].name, a->aliases.v[i].line);
}

static int put_all(struct page *p)
{
	unsigned where = keymap_where(p->app);

	put_head(p, "Keys of this pane:", keymap_where_name(where));
	put_keys(p, where, false);
	put_head(p, "Keys", "everywhere");
	put_keys(p, where, true);
	put_line(p, "mouse",
		 "click: cursor, tab, key, sort; double: select; wheel: zoom, scroll");
	put_own(p, where);
	put_head(p, "Commands", "(after :, shortest unique form will do)");
	for (size_t i = 0; i < cmd_count; i++) {
		char name[100];

		snprintf(name, sizeof(name), "%s %s", cmd_table[i].verb,
			 cmd_table[i].args ? cmd_table[i].args : "");
		put_line(p, name, cmd_table[i].help);
	}
	return p->line;
}

static int line_count(const struct app *a)
{
	struct page p = {a, NULL, 0, 0};

	return put_all(&p);
}

/* The last row tells how to get on. */
static int body_rows(const struct view *v)
{
	return v->rows > 1 ? v->rows - 1 : v->rows;
}

static void draw(struct app *a, const struct view *v)
{
	struct view body = view_part(v, 0, 0, body_rows(v), v->cols);
	struct page p = {a, &body, 0, 0};
	int lines = line_count(a);
	char text[80];

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	a->help_scroll = draw_scroll_clamp(a->help_scroll, body_rows(v), lines);
	p.top = a->help_scroll;
	put_all(&p);
	if (v->rows < 2)
		return;
	if (lines > body_rows(v))
		snprintf(text, sizeof(text),
			 "lines %d to %d of %d; j k, PgUp PgDn; q closes", p.top + 1,
			 p.top + body_rows(v), lines);
	else
		snprintf(text, sizeof(text), "q closes");
	view_text(v, v->rows - 1, 1, a->theme.styles[STYLE_UI_DIM], text);
}

static bool key(struct app *a, int k, int count, const struct view *v)
{
	if (k == ' ')
		k = KEY_UI_PGDN;
	return draw_scroll_key(k, count, body_rows(v), line_count(a), &a->help_scroll);
}

static bool mouse(struct app *a, const struct mouse *m, const struct view *v)
{
	return draw_scroll_mouse(m->kind, body_rows(v), line_count(a), &a->help_scroll);
}

const struct pane pane_help = {"Help", draw, key, mouse};
