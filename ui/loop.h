/* SPDX-License-Identifier: GPL-3.0-or-later */
/* loop.h - the program on a terminal: keys in, events in, frames out. */
#ifndef UI_LOOP_H
#define UI_LOOP_H

#include "ui/app.h"

/*
 * Runs the screen until the operator quits or a signal ends it; returns the exit code:
 * a->exit_code, or 128 + n after signal n. The app must have been set up with
 * ENGINE_THREAD, and setlocale() called; a volume may already be opening. The theme is
 * brought to what the terminal can show. On return the terminal is as it was, a running
 * job has been stopped at a step boundary, and stderr is the terminal again. A terminal
 * that cannot be used gives app_fail() and exit code 1.
 */
int loop_run(struct app *a);

#endif
