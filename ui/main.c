/* SPDX-License-Identifier: GPL-3.0-or-later */
/* main.c - from the command line to the screen or to batch mode. */
#include <fcntl.h>
#include <locale.h>
#include <langinfo.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/memory.h"
#include "lab/demo.h"
#include "ui/app.h"
#include "ui/batch.h"
#include "ui/cli.h"
#include "ui/loop.h"
#include "ui/manual.h"
#include "ui/picker.h"
#include "ui/script.h"

static int complain(const struct err *err)
{
	fprintf(stderr, "cdefrag: %s\n", err->msg);
	return err_exit_code(err->class);
}

static int make_demo(const struct cli *c)
{
	struct demo_options opt = {.bytes = c->demo_bytes, .seed = c->demo_seed};
	struct err err = ERR_INIT;

	if (!c->force && access(c->demo, F_OK) == 0) {
		printf("kept as it is: %s (--force makes it anew)\n", c->demo);
		return 0;
	}
	if (!demo_make(c->demo, &opt, c->force, &err))
		return complain(&err);
	printf("made %s\n", c->demo);
	return 0;
}

static bool wants_screen(const struct cli *c)
{
	const char *term = getenv("TERM");

	return !c->batch && !c->json && !c->commands.n && !c->script &&
	       isatty(STDIN_FILENO) && isatty(STDOUT_FILENO) && term && *term &&
	       strcmp(term, "dumb");
}

static void warn(void *arg, const char *text)
{
	app_log(arg, true, "%s", text);
}

/* The look as far as the command line decides it; the terminal may have less. */
static bool choose_theme(struct app *a, const struct cli *c, bool screen, struct err *err)
{
	const char *no_color = getenv("NO_COLOR");
	bool mono = c->no_color || (no_color && *no_color && !c->color);
	bool utf8 = !c->ascii && (!screen || !strcmp(nl_langinfo(CODESET), "UTF-8"));

	a->color = !mono && (c->color || isatty(STDOUT_FILENO));
	if (c->theme)
		snprintf(a->theme_id, sizeof(a->theme_id), "%s", c->theme);
	return theme_load(&a->theme, a->theme_id, mono ? DEPTH_MONO : DEPTH_256, utf8,
			  warn, a, err);
}

static int run_screen(struct app *a, const struct cli *c)
{
	struct err err = ERR_INIT;

	a->interactive = true;
	if (!c->volume ? !picker_open(a, c->write, &err)
		       : !app_open(a, c->volume, c->offset, c->write, &err))
		return complain(&err);
	if (c->lesson) {
		struct str line = STR_INIT;

		str_addf(&line, "lesson \"%s\"", c->lesson);
		a->rest = str_detach(&line); /* when the volume has been read */
	}
	return loop_run(a);
}

/* The user's start file; what the command line says goes before it. */
static bool run_rc(struct app *a, const struct cli *c, bool screen, struct err *err)
{
	if (c->no_rc)
		return true;
	a->interactive = screen; /* what is wrong is shown there */
	script_run_rc(a);
	a->interactive = false;
	if (!a->quit)
		a->exit_code = 0; /* what is asked for now decides */
	if (c->undo_full)
		a->undo_full = true;
	return !(c->theme || c->ascii) || choose_theme(a, c, screen, err);
}

static bool wants_nothing(const struct cli *c)
{
	return !c->volume && !c->commands.n && !c->script &&
	       (isatty(STDIN_FILENO) || !c->batch);
}

static int run(const struct cli *c)
{
	bool screen = wants_screen(c);
	struct err err = ERR_INIT;
	struct app app;
	int code;

	if (wants_nothing(c) && !screen) {
		fprintf(stderr,
			"cdefrag: which volume? cdefrag [-w] IMAGE-OR-DEVICE; see: "
			"cdefrag --help\n");
		return 2;
	}
	if (!app_init(&app, screen ? ENGINE_THREAD : 0, &err))
		return complain(&err);
	app.json = c->json;
	app.undo_full = c->undo_full;
	app.verify = c->verify;
	if (c->journal)
		app.journal = strdup(c->journal);
	if (!choose_theme(&app, c, screen, &err))
		code = complain(&err);
	else if (!run_rc(&app, c, screen, &err))
		code = complain(&err);
	else if (app.quit)
		code = app.exit_code;
	else
		code = screen ? run_screen(&app, c) : batch_run(&app, c);
	app_release(&app);
	return code;
}

/* With one of the three closed (`cdefrag ... >&-`), the volume itself would be opened under
 * its number, and what the program prints would land in the superblock. */
static bool standard_files_open(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd < 0)
		return false;
	close(fd);
	return true;
}

static void print(void (*text)(struct str *out))
{
	struct str s = STR_INIT;

	text(&s);
	fputs(s.buf, stdout);
	str_release(&s);
}

int main(int argc, char **argv)
{
	struct err err = ERR_INIT;
	struct cli c;
	int code = 0;

	memory_setup();
	if (!standard_files_open())
		return 1;
	setlocale(LC_ALL, "");
	setlocale(LC_NUMERIC, "C");
	if (!cli_parse(&c, argc, argv, &err))
		code = complain(&err);
	else if (c.help)
		print(cli_usage);
	else if (c.print_man)
		print(manual_page);
	else if (c.print_completion)
		print(manual_completion);
	else if (c.version)
		printf("cdefrag %s\n", CDEFRAG_VERSION);
	else if (c.demo && (code = make_demo(&c)) == 0 && !c.volume)
		;
	else if (code == 0)
		code = run(&c);
	cli_release(&c);
	return code;
}
