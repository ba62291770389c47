/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_misc.c - help, log, scripts, leaving. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "ui/app_priv.h"
#include "ui/cmd_priv.h"
#include "ui/text_file.h"

#define SOURCE_DEPTH 8 /* scripts that call scripts */

bool cmd_echo(struct app *a, struct cmd_call *c, struct err *err)
{
	struct str s = STR_INIT;

	(void)err;
	cmd_words_text(c, &s);
	app_print(a, "%s\n", s.buf);
	str_release(&s);
	return true;
}

static void usage_of(const struct cmd *cmd, struct str *out)
{
	str_addf(out, "%s%s%s%s", cmd->verb, cmd->forced ? "[!]" : "",
		 cmd->args[0] ? " " : "", cmd->args);
}

#define USAGE_COLS 28

/* A usage that is too long for its column has a line of its own. */
static void help_all(struct app *a)
{
	struct str s = STR_INIT;

	for (size_t i = 0; i < cmd_count; i++) {
		str_clear(&s);
		usage_of(&cmd_table[i], &s);
		if (s.len > USAGE_COLS)
			app_print(a, "%s\n%*s", s.buf, USAGE_COLS, "");
		else
			app_print(a, "%-*s", USAGE_COLS, s.buf);
		app_print(a, "  %s\n", cmd_table[i].help);
	}
	app_print(a,
		  "A verb may be shortened as long as it stays clear. ; parts commands, "
		  "# begins a comment.\n");
	app_print(a,
		  "TARGET: /PATH (a directory with all below), %% all, . cursor, @tags, "
		  "ino N, dir N, BLOCK, a,b, a+len, gN, {FILTER}\n");
	app_print(a, "FILTER: frag>4 size<1M name~*.log | age<30 type=dir; by fragments, "
		     "ideal, excess, size, blocks, inode, first, group, score, age, "
		     "type, name, path\n");
	str_release(&s);
}

bool cmd_help(struct app *a, struct cmd_call *c, struct err *err)
{
	const struct cmd *cmd;
	struct str s = STR_INIT;

	if (!cmd_args(c, 0, 1, err))
		return false;
	if (!c->argc) {
		if (a->interactive)
			a->help_open = true, a->help_scroll = 0;
		else
			help_all(a);
		return true;
	}
	cmd = cmd_find(c->argv[0], err);
	if (!cmd) {
		c->bad = 0;
		return false;
	}
	usage_of(cmd, &s);
	app_print(a, "%s: %s\n", s.buf, cmd->help);
	str_release(&s);
	return true;
}

bool cmd_log(struct app *a, struct cmd_call *c, struct err *err)
{
	if (!cmd_args(c, 0, 0, err))
		return false;
	if (a->interactive) {
		app_show_tab(a, TAB_LOG);
		return true;
	}
	for (size_t i = 0; i < a->log.n; i++) {
		struct str s = STR_INIT;
		time_t time = (time_t)a->log.v[i].time;
		char when[32] = "?";
		struct tm tm;

		if (localtime_r(&time, &tm))
			strftime(when, sizeof(when), "%H:%M:%S", &tm);
		str_add_safe(&s, a->log.v[i].text, strlen(a->log.v[i].text));
		app_print(a, "%s %s%s\n", when, a->log.v[i].error ? "error: " : "",
			  s.buf);
		str_release(&s);
	}
	return true;
}

bool cmd_source(struct app *a, struct cmd_call *c, struct err *err)
{
	static int depth;
	char *text;
	bool ok;

	if (!cmd_args(c, 1, 1, err))
		return false;
	if (depth == SOURCE_DEPTH) {
		err_set(err, ERR_USAGE, "scripts call each other more than %d deep",
			SOURCE_DEPTH);
		return false;
	}
	text = text_file_read(c->argv[0], err);
	if (!text) {
		c->bad = 0;
		return false;
	}
	depth++;
	ok = cmd_run_line(a, text);
	depth--;
	free(text);
	if (!ok)
		err_set(err, a->exit_code == 3 ? ERR_STOPPED : ERR_REFUSED,
			"%s was not carried out to its end", c->argv[0]);
	return ok;
}

bool cmd_version(struct app *a, struct cmd_call *c, struct err *err)
{
	if (!cmd_args(c, 0, 0, err))
		return false;
	app_print(a, "cdefrag %s\n", CDEFRAG_VERSION);
	return true;
}

bool cmd_quit(struct app *a, struct cmd_call *c, struct err *err)
{
	if (!cmd_args(c, 0, 0, err))
		return false;
	if (a->job && !c->force && a->interactive) {
		char text[100];

		snprintf(text, sizeof(text), "stop %s at its next safe point and quit?",
			 a->job_name);
		app_ask(a, text, "quit!");
		return true;
	}
	a->quit = true;
	return true;
}
