/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * app_say.c - what is said to the operator, and where it appears.
 *
 *   said            curses                             batch
 *   command output  message line, or log pane if long  stdout; with --json one object
 *   notes           message line, log pane             stdout; engine's notes on stderr
 *   errors          message line, log pane             stderr; with --json an object too
 */
#include <errno.h>
#include <jansson.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ui/app.h"
#include "ui/canvas.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"

#define LOG_MAX 10000

static void log_text(struct app *a, bool error, const char *text)
{
	struct log_line line = {(int64_t)time(NULL), error, strdup(text)};

	if (!line.text)
		return;
	if (a->log.n >= LOG_MAX) {
		free(a->log.v[0].text);
		memmove(a->log.v, a->log.v + 1, --a->log.n * sizeof(*a->log.v));
	}
	if (!vec_push(&a->log, line))
		free(line.text);
}

void app_log(struct app *a, bool error, const char *fmt, ...)
{
	struct str s = STR_INIT;
	char text[ERR_MSG_MAX + 200];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	log_text(a, error, text);
	if (a->interactive)
		return;
	str_add_safe(&s, text, strlen(text));
	app_flush(a); /* in the order in which things happened */
	fprintf(stderr, "cdefrag: %s\n", s.buf);
	str_release(&s);
}

void app_say(struct app *a, const char *fmt, ...)
{
	char text[sizeof(a->message)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (a->interactive) {
		memcpy(a->message, text, sizeof(text));
		a->message_is_error = false;
	} else {
		app_print(a, "%s\n", text);
	}
}

/* On a terminal a mistyped command is no reason for a bad exit code later on; a volume
 * that is left needing recovery is. */
static void keep_exit_code(struct app *a, enum err_class class)
{
	int code = err_exit_code(class);

	if (code > a->exit_code && (!a->interactive || class == ERR_RECOVER))
		a->exit_code = code;
}

static void fail_json(struct app *a, const struct err *err)
{
	json_t *o = json_pack("{s:o, s:s}", "error", json_text(err->msg), "class",
			      err_class_name(err->class));

	json_print(a, o);
	app_flush(a);
}

/* The line and a caret under its byte `at`, as far as a message of a few rows has room. */
static bool add_caret(const struct app *a, struct str *out, const char *line, int at)
{
	struct str safe = STR_INIT;
	int rows, cols, before;

	cmd_screen_size(a, &rows, &cols);
	str_add_safe(&safe, line, (size_t)at);
	before = text_width(safe.buf);
	str_add_safe(&safe, line + at, strlen(line + at));
	if (text_width(safe.buf) > cols - 6 || (int)out->len > 2 * (cols - 6)) {
		str_release(&safe);
		return false;
	}
	str_addf(out, "\n  %s\n  %*s^", safe.buf, before, "");
	str_release(&safe);
	return true;
}

/* In the log in one line: "sort ^foo". */
static void fail_message(struct app *a, const struct err *err, const char *line, int at)
{
	struct str s = STR_INIT, one = STR_INIT;

	str_addf(&s, "%s%s", a->origin ? a->origin : "", err->msg);
	str_add(&one, s.buf);
	if (line)
		str_addf(&one, " -- %.*s^%s", at, line, line + at);
	if (line && add_caret(a, &s, line, at))
		snprintf(a->message, sizeof(a->message), "%s", s.buf);
	else
		snprintf(a->message, sizeof(a->message), "%s", one.buf);
	a->message_is_error = true;
	log_text(a, true, one.buf);
	str_release(&s);
	str_release(&one);
}

static void fail_batch(struct app *a, const struct err *err, const char *line, int at)
{
	struct str s = STR_INIT;

	log_text(a, true, err->msg);
	app_flush(a);
	str_addf(&s, "cdefrag: %s", a->origin ? a->origin : "");
	str_add_safe(&s, err->msg, strlen(err->msg));
	if (line) {
		struct str before = STR_INIT;

		str_add(&s, "\n  ");
		str_add_safe(&s, line, strlen(line));
		str_add_safe(&before, line, (size_t)at);
		str_addf(&s, "\n  %*s^", text_width(before.buf), "");
		str_release(&before);
	}
	fprintf(stderr, "%s\n", s.buf);
	if (a->json)
		fail_json(a, err);
	str_release(&s);
}

void app_fail_at(struct app *a, const struct err *err, const char *line, int at)
{
	keep_exit_code(a, err->class);
	if (a->interactive)
		fail_message(a, err, line, at);
	else
		fail_batch(a, err, line, at);
}

void app_fail(struct app *a, const struct err *err)
{
	app_fail_at(a, err, NULL, 0);
}

/* --- output of commands --- */

void app_print(struct app *a, const char *fmt, ...)
{
	va_list ap;
	char *text;
	int n;

	va_start(ap, fmt);
	n = vasprintf(&text, fmt, ap);
	va_end(ap);
	if (n < 0) {
		a->out->oom = true;
		return;
	}
	str_addn(a->out, text, (size_t)n);
	free(text);
}

static void flush_batch(struct app *a)
{
	if (fwrite(a->out->buf, 1, a->out->len, stdout) != a->out->len ||
	    fflush(stdout)) {
		int cause = errno;

		if (a->exit_code == 0)
			a->exit_code = 1;
		a->quit = true; /* nobody listens any more */
		if (cause != EPIPE)
			fprintf(stderr, "cdefrag: cannot write output: %s\n",
				strerror(cause));
	}
}

/* One line is a message; more go to the log, which is brought to the front. */
static void flush_screen(struct app *a)
{
	char *text = a->out->buf, *end = strchr(text, '\n');

	if (!end || !end[1]) {
		app_say(a, "%.*s", (int)strcspn(text, "\n"), text);
		return;
	}
	while (*text) {
		size_t len = strcspn(text, "\n");
		bool more = text[len] == '\n';

		text[len] = '\0';
		log_text(a, false, text);
		text += len + more;
	}
	app_show_tab(a, TAB_LOG);
}

void app_flush(struct app *a)
{
	if (a->out->len == 0)
		return;
	if (a->out->oom)
		fprintf(stderr, "cdefrag: out of memory: output is cut short\n");
	if (a->interactive)
		flush_screen(a);
	else
		flush_batch(a);
	str_clear(a->out);
}
