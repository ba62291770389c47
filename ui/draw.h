/* SPDX-License-Identifier: GPL-3.0-or-later */
/* draw.h - what several panes draw or do alike: names, bars, scrolling. */
#ifndef UI_DRAW_H
#define UI_DRAW_H

#include "ui/app.h"
#include "ui/canvas.h"

/* The path of an inode, safe to print; "inode 17" until it is known. */
void draw_name(const struct app *a, inum_t ino, struct str *out);
/* As view_field with that name; the end of a long path stays in sight. */
void draw_name_field(const struct app *a, const struct view *v, int row, int col,
		     inum_t ino, struct style style);

/* A bar that is part/whole full, in eighths of a cell, ASCII: '#'. */
void draw_bar(const struct app *a, const struct view *v, int row, int col, int width,
	      double share);
/* A rule of a whole row. */
void draw_rule(const struct app *a, const struct view *v, int row);
/* The running job in one row: "run  [####....]  45%  #43/96 copy  18M/s  0:07  ^C stop".
 */
void draw_job(const struct app *a, const struct view *v, int row);
/* 0 to 1: how much of the running job is done. */
double draw_job_share(const struct app *a);
bool draw_job_writes(const struct app *a); /* a run, an undo or a redo */

/* Moves a position of a list (a cursor or the top line) by a motion key; max: the last
 * position; page: rows in sight. False: no motion key. 'g' and 'G' are first and last, G
 * with a count that line. */
bool draw_list_key(int key, int count, int page, int64_t max, int64_t *at);
/* The same for a scroll position kept as int. */
bool draw_scroll_key(int key, int count, int page, int lines, int *top);
/* Wheel: three lines. */
bool draw_scroll_mouse(int kind, int page, int lines, int *top);
/* top within what the list has. */
int draw_scroll_clamp(int top, int page, int lines);

#endif
