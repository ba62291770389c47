/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * probe.c - what the device is like: a few small reads here and there, then some large
 * ones in a row. What sysfs says of virtual disks is often wrong.
 */
#include <stdlib.h>
#include <time.h>
#include "src/clone/clone_priv.h"

#define SMALL_READS 12
#define LARGE_READS 6
#define MIN_BYTES   (256u << 20) /* not worth it below */

static uint64_t now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

/* The first used unit at or after a part (of `of`) of the whole; false: there is none. */
static bool find(const struct source *s, uint64_t part, uint64_t of, uint64_t *unit)
{
	*unit = s->units / of * part;
	while (*unit < s->units && !source_has(s, *unit))
		(*unit)++;
	return *unit < s->units;
}

/* Average time of a small read, 0 = unknown. */
static uint64_t small_us(struct source *s, uint8_t *buf)
{
	uint64_t began = now_us(), n = 0, unit;

	/* back and forth, so that nothing is read ahead */
	for (uint64_t i = 0; i < SMALL_READS; i++) {
		if (find(s, i % 2 ? SMALL_READS - i : i, SMALL_READS + 1, &unit) &&
		    s->read(s, unit * s->unit, s->unit, buf, NULL))
			n++;
	}
	return n ? (now_us() - began) / n : 0;
}

/* Bytes a second in a row, 0 = unknown. */
static uint64_t large_rate(struct source *s, uint8_t *buf)
{
	uint64_t unit, each = PIECE_BYTES / s->unit, bytes = 0, began;

	if (!find(s, 1, 3, &unit))
		return 0;
	began = now_us();
	for (int i = 0; i < LARGE_READS && unit + each < s->units; i++, unit += each) {
		if (!s->read(s, unit * s->unit, PIECE_BYTES, buf, NULL))
			return 0;
		bytes += PIECE_BYTES;
	}
	return bytes ? bytes * 1000000 / (now_us() - began + 1) : 0;
}

void probe_source(struct source *s, bool rotational, uint32_t *gap, uint64_t *rate)
{
	uint8_t *buf;
	uint64_t us, reach;

	*gap = rotational ? GAP_MAX : GAP_MIN;
	*rate = 0;
	/* an image's clusters do not lie where its units say */
	if (s->bytes < MIN_BYTES || s->cluster)
		return;
	buf = aligned_alloc(UNIT_BYTES, PIECE_BYTES);
	if (!buf)
		return;
	us = small_us(s, buf);
	*rate = large_rate(s, buf);
	reach = us * *rate / 1000000 / 2; /* several requests are under way */
	if (us && *rate)
		*gap = reach < GAP_MIN	 ? GAP_MIN
		       : reach > GAP_MAX ? GAP_MAX
					 : (uint32_t)reach;
	free(buf);
}
