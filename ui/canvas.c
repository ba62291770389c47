/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * canvas.c - cells, clipping and text in columns.
 *
 * Widths come from the tables below and not from wcwidth(): what a pane draws must not
 * depend on the locale, or golden screens would differ between machines.
 */
#include "ui/canvas.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/str.h"

struct span {
	uint32_t first, last;
};

/* Combining marks, joiners and direction overrides: they take no column, and the last
 * kind could reorder a line, so all of them are dropped. */
static const struct span zero_width[] = {
	{0xAD, 0xAD},	    {0x300, 0x36F},	{0x483, 0x489},	  {0x591, 0x5BD},
	{0x5BF, 0x5BF},	    {0x5C1, 0x5C2},	{0x5C4, 0x5C5},	  {0x610, 0x61A},
	{0x61C, 0x61C},	    {0x64B, 0x65F},	{0x670, 0x670},	  {0x6D6, 0x6DC},
	{0x6DF, 0x6E4},	    {0x6E7, 0x6E8},	{0x6EA, 0x6ED},	  {0x711, 0x711},
	{0x730, 0x74A},	    {0x900, 0x902},	{0x93C, 0x93C},	  {0x941, 0x948},
	{0x94D, 0x94D},	    {0xE31, 0xE31},	{0xE34, 0xE3A},	  {0xE47, 0xE4E},
	{0x1AB0, 0x1AFF},   {0x1DC0, 0x1DFF},	{0x200B, 0x200F}, {0x2028, 0x202E},
	{0x2060, 0x206F},   {0x20D0, 0x20F0},	{0x302A, 0x302D}, {0x3099, 0x309A},
	{0xFE00, 0xFE0F},   {0xFE20, 0xFE2F},	{0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB},
	{0x1F3FB, 0x1F3FF}, {0xE0000, 0xE01EF},
};

/* East Asian wide and full-width, and emoji that are shown two columns wide. */
static const struct span two_wide[] = {
	{0x1100, 0x115F},   {0x231A, 0x231B},	{0x2329, 0x232A},   {0x23E9, 0x23EC},
	{0x23F0, 0x23F0},   {0x23F3, 0x23F3},	{0x25FD, 0x25FE},   {0x2614, 0x2615},
	{0x2648, 0x2653},   {0x267F, 0x267F},	{0x2693, 0x2693},   {0x26A1, 0x26A1},
	{0x26AA, 0x26AB},   {0x26BD, 0x26BE},	{0x26C4, 0x26C5},   {0x26CE, 0x26CE},
	{0x26D4, 0x26D4},   {0x26EA, 0x26EA},	{0x26F2, 0x26F3},   {0x26F5, 0x26F5},
	{0x26FA, 0x26FA},   {0x26FD, 0x26FD},	{0x2705, 0x2705},   {0x270A, 0x270B},
	{0x2728, 0x2728},   {0x274C, 0x274C},	{0x274E, 0x274E},   {0x2753, 0x2755},
	{0x2757, 0x2757},   {0x2795, 0x2797},	{0x27B0, 0x27B0},   {0x27BF, 0x27BF},
	{0x2B1B, 0x2B1C},   {0x2B50, 0x2B50},	{0x2B55, 0x2B55},   {0x2E80, 0x303E},
	{0x3041, 0x4DBF},   {0x4E00, 0xA4CF},	{0xA960, 0xA97C},   {0xAC00, 0xD7A3},
	{0xF900, 0xFAFF},   {0xFE10, 0xFE19},	{0xFE30, 0xFE6B},   {0xFF01, 0xFF60},
	{0xFFE0, 0xFFE6},   {0x16FE0, 0x18DFF}, {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004},
	{0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320},
	{0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA},
	{0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E},
	{0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E},
	{0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4},
	{0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2},
	{0x1F6D5, 0x1F6DF}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB},
	{0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAF6},
	{0x20000, 0x3FFFD},
};

static bool span_holds(const struct span *spans, size_t n, uint32_t ch)
{
	size_t low = 0, high = n;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (ch > spans[mid].last)
			low = mid + 1;
		else
			high = mid;
	}
	return low < n && ch >= spans[low].first;
}

int char_width(wchar_t wide)
{
	uint32_t ch = (uint32_t)wide;

	if (ch < 0xAD)
		return 1;
	if (span_holds(zero_width, sizeof(zero_width) / sizeof(zero_width[0]), ch))
		return 0;
	return span_holds(two_wide, sizeof(two_wide) / sizeof(two_wide[0]), ch) ? 2 : 1;
}

/* One character of UTF-8 text; what must not reach a terminal comes out as '?'. */
static wchar_t next_char(const char **text)
{
	const unsigned char *p = (const unsigned char *)*text;
	uint32_t ch = p[0];
	int more = 0;

	if (ch >= 0xC2 && ch < 0xE0)
		more = 1;
	else if (ch >= 0xE0 && ch < 0xF0)
		more = 2;
	else if (ch >= 0xF0 && ch < 0xF5)
		more = 3;
	(*text)++;
	if (ch < 0x80)
		return ch < 0x20 || ch == 0x7F ? L'?' : (wchar_t)ch;
	/* A NUL inside the sequence ends it: it is no valid sequence then. */
	if (more == 0 || strnlen((const char *)p, (size_t)more + 1) < (size_t)more + 1 ||
	    !str_is_utf8((const char *)p, (size_t)more + 1))
		return L'?';
	ch &= 0x3Fu >> more;
	for (int i = 1; i <= more; i++)
		ch = ch << 6 | (p[i] & 0x3Fu);
	*text += more;
	return ch < 0xA0 ? L'?' : (wchar_t)ch;
}

