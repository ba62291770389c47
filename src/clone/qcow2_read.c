/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * qcow2_read.c - an image as a source. The format: docs/interop/qcow2.txt of QEMU.
 *
 * What this program writes can be read, and what qemu-img makes of it without compression,
 * backing file or encryption. All numbers in the file are big endian.
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include "src/clone/clone_priv.h"

#define OFFSET_MASK 0x00fffffffffffe00ull
#define COMPRESSED  (1ull << 62)
#define ZERO_FLAG   1ull

static uint32_t be32(const uint8_t *p)
{
	uint32_t x;

	memcpy(&x, p, 4);
	return be32toh(x);
}

static uint64_t be64(const uint8_t *p)
{
	uint64_t x;

	memcpy(&x, p, 8);
	return be64toh(x);
}

static bool refuse(struct source *s, struct err *err, const char *why)
{
	err_set(err, ERR_REFUSED, "%s: %s; make it plain with: qemu-img convert -O qcow2",
		s->path, why);
	return false;
}

static bool read_cluster(struct source *s, uint64_t at, size_t n, uint8_t *buf,
			 struct err *err)
{
	for (size_t done = 0; done < n;) {
		uint64_t guest = (at + done) / s->unit;
		size_t run = s->unit;
		uint64_t place = s->cluster[guest];

		while (done + run < n &&
		       s->cluster[guest + run / s->unit] == (place ? place + run : 0))
			run += s->unit;
		if (!place)
			memset(buf + done, 0, run);
		else if (!source_read_file(s, place, run, buf + done, err))
			return false;
		done += run;
	}
	return true;
}

static bool take_l2(struct source *s, uint64_t first, const uint8_t *table,
		    struct err *err)
{
	for (uint64_t i = 0; i < s->unit / 8 && first + i < s->units; i++) {
		uint64_t e = be64(table + i * 8);

		if (e & COMPRESSED)
			return refuse(s, err, "it is compressed");
		if (!(e & OFFSET_MASK) || (e & ZERO_FLAG))
			continue;
		s->cluster[first + i] = e & OFFSET_MASK;
		s->used[(first + i) / 8] |= (uint8_t)(1u << (first + i) % 8);
	}
	return true;
}

static bool read_tables(struct source *s, uint64_t l1_at, uint32_t l1_size,
			struct err *err)
{
	uint8_t *l1 = malloc((size_t)l1_size * 8 + 1);
	uint8_t *l2 = aligned_alloc(UNIT_BYTES, s->unit);
	bool ok = (l1 && l2) || err_nomem(err);

	ok = ok && source_read_file(s, l1_at, (size_t)l1_size * 8, l1, err);
	for (uint32_t i = 0; ok && i < l1_size; i++) {
		uint64_t at = be64(l1 + (size_t)i * 8) & OFFSET_MASK;

		if (at)
			ok = source_read_file(s, at, s->unit, l2, err) &&
			     take_l2(s, (uint64_t)i * (s->unit / 8), l2, err);
	}
	free(l1);
	free(l2);
	return ok;
}

bool source_qcow2(struct source *s, const uint8_t header[72], struct err *err)
{
	uint32_t version = be32(header + 4), bits = be32(header + 20);
	uint32_t l1_size = be32(header + 36);

	s->bytes = be64(header + 24);
	if (version != 2 && version != 3)
		return refuse(s, err, "its version of qcow2 is not known");
	if (be64(header + 8))
		return refuse(s, err, "it rests on another file");
	if (be32(header + 32))
		return refuse(s, err, "it is encrypted");
	if (bits < 12 || bits > 21 || s->bytes > 1ull << 60 ||
	    (uint64_t)l1_size << (2 * bits - 3) < s->bytes || l1_size > 1u << 25)
		return refuse(s, err, "its header makes no sense");
	s->unit = 1u << bits;
	s->units = (s->bytes + s->unit - 1) / s->unit;
	s->used = calloc(1, s->units / 8 + 1);
	s->cluster = calloc(s->units + 1, sizeof(*s->cluster));
	s->read = read_cluster;
	if (!s->used || !s->cluster)
		return err_nomem(err);
	return read_tables(s, be64(header + 40), l1_size, err);
}
