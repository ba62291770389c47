/* SPDX-License-Identifier: GPL-3.0-or-later */
/* image.c - see image.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "tests/lib/image.h"

const char *image_path(const char *name)
{
	static char ring[8][512];
	static unsigned at;
	const char *dir = getenv("TMPDIR");
	char *out = ring[at++ % 8];

	snprintf(out, sizeof(ring[0]), "%s/%s", dir ? dir : "/var/tmp", name);
	return out;
}

int image_run(const char *fmt, ...)
{
	char cmd[2048], wrapped[2300];
	va_list ap;
	int status;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	snprintf(wrapped, sizeof(wrapped),
		 "o=$(exec 2>&1; %s); rc=$?; [ $rc = 0 ] || echo \"# rc $rc: $o\" >&2; "
		 "exit $rc",
		 cmd);
	fflush(NULL);
	status = system(wrapped);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

const char *image_ask(const char *fmt, ...)
{
	static char line[4096];
	char cmd[2048];
	va_list ap;
	FILE *p;

	va_start(ap, fmt);
	vsnprintf(cmd, sizeof(cmd), fmt, ap);
	va_end(ap);
	line[0] = '\0';
	p = popen(cmd, "r");
	if (!p)
		return line;
	if (!fgets(line, sizeof(line), p))
		line[0] = '\0';
	pclose(p);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

bool image_is_clean(const char *path)
{
	return image_run("e2fsck -fn '%s'", path) == 0;
}

bool image_same(const char *a, const char *b)
{
	return image_run("cmp '%s' '%s'", a, b) == 0;
}
