/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ask.c - questions before something is written, and which tab is shown. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/app.h"
#include "ui/cmd.h"

void app_ask(struct app *a, const char *question, const char *line_if_yes)
{
	char *line;

	if (!a->interactive) {
		app_say(a, "%s: not done without an answer; to force: %s", question,
			line_if_yes);
		return;
	}
	line = strdup(line_if_yes);
	if (!line) {
		app_say(a, "out of memory");
		return;
	}
	free(a->confirm_line);
	a->confirm_line = line;
	snprintf(a->confirm_text, sizeof(a->confirm_text), "%s", question);
}

void app_answer(struct app *a, bool yes)
{
	char *line = a->confirm_line;

	a->confirm_line = NULL;
	a->confirm_copy = false;
	a->confirm_text[0] = '\0';
	if (!line)
		return;
	if (yes)
		cmd_run_line(a, line);
	else
		app_say(a, "not done");
	free(line);
}

void app_show_tab(struct app *a, enum app_tab tab)
{
	if (a->tab != tab)
		a->bottom_scroll = 0;
	a->tab = tab;
	a->lower = FOCUS_BOTTOM;
}
