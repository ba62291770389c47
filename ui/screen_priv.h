/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen_priv.h - what the files of the screen share. */
#ifndef UI_SCREEN_PRIV_H
#define UI_SCREEN_PRIV_H

#include "ui/keymap.h"
#include "ui/screen.h"

struct view screen_view(const struct screen_layout *l, struct canvas *c,
			enum screen_part part);
/* Which pane a narrow screen shows below the map. */
enum app_focus screen_lower(const struct app *a);
/* On a narrow screen the focus goes to the pane that is shown. */
void screen_settle(struct app *a, const struct screen_layout *l);
enum screen_part screen_part_of(const struct screen_layout *l, enum app_focus focus);
void screen_focus(struct app *a, enum app_focus focus);
const struct pane *screen_pane(const struct app *a, enum app_focus focus);

/* One name in the line of tabs: a pane that a click brings to the front. */
struct screen_tab {
	const char *name;
	enum app_focus focus;
	enum app_tab tab;
	int col, cols;
};
#define SCREEN_TABS_MAX (TAB_COUNT + 3)
/* The tabs of this layout with their columns; returns how many. */
int screen_tabs(const struct screen_layout *l, struct screen_tab tabs[SCREEN_TABS_MAX]);
bool screen_tab_shown(const struct app *a, const struct screen_layout *l,
		      const struct screen_tab *t);
void screen_show_tab(struct app *a, const struct screen_tab *t);

/* One field of the function bar. */
struct screen_fkey {
	int number; /* 1 to 10 */
	const struct keymap_row *row;
	int col, cols;
};
int screen_fkeys(const struct app *a, int cols, struct screen_fkey keys[10]);

/* The overlay of help inside the screen. */
struct view screen_help_view(struct canvas *c);

void screen_draw_header(const struct app *a, const struct view *v);
void screen_draw_idle(const struct app *a, const struct view *v);

#endif
