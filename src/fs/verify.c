/* SPDX-License-Identifier: GPL-3.0-or-later */
/* verify.c - see verify.h. In the order of the blocks, neighbours in one read. */
#include <stdlib.h>
#include <string.h>
#include "base/crc32c.h"
#include "src/fs/verify.h"

#define READ_BYTES (8u << 20)

/* A stretch that was written: data with a checksum, or a tree block with its image. */
struct written {
	blkno_t start;
	uint32_t len, crc;
	const uint8_t *image; /* NULL: data */
	inum_t ino;
};

struct verifier {
	struct volume *v;
	VEC(struct written) todo;
	uint8_t *buf;
	size_t room; /* blocks of buf */
	uint64_t *bytes;
	struct err *err;
};

static int by_start(const void *a, const void *b)
{
	const struct written *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool collect(struct verifier *r, const struct change *c)
{
	for (size_t k = 0; k < c->inodes.n; k++) {
		const struct change_inode *i = &c->inodes.v[k];

		for (size_t n = 0; n < i->copies.n; n++) {
			const struct change_copy *p = &i->copies.v[n];
			struct written w = {p->dst, p->len, p->crc, NULL, i->ino};

			if (!vec_push(&r->todo, w))
				return err_nomem(r->err);
		}
		for (size_t n = 0; n < i->new_tree.n; n++) {
			struct written w = {i->new_tree.v[n].block, 1, 0,
					    i->new_tree.v[n].image, i->ino};

			if (!vec_push(&r->todo, w))
				return err_nomem(r->err);
		}
	}
	if (r->todo.n)
		qsort(r->todo.v, r->todo.n, sizeof(*r->todo.v), by_start);
	return true;
}

static bool read_at(struct verifier *r, blkno_t start, size_t n)
{
	*r->bytes += n * r->v->geom.block_size;
	return io_read_direct(r->v, start, n, r->buf, r->err);
}

static bool differs(struct verifier *r, const struct written *w)
{
	err_set(r->err, ERR_IO,
		"what was written to blocks %llu+%u of %s for inode %u does not read "
		"back "
		"the same; nothing refers to it yet: check the device, then open the "
		"volume with -w, it recovers",
		(unsigned long long)w->start, w->len, r->v->info.path, w->ino);
	return false;
}

/* One stretch that is longer than the buffer. */
static bool check_long(struct verifier *r, const struct written *w)
{
	uint32_t crc = ~0u;

	for (uint32_t at = 0; at < w->len; at += (uint32_t)r->room) {
		size_t n = w->len - at < r->room ? w->len - at : r->room;

		if (!read_at(r, w->start + at, n))
			return false;
		crc = crc32c(crc, r->buf, n * r->v->geom.block_size);
	}
	return crc == w->crc || differs(r, w);
}

/* Stretches [i, end), one behind the other, in one read. */
static bool check_row(struct verifier *r, size_t i, size_t end)
{
	const struct written *w = r->todo.v;
	size_t bs = r->v->geom.block_size, at = 0;
	blkno_t start = w[i].start;

	if (!read_at(r, start, (size_t)(w[end - 1].start + w[end - 1].len - start)))
		return false;
	for (; i < end; at += w[i++].len * bs)
		if (w[i].image ? memcmp(r->buf + at, w[i].image, bs) != 0
			       : crc32c(~0u, r->buf + at, w[i].len * bs) != w[i].crc)
			return differs(r, &w[i]);
	return true;
}

static bool check_all(struct verifier *r)
{
	const struct written *w = r->todo.v;

	for (size_t i = 0, end; i < r->todo.n; i = end) {
		uint64_t n = w[i].len;

		end = i + 1;
		if (n > r->room) {
			if (!check_long(r, &w[i]))
				return false;
			continue;
		}
		for (; end < r->todo.n && w[end].start == w[i].start + n &&
		       n + w[end].len <= r->room;
		     end++)
			n += w[end].len;
		if (!check_row(r, i, end))
			return false;
	}
	return true;
}

bool verify_written(struct volume *v, const struct change *c, uint64_t *bytes,
		    struct err *err)
{
	struct verifier r = {.v = v, .bytes = bytes, .err = err};
	bool ok;

	r.room = READ_BYTES / v->geom.block_size;
	r.buf = aligned_alloc(4096, READ_BYTES);
	ok = (r.buf || err_nomem(err)) && collect(&r, c) && check_all(&r);
	free(r.buf);
	vec_release(&r.todo);
	return ok;
}
