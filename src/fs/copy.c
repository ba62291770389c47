/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * copy.c - see copy.h. In rounds: as much as the buffer holds is read in the order of the
 * sources, neighbours in one read, then written in the order of the destinations,
 * neighbours in one write. While one round is written, a second thread reads the next:
 * sources and destinations of a batch never overlap.
 */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include "base/crc32c.h"
#include "src/fs/copy.h"

#define ROUND_BYTES (8u << 20) /* there are two of them */
#define WRITE_BYTES (8u << 20)

/* Part of a copy that fits a round. */
struct piece {
	struct change_copy *copy;
	blkno_t src, dst;
	uint32_t len;
	size_t at; /* in the round's buffer, bytes */
};

/* Pieces [from, to) and where their data is. */
struct round {
	struct copier *c;
	size_t from, to;
	uint8_t *buf;
	bool ok;
	struct err err;
};

struct pieces {
	struct piece *v;
	size_t n, cap;
};

struct copier {
	struct volume *v;
	struct pieces todo;
	uint8_t *buf[2], *gather;
	size_t room; /* bytes of a buf: a round, or all there is to copy */
	uint64_t done, total;
	batch_progress_fn progress;
	void *arg;
	struct copy_totals *out;
	struct err *err;
};

static int by_src(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->src < y->src ? -1 : x->src > y->src;
}

static int by_dst(const void *a, const void *b)
{
	const struct piece *x = a, *y = b;

	return x->dst < y->dst ? -1 : x->dst > y->dst;
}

static size_t bytes_of(const struct copier *c, uint64_t blocks)
{
	return (size_t)(blocks * c->v->geom.block_size);
}

/* Does the destination still hold what the checksum says? */
static bool is_there(struct copier *c, const struct change_copy *p, bool *there)
{
	uint32_t step = (uint32_t)(c->room / c->v->geom.block_size), crc = ~0u;

	for (uint32_t at = 0; at < p->len; at += step) {
		uint32_t n = p->len - at < step ? p->len - at : step;

		if (!io_read_direct(c->v, p->dst + at, n, c->buf[0], c->err))
			return false;
		c->out->bytes_read += bytes_of(c, n);
		crc = crc32c(crc, c->buf[0], bytes_of(c, n));
	}
	*there = crc == p->crc;
	return true;
}

static bool add_pieces(struct copier *c, struct change_copy *p)
{
	uint32_t step = WRITE_BYTES / c->v->geom.block_size;

	for (uint32_t at = 0; at < p->len; at += step) {
		uint32_t n = p->len - at < step ? p->len - at : step;
		struct piece piece = {p, p->src + at, p->dst + at, n, 0};

		if (!vec_push(&c->todo, piece))
			return err_nomem(c->err);
	}
	p->crc = ~0u;
	p->known = true;
	c->total += bytes_of(c, p->len);
	c->out->blocks += p->len;
	return true;
}

static bool collect(struct copier *c, struct change *change)
{
	for (size_t k = 0; k < change->inodes.n; k++)
		for (size_t i = 0; i < change->inodes.v[k].copies.n; i++) {
			struct change_copy *p = &change->inodes.v[k].copies.v[i];
			bool there = false;

			if (p->known && !is_there(c, p, &there))
				return false;
			if (!there && !add_pieces(c, p))
				return false;
		}
	return true;
}

static void report(struct copier *c)
{
	if (c->progress)
		c->progress(c->arg, BATCH_COPY, c->done, c->total);
}

/* Reads the pieces of a round, sorted by source, into its buffer. Runs on either thread.
 */
static bool read_round(struct round *r)
{
	struct copier *c = r->c;
	struct piece *p = c->todo.v;
	size_t at = 0;

	for (size_t i = r->from, end; i < r->to; i = end) {
		uint64_t n = p[i].len;

		p[i].at = at;
		for (end = i + 1; end < r->to && p[end].src == p[i].src + n; end++) {
			p[end].at = at + bytes_of(c, n);
			n += p[end].len;
		}
		if (!io_read_direct(c->v, p[i].src, (size_t)n, r->buf + at, &r->err))
			return false;
		at += bytes_of(c, n);
	}
	c->out->bytes_read += at;
	for (size_t i = r->from; i < r->to; i++)
		p[i].copy->crc =
			crc32c(p[i].copy->crc, r->buf + p[i].at, bytes_of(c, p[i].len));
	return true;
}

static void *reader_main(void *arg)
{
	struct round *r = arg;

	r->ok = read_round(r);
	return NULL;
}

