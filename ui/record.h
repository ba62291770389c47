/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record.h - screens over time: to keep, to show, to play again.
 *
 * Written as an asciicast (version 2: a header object and a line [seconds, "o", text] a
 * frame) or as an SVG that moves by itself. A frame that equals the one before is left
 * out, and of an asciicast's frame the rows that stayed.
 */
#ifndef UI_RECORD_H
#define UI_RECORD_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "ui/canvas.h"

struct record_frame {
	double time; /* seconds since the first */
	struct canvas canvas;
};
struct recording {
	int rows, cols;
	VEC(struct record_frame) frames;
};

#define RECORD_FRAMES_MAX 5000u

void record_init(struct recording *r, int rows, int cols);
void record_release(struct recording *r);
/* Adds a copy of the canvas (cut or padded to the recording's size). False: out of
 * memory, or too many frames. */
bool record_add(struct recording *r, const struct canvas *c, double time);

void record_cast(const struct recording *r, struct str *out);
void record_svg(const struct recording *r, struct str *out);
/* By the path's ending: .cast, .svg. */
bool record_write(const struct recording *r, const char *path, struct err *err);
/* An asciicast: cursor positions, colours and text are understood, other sequences
 * passed over. ERR_USAGE: it is none. */
bool record_read(struct recording *out, const char *path, struct err *err);

#endif
