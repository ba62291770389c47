/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * canvas.h - a grid of character cells that panes draw into. No curses here.
 *
 * tty.c copies a canvas to the terminal, shot.c to text, ANSI or SVG, the tests compare
 * it with golden screens: whatever is seen is drawn once, the same way. Clipping is done
 * here: drawing outside is harmless.
 */
#ifndef UI_CANVAS_H
#define UI_CANVAS_H

#include <wchar.h>
#include "base/types.h"

#define ATTR_BOLD      0x1u
#define ATTR_UNDERLINE 0x2u
#define ATTR_REVERSE   0x4u
#define ATTR_DIM       0x8u

/* A resolved look. Colours: 0-255 of the xterm palette (0-7 at 8 colours), COLOR_DEFAULT
 * the terminal's own. */
#define COLOR_DEFAULT (-1)
struct style {
	int16_t fg, bg;
	uint16_t attr;
};

struct cell {
	wchar_t ch; /* 0: right half of a wide character */
	struct style style;
};

struct canvas {
	int rows, cols;
	struct cell *cells;	    /* rows * cols, row by row */
	int cursor_row, cursor_col; /* where the hardware cursor shows; row -1: hidden */
};

/* A rectangle of a canvas: what a pane gets to draw in. */
struct view {
	struct canvas *canvas;
	int row, col, rows, cols;
};

bool canvas_init(struct canvas *c, int rows, int cols); /* false: out of memory */
void canvas_release(struct canvas *c);
bool canvas_resize(struct canvas *c, int rows, int cols);
struct view canvas_view(struct canvas *c);
/* Part of a view, clipped to it. */
struct view view_part(const struct view *v, int row, int col, int rows, int cols);

void view_fill(const struct view *v, wchar_t ch, struct style style);
void view_put(const struct view *v, int row, int col, wchar_t ch, struct style style);
/* UTF-8 text from col on; control bytes and bad UTF-8 show as '?', wide characters take
 * two cells, combining ones are dropped. Returns the column after the text. Stops at the
 * right edge. */
int view_text(const struct view *v, int row, int col, struct style style,
	      const char *text);
int view_textf(const struct view *v, int row, int col, struct style style,
	       const char *fmt, ...) __attribute__((format(printf, 5, 6)));
/* As view_text in a field of `width` columns, padded with blanks, cut with `~` (right >
 * 0: right-aligned; right < 0: cut on the left, so that the end of a path stays in
 * sight). */
void view_field(const struct view *v, int row, int col, int width, int right,
		struct style style, const char *text);
/* Columns that UTF-8 text takes. */
int text_width(const char *text);
/* Columns of one character: 0, 1 or 2, the same in every locale. */
int char_width(wchar_t ch);

#endif
