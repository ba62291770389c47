/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record_read.c - an asciicast as frames: a small terminal that knows what record.c and
 * shot.c write (ESC [ row ; col H, ESC [ ... m, text, carriage return, newline).
 */
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "ui/record.h"

struct screen {
	struct canvas canvas;
	int row, col;
	struct style style;
};

/* The numbers of a sequence; at most 16. Returns how many. */
static int numbers(const char *p, const char *end, int out[16])
{
	int n = 0;

	out[0] = 0;
	for (; p < end && n < 16; p++) {
		if (*p == ';') {
			if (++n < 16)
				out[n] = 0;
		} else if (*p >= '0' && *p <= '9' && out[n] < 10000) {
			out[n] = out[n] * 10 + (*p - '0');
		}
	}
	return n < 16 ? n + 1 : 16;
}

static void set_style(struct screen *s, const int *v, int n)
{
	for (int i = 0; i < n; i++) {
		if (v[i] == 0)
			s->style = (struct style){COLOR_DEFAULT, COLOR_DEFAULT, 0};
		else if (v[i] == 1)
			s->style.attr |= ATTR_BOLD;
		else if (v[i] == 2)
			s->style.attr |= ATTR_DIM;
		else if (v[i] == 4)
			s->style.attr |= ATTR_UNDERLINE;
		else if (v[i] == 7)
			s->style.attr |= ATTR_REVERSE;
		else if ((v[i] == 38 || v[i] == 48) && i + 2 < n && v[i + 1] == 5) {
			if (v[i] == 38)
				s->style.fg = (int16_t)(v[i + 2] & 255);
			else
				s->style.bg = (int16_t)(v[i + 2] & 255);
			i += 2;
		}
	}
}

/* A sequence after ESC; returns what follows it. */
static const char *sequence(struct screen *s, const char *p)
{
	int v[16], n;
	const char *end;

	if (*p != '[')
		return *p ? p + 1 : p;
	end = ++p;
	while (*end && (*end < 0x40 || *end > 0x7E))
		end++;
	n = numbers(p, end, v);
	if (*end == 'H') {
		s->row = v[0] > 0 ? v[0] - 1 : 0;
		s->col = n > 1 && v[1] > 0 ? v[1] - 1 : 0;
	} else if (*end == 'm') {
		set_style(s, v, n);
	}
	return *end ? end + 1 : end;
}

static void put_text(struct screen *s, const char *p)
{
	struct view all = canvas_view(&s->canvas);
	mbstate_t state;

	memset(&state, 0, sizeof(state));
	while (*p) {
		unsigned char b = (unsigned char)*p;
		wchar_t ch = b;
		int len = b < 0x80 ? 1 : b < 0xE0 ? 2 : b < 0xF0 ? 3 : 4;

		if (b == 0x1B) {
			p = sequence(s, p + 1);
			continue;
		}
		if (b == '\n')
			s->row++;
		if (b == '\r' || b == '\n')
			s->col = 0;
		if (b < 0x20) {
			p++;
			continue;
		}
		if (len > 1) { /* JSON strings are valid UTF-8 */
			ch = b & (0xFF >> (len + 1));
			for (int i = 1; i < len && p[i]; i++)
				ch = ch << 6 | (p[i] & 0x3F);
		}
		view_put(&all, s->row, s->col, ch, s->style);
		s->col += char_width(ch) > 1 ? 2 : 1;
		p += strnlen(p, (size_t)len);
	}
}

static bool header(FILE *f, struct recording *out)
{
	json_t *o = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL);
	int version = 0, w = 0, h = 0;
	bool ok = o && !json_unpack(o, "{s:i, s:i, s:i}", "version", &version, "width",
				    &w, "height", &h);

	json_decref(o);
	record_init(out, h, w);
	return ok && version == 2 && w > 0 && h > 0 && w <= 1000 && h <= 1000;
}

bool record_read(struct recording *out, const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	struct screen s = {.style = {COLOR_DEFAULT, COLOR_DEFAULT, 0}};
	struct recording r;
	bool ok = f && header(f, &r);
	json_t *o;

	if (!ok) {
		if (f)
			fclose(f);
		err_set(err, ERR_USAGE, "%s is no asciicast of version 2", path);
		return false;
	}
	ok = canvas_init(&s.canvas, r.rows, r.cols);
	while (ok && (o = json_loadf(f, JSON_DISABLE_EOF_CHECK, NULL))) {
		const char *kind, *text;
		double time;

		if (!json_unpack(o, "[F, s, s]", &time, &kind, &text) &&
		    !strcmp(kind, "o")) {
			put_text(&s, text);
			ok = record_add(&r, &s.canvas, time);
		}
		json_decref(o);
	}
	fclose(f);
	canvas_release(&s.canvas);
	if (!ok)
		err_nomem(err);
	else if (!r.frames.n)
		err_set(err, ERR_USAGE, "%s shows nothing", path);
	if (!ok || !r.frames.n) {
		record_release(&r);
		return false;
	}
	*out = r;
	return true;
}
