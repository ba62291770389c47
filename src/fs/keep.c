/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keep.c - see keep.h. */
#include <stdlib.h>
#include <string.h>
#include "src/fs/keep.h"

#define PIECE_BYTES (8u << 20) /* about so much goes into one record */
#define HEAD_BYTES  10u
#define PART_BYTES  4u

struct keeper {
	struct committer *k;
	struct str record;
	uint32_t part;
	struct err *err;
};

static void add_le(struct str *s, uint64_t value, int bytes)
{
	uint8_t p[8];

	for (int i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * i);
	str_addn(s, p, (size_t)bytes);
}

static uint64_t get_le(const uint8_t *p, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

static bool flush(struct keeper *w)
{
	bool ok = !w->record.oom || err_nomem(w->err);

	ok = ok &&
	     (!w->record.len || journal_append(w->k->journal, JOURNAL_KEPT, w->record.buf,
					       w->record.len, w->err));
	str_clear(&w->record);
	return ok;
}

static bool keep_piece(struct keeper *w, blkno_t start, uint32_t len)
{
	size_t n = (size_t)len * w->k->v->geom.block_size;
	void *buf = malloc(n);
	bool ok = (buf || err_nomem(w->err)) && io_read(w->k->v, start, len, buf, w->err);

	if (ok) {
		if (!w->record.len)
			add_le(&w->record, w->part++, PART_BYTES);
		add_le(&w->record, start, 6);
		add_le(&w->record, len, 4);
		str_addn(&w->record, buf, n);
	}
	free(buf);
	return ok && (w->record.len < PIECE_BYTES || flush(w));
}

static bool keep_range(void *arg, blkno_t start, uint32_t len)
{
	struct keeper *w = arg;
	uint32_t step = PIECE_BYTES / w->k->v->geom.block_size;

	for (uint32_t at = 0; at < len; at += step)
		if (!keep_piece(w, start + at, len - at < step ? len - at : step))
			return false;
	return true;
}

static uint64_t room_for(const struct committer *k, const struct change *c)
{
	uint64_t n = 1 << 20;

	for (size_t i = 0; i < c->inodes.n; i++) {
		const struct change_inode *in = &c->inodes.v[i];

		for (size_t j = 0; j < in->copies.n; j++)
			n += HEAD_BYTES +
			     (uint64_t)in->copies.v[j].len * k->v->geom.block_size;
		n += in->new_tree.n * (HEAD_BYTES + k->v->geom.block_size);
	}
	return n;
}

bool keep_free(struct committer *k, const struct change *c, struct err *err)
{
	struct keeper w = {.k = k, .record = STR_INIT, .err = err};
	bool ok = journal_reserve(k->journal, room_for(k, c), err);

	for (size_t i = 0; ok && i < c->inodes.n; i++)
		ok = change_each_taken(&c->inodes.v[i], keep_range, &w);
	ok = ok && flush(&w);
	str_release(&w.record);
	return ok;
}

/* --- putting back --- */

/* Blocks that somebody owns by now are left alone. */
static bool put_where_free(struct committer *k, blkno_t block, const uint8_t *bytes,
			   uint64_t *written, struct err *err)
{
	struct err used = ERR_INIT;

	if (!alloc_is(k->alloc, block, 1, false, &used)) {
		if (used.class == ERR_REFUSED)
			return true;
		*err = used;
		return false;
	}
	*written += k->v->geom.block_size;
	return io_write(k->v, block, 1, bytes, err);
}

static bool put_range(struct committer *k, blkno_t start, uint64_t len,
		      const uint8_t *bytes, bool only_free, uint64_t *written,
		      struct err *err)
{
	uint32_t bs = k->v->geom.block_size;

	for (uint64_t i = 0; only_free && i < len; i++)
		if (!put_where_free(k, start + i, bytes + i * bs, written, err))
			return false;
	if (only_free)
		return true;
	*written += len * bs;
	return io_write(k->v, start, (size_t)len, bytes, err);
}

static bool damaged(struct err *err)
{
	err_set(err, ERR_CORRUPT,
		"a record of the undo journal does not fit this volume");
	return false;
}

static bool put_record(struct committer *k, const uint8_t *p, size_t n, bool only_free,
		       uint64_t *written, struct err *err)
{
	uint32_t bs = k->v->geom.block_size;

	while (n) {
		blkno_t start;
		uint64_t len;

		if (n < HEAD_BYTES)
			return damaged(err);
		start = get_le(p, 6);
		len = get_le(p + 6, 4);
		p += HEAD_BYTES;
		n -= HEAD_BYTES;
		if (len > n / bs || start >= k->v->geom.blocks ||
		    len > k->v->geom.blocks - start)
			return damaged(err);
		if (!put_range(k, start, len, p, only_free, written, err))
			return false;
		p += len * bs;
		n -= len * bs;
	}
	return true;
}

bool keep_restore(struct committer *k, struct stack_kept kept, bool only_free,
		  uint64_t *bytes, struct err *err)
{
	for (size_t i = 0; i < kept.n; i++) {
		size_t n;
		uint8_t *payload = journal_read(k->journal, kept.first + i, &n, err);
		bool ok = payload && (n >= PART_BYTES || damaged(err)) &&
			  put_record(k, payload + PART_BYTES, n - PART_BYTES, only_free,
				     bytes, err);

		free(payload);
		if (!ok)
			return false;
	}
	return true;
}
