/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * record.c - collecting frames, and writing them.
 *
 * Escape sequences written: ESC [ row ; 1 H, and those of shot_ansi_row().
 */
#include "ui/record.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>
#include "ui/shot.h"

void record_init(struct recording *r, int rows, int cols)
{
	memset(r, 0, sizeof(*r));
	r->rows = rows;
	r->cols = cols;
}

void record_release(struct recording *r)
{
	for (size_t i = 0; i < r->frames.n; i++)
		canvas_release(&r->frames.v[i].canvas);
	vec_release(&r->frames);
}

static const struct cell *row_of(const struct canvas *c, int row)
{
	return c->cells + (size_t)row * (size_t)c->cols;
}

static bool same_row(const struct canvas *a, const struct canvas *b, int row)
{
	const struct cell *x = row_of(a, row), *y = row_of(b, row);

	for (int i = 0; i < a->cols; i++)
		if (x[i].ch != y[i].ch || x[i].style.fg != y[i].style.fg ||
		    x[i].style.bg != y[i].style.bg || x[i].style.attr != y[i].style.attr)
			return false;
	return true;
}

static bool same(const struct canvas *a, const struct canvas *b)
{
	for (int row = 0; row < a->rows; row++)
		if (!same_row(a, b, row))
			return false;
	return true;
}

bool record_add(struct recording *r, const struct canvas *c, double time)
{
	struct record_frame f = {.time = time};
	struct style plain = {COLOR_DEFAULT, COLOR_DEFAULT, 0};
	struct view all;

	if (r->frames.n >= RECORD_FRAMES_MAX || !canvas_init(&f.canvas, r->rows, r->cols))
		return false;
	all = canvas_view(&f.canvas);
	view_fill(&all, L' ', plain);
	for (int row = 0; row < r->rows && row < c->rows; row++)
		memcpy(f.canvas.cells + (size_t)row * (size_t)r->cols, row_of(c, row),
		       (size_t)(r->cols < c->cols ? r->cols : c->cols) *
			       sizeof(struct cell));
	if (r->frames.n && same(&r->frames.v[r->frames.n - 1].canvas, &f.canvas)) {
		canvas_release(&f.canvas);
		return true;
	}
	if (vec_push(&r->frames, f))
		return true;
	canvas_release(&f.canvas);
	return false;
}

/* --- asciicast --- */

void record_cast(const struct recording *r, struct str *out)
{
	struct str text = STR_INIT;

	str_addf(out, "{\"version\": 2, \"width\": %d, \"height\": %d}\n", r->cols,
		 r->rows);
	for (size_t i = 0; i < r->frames.n; i++) {
		const struct canvas *c = &r->frames.v[i].canvas;
		json_t *o;
		char *line;

		str_clear(&text);
		for (int row = 0; row < r->rows; row++) {
			if (i && same_row(&r->frames.v[i - 1].canvas, c, row))
				continue;
			str_addf(&text, "\x1b[%d;1H", row + 1);
			shot_ansi_row(c, row, &text);
		}
		o = json_stringn(text.buf, text.len);
		line = o ? json_dumps(o, JSON_ENCODE_ANY | JSON_ENSURE_ASCII) : NULL;
		if (line)
			str_addf(out, "[%.3f, \"o\", %s]\n", r->frames.v[i].time, line);
		else
			out->oom = true;
		free(line);
		json_decref(o);
	}
	str_release(&text);
}

/* --- SVG: all frames below each other, one in sight at a time --- */

void record_svg(const struct recording *r, struct str *out)
{
	double total = r->frames.n ? r->frames.v[r->frames.n - 1].time + 2 : 1;
	int w, h;

	shot_svg_size(r->rows, r->cols, &w, &h);
	str_addf(out,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		 "viewBox=\"0 0 %d %d\">\n<g>\n",
		 w, h, w, h);
	str_addf(out,
		 "<animateTransform attributeName=\"transform\" type=\"translate\" "
		 "calcMode=\"discrete\" repeatCount=\"indefinite\" dur=\"%.3fs\" "
		 "values=\"",
		 total);
	for (size_t i = 0; i < r->frames.n; i++)
		str_addf(out, "%s0 %lld", i ? ";" : "", -(long long)i * h);
	str_add(out, "\" keyTimes=\"");
	for (size_t i = 0; i < r->frames.n; i++)
		str_addf(out, "%s%.5f", i ? ";" : "",
			 i ? r->frames.v[i].time / total : 0);
	str_add(out, "\"/>\n");
	for (size_t i = 0; i < r->frames.n; i++) {
		str_addf(out, "<g transform=\"translate(0 %lld)\">\n", (long long)i * h);
		shot_svg_body(&r->frames.v[i].canvas, out);
		str_add(out, "</g>\n");
	}
	str_add(out, "</g>\n</svg>\n");
}

bool record_write(const struct recording *r, const char *path, struct err *err)
{
	const char *ending = strrchr(path, '.');
	struct str s = STR_INIT;
	bool ok;

	if (ending && !strcmp(ending, ".cast")) {
		record_cast(r, &s);
	} else if (ending && !strcmp(ending, ".svg")) {
		record_svg(r, &s);
	} else {
		err_set(err, ERR_USAGE, "%s: a recording ends in .cast or .svg", path);
		return false;
	}
	ok = s.oom ? err_nomem(err) : shot_write_file(path, &s, err);
	str_release(&s);
	return ok;
}