/* Writes pieces [i, end), whose destinations follow each other; gathered first unless
 * they lie so already. */
static bool write_row(struct copier *c, const uint8_t *buf, const struct piece *p,
		      size_t n)
{
	uint64_t blocks = 0;
	bool in_order = true;
	const uint8_t *data = buf + p->at;

	for (size_t i = 0; i < n; i++) {
		in_order = in_order && p[i].at == p->at + bytes_of(c, blocks);
		blocks += p[i].len;
	}
	if (!in_order) {
		size_t at = 0;

		for (size_t i = 0; i < n; i++) {
			memcpy(c->gather + at, buf + p[i].at, bytes_of(c, p[i].len));
			at += bytes_of(c, p[i].len);
		}
		data = c->gather;
	}
	if (!io_write(c->v, p->dst, (size_t)blocks, data, c->err))
		return false;
	c->done += bytes_of(c, blocks);
	c->out->bytes_written += bytes_of(c, blocks);
	report(c);
	return true;
}

static bool write_round(struct copier *c, const struct round *r)
{
	struct piece *p = c->todo.v;

	qsort(p + r->from, r->to - r->from, sizeof(*p), by_dst);
	for (size_t i = r->from, end; i < r->to; i = end) {
		uint64_t n = p[i].len;

		for (end = i + 1; end < r->to && p[end].dst == p[i].dst + n &&
				  bytes_of(c, n + p[end].len) <= WRITE_BYTES;
		     end++)
			n += p[end].len;
		if (!write_row(c, r->buf, p + i, end - i))
			return false;
	}
	return true;
}

/* The round that begins at piece `from`, in the buffer that the one before does not use.
 */
static struct round next_round(struct copier *c, size_t from, uint8_t *buf)
{
	struct round r = {.c = c, .from = from, .to = from, .buf = buf};
	uint64_t blocks = 0;

	for (; r.to < c->todo.n && bytes_of(c, blocks + c->todo.v[r.to].len) <= c->room;
	     r.to++)
		blocks += c->todo.v[r.to].len;
	return r;
}

/* Writes `now` while `next` is read. */
static bool overlap(struct copier *c, const struct round *now, struct round *next)
{
	pthread_t reader;
	bool threaded = next->from < next->to &&
			pthread_create(&reader, NULL, reader_main, next) == 0;
	bool ok = write_round(c, now);

	if (threaded)
		pthread_join(reader, NULL);
	else if (ok)
		reader_main(next);
	if (ok && !next->ok) {
		*c->err = next->err;
		return false;
	}
	return ok;
}

static bool run_rounds(struct copier *c)
{
	struct round now, next;

	if (c->todo.n)
		qsort(c->todo.v, c->todo.n, sizeof(*c->todo.v), by_src);
	now = next_round(c, 0, c->buf[0]);
	reader_main(&now);
	if (!now.ok)
		*c->err = now.err;
	while (now.ok && now.from < now.to) {
		next = next_round(c, now.to,
				  now.buf == c->buf[0] ? c->buf[1] : c->buf[0]);
		if (!overlap(c, &now, &next))
			return false;
		now = next;
	}
	return now.ok;
}

/* Bytes of all that may have to be copied. */
static uint64_t bytes_in(const struct volume *v, const struct change *change)
{
	uint64_t blocks = 0;

	for (size_t k = 0; k < change->inodes.n; k++)
		for (size_t i = 0; i < change->inodes.v[k].copies.n; i++)
			blocks += change->inodes.v[k].copies.v[i].len;
	return blocks * v->geom.block_size;
}

bool copy_all(struct volume *v, struct change *change, batch_progress_fn progress,
	      void *arg, struct copy_totals *out, struct err *err)
{
	struct copier c = {
		.v = v, .progress = progress, .arg = arg, .out = out, .err = err};
	bool ok;

	memset(out, 0, sizeof(*out));
	if (!bytes_in(v, change))
		return true;
	c.room = bytes_in(v, change) < ROUND_BYTES ? (size_t)bytes_in(v, change)
						   : ROUND_BYTES;
	for (int i = 0; i < 2; i++)
		c.buf[i] = aligned_alloc(4096, (c.room + 4095) & ~(size_t)4095);
	c.gather = malloc(c.room < WRITE_BYTES ? c.room : WRITE_BYTES);
	ok = (c.buf[0] && c.buf[1] && c.gather) || err_nomem(err);
	ok = ok && collect(&c, change) && run_rounds(&c);
	free(c.buf[0]);
	free(c.buf[1]);
	free(c.gather);
	vec_release(&c.todo);
	return ok;
}