bool canvas_init(struct canvas *c, int rows, int cols)
{
	memset(c, 0, sizeof(*c));
	c->cursor_row = -1;
	return canvas_resize(c, rows, cols);
}

void canvas_release(struct canvas *c)
{
	free(c->cells);
	memset(c, 0, sizeof(*c));
	c->cursor_row = -1;
}

bool canvas_resize(struct canvas *c, int rows, int cols)
{
	static const struct style plain = {COLOR_DEFAULT, COLOR_DEFAULT, 0};
	size_t n = (size_t)(rows < 1 ? 1 : rows) * (size_t)(cols < 1 ? 1 : cols);
	struct cell *cells = calloc(n, sizeof(*cells));
	struct view v;

	if (!cells)
		return false;
	free(c->cells);
	c->cells = cells;
	c->rows = rows < 1 ? 1 : rows;
	c->cols = cols < 1 ? 1 : cols;
	c->cursor_row = -1;
	c->cursor_col = 0;
	v = canvas_view(c);
	view_fill(&v, L' ', plain);
	return true;
}

struct view canvas_view(struct canvas *c)
{
	struct view v = {c, 0, 0, c->rows, c->cols};

	return v;
}

/* Cuts [*at, *at + *len) to [0, limit). */
static void clip(int *at, int *len, int limit)
{
	int64_t end = (int64_t)*at + (*len < 0 ? 0 : *len);

	if (*at < 0)
		*at = 0;
	if (*at > limit)
		*at = limit;
	if (end > limit)
		end = limit;
	*len = end > *at ? (int)(end - *at) : 0;
}

struct view view_part(const struct view *v, int row, int col, int rows, int cols)
{
	struct view part = *v;

	clip(&row, &rows, v->rows);
	clip(&col, &cols, v->cols);
	part.row = v->row + row;
	part.col = v->col + col;
	part.rows = rows;
	part.cols = cols;
	return part;
}

/* Writes one cell of a canvas row. Half of a wide character never stays behind alone. */
static void set_cell(struct cell *line, int cols, int col, wchar_t ch, struct style style)
{
	if (line[col].ch == 0 && ch != 0 && col > 0)
		line[col - 1].ch = L' ';
	if (col + 1 < cols && line[col + 1].ch == 0 && line[col].ch != 0)
		line[col + 1].ch = L' ';
	line[col].ch = ch;
	line[col].style = style;
}

/* True if the place can be drawn on: in the view and in the canvas. */
static bool in_view(const struct view *v, int row, int col)
{
	return row >= 0 && col >= 0 && row < v->rows && col < v->cols && v->row >= 0 &&
	       v->col >= 0 && v->row + row < v->canvas->rows &&
	       v->col + col < v->canvas->cols;
}

void view_put(const struct view *v, int row, int col, wchar_t ch, struct style style)
{
	struct cell *line;
	int cols = v->canvas->cols, at = v->col + col, width;

	if (!in_view(v, row, col))
		return;
	if (ch < 0x20 || (ch >= 0x7F && ch < 0xA0))
		ch = L'?';
	width = char_width(ch);
	if (width == 0)
		return;
	line = v->canvas->cells + (size_t)(v->row + row) * (size_t)cols;
	if (width == 2 && !in_view(v, row, col + 1)) {
		ch = L' ';
		width = 1;
	}
	set_cell(line, cols, at, ch, style);
	if (width == 2) {
		set_cell(line, cols, at + 1, L' ', style);
		line[at + 1].ch = 0;
	}
}

void view_fill(const struct view *v, wchar_t ch, struct style style)
{
	int step = char_width(ch) == 2 ? 2 : 1;

	for (int row = 0; row < v->rows; row++)
		for (int col = 0; col < v->cols; col += step)
			view_put(v, row, col, ch, style);
}

/* Draws text up to column `limit`; wide characters that would cross it are left out. */
static int put_text(const struct view *v, int row, int col, int limit, struct style style,
		    const char *text)
{
	while (*text && col < limit) {
		wchar_t ch = next_char(&text);
		int width = char_width(ch);

		if (width == 0)
			continue;
		if (col + width > limit)
			break;
		if (col >= 0)
			view_put(v, row, col, ch, style);
		col += width;
	}
	return col;
}

int view_text(const struct view *v, int row, int col, struct style style,
	      const char *text)
{
	return put_text(v, row, col, v->cols, style, text);
}

int view_textf(const struct view *v, int row, int col, struct style style,
	       const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	return view_text(v, row, col, style, text);
}

int text_width(const char *text)
{
	int width = 0;

	while (*text)
		width += char_width(next_char(&text));
	return width;
}

void view_field(const struct view *v, int row, int col, int width, int right,
		struct style style, const char *text)
{
	int need = text_width(text), at = col, end;

	for (int i = 0; i < width; i++)
		view_put(v, row, col + i, L' ', style);
	if (need <= width) {
		put_text(v, row, right > 0 ? col + width - need : col, col + width, style,
			 text);
		return;
	}
	if (width < 1)
		return;
	if (right >= 0) {
		end = put_text(v, row, col, col + width - 1, style, text);
		view_put(v, row, end, L'~', style);
		return;
	}
	while (*text && need > width - 1)
		need -= char_width(next_char(&text));
	view_put(v, row, at++, L'~', style);
	put_text(v, row, at, col + width, style, text);
}
