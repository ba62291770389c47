/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * theme_files.c - finds and reads theme files (where: share.h).
 */
#include "ui/theme_files.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/vec.h"
#include "ui/share.h"

#define FILE_MAX_BYTES 65536

static int find_folders(struct share_folder f[3])
{
	return share_folders("themes", "themes", "default.theme", f);
}

static bool ends_in_theme(const char *name)
{
	size_t n = strlen(name);

	return n > 6 && strcmp(name + n - 6, ".theme") == 0;
}

/* Path of a theme in one of the folders; false: nowhere. */
bool theme_find(const char *name, char path[PATH_MAX])
{
	struct share_folder f[3];
	int n = find_folders(f);

	if (ends_in_theme(name))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
	if (*name == '\0' || *name == '.' || strchr(name, '/'))
		return false;
	for (int i = 0; i < n; i++)
		if (snprintf(path, PATH_MAX, "%s/%s.theme", f[i].path, name) < PATH_MAX &&
		    access(path, R_OK) == 0)
			return true;
	return false;
}

char *theme_read(const char *path, struct err *err)
{
	struct stat st;
	FILE *file = NULL;
	char *text = NULL;
	size_t n;

	if (stat(path, &st) != 0) {
		err_set_errno(err, ERR_USAGE, errno, "%s", path);
		return NULL;
	}
	if (!S_ISREG(st.st_mode) || st.st_size > FILE_MAX_BYTES) {
		err_set(err, ERR_USAGE, "%s: not a theme file", path);
		return NULL;
	}
	file = fopen(path, "re");
	text = file ? malloc(FILE_MAX_BYTES + 1) : NULL;
	if (!text) {
		err_set_errno(err, ERR_USAGE, errno, "%s", path);
	} else {
		n = fread(text, 1, FILE_MAX_BYTES, file);
		text[n] = '\0';
		if (strlen(text) != n) {
			err_set(err, ERR_USAGE, "%s: not a text file", path);
			free(text);
			text = NULL;
		}
	}
	if (file)
		fclose(file);
	return text;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

struct name_list {
	char **v;
	size_t n, cap;
};

/* Adds a name unless it is there. A name is dropped if memory runs out: the list is for
 * menus and completion. */
static void add_name(struct name_list *list, const char *name, size_t len)
{
	char *copy;

	for (size_t i = 0; i < list->n; i++)
		if (strlen(list->v[i]) == len && memcmp(list->v[i], name, len) == 0)
			return;
	copy = strndup(name, len);
	if (copy && !vec_push(list, copy))
		free(copy);
}

char **theme_names(size_t *n)
{
	struct share_folder f[3];
	struct name_list list = {NULL, 0, 0};
	int folders = find_folders(f);

	add_name(&list, "default", strlen("default"));
	for (int i = 0; i < folders; i++) {
		DIR *dir = opendir(f[i].path);
		struct dirent *entry;

		while (dir && (entry = readdir(dir)))
			if (ends_in_theme(entry->d_name) && entry->d_name[0] != '.')
				add_name(&list, entry->d_name,
					 strlen(entry->d_name) - strlen(".theme"));
		if (dir)
			closedir(dir);
	}
	if (list.n > 0)
		qsort(list.v, list.n, sizeof(list.v[0]), by_name);
	*n = list.n;
	return list.v;
}

void theme_names_free(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}
