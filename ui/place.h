/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place.h - places on the volume that have a name: marks, and the region.
 *
 * Both belong to the app's map state and hold block numbers, so that they survive any zoom.
 * The region is the target "region" (or "sel") of every command that takes blocks.
 */
#ifndef UI_PLACE_H
#define UI_PLACE_H

#include "ui/app.h"

/* Index in map.marks of the mark a to z, A to Z or ' (where the last jump came from); -1: no
 * mark can have that name. */
int mark_index(int name);
void marks_clear(struct app *a);
/* The letter of the mark that a block or one of its neighbours has, 0 none: of several the
 * first in the alphabet. */
char mark_in(const struct app *a, struct range r);
/* Remembers where a far jump began: '' goes back there. */
void mark_jump(struct app *a, blkno_t from);

void region_clear(struct app *a);
/* Picks up the region, or the fragment under the cursor, to move it by hand. False: there is
 * nothing that could be moved; the message says so. */
bool pick_up(struct app *a);
/* Plans the move of what is picked up to the cursor. */
void pick_drop(struct app *a);
/* "41 blocks picked up; here: free", as the place under the cursor is. */
void pick_text(const struct app *a, struct str *out);
/* What lies in the region, in a few words: "region 100..199: 100 blocks, 3 files, 40 free". */
void region_text(const struct app *a, struct str *out);

#endif
