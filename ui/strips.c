/* SPDX-License-Identifier: GPL-3.0-or-later */
/* strips.c - see strips.h. */
#include "ui/app.h"
#include <stdio.h>
#include <string.h>
#include "base/num.h"

#define SAMPLE_MS 250
#define LEVELS	  8
#define LEFT	  9
#define RIGHT	  12

void strips_reset(struct strips *s, uint64_t now)
{
	memset(s, 0, sizeof(*s));
	s->sampled = s->moved = now;
	s->from_end = s->to_end = BLKNO_NONE;
}

void strips_moves(struct strips *s, const struct move *moves, size_t n, uint64_t now)
{
	uint64_t seeks = 0, ms = now > s->moved ? now - s->moved : 1;

	for (size_t i = 0; i < n; i++) {
		const struct move *m = &moves[i];

		if (!m->len)
			continue;
		if (m->from != BLKNO_NONE) {
			seeks += m->from != s->from_end;
			s->from_end = m->from + m->len;
		}
		seeks += m->to != s->to_end;
		s->to_end = m->to + m->len;
		s->now[STRIP_OFFSET] = (double)m->to;
	}
	s->now[STRIP_SEEKS] = 1000.0 * (double)seeks / (double)ms;
	s->moved = now;
}

void strips_progress(struct strips *s, const struct progress *p, uint64_t now)
{
	s->now[STRIP_RATE] = (double)p->bytes_per_second;
	if (now - s->sampled < SAMPLE_MS)
		return;
	s->sampled = now;
	for (int i = 0; i < STRIP_COUNT; i++)
		s->v[i][(s->first + s->n) % STRIP_SAMPLES] = s->now[i];
	if (s->n < STRIP_SAMPLES)
		s->n++;
	else
		s->first = (s->first + 1) % STRIP_SAMPLES;
}

/* 0 (nothing) to LEVELS. */
static int level(double x, double most)
{
	int l = most > 0 ? (int)(x / most * LEVELS + 0.5) : 0;

	return l < 0 ? 0 : l > LEVELS ? LEVELS : l == 0 && x > 0 ? 1 : l;
}

static void draw_figure(const struct app *a, const struct view *v, int row,
			enum strip which)
{
	double now = a->strips.now[which];
	char text[NUM_TEXT_MAX + 8], num[NUM_TEXT_MAX];

	if (which == STRIP_OFFSET)
		snprintf(text, sizeof(text), "%s", num_format_count((uint64_t)now, num));
	else if (which == STRIP_SEEKS)
		snprintf(text, sizeof(text), "%.0f/s", now);
	else
		snprintf(text, sizeof(text), "%s/s",
			 num_format_bytes((uint64_t)now, num));
	view_field(v, row, v->cols - RIGHT, RIGHT - 1, 1, a->theme.styles[STYLE_UI_TEXT],
		   text);
}

void strips_draw(const struct app *a, const struct view *v, int row, enum strip which)
{
	static const char *const names[STRIP_COUNT] = {"offset", "seeks", "speed"};
	static const char ascii[LEVELS + 1] = " .:-=+*#@";
	const struct strips *s = &a->strips;
	int room = v->cols - LEFT - RIGHT, n = s->n < room ? s->n : room;
	double most = 0;

	view_text(v, row, 1, a->theme.styles[STYLE_UI_DIM], names[which]);
	if (room < 1)
		return;
	if (which == STRIP_OFFSET)
		most = (double)a->volume.blocks;
	for (int i = 0; which != STRIP_OFFSET && i < s->n; i++)
		if (s->v[which][(s->first + i) % STRIP_SAMPLES] > most)
			most = s->v[which][(s->first + i) % STRIP_SAMPLES];
	for (int i = 0; i < n; i++) {
		int at = (s->first + s->n - n + i) % STRIP_SAMPLES;
		int l = level(s->v[which][at], most);

		view_put(v, row, LEFT + room - n + i,
			 !a->theme.utf8 ? (wchar_t)ascii[l]
			 : l		? (wchar_t)(0x2580 + l)
					: L' ',
			 a->theme.styles[STYLE_UI_GOOD]);
	}
	draw_figure(a, v, row, which);
}
