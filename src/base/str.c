/* SPDX-License-Identifier: GPL-3.0-or-later */
/* str.c - see str.h. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/str.h"

char str_empty[1];

void str_init(struct str *s)
{
	*s = (struct str)STR_INIT;
}

void str_release(struct str *s)
{
	if (s->cap)
		free(s->buf);
	str_init(s);
}

void str_clear(struct str *s)
{
	s->len = 0;
	s->oom = false;
	if (s->cap)
		s->buf[0] = '\0';
}

char *str_detach(struct str *s)
{
	char *out = s->cap ? s->buf : calloc(1, 1);

	str_init(s);
	return out;
}

static bool make_room(struct str *s, size_t more)
{
	size_t need = s->len + more + 1, cap = s->cap;
	char *buf;

	if (need <= cap)
		return true;
	if (cap < 64)
		cap = 64;
	while (cap < need)
		cap += cap / 2;
	buf = realloc(s->cap ? s->buf : NULL, cap);
	if (!buf) {
		s->oom = true;
		return false;
	}
	if (!s->cap)
		buf[0] = '\0';
	s->buf = buf;
	s->cap = cap;
	return true;
}

void str_addn(struct str *s, const void *bytes, size_t n)
{
	if (!n || !make_room(s, n))
		return;
	memcpy(s->buf + s->len, bytes, n);
	s->len += n;
	s->buf[s->len] = '\0';
}

void str_add(struct str *s, const char *text)
{
	str_addn(s, text, strlen(text));
}

void str_addc(struct str *s, char c)
{
	str_addn(s, &c, 1);
}

void str_addf(struct str *s, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (n <= 0 || !make_room(s, (size_t)n))
		return;
	va_start(ap, fmt);
	vsnprintf(s->buf + s->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	s->len += (size_t)n;
}

/* Length of the valid UTF-8 sequence at p (1 to 4), 0 if it is none (RFC 3629). */
static size_t utf8_sequence(const unsigned char *p, size_t left)
{
	size_t n = p[0] < 0x80	 ? 1
		   : p[0] < 0xC2 ? 0
		   : p[0] < 0xE0 ? 2
		   : p[0] < 0xF0 ? 3
		   : p[0] < 0xF5 ? 4
				 : 0;

	if (n == 0 || n > left)
		return 0;
	for (size_t i = 1; i < n; i++)
		if ((p[i] & 0xC0) != 0x80)
			return 0;
	if (n == 3 && ((p[0] == 0xE0 && p[1] < 0xA0) || (p[0] == 0xED && p[1] > 0x9F)))
		return 0; /* overlong, surrogate */
	if (n == 4 && ((p[0] == 0xF0 && p[1] < 0x90) || (p[0] == 0xF4 && p[1] > 0x8F)))
		return 0; /* overlong, beyond U+10FFFF */
	return n;
}

/* U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069: they break lines, or turn the
 * direction of what follows, so that one name reads like another. */
static bool turns_text(const unsigned char *p)
{
	return p[0] == 0xE2 && ((p[1] == 0x80 && (p[2] == 0x8E || p[2] == 0x8F ||
						  (p[2] >= 0xA8 && p[2] <= 0xAE))) ||
				(p[1] == 0x81 && p[2] >= 0xA6 && p[2] <= 0xA9));
}

/* Control characters: C0, DEL, and C1 (U+0080 to U+009F), which terminals obey as well;
 * and those of writing from right to left. */
static bool is_control(const unsigned char *p, size_t n)
{
	return (n == 1 && (p[0] < 0x20 || p[0] == 0x7F)) ||
	       (n == 2 && p[0] == 0xC2 && p[1] < 0xA0) || (n == 3 && turns_text(p));
}

void str_add_safe(struct str *s, const char *name, size_t n)
{
	const unsigned char *p = (const unsigned char *)name;

	for (size_t i = 0; i < n;) {
		size_t len = utf8_sequence(p + i, n - i);

		if (len == 0 || is_control(p + i, len)) {
			size_t bad = len ? len : 1;

			for (size_t k = 0; k < bad; k++)
				str_addf(s, "\\x%02X", p[i + k]);
			i += bad;
		} else if (p[i] == '\\') {
			str_add(s, "\\\\");
			i++;
		} else {
			str_addn(s, p + i, len);
			i += len;
		}
	}
}

void str_add_percent(struct str *s, const char *name, size_t n)
{
	const unsigned char *p = (const unsigned char *)name;

	for (size_t i = 0; i < n;) {
		size_t len = utf8_sequence(p + i, n - i);

		if (len == 0 || p[i] == '%') {
			str_addf(s, "%%%02X", p[i]);
			i++;
		} else {
			str_addn(s, p + i, len);
			i += len;
		}
	}
}

bool str_is_utf8(const char *bytes, size_t n)
{
	for (size_t i = 0; i < n;) {
		size_t len = utf8_sequence((const unsigned char *)bytes + i, n - i);

		if (len == 0)
			return false;
		i += len;
	}
	return true;
}
