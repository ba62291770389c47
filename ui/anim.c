/* SPDX-License-Identifier: GPL-3.0-or-later */
/* anim.c - a ring of recent moves; how bright each still is follows from its age. */
#include "ui/anim.h"
#include <stdlib.h>

#define RING_SIZE     4096u
#define FADE_MS	      500u
#define PULSE_MS      800u
#define PULSE_STEP_MS 100u

struct flash {
	blkno_t from, to;
	uint32_t len;
	uint64_t start;
};

struct anim {
	bool off;
	size_t first, n; /* the oldest, and how many */
	struct flash ring[RING_SIZE];
};

struct anim *anim_new(void)
{
	return calloc(1, sizeof(struct anim));
}

void anim_free(struct anim *a)
{
	free(a);
}

void anim_enable(struct anim *a, bool on)
{
	a->off = !on;
	if (a->off)
		a->n = 0;
}

void anim_moves(struct anim *a, const struct move *moves, size_t n, uint64_t now)
{
	if (a->off)
		return;
	for (size_t i = n > RING_SIZE ? n - RING_SIZE : 0; i < n; i++) {
		struct flash *f;

		if (moves[i].len == 0)
			continue;
		if (a->n == RING_SIZE) {
			a->first = (a->first + 1) % RING_SIZE;
			a->n--;
		}
		f = &a->ring[(a->first + a->n++) % RING_SIZE];
		f->from = moves[i].from;
		f->to = moves[i].to;
		f->len = moves[i].len;
		f->start = now;
	}
}

bool anim_active(struct anim *a, uint64_t now)
{
	while (a->n > 0 && now - a->ring[a->first].start >= PULSE_MS) {
		a->first = (a->first + 1) % RING_SIZE;
		a->n--;
	}
	return a->n > 0;
}

static int source_strength(uint64_t age)
{
	return age < FADE_MS ? 3 - (int)(age * 4 / FADE_MS) : 0;
}

static int destination_strength(uint64_t age)
{
	static const int pulse[PULSE_MS / PULSE_STEP_MS] = {3, 2, 1, 2, 3, 2, 1, 1};

	return age < PULSE_MS ? pulse[age / PULSE_STEP_MS] : 0;
}

void anim_each(const struct anim *a, uint64_t now, anim_fn fn, void *arg)
{
	for (size_t i = 0; i < a->n; i++) {
		const struct flash *f = &a->ring[(a->first + i) % RING_SIZE];
		uint64_t age = now - f->start;
		struct range from = {f->from, f->len}, to = {f->to, f->len};

		if (f->from != BLKNO_NONE && source_strength(age) > 0)
			fn(arg, from, source_strength(age), 0);
		if (destination_strength(age) > 0)
			fn(arg, to, 0, destination_strength(age));
	}
}

struct probe {
	blkno_t start, end;
	int source, destination;
};

static void probe_flash(void *arg, struct range r, int source, int destination)
{
	struct probe *p = arg;

	if (r.start >= p->end || r.start + r.len <= p->start)
		return;
	if (source > p->source)
		p->source = source;
	if (destination > p->destination)
		p->destination = destination;
}

void anim_at(const struct anim *a, blkno_t start, blkno_t len, uint64_t now, int *source,
	     int *destination)
{
	struct probe p = {start, start + len, 0, 0};

	anim_each(a, now, probe_flash, &p);
	*source = p.source;
	*destination = p.destination;
}
