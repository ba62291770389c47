/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tty_signal.c - what happens between two instructions.
 *
 * Handlers only set flags and write a byte into a pipe, but for two cases: a crash and
 * the second request to end restore the terminal with write() and tcsetattr(), both
 * async-signal-safe, from bytes prepared at the start. They run on a stack of their own:
 * the crash may be an overflow.
 */
#include "ui/tty_signal.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>
#include "ui/tty.h"

static const int end_signals[] = {SIGTERM, SIGHUP, SIGINT, SIGQUIT};
static const int crash_signals[] = {SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL};
static const int note_signals[] = {SIGWINCH, SIGTSTP, SIGCONT};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define ALL	     (COUNT(end_signals) + COUNT(crash_signals) + COUNT(note_signals) + 1)

static volatile sig_atomic_t end_signal, resized, suspend_wish, resumed;
static int wake[2] = {-1, -1};
static struct tty_restore saved;
static volatile sig_atomic_t restorable;
static char crash_stack[65536];
static struct sigaction old_actions[ALL];

static void notify(void)
{
	int keep = errno;
	ssize_t n = write(wake[1], "", 1); /* a full pipe wakes as well */

	(void)n;
	errno = keep;
}

static void restore_terminal(void)
{
	char bytes[512];
	ssize_t n;

	if (!restorable)
		return;
	restorable = 0;
	n = write(saved.fd, saved.bytes, saved.len);
	tcsetattr(saved.fd, TCSANOW, &saved.modes);
	if (saved.stderr_fd < 0)
		return;
	dup2(saved.stderr_fd, STDERR_FILENO);
	/* The last words: what abort() and its like said before. */
	while ((n = read(saved.pipe_fd, bytes, sizeof(bytes))) > 0)
		n = write(STDERR_FILENO, bytes, (size_t)n);
}

static void on_crash(int sig)
{
	restore_terminal();
	signal(sig, SIG_DFL);
	raise(sig);
}

static void on_end(int sig)
{
	if (end_signal) {
		restore_terminal();
		_exit(128 + sig);
	}
	end_signal = sig;
	notify();
}

static void on_note(int sig)
{
	if (sig == SIGWINCH)
		resized = 1;
	else if (sig == SIGTSTP)
		suspend_wish = 1;
	else
		resumed = 1;
	notify();
}

static void install(int sig, void (*handler)(int), int flags, struct sigaction *old)
{
	struct sigaction sa;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = handler;
	sa.sa_flags = flags;
	sigfillset(&sa.sa_mask);
	sigaction(sig, &sa, old);
}

bool tty_signal_start(struct err *err)
{
	stack_t stack = {.ss_sp = crash_stack, .ss_size = sizeof(crash_stack)};
	size_t at = 0;

	if (pipe2(wake, O_CLOEXEC | O_NONBLOCK)) {
		err_set_errno(err, ERR_IO, errno, "cannot make a pipe");
		return false;
	}
	end_signal = resized = suspend_wish = resumed = 0;
	sigaltstack(&stack, NULL);
	for (size_t i = 0; i < COUNT(end_signals); i++)
		install(end_signals[i], on_end, SA_RESTART, &old_actions[at++]);
	for (size_t i = 0; i < COUNT(crash_signals); i++)
		install(crash_signals[i], on_crash, SA_ONSTACK, &old_actions[at++]);
	for (size_t i = 0; i < COUNT(note_signals); i++)
		install(note_signals[i], on_note, SA_RESTART, &old_actions[at++]);
	install(SIGPIPE, SIG_IGN, 0, &old_actions[at]);
	return true;
}

void tty_signal_stop(void)
{
	size_t at = 0;

	restorable = 0;
	for (size_t i = 0; i < COUNT(end_signals); i++)
		sigaction(end_signals[i], &old_actions[at++], NULL);
	for (size_t i = 0; i < COUNT(crash_signals); i++)
		sigaction(crash_signals[i], &old_actions[at++], NULL);
	for (size_t i = 0; i < COUNT(note_signals); i++)
		sigaction(note_signals[i], &old_actions[at++], NULL);
	sigaction(SIGPIPE, &old_actions[at], NULL);
	close(wake[0]);
	close(wake[1]);
	wake[0] = wake[1] = -1;
}

void tty_signal_restore(const struct tty_restore *r)
{
	restorable = 0;
	if (!r)
		return;
	saved = *r;
	restorable = 1;
}

void tty_signal_suspend(void)
{
	struct sigaction ours;

	install(SIGTSTP, SIG_DFL, 0, &ours);
	kill(getpid(), SIGTSTP);
	sigaction(SIGTSTP, &ours, NULL);
}

int tty_wake_fd(void)
{
	return wake[0];
}

void tty_signals(struct tty_signals *out)
{
	char bytes[64];

	while (read(wake[0], bytes, sizeof(bytes)) > 0)
		;
	out->end = end_signal;
	out->resized = resized;
	out->suspend = suspend_wish;
	out->resumed = resumed;
	resized = suspend_wish = resumed = 0;
}
