/* SPDX-License-Identifier: GPL-3.0-or-later */
/* theme_files.h - where themes lie. For theme.c alone. */
#ifndef UI_THEME_FILES_H
#define UI_THEME_FILES_H

#include <limits.h>
#include "ui/theme.h"

/* The text of the default theme, for a program without its files. */
extern const char theme_builtin[];

/* Path of a theme by name or by a path ending in .theme; false: nowhere. */
bool theme_find(const char *name, char path[PATH_MAX]);
/* A whole theme file, to be freed by the caller; NULL on error. */
char *theme_read(const char *path, struct err *err);

#endif
