/* SPDX-License-Identifier: GPL-3.0-or-later */
/* share.c - see share.h. */
#include "ui/share.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Beside a build tree: the program lies at most four folders below. */
static bool in_build_tree(const char *folder, const char *proof, struct share_folder *f)
{
	char exe[PATH_MAX], probe[PATH_MAX + 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	if (n <= 0)
		return false;
	exe[n] = '\0';
	for (int i = 0; i < 5; i++) {
		char *slash = strrchr(exe, '/');

		if (!slash || slash == exe)
			return false;
		*slash = '\0';
		snprintf(probe, sizeof(probe), "%s/%s/%s", exe, folder, proof);
		if (access(probe, R_OK) == 0)
			return snprintf(f->path, sizeof(f->path), "%s/%s", exe, folder) <
			       (int)sizeof(f->path);
	}
	return false;
}

int share_folders(const char *kind, const char *in_tree, const char *proof,
		  struct share_folder out[3])
{
	const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
	int n = 0;

	if (config && *config == '/')
		snprintf(out[n++].path, sizeof(out[0].path), "%s/cdefrag/%s", config,
			 kind);
	else if (home && *home == '/')
		snprintf(out[n++].path, sizeof(out[0].path), "%s/.config/cdefrag/%s",
			 home, kind);
	n += in_build_tree(in_tree, proof, &out[n]);
	/* .../share/cdefrag/themes and its neighbours */
	snprintf(out[n++].path, sizeof(out[0].path), "%.*s%s",
		 (int)(sizeof(CDEFRAG_THEMES) - sizeof("themes")), CDEFRAG_THEMES, kind);
	return n;
}
