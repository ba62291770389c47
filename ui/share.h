/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * share.h - where files that come with the program lie: themes, lessons.
 *
 * Folders, first hit wins: $XDG_CONFIG_HOME/cdefrag/KIND (else ~/.config/...), KIND beside
 * a build tree (a folder above the running program), PREFIX/share/cdefrag/KIND.
 */
#ifndef UI_SHARE_H
#define UI_SHARE_H

#include <limits.h>
#include "base/types.h"

struct share_folder {
	char path[PATH_MAX];
};

/* kind: "themes"; in_tree: where that is in a source tree, with a file that proves it:
 * "themes", "default.theme". Returns how many folders there are, at most 3. */
int share_folders(const char *kind, const char *in_tree, const char *proof,
		  struct share_folder out[3]);

#endif
