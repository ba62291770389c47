/* SPDX-License-Identifier: GPL-3.0-or-later */
/* script.c - see script.h. */
#include "ui/script.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ui/cmd.h"
#include "ui/text_file.h"

bool script_run(struct app *a, const char *path,
		bool (*fn)(struct app *a, const char *line))
{
	const char *outer = a->origin;
	struct err err = ERR_INIT;
	char *text = text_file_read(path, &err), *line = text;
	struct str origin = STR_INIT;
	bool ok = text != NULL;

	if (!ok)
		app_fail(a, &err);
	for (int number = 1; ok && *line; number++) {
		size_t len = strcspn(line, "\n");
		bool more = line[len] == '\n';

		line[len] = '\0';
		str_clear(&origin);
		str_addf(&origin, "%s:%d: ", path, number);
		a->origin = origin.buf;
		ok = fn(a, line);
		line += len + more;
	}
	a->origin = outer;
	str_release(&origin);
	free(text);
	return ok;
}

/* --- the start file --- */

static bool rc_path(struct str *out)
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");

	if (config && config[0] == '/')
		str_addf(out, "%s/cdefrag/rc", config);
	else if (home && home[0] == '/')
		str_addf(out, "%s/.config/cdefrag/rc", home);
	return out->len && !out->oom;
}

/* Only its owner writes it, and that is who runs this, root, or who called sudo. */
static bool is_trusted(const struct stat *st)
{
	const char *sudo = getenv("SUDO_UID");

	if (!S_ISREG(st->st_mode) || st->st_mode & (S_IWGRP | S_IWOTH))
		return false;
	return st->st_uid == geteuid() || st->st_uid == 0 ||
	       (geteuid() == 0 && sudo && (uid_t)strtoul(sudo, NULL, 10) == st->st_uid);
}

static bool run_and_go_on(struct app *a, const char *line)
{
	cmd_run_line(a, line);
	return !a->quit;
}

void script_run_rc(struct app *a)
{
	struct str path = STR_INIT;
	struct stat st;

	if (rc_path(&path) && stat(path.buf, &st) == 0) {
		if (is_trusted(&st)) {
			script_run(a, path.buf, run_and_go_on);
		} else {
			struct err err = ERR_INIT;

			err_set(&err, ERR_REFUSED,
				"%s is not run: others could have written it; make it a "
				"file that only you may write",
				path.buf);
			app_fail(a, &err);
		}
	}
	str_release(&path);
}
