/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lab_movie.c - see lab_movie.h. */
#include "ui/lab_movie.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FRAMES_MAX 400u /* then every other one is dropped */
#define FRAME_SEC  0.1

static const int16_t free_color = 233, format_color = 240;
static const int16_t file_colors[] = {24, 28,  34,  60,	 67,  74,
				      94, 127, 130, 136, 162, 170};
#define FILE_COLORS (sizeof(file_colors) / sizeof(file_colors[0]))

bool lab_movie_init(struct lab_movie *m, int rows, int cols, const char *title)
{
	memset(m, 0, sizeof(*m));
	record_init(&m->rec, rows, cols);
	snprintf(m->title, sizeof(m->title), "%s", title);
	return true;
}

void lab_movie_release(struct lab_movie *m)
{
	record_release(&m->rec);
	free(m->owner);
}

static int16_t color_of(const struct lab_movie *m, uint64_t cell, uint64_t per)
{
	uint64_t first = cell * per;
	uint32_t owner = 0;

	if (first >= m->blocks)
		return COLOR_DEFAULT;
	/* what is used is seen, however little it is */
	for (uint64_t b = first; b < first + per && b < m->blocks && !owner; b++)
		owner = m->owner[b];
	return owner == 0   ? free_color
	       : owner == 1 ? format_color
			    : file_colors[owner % FILE_COLORS];
}

static void thin_out(struct recording *r)
{
	size_t n = 0;

	for (size_t i = 0; i < r->frames.n; i++)
		if (i % 2)
			canvas_release(&r->frames.v[i].canvas);
		else
			r->frames.v[n++] = r->frames.v[i];
	r->frames.n = n;
	for (size_t i = 0; i < n; i++)
		r->frames.v[i].time = (double)i * FRAME_SEC;
}

static void frame(struct lab_movie *m)
{
	uint64_t cells = (uint64_t)(m->rec.rows - 1) * (uint64_t)m->rec.cols * 2;
	uint64_t per = (m->blocks + cells - 1) / cells;
	struct canvas c;
	struct view all;

	if (!canvas_init(&c, m->rec.rows, m->rec.cols)) {
		m->failed = true;
		return;
	}
	all = canvas_view(&c);
	view_fill(&all, L' ', (struct style){COLOR_DEFAULT, COLOR_DEFAULT, 0});
	for (int row = 0; row + 1 < m->rec.rows; row++)
		for (int col = 0; col < m->rec.cols; col++) {
			/* cells go along the row: upper and lower half are neighbours */
			uint64_t at = 2 * ((uint64_t)row * (uint64_t)m->rec.cols +
					   (uint64_t)col);

			view_put(&all, row, col, L'▀',
				 (struct style){color_of(m, at, per),
						color_of(m, at + 1, per), 0});
		}
	view_textf(&all, m->rec.rows - 1, 1, (struct style){231, 24, 0},
		   "%s   %llu%% used ", m->title,
		   (unsigned long long)(100 * m->used / m->blocks));
	if (m->rec.frames.n >= FRAMES_MAX) {
		thin_out(&m->rec);
		m->every *= 2;
	}
	if (!record_add(&m->rec, &c, (double)m->rec.frames.n * FRAME_SEC))
		m->failed = true;
	canvas_release(&c);
}

/* The volume as the format left it. */
static bool begin(struct lab_movie *m, const struct age_event *e)
{
	m->blocks = e->blocks;
	if (m->blocks > LAB_MOVIE_BLOCKS)
		return false;
	m->owner = malloc(m->blocks * sizeof(*m->owner));
	if (!m->owner)
		return false;
	for (uint64_t i = 0; i < m->blocks; i++)
		m->owner[i] = 1;
	m->used = m->blocks;
	m->every = m->blocks / 200 + 1;
	return true;
}

void lab_movie_watch(void *movie, const struct age_event *e)
{
	struct lab_movie *m = movie;

	if (m->failed || (!m->owner && !begin(m, e))) {
		m->failed = true;
		return;
	}
	for (uint64_t i = 0; i < e->range.len; i++)
		m->owner[e->range.start + i] = e->freed ? 0 : e->file + 2;
	m->used += e->freed ? -e->range.len : e->range.len;
	if (e->format)
		return;
	m->changed += e->range.len;
	if (m->changed < m->every)
		return;
	m->changed = 0;
	frame(m);
}

void lab_movie_end(struct lab_movie *m)
{
	if (!m->failed && m->owner)
		frame(m);
}
