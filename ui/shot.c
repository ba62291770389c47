/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * shot.c - a canvas as text, as ANSI, as SVG.
 *
 * Escape sequences written: ESC [ 0 m, ESC [ 1;2;4;7 m, ESC [ 38;5;N m, ESC [ 48;5;N m.
 * In the SVG all coordinates are whole pixels and block characters are rectangles, one
 * path a colour: no hairlines between cells at any scale.
 */
#include "ui/shot.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ui/theme.h"

/* A cell in pixels; DejaVu Sans Mono advances 1233/2048 of its size, which makes 9. */
#define CELL_W	  9
#define CELL_H	  18
#define FONT_SIZE "14.949"
#define BASELINE  14

/* Colours of the picture beyond the palette: the terminal's own. */
#define RGB_TEXT   0xD0D0D0u
#define RGB_GROUND 0x101418u

static void add_char(struct str *out, wchar_t wide)
{
	uint32_t ch = (uint32_t)wide;

	if (ch < 0x80) {
		str_addc(out, (char)ch);
	} else if (ch < 0x800) {
		str_addc(out, (char)(0xC0 | ch >> 6));
		str_addc(out, (char)(0x80 | (ch & 63)));
	} else if (ch < 0x10000) {
		str_addc(out, (char)(0xE0 | ch >> 12));
		str_addc(out, (char)(0x80 | (ch >> 6 & 63)));
		str_addc(out, (char)(0x80 | (ch & 63)));
	} else {
		str_addc(out, (char)(0xF0 | ch >> 18));
		str_addc(out, (char)(0x80 | (ch >> 12 & 63)));
		str_addc(out, (char)(0x80 | (ch >> 6 & 63)));
		str_addc(out, (char)(0x80 | (ch & 63)));
	}
}

static const struct cell *row_of(const struct canvas *c, int row)
{
	return c->cells + (size_t)row * (size_t)c->cols;
}

void shot_text(const struct canvas *c, struct str *out)
{
	for (int row = 0; row < c->rows; row++) {
		const struct cell *line = row_of(c, row);
		int last = c->cols;

		while (last > 0 && line[last - 1].ch == L' ')
			last--;
		for (int col = 0; col < last; col++)
			if (line[col].ch != 0)
				add_char(out, line[col].ch);
		str_addc(out, '\n');
	}
}

static void add_sgr(struct str *out, struct style s)
{
	str_add(out, "\x1b[0");
	if (s.attr & ATTR_BOLD)
		str_add(out, ";1");
	if (s.attr & ATTR_DIM)
		str_add(out, ";2");
	if (s.attr & ATTR_UNDERLINE)
		str_add(out, ";4");
	if (s.attr & ATTR_REVERSE)
		str_add(out, ";7");
	if (s.fg >= 0)
		str_addf(out, ";38;5;%d", s.fg);
	if (s.bg >= 0)
		str_addf(out, ";48;5;%d", s.bg);
	str_addc(out, 'm');
}

static bool same_style(struct style a, struct style b)
{
	return a.fg == b.fg && a.bg == b.bg && a.attr == b.attr;
}

void shot_ansi_row(const struct canvas *c, int row, struct str *out)
{
	const struct cell *line = row_of(c, row);

	for (int col = 0; col < c->cols; col++) {
		if (line[col].ch == 0)
			continue;
		if (col == 0 || !same_style(line[col].style, line[col - 1].style))
			add_sgr(out, line[col].style);
		add_char(out, line[col].ch);
	}
	str_add(out, "\x1b[0m");
}

void shot_ansi(const struct canvas *c, struct str *out)
{
	for (int row = 0; row < c->rows; row++) {
		shot_ansi_row(c, row, out);
		str_addc(out, '\n');
	}
}

/* --- SVG --- */

static uint32_t rgb_of(int color, uint32_t own)
{
	uint8_t rgb[3];

	if (color < 0)
		return own;
	palette_rgb(color, rgb);
	return (uint32_t)rgb[0] << 16 | (uint32_t)rgb[1] << 8 | rgb[2];
}

static uint32_t ground_of(const struct cell *cell)
{
	bool reverse = cell->style.attr & ATTR_REVERSE;

	return reverse ? rgb_of(cell->style.fg, RGB_TEXT)
		       : rgb_of(cell->style.bg, RGB_GROUND);
}

static uint32_t ink_of(const struct cell *cell)
{
	bool reverse = cell->style.attr & ATTR_REVERSE;
	uint32_t ink = reverse ? rgb_of(cell->style.bg, RGB_GROUND)
			       : rgb_of(cell->style.fg, RGB_TEXT);
	uint32_t ground = ground_of(cell);

	if (cell->style.attr & ATTR_DIM) /* two thirds ink */
		for (int shift = 0; shift < 24; shift += 8) {
			uint32_t i = ink >> shift & 255, g = ground >> shift & 255;

			ink = (ink & ~(255u << shift)) | ((2 * i + g) / 3) << shift;
		}
	return ink;
}

/* A rectangle of ink inside a cell, in pixels. */
struct box {
	int x, y, w, h;
};

/* Characters that are drawn as a rectangle: blocks and straight lines. */
static bool box_of(wchar_t ch, struct box *b)
{
	struct box whole = {0, 0, CELL_W, CELL_H};

	*b = whole;
	if (ch == 0x2588)
		return true;
	if (ch == 0x2580) {
		b->h = CELL_H / 2;
	} else if (ch >= 0x2581 && ch <= 0x2587) { /* lower eighths */
		b->h = (CELL_H * (ch - 0x2580) + 4) / 8;
		b->y = CELL_H - b->h;
	} else if (ch >= 0x2589 && ch <= 0x258F) { /* left eighths */
		b->w = (CELL_W * (0x2590 - ch) + 4) / 8;
	} else if (ch == 0x2500) {
		b->y = CELL_H / 2;
		b->h = 1;
	} else if (ch == 0x2502) {
		b->x = CELL_W / 2;
		b->w = 1;
	} else {
		return false;
	}
	return true;
}

static void add_rect(struct str *out, int x, int y, int w, int h)
{
	str_addf(out, "M%d %dh%dv%dh-%dz", x, y, w, h, w);
}

/* All grounds of one colour, joined along the rows. */
static void add_grounds(const struct canvas *c, uint32_t rgb, struct str *out)
{
	for (int row = 0; row < c->rows; row++) {
		const struct cell *line = row_of(c, row);

		for (int col = 0; col < c->cols; col++) {
			int first = col;

			while (col < c->cols && ground_of(&line[col]) == rgb)
				col++;
			if (col > first)
				add_rect(out, first * CELL_W, row * CELL_H,
					 (col - first) * CELL_W, CELL_H);
		}
	}
}

/* All boxes of one colour; equal ones side by side are joined if they touch. */
static void add_boxes(const struct canvas *c, uint32_t rgb, struct str *out)
{
	for (int row = 0; row < c->rows; row++) {
		const struct cell *line = row_of(c, row);

		for (int col = 0; col < c->cols; col++) {
			int first = col;
			struct box b;

			if (!box_of(line[col].ch, &b) || ink_of(&line[col]) != rgb)
				continue;
			while (b.w == CELL_W && col + 1 < c->cols &&
			       line[col + 1].ch == line[first].ch &&
			       ink_of(&line[col + 1]) == rgb)
				col++;
			add_rect(out, first * CELL_W + b.x, row * CELL_H + b.y,
				 b.w + (col - first) * CELL_W, b.h);
		}
	}
}

/* Colours in use, each once; room for the palette, its dimmed mixtures are few. */
struct colors {
	uint32_t v[1024];
	size_t n;
};

static void note_color(struct colors *colors, uint32_t rgb)
{
	for (size_t i = 0; i < colors->n; i++)
		if (colors->v[i] == rgb)
			return;
	if (colors->n < sizeof(colors->v) / sizeof(colors->v[0]))
		colors->v[colors->n++] = rgb;
}

static void add_paths(const struct canvas *c, bool boxes, struct str *out)
{
	struct colors colors = {.n = 0};
	size_t n = (size_t)c->rows * (size_t)c->cols;
	struct box b;

	for (size_t i = 0; i < n; i++) {
		if (!boxes && ground_of(&c->cells[i]) != RGB_GROUND)
			note_color(&colors, ground_of(&c->cells[i]));
		if (boxes && box_of(c->cells[i].ch, &b))
			note_color(&colors, ink_of(&c->cells[i]));
	}
	for (size_t i = 0; i < colors.n; i++) {
		str_addf(out, "<path fill=\"#%06x\" d=\"", colors.v[i]);
		if (boxes)
			add_boxes(c, colors.v[i], out);
		else
			add_grounds(c, colors.v[i], out);
		str_add(out, "\"/>\n");
	}
}

static void add_escaped(struct str *out, wchar_t ch)
{
	if (ch == L'&')
		str_add(out, "&amp;");
	else if (ch == L'<')
		str_add(out, "&lt;");
	else if (ch == L'>')
		str_add(out, "&gt;");
	else
		add_char(out, ch);
}

/* True if a cell is drawn as text. */
static bool is_text(const struct cell *cell)
{
	struct box b;

	return cell->ch != 0 && cell->ch != L' ' && !box_of(cell->ch, &b);
}

/* Words of equal style; a character beyond ASCII stands alone, should the font that is
 * at hand have another width for it. */
static void add_words(const struct canvas *c, int row, struct str *out)
{
	const struct cell *line = row_of(c, row);

	for (int col = 0; col < c->cols; col++) {
		const struct cell *first = &line[col];

		if (!is_text(first))
			continue;
		str_addf(out, "<text x=\"%d\" y=\"%d\" fill=\"#%06x\"%s%s>", col * CELL_W,
			 row * CELL_H + BASELINE, ink_of(first),
			 first->style.attr & ATTR_BOLD ? " font-weight=\"bold\"" : "",
			 first->style.attr & ATTR_UNDERLINE
				 ? " text-decoration=\"underline\""
				 : "");
		add_escaped(out, first->ch);
		while (first->ch < 0x80 && col + 1 < c->cols && is_text(&line[col + 1]) &&
		       line[col + 1].ch < 0x80 &&
		       same_style(line[col + 1].style, first->style))
			add_escaped(out, line[++col].ch);
		str_add(out, "</text>\n");
	}
}

void shot_svg_size(int rows, int cols, int *w, int *h)
{
	*w = cols * CELL_W;
	*h = rows * CELL_H;
}

void shot_svg_body(const struct canvas *c, struct str *out)
{
	str_addf(out,
		 "<rect width=\"%d\" height=\"%d\" fill=\"#%06x\"/>\n"
		 "<g shape-rendering=\"crispEdges\">\n",
		 c->cols * CELL_W, c->rows * CELL_H, RGB_GROUND);
	add_paths(c, false, out);
	add_paths(c, true, out);
	str_add(out, "</g>\n<g font-family=\"DejaVu Sans Mono, monospace\" "
		     "font-size=\"" FONT_SIZE "\">\n");
	for (int row = 0; row < c->rows; row++)
		add_words(c, row, out);
	str_add(out, "</g>\n");
}

void shot_svg(const struct canvas *c, struct str *out)
{
	int w, h;

	shot_svg_size(c->rows, c->cols, &w, &h);
	str_addf(out,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
		 "viewBox=\"0 0 %d %d\">\n",
		 w, h, w, h);
	shot_svg_body(c, out);
	str_add(out, "</svg>\n");
}

static bool write_all(int fd, const struct str *s)
{
	size_t done = 0;

	while (done < s->len) {
		ssize_t n = write(fd, s->buf + done, s->len - done);

		if (n < 0 && errno != EINTR)
			return false;
		if (n > 0)
			done += (size_t)n;
	}
	return true;
}

bool shot_write_file(const char *path, const struct str *s, struct err *err)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0666);
	bool ok = false;
	struct stat st;

	if (fd < 0 || fstat(fd, &st) != 0)
		err_set_errno(err, ERR_REFUSED, errno, "%s", path);
	else if (!S_ISREG(st.st_mode))
		err_set(err, ERR_REFUSED, "%s: not a regular file", path);
	else if (ftruncate(fd, 0) != 0 || !write_all(fd, s))
		err_set_errno(err, ERR_REFUSED, errno, "%s", path);
	else
		ok = true;
	if (fd >= 0 && close(fd) != 0 && ok) {
		err_set_errno(err, ERR_REFUSED, errno, "%s", path);
		ok = false;
	}
	return ok;
}

bool shot_write(const struct canvas *c, const char *path, struct err *err)
{
	const char *ending = strrchr(path, '.');
	struct str s = STR_INIT;
	bool ok = false;

	if (ending && strcmp(ending, ".txt") == 0) {
		shot_text(c, &s);
	} else if (ending && strcmp(ending, ".ansi") == 0) {
		shot_ansi(c, &s);
	} else if (ending && strcmp(ending, ".svg") == 0) {
		shot_svg(c, &s);
	} else {
		err_set(err, ERR_USAGE, "%s: a shot ends in .txt, .ansi or .svg", path);
		goto out;
	}
	ok = s.oom ? err_nomem(err) : shot_write_file(path, &s, err);
out:
	str_release(&s);
	return ok;
}
