/* SPDX-License-Identifier: GPL-3.0-or-later */
/* safety.c - see safety.h. */
#include "ui/safety.h"
#include <string.h>
#include <unistd.h>
#include "engine/engine.h"
#include "fs/build.h"
#include "ui/prompt.h"

bool safety_journal(const struct app *a, struct str *out, struct err *err)
{
	if (!a->journal)
		return engine_default_journal(a->volume.uuid, out, err);
	str_add(out, a->journal);
	return !out->oom || err_nomem(err);
}

bool safety_due(const struct app *a)
{
	struct str path = STR_INIT;
	bool due;

	if (a->copy_made || !strcmp(a->volume.label, "demo") ||
	    !strcmp(a->volume.label, BUILD_LAB_LABEL))
		return false;
	due = safety_journal(a, &path, NULL) && access(path.buf, F_OK) != 0;
	str_release(&path);
	return due;
}

void safety_ask(struct app *a, const char *question, const char *line_if_yes)
{
	char text[sizeof(a->confirm_text)];

	a->confirm_copy = safety_due(a);
	snprintf(text, sizeof(text), "%s%s", question,
		 a->confirm_copy ? " c clones, i images it first" : "");
	app_ask(a, text, line_if_yes);
}

bool safety_key(struct app *a, int key)
{
	if (!a->confirm_line || !a->confirm_copy || (key != 'c' && key != 'i'))
		return false;
	app_answer(a, false);
	a->message[0] = '\0';
	prompt_open(key == 'c' ? "clone " : "image ");
	return true;
}
