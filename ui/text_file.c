/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text_file.c - see text_file.h. */
#include "ui/text_file.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (1u << 20)

char *text_file_read(const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	char *text = malloc(BYTES_MAX + 1);
	size_t n = 0;

	if (!f)
		err_set_errno(err, ERR_USAGE, errno, "cannot read %s", path);
	else if (!text)
		err_nomem(err);
	else if ((n = fread(text, 1, BYTES_MAX + 1, f)) > BYTES_MAX)
		err_set(err, ERR_USAGE, "%s is longer than a script may be", path);
	else if (ferror(f))
		err_set_errno(err, ERR_USAGE, errno, "cannot read %s", path);
	else if (memchr(text, '\0', n))
		err_set(err, ERR_USAGE, "%s is not a text file", path);
	if (f)
		fclose(f);
	if (err_isset(err)) {
		free(text);
		return NULL;
	}
	text[n] = '\0';
	return text;
}
