/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * search.h - looking for a file by a part of its path, from the one at hand on, in the order of
 * the file list.
 *
 * A million paths are not there at once: the search asks the engine for some thousands at a
 * time and goes on when they come, so that keys are served meanwhile.
 */
#ifndef UI_SEARCH_H
#define UI_SEARCH_H

#include "ui/app.h"

/* Looks for `text`, NULL: for what was looked for last. Without letters in upper case, upper
 * and lower case are the same; with * ? or [ it is a pattern for the name or the whole path. In
 * batch mode the answer is there on return. ERR_USAGE: nothing was looked for yet. */
bool search_start(struct app *a, const char *text, bool back, struct err *err);
/* Is there something to look at now? Then search_step() is to be called. */
bool search_ready(const struct app *a);
/* Looks at some thousand paths, and asks for more; true if something on the screen may have changed. */
bool search_step(struct app *a);
void search_stop(struct app *a);

#endif
