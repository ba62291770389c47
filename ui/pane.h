/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pane.h - what a pane of the screen is: it draws a view, and takes keys and clicks.
 *
 * Keys that a pane does not know return false and go to the global key map. Panes hold no
 * state of their own: it is all in struct app, so that a screen can be rebuilt from it at
 * any size.
 */
#ifndef UI_PANE_H
#define UI_PANE_H

#include "ui/app.h"

/* Keys as the input layer delivers them: a Unicode character, or one of these. */
enum key {
	KEY_UI_BASE = 0x110000,
	KEY_UI_UP,
	KEY_UI_DOWN,
	KEY_UI_LEFT,
	KEY_UI_RIGHT,
	KEY_UI_HOME,
	KEY_UI_END,
	KEY_UI_PGUP,
	KEY_UI_PGDN,
	KEY_UI_INSERT,
	KEY_UI_DELETE,
	KEY_UI_BACKSPACE,
	KEY_UI_BACKTAB,
	KEY_UI_RESIZE,
	KEY_UI_MOUSE,
	KEY_UI_F1,
	KEY_UI_F2,
	KEY_UI_F3,
	KEY_UI_F4,
	KEY_UI_F5,
	KEY_UI_F6,
	KEY_UI_F7,
	KEY_UI_F8,
	KEY_UI_F9,
	KEY_UI_F10,
	KEY_UI_META = 0x200000 /* added to a character typed with Alt or after Escape */
};
#define KEY_CTRL(c) ((c)&0x1f)

enum mouse_kind {
	MOUSE_PRESS,
	MOUSE_DOUBLE,
	MOUSE_DRAG,
	MOUSE_RELEASE,
	MOUSE_UP,
	MOUSE_DOWN
};
struct mouse {
	enum mouse_kind kind;
	int row, col; /* inside the pane's view */
};

struct pane {
	const char *title;
	void (*draw)(struct app *a, const struct view *v);
	/* count: as typed before the key, 0 = none */
	bool (*key)(struct app *a, int key, int count, const struct view *v);
	bool (*mouse)(struct app *a, const struct mouse *m, const struct view *v);
};

extern const struct pane pane_map, pane_files, pane_inspect, pane_plan, pane_jobs,
	pane_journal, pane_log, pane_tree, pane_help;

#endif
