/* SPDX-License-Identifier: GPL-3.0-or-later */
/* script.h - files of commands, line by line. */
#ifndef UI_SCRIPT_H
#define UI_SCRIPT_H

#include "ui/app.h"

/* Runs a file's lines with fn, which returns false to stop; errors name file and line.
 * False: it could not be read, or was stopped. */
bool script_run(struct app *a, const char *path,
		bool (*fn)(struct app *a, const char *line));

/* The user's own start file: $XDG_CONFIG_HOME/cdefrag/rc, else ~/.config/cdefrag/rc. None is
 * no error. Every line is run, whatever became of the one before; what is wrong is said. A
 * file that others than its reader (or, under sudo, who called it) may change is not run. */
void script_run_rc(struct app *a);

#endif
