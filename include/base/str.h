/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * str.h - a growing byte string, always NUL-terminated.
 *
 * `buf` is never NULL after str_init(); it may hold NUL bytes of its own, `len` counts
 * them. Running out of memory sets `oom` and drops what would have been added;
 * check it once at the end rather than at every call.
 *
 *	struct str s = STR_INIT;
 *	str_addf(&s, "%u moves", n);
 *	use(s.buf);
 *	str_release(&s);
 */
#ifndef BASE_STR_H
#define BASE_STR_H

#include "base/types.h"

struct str {
	char *buf;
	size_t len;
	size_t cap; /* 0 while buf is the shared empty string */
	bool oom;
};

extern char str_empty[1];
#define STR_INIT                       \
	{                              \
		str_empty, 0, 0, false \
	}

void str_init(struct str *s);
void str_release(struct str *s);
/* Empties it, keeps the memory. */
void str_clear(struct str *s);
/* Hands out the buffer, to be freed by the caller (never NULL but for lack of memory),
 * and leaves s empty. */
char *str_detach(struct str *s);

void str_add(struct str *s, const char *text);
void str_addn(struct str *s, const void *bytes, size_t n);
void str_addc(struct str *s, char c);
void str_addf(struct str *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Appends a file name so that it is safe to print: control bytes, DEL, marks
 * that turn the direction of writing, and invalid UTF-8 become \xNN, a backslash \\. Width is kept honest: what is appended is valid
 * UTF-8. */
void str_add_safe(struct str *s, const char *name, size_t n);

/* Percent-escapes every byte that is not part of valid UTF-8, and '%' itself (JSON
 * paths). */
void str_add_percent(struct str *s, const char *name, size_t n);

/* True if the n bytes are valid UTF-8 (no surrogates, no overlong forms). */
bool str_is_utf8(const char *bytes, size_t n);

#endif
