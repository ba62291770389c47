/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare.c - a piece of the volume against the same of a copy. */
#include <string.h>
#include "src/clone/clone_priv.h"

/* Does the copy hold anything at this byte? */
static bool is_there(const struct source *o, uint64_t at)
{
	return at / o->unit < o->units && source_has(o, at / o->unit);
}

static void compare_blocks(struct clone *c, const struct piece *p, size_t bytes)
{
	const struct source *s = &c->source;
	uint64_t first = p->unit * s->unit / s->block;

	uint64_t differ = 0, missing = 0, where = UINT64_MAX;

	for (uint64_t i = 0; i < bytes / s->block; i++) {
		size_t at = (size_t)i * s->block;

		if (!(s->want[(first + i) / 8] >> (first + i) % 8 & 1) ||
		    !memcmp(p->buf + at, p->spare + at, s->block))
			continue;
		if (is_there(&c->other, (first + i) * s->block))
			differ++;
		else
			missing++;
		where = where == UINT64_MAX ? first + i : where;
	}
	pthread_mutex_lock(&c->lock);
	c->report.differ += differ;
	c->report.missing += missing;
	if (where < c->report.first_differ)
		c->report.first_differ = where;
	pthread_mutex_unlock(&c->lock);
}

/* Images have larger units: whole ones of theirs are read. */
bool clone_compare_piece(struct clone *c, const struct piece *p, struct err *err)
{
	struct source *s = &c->source, *o = &c->other;
	uint64_t from = p->unit * s->unit, to = from + (uint64_t)p->units * s->unit;

	to = to < s->bytes ? to : s->bytes;
	memset(p->spare, 0, (size_t)(to - from));
	for (uint64_t at = from; at < to && at < o->bytes;) {
		uint64_t unit = at / o->unit * o->unit;
		uint64_t end = unit + o->unit < to ? unit + o->unit : to;

		while (end < to && end < o->bytes && !o->cluster)
			end = end + o->unit < to ? end + o->unit : to;
		end = end < o->bytes ? end : o->bytes;
		if (o->cluster) { /* part of one cluster */
			uint64_t place = o->cluster[unit / o->unit];

			if (place &&
			    !source_read_file(o, place + (at - unit), (size_t)(end - at),
					      p->spare + (at - from), err))
				return false;
		} else if (!o->read(o, at, (size_t)(end - at), p->spare + (at - from),
				    err)) {
			return false;
		}
		at = end;
	}
	compare_blocks(c, p, (size_t)(to - from));
	return true;
}
