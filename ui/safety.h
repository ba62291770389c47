/* SPDX-License-Identifier: GPL-3.0-or-later */
/* safety.h - a copy of the volume before the first session that writes to it. */
#ifndef UI_SAFETY_H
#define UI_SAFETY_H

#include "ui/app.h"

/* Where the undo journal of the open volume is, or will be. Appends to out. */
bool safety_journal(const struct app *a, struct str *out, struct err *err);
/* Should a clone or an image be offered? Nothing was ever done to this volume (it has no
 * undo journal), no copy was made since it was opened, and it is not one of our own that
 * are made anew in a moment (demo, lab). */
bool safety_due(const struct app *a);
/* Puts the question of a run; with the offer where it is due. */
void safety_ask(struct app *a, const char *question, const char *line_if_yes);
/* While that question is open: c and i leave it for the command line. */
bool safety_key(struct app *a, int key);

#endif
