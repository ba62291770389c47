/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * err.h - how a failure travels.
 *
 * The caller owns a struct err and passes it as the last parameter; NULL is allowed
 * where only the fact matters. A function that fails returns false (or -1, or NULL),
 * fills the err and leaves its outputs untouched. The first error set wins:
 * err_set() on an err that is already set does nothing, so cleaning up never hides the
 * cause.
 *
 * A message says what, where, and what to do next, in one sentence without a final
 * period: "journal needs recovery; run: e2fsck -p -E journal_only /dev/sdb1"
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

#include "base/types.h"

/* The class decides what the program does next; it also picks the exit code. */
enum err_class {
	ERR_NONE = 0,
	ERR_REFUSED, /* the volume or the plan is not fit for this; nothing was touched */
	ERR_USAGE,   /* a mistyped command or option */
	ERR_NOSPACE, /* no room on the volume or for the journal */
	ERR_IO, /* the device or a file said no; inside a batch the session is over */
	ERR_CORRUPT, /* the disk contradicts itself, or a checksum does not match */
	ERR_STOPPED, /* the operator asked to stop; all done so far is safe */
	ERR_RECOVER, /* the volume needs `journal recover` before anything else */
	ERR_NOMEM,   /* out of memory */
	ERR_BUG,     /* a broken invariant of this program */
};

#define ERR_MSG_MAX 400

struct err {
	enum err_class class;
	int code; /* an errno or a library code, 0 if there is none; for the log */
	char msg[ERR_MSG_MAX];
};

#define ERR_INIT                \
	{                       \
		ERR_NONE, 0, "" \
	}

/* Sets class and message (printf format). Does nothing if e is NULL or already set. */
void err_set(struct err *e, enum err_class class, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* As err_set, with ": <strerror(errnum)>" appended and code = errnum; ENOMEM gives
 * ERR_NOMEM, ENOSPC and EDQUOT give ERR_NOSPACE, others the class asked for. */
void err_set_errno(struct err *e, enum err_class class, int errnum, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

/* Out of memory, in one word. Always returns false. */
bool err_nomem(struct err *e);

bool err_isset(const struct err *e);
void err_clear(struct err *e);

/* "refused", "usage", ...: a stable word for JSON and the log. */
const char *err_class_name(enum err_class class);

/* The exit code of the program for an error of this class: 0 none, 1 refused or
 * failed, 2 usage, 3 stopped safely, 4 the volume needs `journal recover`. */
int err_exit_code(enum err_class class);

#endif
