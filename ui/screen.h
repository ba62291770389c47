/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * screen.h - the whole screen: which pane is where, drawing, keys and clicks.
 *
 * No curses: a screen is drawn into a canvas of any size, on a terminal, for `shot` and
 * in tests alike. Its state is all in struct app.
 */
#ifndef UI_SCREEN_H
#define UI_SCREEN_H

#include "ui/app.h"
#include "ui/canvas.h"
#include "ui/pane.h"

enum screen_part {
	PART_HEADER,
	PART_MAP, /* with its legend in the last row */
	PART_DIVIDER,
	PART_FILES,
	PART_INSPECT_RULE,
	PART_INSPECT,
	PART_TABS,
	PART_BOTTOM,
	PART_JOB,
	PART_READOUT,
	PART_PROMPT,
	PART_FKEYS,
	PART_COUNT
};

/* Places in cells; rows 0: the part is not there. On a narrow screen files, inspector and
 * bottom pane share one place and the tabs pick among them. */
struct screen_layout {
	struct {
		int row, col, rows, cols;
	} part[PART_COUNT];
	bool wide;
	bool too_small; /* below 40x10: one line says so */
};

void screen_layout(struct screen_layout *l, int rows, int cols);

/* Draws everything, the line being edited included. */
void screen_draw(struct app *a, struct canvas *c);

/* Handles one key of input.h (not mouse, not resize) on a screen of c's size. Always
 * takes it: a key that means nothing here is dropped. */
void screen_key(struct app *a, struct canvas *c, int key);
/* A click or wheel step, with places of the whole screen. */
void screen_mouse(struct app *a, struct canvas *c, const struct mouse *m);

#endif
