/* SPDX-License-Identifier: GPL-3.0-or-later */
/* group_stat.c - see group_stat.h. */
#include "core/group_stat.h"
#include <stdlib.h>
#include <string.h>

struct count {
	struct group_stat *out;
	VEC(inum_t) files;  /* one a run */
	VEC(inum_t) pieces; /* the same, fragmented ones only */
	inum_t ino;	    /* of the last data run, and where it would go on */
	blkno_t next;
	lblk_t lblk;
	bool oom;
};

static void count_data(struct count *c, const struct run *r)
{
	if (r->ino != c->ino || r->phys != c->next || r->lblk != c->lblk)
		c->out->fragments++;
	c->ino = r->ino;
	c->next = r->phys + r->len;
	c->lblk = r->lblk + r->len;
	if (!vec_push(&c->files, r->ino) ||
	    (r->fragmented && !vec_push(&c->pieces, r->ino)))
		c->oom = true;
}

static bool count_run(void *arg, const struct run *r)
{
	struct count *c = arg;

	if (r->kind == OWNER_FREE) {
		c->out->free += r->len;
		c->out->holes++;
		if (r->len > c->out->largest)
			c->out->largest = r->len;
	} else if (owner_is_fixed(r->kind)) {
		c->out->meta += r->len;
	} else if (owner_is_data(r->kind)) {
		count_data(c, r);
	}
	return !c->oom;
}

static int by_number(const void *a, const void *b)
{
	inum_t x = *(const inum_t *)a, y = *(const inum_t *)b;

	return (x > y) - (x < y);
}

static uint32_t count_unique(inum_t *v, size_t n)
{
	uint32_t unique = 0;

	if (n)
		qsort(v, n, sizeof(*v), by_number);
	for (size_t i = 0; i < n; i++)
		unique += i == 0 || v[i] != v[i - 1];
	return unique;
}

bool group_stat(const struct model *m, group_t group, struct group_stat *out)
{
	const struct geom *g = model_geom(m);
	struct count c = {.out = out};

	memset(out, 0, sizeof(*out));
	out->blocks = geom_group_len(g, group);
	model_walk(m, geom_group_start(g, group), out->blocks, count_run, &c);
	out->files = count_unique(c.files.v, c.files.n);
	out->in_pieces = count_unique(c.pieces.v, c.pieces.n);
	vec_release(&c.files);
	vec_release(&c.pieces);
	if (c.oom)
		out->blocks = 0;
	return !c.oom;
}
