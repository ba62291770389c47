/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * strips.h - what a run did in the last minute: where it wrote, how often it had to seek,
 * how fast it was; a sample a quarter of a second.
 *
 * A seek is counted where a move does not begin where the one before ended, for its
 * source and for its destination; moves are reported batch by batch, so the rate is that
 * of the last batch.
 */
#ifndef UI_STRIPS_H
#define UI_STRIPS_H

#include "engine/engine.h"
#include "ui/canvas.h"

struct app;

enum strip { STRIP_OFFSET, STRIP_SEEKS, STRIP_RATE, STRIP_COUNT };
#define STRIP_SAMPLES 240

struct strips {
	double v[STRIP_COUNT]
		[STRIP_SAMPLES]; /* a ring; blocks, per second, bytes per second */
	int n, first;
	uint64_t sampled, moved; /* when, milliseconds of num_now_ms */
	double now[STRIP_COUNT];
	blkno_t from_end, to_end; /* of the last move */
};

/* A job begins. */
void strips_reset(struct strips *s, uint64_t now);
/* Moves that were done. */
void strips_moves(struct strips *s, const struct move *moves, size_t n, uint64_t now);
/* How far the job is; takes a sample when it is time. */
void strips_progress(struct strips *s, const struct progress *p, uint64_t now);
/* One of them in a row: its name, the last samples, the present figure. */
void strips_draw(const struct app *a, const struct view *v, int row, enum strip which);

#endif
