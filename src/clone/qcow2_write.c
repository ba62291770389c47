/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * qcow2_write.c - the tables of an image, all of them before its data, since what will be
 * in it is known beforehand: so one pass is enough.
 *
 *   header | L1 table | table of refcount blocks | refcount blocks | L2 tables | data
 *
 * each from a whole cluster on. Version 2 (docs/interop/qcow2.txt of QEMU), the one
 * that e2image reads too. Big endian; every cluster is used once (COPIED).
 */
#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include "src/clone/clone_priv.h"

#define COPIED	     (1ull << 63)
#define BUFFER_BYTES (1u << 20)

struct shape {		  /* in clusters */
	uint32_t cluster; /* bytes */
	uint32_t entries; /* of L1, L2 and the refcount table in a cluster */
	uint32_t refs;	  /* refcounts of 16 bits in a cluster */
	uint64_t l1, l1_entries, ref_table, ref_blocks, l2, data, total;
};

/* Whether any cluster under this L1 entry is used. */
static bool has_any(const struct source *s, uint64_t entry)
{
	uint64_t each = s->unit / 64; /* bytes of the map: a bit for 8 bytes of table */
	uint64_t at = entry * each, end = (entry + 1) * each;

	for (; at < end && at <= s->units / 8; at++)
		if (s->used[at])
			return true;
	return false;
}

static uint64_t clusters(uint64_t n, uint64_t each)
{
	return (n + each - 1) / each;
}

static void measure(const struct source *s, struct shape *f)
{
	uint64_t before;

	*f = (struct shape){
		.cluster = s->unit, .entries = s->unit / 8, .refs = s->unit / 2};
	for (uint64_t i = 0; i < s->units; i++)
		f->data += source_has(s, i);
	f->l1_entries = clusters(s->units, f->entries);
	for (uint64_t i = 0; i < f->l1_entries; i++)
		f->l2 += has_any(s, i);
	f->l1 = clusters(f->l1_entries, f->entries);
	do { /* refcount blocks count themselves */
		before = f->ref_blocks;
		f->ref_table = clusters(f->ref_blocks ? f->ref_blocks : 1, f->entries);
		f->total = 1 + f->l1 + f->ref_table + f->ref_blocks + f->l2 + f->data;
		f->ref_blocks = clusters(f->total, f->refs);
	} while (f->ref_blocks != before);
}

static void put32(uint8_t *p, uint32_t x)
{
	x = htobe32(x);
	memcpy(p, &x, 4);
}

static void put64(uint8_t *p, uint64_t x)
{
	x = htobe64(x);
	memcpy(p, &x, 8);
}

/* Clusters on their way to the sink, some at a time. */
struct out {
	struct sink *k;
	const struct source *s;
	const struct shape *f;
	uint8_t *buf;
	size_t n;
};

static bool flush(struct out *o, struct err *err)
{
	if (o->n && !sink_write(o->k, o->buf, o->n, o->k->at, err))
		return false;
	o->k->at += o->n;
	o->n = 0;
	return true;
}

/* The next cluster, empty; NULL with err. */
static uint8_t *next_cluster(struct out *o, struct err *err)
{
	uint8_t *c;

	if (o->n == BUFFER_BYTES && !flush(o, err))
		return NULL;
	c = o->buf + o->n;
	o->n += o->f->cluster;
	memset(c, 0, o->f->cluster);
	return c;
}

static bool write_header(struct out *o, struct err *err)
{
	const struct shape *f = o->f;
	uint8_t *c = next_cluster(o, err);

	if (!c)
		return false;
	memcpy(c, "QFI\373", 4);
	put32(c + 4, 2);
	put32(c + 20, (uint32_t)__builtin_ctz(f->cluster));
	put64(c + 24, o->s->bytes);
	put32(c + 36, (uint32_t)f->l1_entries);
	put64(c + 40, f->cluster);
	put64(c + 48, (1 + f->l1) * f->cluster);
	put32(c + 56, (uint32_t)f->ref_table);
	return true;
}

static bool write_l1(struct out *o, struct err *err)
{
	const struct shape *f = o->f;
	uint64_t next = 1 + f->l1 + f->ref_table + f->ref_blocks;

	for (uint64_t at = 0; at < f->l1_entries; at += f->entries) {
		uint8_t *c = next_cluster(o, err);

		if (!c)
			return false;
		for (uint64_t i = at; i < f->l1_entries && i < at + f->entries; i++)
			if (has_any(o->s, i))
				put64(c + (i - at) * 8, (next++ * f->cluster) | COPIED);
	}
	return true;
}

static bool write_ref_table(struct out *o, struct err *err)
{
	const struct shape *f = o->f;
	uint64_t first = 1 + f->l1 + f->ref_table;

	for (uint64_t at = 0; at < f->ref_blocks; at += f->entries) {
		uint8_t *c = next_cluster(o, err);

		if (!c)
			return false;
		for (uint64_t i = at; i < f->ref_blocks && i < at + f->entries; i++)
			put64(c + (i - at) * 8, (first + i) * f->cluster);
	}
	return true;
}

static bool write_refcounts(struct out *o, struct err *err)
{
	const struct shape *f = o->f;

	for (uint64_t at = 0; at < f->total; at += f->refs) {
		uint8_t *c = next_cluster(o, err);

		if (!c)
			return false;
		for (uint64_t i = at; i < f->total && i < at + f->refs; i++)
			c[(i - at) * 2 + 1] = 1;
	}
	return true;
}

static bool write_l2(struct out *o, struct err *err)
{
	const struct shape *f = o->f;
	uint64_t next = f->total - f->data;

	for (uint64_t e = 0; e < f->l1_entries; e++) {
		uint64_t from = e * f->entries, to = from + f->entries;
		uint8_t *c;

		if (!has_any(o->s, e))
			continue;
		c = next_cluster(o, err);
		if (!c)
			return false;
		for (uint64_t i = from; i < to && i < o->s->units; i++)
			if (source_has(o->s, i))
				put64(c + (i - from) * 8, (next++ * f->cluster) | COPIED);
	}
	return true;
}

bool qcow2_write_tables(struct sink *k, const struct source *s, struct err *err)
{
	struct shape f;
	struct out o = {k, s, &f, aligned_alloc(UNIT_BYTES, BUFFER_BYTES), 0};
	bool ok = o.buf || err_nomem(err);

	measure(s, &f);
	ok = ok && write_header(&o, err) && write_l1(&o, err) &&
	     write_ref_table(&o, err) && write_refcounts(&o, err) && write_l2(&o, err) &&
	     flush(&o, err);
	free(o.buf);
	return ok;
}
