/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen_mouse.c - what a click, a drag or the wheel does: by the part of the screen it falls on. */
#include "ui/map_frame.h"
#include "ui/prompt.h"
#include "ui/screen_priv.h"

static bool inside(const struct view *v, const struct mouse *m)
{
	return m->row >= v->row && m->row < v->row + v->rows && m->col >= v->col &&
	       m->col < v->col + v->cols;
}

static bool pane_mouse(struct app *a, struct canvas *c, const struct screen_layout *l,
		       enum app_focus focus, const struct mouse *m)
{
	struct view v = screen_view(l, c, screen_part_of(l, focus));
	struct mouse local = *m;

	if (!inside(&v, m))
		return false;
	local.row -= v.row;
	local.col -= v.col;
	if (m->kind == MOUSE_PRESS || m->kind == MOUSE_DOUBLE)
		screen_focus(a, focus);
	screen_pane(a, focus)->mouse(a, &local, &v);
	if (focus == FOCUS_MAP)
		a->inspect_follow = true;
	return true;
}

static void tabs_mouse(struct app *a, const struct screen_layout *l, int col)
{
	struct screen_tab tabs[SCREEN_TABS_MAX];
	int n = screen_tabs(l, tabs);

	for (int i = 0; i < n; i++)
		if (col >= tabs[i].col && col < tabs[i].col + tabs[i].cols)
			screen_show_tab(a, &tabs[i]);
}

static void fkeys_mouse(struct app *a, struct canvas *c, int col)
{
	struct screen_fkey keys[10];
	int n = screen_fkeys(a, c->cols, keys);

	for (int i = 0; i < n; i++)
		if (col >= keys[i].col && col < keys[i].col + keys[i].cols) {
			screen_key(a, c, KEY_UI_F1 + keys[i].number - 1);
			return;
		}
}

static void lines_mouse(struct app *a, struct canvas *c, const struct screen_layout *l,
			const struct mouse *m)
{
	struct view tabs = screen_view(l, c, PART_TABS);
	struct view keys = screen_view(l, c, PART_FKEYS);
	struct view line = screen_view(l, c, PART_PROMPT);

	if (m->kind != MOUSE_PRESS)
		return;
	if (inside(&tabs, m))
		tabs_mouse(a, l, m->col);
	else if (inside(&keys, m))
		fkeys_mouse(a, c, m->col);
	else if (inside(&line, m))
		screen_key(a, c, ':');
}

void screen_mouse(struct app *a, struct canvas *c, const struct mouse *m)
{
	struct view help = screen_help_view(c);
	struct screen_layout l;

	screen_layout(&l, c->rows, c->cols);
	/* A click is no answer to a question, and does not end an edited line. */
	if (m->kind == MOUSE_RELEASE && a->map.dragging)
		a->map.dragging = a->map.selecting = false; /* the region stays */
	if (l.too_small || a->confirm_line || prompt_active())
		return;
	if (a->help_open) {
		if (m->kind == MOUSE_PRESS && !inside(&help, m))
			a->help_open = false;
		else
			pane_help.mouse(a, m, &help);
		return;
	}
	if (pane_mouse(a, c, &l, FOCUS_MAP, m))
		return;
	if (l.wide) {
		if (!pane_mouse(a, c, &l, FOCUS_FILES, m) &&
		    !pane_mouse(a, c, &l, FOCUS_INSPECT, m) &&
		    !pane_mouse(a, c, &l, FOCUS_BOTTOM, m))
			lines_mouse(a, c, &l, m);
	} else if (!pane_mouse(a, c, &l, screen_lower(a), m)) {
		lines_mouse(a, c, &l, m);
	}
}
