/* SPDX-License-Identifier: GPL-3.0-or-later */
/* batch.c - see batch.h. */
#include "ui/batch.h"
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/num.h"
#include "ui/cmd.h"
#include "ui/script.h"

#define PROGRESS_MS 100

static volatile sig_atomic_t interrupted;
static uint64_t progress_shown; /* when; 0: no progress line is on the terminal */

/* --- signals --- */

static void on_signal(int signal)
{
	(void)signal;
	interrupted = 1;
}

bool batch_interrupted(void)
{
	return interrupted;
}

static void catch_signals(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP};
	struct sigaction stop = {.sa_handler = on_signal, .sa_flags = (int)SA_RESETHAND};
	struct sigaction ignore = {.sa_handler = SIG_IGN}, old;

	for (size_t i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		if (sigaction(signals[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN)
			sigaction(signals[i], &stop, NULL);
	sigaction(SIGPIPE, &ignore, NULL); /* a closed pipe is an error of writing */
}

/* --- progress --- */

static void clear_progress(void)
{
	if (progress_shown)
		fputs("\r\033[K", stderr);
	progress_shown = 0;
}

static void show_progress(struct app *a)
{
	const struct progress *p = &a->progress;
	char rate[NUM_TEXT_MAX], left[NUM_TEXT_MAX];
	uint64_t now = num_now_ms();

	if (!a->job || now - progress_shown < PROGRESS_MS || !p->phase[0])
		return;
	progress_shown = now;
	fprintf(stderr, "\r%s: %s", p->job, p->phase);
	if (p->total)
		fprintf(stderr, " %3.0f%%", 100.0 * (double)p->done / (double)p->total);
	if (p->bytes_per_second)
		fprintf(stderr, " %s/s", num_format_bytes(p->bytes_per_second, rate));
	if (p->eta_ms)
		fprintf(stderr, " %s left",
			num_format_seconds((p->eta_ms + 999) / 1000, left));
	fputs("\033[K", stderr);
}

static void on_wait(struct app *a)
{
	if (interrupted)
		engine_stop(a->engine);
	if (!isatty(STDERR_FILENO))
		return;
	if (a->job)
		show_progress(a);
	else
		clear_progress();
}

/* --- questions --- */

enum batch_answer batch_ask(struct app *a, const char *question)
{
	char answer[16];

	if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO))
		return BATCH_NOBODY;
	app_flush(a);
	fprintf(stderr, "%s [y/N] ", question);
	if (!fgets(answer, sizeof(answer), stdin))
		return BATCH_NO;
	return answer[0] == 'y' || answer[0] == 'Y' ? BATCH_YES : BATCH_NO;
}

/* --- running --- */

static bool run_line(struct app *a, const char *line)
{
	struct err err = ERR_INIT;

	if (interrupted) {
		err_set(&err, ERR_STOPPED, "stopped; all that was done is safe");
		app_fail(a, &err);
		return false;
	}
	return cmd_run_line(a, line) && !a->quit;
}

static bool run_stdin(struct app *a)
{
	bool talk = isatty(STDIN_FILENO) && isatty(STDERR_FILENO), ok = true;
	size_t cap = 0;
	char *line = NULL;

	while (ok) {
		if (talk)
			fputs("cdefrag> ", stderr);
		if (getline(&line, &cap, stdin) < 0)
			break;
		line[strcspn(line, "\n")] = '\0';
		ok = run_line(a, line) || (talk && !a->quit && !interrupted);
	}
	free(line);
	return ok;
}

static bool open_first(struct app *a, const struct cli *cli)
{
	struct err err = ERR_INIT;

	if (!cli->volume)
		return true;
	if (app_open(a, cli->volume, cli->offset, cli->write, &err) &&
	    app_finish(a, &err))
		return true;
	app_fail(a, &err);
	return false;
}

int batch_run(struct app *a, const struct cli *cli)
{
	bool ok;

	catch_signals();
	a->on_wait = on_wait;
	ok = open_first(a, cli);
	if (ok && cli->lesson) {
		struct str line = STR_INIT;

		str_addf(&line, "lesson \"%s\"", cli->lesson);
		ok = run_line(a, line.buf);
		str_release(&line);
	}
	for (size_t i = 0; ok && i < cli->commands.n; i++)
		ok = run_line(a, cli->commands.v[i]);
	if (ok && cli->script)
		script_run(a, cli->script, run_line);
	else if (ok && !cli->commands.n && !cli->lesson)
		run_stdin(a);
	clear_progress();
	app_flush(a);
	return a->exit_code;
}
