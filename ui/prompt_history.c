/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prompt_history.c - where the command history lies. */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ui/prompt.h"

/* mkdir -p of the folder of a file, private to the user. */
static bool make_folder(char *path)
{
	for (char *p = path + 1; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		if (mkdir(path, 0700) && errno != EEXIST) {
			*p = '/';
			return false;
		}
		*p = '/';
	}
	return true;
}

bool prompt_history_path(struct str *out)
{
	bool sudo = getenv("SUDO_UID") != NULL;
	const char *state = sudo ? NULL : getenv("XDG_STATE_HOME");
	const char *home = sudo ? NULL : getenv("HOME");
	const struct passwd *pw;

	if (state && state[0] == '/') {
		str_addf(out, "%s/cdefrag/history", state);
	} else {
		if (!home || home[0] != '/') {
			pw = getpwuid(geteuid());
			home = pw ? pw->pw_dir : NULL;
		}
		if (!home || home[0] != '/')
			return false;
		str_addf(out, "%s/.local/state/cdefrag/history", home);
	}
	return !out->oom && make_folder(out->buf);
}
