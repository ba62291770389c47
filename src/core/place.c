/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place.c - see place.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/extent.h"
#include "core/place.h"

/* --- one file --- */

static bool is_users(enum owner_kind kind)
{
	return kind == OWNER_FILE || kind == OWNER_DIR || kind == OWNER_SYMLINK ||
	       kind == OWNER_EA_INODE;
}

bool place_of_file(const struct run *runs, size_t n, struct place_file *out)
{
	blkno_t low = BLKNO_NONE, high = 0;

	*out = (struct place_file){0};
	if (!n || !is_users(runs[0].kind))
		return false;
	for (size_t i = 0; i < n && owner_is_data(runs[i].kind); i++) {
		const struct run *r = &runs[i];

		if (!i || r[-1].phys + r[-1].len != r->phys)
			out->strict++;
		out->blocks += r->len;
		low = r->phys < low ? r->phys : low;
		high = r->phys + r->len > high ? r->phys + r->len : high;
	}
	out->span = high - low;
	out->fragments = extent_fragments(runs, n);
	return true;
}

double place_file_efficiency(const struct place_file *f)
{
	return f->span ? 100.0 * (double)f->blocks / (double)f->span : 100.0;
}

double place_file_sequentiality(const struct place_file *f)
{
	return f->blocks ? 100.0 * (double)(f->blocks - f->strict + 1) / (double)f->blocks
			 : 100.0;
}

/* --- sums and means --- */

void place_add(struct place *p, const struct place_file *f)
{
	double efficiency, sequentiality;

	p->inodes++;
	if (!f || !f->blocks)
		return;
	efficiency = place_file_efficiency(f);
	sequentiality = place_file_sequentiality(f);
	p->best++;
	p->worst += f->blocks;
	p->fragments += f->fragments;
	p->strict += f->strict;
	p->efficiency_sum += efficiency;
	p->efficiency_ln += log(efficiency);
	p->sequentiality_sum += sequentiality;
	p->sequentiality_ln += log(sequentiality);
}

static double mean_of(const struct place *p, enum place_mean mean, double sum, double ln)
{
	if (!p->best)
		return 100.0;
	return mean == PLACE_ARITHMETIC ? sum / (double)p->best
					: exp(ln / (double)p->best);
}

double place_efficiency(const struct place *p, enum place_mean mean)
{
	return mean_of(p, mean, p->efficiency_sum, p->efficiency_ln);
}

double place_sequentiality(const struct place *p, enum place_mean mean)
{
	return mean_of(p, mean, p->sequentiality_sum, p->sequentiality_ln);
}

double place_overall(const struct place *p)
{
	if (p->worst == p->best)
		return 100.0;
	return 100.0 * (double)(p->worst - p->fragments) / (double)(p->worst - p->best);
}

double place_e4defrag(const struct place *p)
{
	double r;

	if (!p->worst)
		return 0;
	r = 100.0 * (double)(p->fragments - p->best) / (double)p->worst;
	return r <= 10 ? 8 * r : 80 + r / 5;
}

/* --- tables --- */

static bool is_asked_for(const struct model *m, inum_t ino)
{
	struct inode_info info;

	return model_inode(m, ino, &info) && (ino == 2 || !(info.flags & INODE_SYSTEM));
}

/* The next inode of the list, or of the model if there is no list; 0 at the end. */
static inum_t next_of(const struct model *m, const inum_t *inos, size_t n, size_t *at,
		      inum_t last)
{
	if (inos)
		return *at < n ? inos[(*at)++] : 0;
	do
		last = model_next_inode(m, last);
	while (last && !is_asked_for(m, last));
	return last;
}

bool place_total(const struct model *m, const inum_t *inos, size_t n, struct place *out)
{
	struct run_list runs = {0};
	struct place_file f;
	size_t at = 0;
	bool ok = true;

	*out = (struct place){0};
	for (inum_t ino = 0; ok && (ino = next_of(m, inos, n, &at, ino));) {
		runs.n = 0;
		ok = model_runs(m, ino, &runs);
		place_add(out, place_of_file(runs.v, runs.n, &f) ? &f : NULL);
	}
	vec_release(&runs);
	return ok;
}

/* The row of a key; row_of[key] is one more than its index. NULL: out of memory. */
static struct place *row_for(struct place_table *t, uint32_t *row_of, uint64_t key)
{
	if (!row_of[key]) {
		if (!vec_push(&t->rows, (struct place_row){.key = key}))
			return NULL;
		row_of[key] = (uint32_t)t->rows.n;
	}
	return &t->rows.v[row_of[key] - 1].place;
}

static int by_loss(const void *a, const void *b)
{
	const struct place_row *x = a, *y = b;
	uint64_t p = x->place.fragments - x->place.best,
		 q = y->place.fragments - y->place.best;

	if (p != q)
		return p > q ? -1 : 1;
	return x->key < y->key ? -1 : x->key > y->key;
}

static bool add_to_table(const struct model *m, enum place_key by, inum_t ino,
			 struct run_list *runs, uint32_t *row_of, struct place_table *t)
{
	const struct geom *g = model_geom(m);
	struct place_file f;
	struct place *row;
	bool data;

	runs->n = 0;
	if (!model_runs(m, ino, runs))
		return false;
	data = place_of_file(runs->v, runs->n, &f);
	place_add(&t->total, data ? &f : NULL);
	if (by == PLACE_BY_GROUP && !data)
		return true; /* it lies nowhere */
	row = row_for(t, row_of,
		      by == PLACE_BY_GROUP ? geom_group_of(g, runs->v[0].phys)
					   : model_parent(m, ino));
	if (row)
		place_add(row, data ? &f : NULL);
	return row != NULL;
}

bool place_tabulate(const struct model *m, const inum_t *inos, size_t n,
		    enum place_key by, struct place_table *out)
{
	const struct geom *g = model_geom(m);
	size_t keys = by == PLACE_BY_GROUP ? g->groups : (size_t)g->inodes + 1, at = 0;
	uint32_t *row_of = calloc(keys, sizeof(*row_of));
	struct run_list runs = {0};
	bool ok = row_of != NULL;

	memset(out, 0, sizeof(*out));
	for (inum_t ino = 0; ok && (ino = next_of(m, inos, n, &at, ino));)
		ok = add_to_table(m, by, ino, &runs, row_of, out);
	if (out->rows.n)
		qsort(out->rows.v, out->rows.n, sizeof(*out->rows.v), by_loss);
	vec_release(&runs);
	free(row_of);
	return ok;
}

void place_table_release(struct place_table *t)
{
	vec_release(&t->rows);
}
