/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch.h - the program without a screen: commands from -c, a script or stdin; answers on
 * stdout, errors, notes and (on a terminal) progress on stderr.
 */
#ifndef UI_BATCH_H
#define UI_BATCH_H

#include "ui/app.h"
#include "ui/cli.h"

/* Opens the volume, runs everything up to the first failure, and returns the exit code.
 * SIGINT, SIGTERM and SIGHUP stop a running job at its next safe point; a second one ends
 * the program. */
int batch_run(struct app *a, const struct cli *cli);

/* Has a signal asked to stop? */
bool batch_interrupted(void);

enum batch_answer { BATCH_YES, BATCH_NO, BATCH_NOBODY };
/* Asks on the terminal; BATCH_NOBODY if stdin or stderr is none. */
enum batch_answer batch_ask(struct app *a, const char *question);

#endif
