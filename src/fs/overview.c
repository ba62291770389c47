/* SPDX-License-Identifier: GPL-3.0-or-later */
/* overview.c - the coarse map that is on the screen before any owner is known. */
#include <stdlib.h>
#include <string.h>
#include "src/fs/scan_priv.h"

static enum overview_class class_of(const struct run *r)
{
	switch (r->kind) {
	case OWNER_JOURNAL:
		return OVER_JOURNAL;
	case OWNER_DIR:
		return OVER_DIR;
	case OWNER_FILE:
	case OWNER_SYMLINK:
	case OWNER_EA_INODE:
		return r->fragmented ? OVER_FRAGMENTED : OVER_FILE;
	default:
		return OVER_META;
	}
}

static uint32_t count_used(const uint8_t *map, uint64_t from, uint64_t to)
{
	uint32_t n = 0;

	for (; from < to && from % 64; from++)
		n += map[from / 8] >> from % 8 & 1;
	for (; from + 64 <= to; from += 64) {
		uint64_t word;

		memcpy(&word, map + from / 8, 8);
		n += (uint32_t)__builtin_popcountll(word);
	}
	for (; from < to; from++)
		n += map[from / 8] >> from % 8 & 1;
	return n;
}

bool overview_begin(struct scan *s)
{
	const struct geom *g = &s->v->geom;
	struct overview *o = &s->overview;
	uint64_t blocks = g->blocks - g->first_block;

	o->blocks_per_cell = (blocks + OVERVIEW_CELLS - 1) / OVERVIEW_CELLS;
	o->cells = (uint32_t)((blocks + o->blocks_per_cell - 1) / o->blocks_per_cell);
	o->count = calloc(o->cells, sizeof(*o->count));
	if (!o->count)
		return false;
	for (uint32_t c = 0; c < o->cells; c++) {
		uint64_t from = c * o->blocks_per_cell, to = from + o->blocks_per_cell;
		uint32_t used = count_used(s->used, from, to < blocks ? to : blocks);

		o->count[c][OVER_UNKNOWN] = used;
		o->count[c][OVER_FREE] =
			(uint32_t)((to < blocks ? to : blocks) - from) - used;
	}
	for (size_t i = 0; i < g->fixed.n; i++) {
		struct run r = {.phys = g->fixed.v[i].start,
				.len = g->fixed.v[i].len,
				.kind = g->fixed.v[i].kind};

		overview_run(s, &r);
	}
	return true;
}

void overview_run(struct scan *s, const struct run *r)
{
	struct overview *o = &s->overview;
	enum overview_class class = class_of(r);
	uint64_t at = r->phys - s->v->geom.first_block, end = at + r->len;

	while (at < end) {
		uint64_t cell = at / o->blocks_per_cell,
			 edge = (cell + 1) * o->blocks_per_cell;
		uint32_t n = (uint32_t)((edge < end ? edge : end) - at);
		uint32_t *count = o->count[cell];

		n = n < count[OVER_UNKNOWN]
			    ? n
			    : count[OVER_UNKNOWN]; /* claimed twice: once */
		count[OVER_UNKNOWN] -= n;
		count[class] += n;
		at = edge;
	}
}
