/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tty.h - the terminal: curses, modes, signals. The only user of curses.
 *
 * Curses gets output only; keys are read from tty_fd() and decoded by input.c. While the
 * terminal is ours, stderr goes into a pipe, SIGTERM, SIGHUP, SIGINT and SIGQUIT set a
 * flag (a second one leaves at once, the terminal restored), and a crash restores the
 * terminal before it is raised again.
 *
 * Private modes used: 1000 1002 1006 mouse, 2004 bracketed paste; all off again before a
 * suspend, an exit and a crash. Everything else is terminfo's.
 */
#ifndef UI_TTY_H
#define UI_TTY_H

#include "base/err.h"
#include "ui/canvas.h"
#include "ui/input.h"
#include "ui/theme.h"

/* What stdout's terminal can show: by TERM and the locale. Needs no tty_start(). */
void tty_probe(enum theme_depth *depth, bool *utf8);

/* ERR_REFUSED: no terminal, or one that curses cannot use; nothing has changed then. */
bool tty_start(struct err *err);
/* Everything as it was. Harmless if not started. */
void tty_stop(void);
/* Stops the process as ^Z does in a shell; returns once it goes on. */
void tty_suspend(void);
/* Takes the terminal back after somebody else stopped and continued us. */
void tty_resume(void);

/* Copies a canvas to the terminal; only what differs from the last one is sent. */
void tty_draw(const struct canvas *c);
/* Are clicks reported (they are at first)? Without, the terminal selects text. */
void tty_mouse(bool on);
/* The next tty_draw() repaints everything. */
void tty_forget(void);
void tty_size(int *rows, int *cols);
/* Bytes the terminal has not taken yet. */
int tty_backlog(void);
/* Key sequences of this terminal. False: out of memory. */
bool tty_add_keys(struct input *in);

int tty_fd(void);	 /* keys */
int tty_stderr_fd(void); /* what was written to stderr; -1: not redirected */
/* Readable after a signal; tty_signals() empties it. */
int tty_wake_fd(void);
struct tty_signals {
	int end; /* the signal that asks us to end, 0 none */
	bool resized, suspend, resumed;
};
void tty_signals(struct tty_signals *out);

#endif
