/* SPDX-License-Identifier: GPL-3.0-or-later */
/* shot.h - a canvas as a file: what is on the screen, to keep, to compare, to show. */
#ifndef UI_SHOT_H
#define UI_SHOT_H

#include "base/err.h"
#include "base/str.h"
#include "ui/canvas.h"

/* Rows of UTF-8 text without colours and trailing blanks. */
void shot_text(const struct canvas *c, struct str *out);
/* Text with escape sequences for 256 colours. */
void shot_ansi(const struct canvas *c, struct str *out);
/* A picture: rectangles for colours and blocks, text for glyphs (DejaVu Sans Mono). */
void shot_svg(const struct canvas *c, struct str *out);

/* One row of shot_ansi, without the newline; and what record.c builds moving pictures of:
 * the picture without its frame, its size in pixels, a file replaced if it is a regular
 * one. */
void shot_ansi_row(const struct canvas *c, int row, struct str *out);
void shot_svg_body(const struct canvas *c, struct str *out);
void shot_svg_size(int rows, int cols, int *w, int *h);
bool shot_write_file(const char *path, const struct str *s, struct err *err);

/* Writes one of them by the path's ending: .txt, .ansi, .svg. Replaces a regular file;
 * anything else (a device) is refused. */
bool shot_write(const struct canvas *c, const char *path, struct err *err);

#endif
