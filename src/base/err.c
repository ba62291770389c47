/* SPDX-License-Identifier: GPL-3.0-or-later */
/* err.c - see err.h. */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include "base/err.h"

/* One row a class: the word for JSON and log, and the program's exit code. */
static const struct {
	const char *word;
	int exit_code;
} classes[] = {
	[ERR_NONE] = {"ok", 0},
	[ERR_REFUSED] = {"refused", 1},
	[ERR_USAGE] = {"usage", 2},
	[ERR_NOSPACE] = {"no_space", 1},
	[ERR_IO] = {"io", 1},
	[ERR_CORRUPT] = {"corrupt", 1},
	[ERR_STOPPED] = {"stopped", 3},
	[ERR_RECOVER] = {"recover", 4},
	[ERR_NOMEM] = {"out_of_memory", 1},
	[ERR_BUG] = {"bug", 1},
};

static void set_text(struct err *e, enum err_class class, const char *fmt, va_list ap)
{
	e->class = class;
	vsnprintf(e->msg, sizeof(e->msg), fmt, ap);
}

void err_set(struct err *e, enum err_class class, const char *fmt, ...)
{
	va_list ap;

	if (!e || err_isset(e))
		return;
	va_start(ap, fmt);
	set_text(e, class, fmt, ap);
	va_end(ap);
}

void err_set_errno(struct err *e, enum err_class class, int errnum, const char *fmt, ...)
{
	va_list ap;
	size_t used;

	if (!e || err_isset(e))
		return;
	if (errnum == ENOMEM)
		class = ERR_NOMEM;
	else if (errnum == ENOSPC || errnum == EDQUOT)
		class = ERR_NOSPACE;
	va_start(ap, fmt);
	set_text(e, class, fmt, ap);
	va_end(ap);
	e->code = errnum;
	used = strlen(e->msg);
	snprintf(e->msg + used, sizeof(e->msg) - used, ": %s", strerror(errnum));
}

bool err_nomem(struct err *e)
{
	err_set(e, ERR_NOMEM, "out of memory");
	return false;
}

bool err_isset(const struct err *e)
{
	return e && e->class != ERR_NONE;
}

void err_clear(struct err *e)
{
	if (!e)
		return;
	e->class = ERR_NONE;
	e->code = 0;
	e->msg[0] = '\0';
}

const char *err_class_name(enum err_class class)
{
	return classes[class].word;
}

int err_exit_code(enum err_class class)
{
	return classes[class].exit_code;
}
