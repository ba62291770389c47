/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preview.c - see preview.h. */
#include "ui/preview.h"
#include <stdio.h>
#include <string.h>
#include "ui/options.h"

/* There is one prompt, and so one preview. */
static char before[sizeof(((struct app *)0)->theme_id)]; /* empty: none on show */

static const char *chosen(void)
{
	struct prompt_look look;
	const char *line;

	if (!prompt_look(&look) || look.word_at < 0)
		return NULL;
	line = look.line + strspn(look.line, " \t");
	return strncmp(line, "theme ", 6) ? NULL : look.words[look.word_at];
}

static void show(struct app *a, const char *name)
{
	struct err err = ERR_INIT;

	if (strcmp(name, a->theme_id) &&
	    !options_theme(a, name, a->theme.depth, a->theme.utf8, &err))
		app_fail(a, &err);
}

void preview_after_key(struct app *a, enum prompt_result result)
{
	const char *name = result == PROMPT_MORE ? chosen() : NULL;
	char old[sizeof(before)];

	if (name) {
		if (!before[0])
			snprintf(before, sizeof(before), "%s", a->theme_id);
		show(a, name);
	} else if (before[0]) { /* the line itself says what stays */
		memcpy(old, before, sizeof(old));
		before[0] = '\0';
		show(a, old);
	}
}
