/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tty_signal.h - signals and the restore after a crash. For tty.c alone. */
#ifndef UI_TTY_SIGNAL_H
#define UI_TTY_SIGNAL_H

#include <termios.h>
#include "base/err.h"

/* What a crash must bring back, prepared while all is well. */
struct tty_restore {
	int fd;
	char bytes[512];
	size_t len;
	struct termios modes;
	int stderr_fd; /* the real one, -1: not redirected */
	int pipe_fd;   /* what is still to be read of the redirected one */
};

/* Handlers on; call before curses starts, which then leaves them alone. */
bool tty_signal_start(struct err *err);
void tty_signal_stop(void);
/* From now on a crash restores this; NULL: nothing to restore. */
void tty_signal_restore(const struct tty_restore *r);
/* SIGTSTP by its default action. */
void tty_signal_suspend(void);

#endif
