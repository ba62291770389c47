/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rollup.c - see rollup.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "core/extent.h"
#include "core/metric.h"
#include "core/rollup.h"

#define ROOT	  2
#define DEPTH_MAX 4096 /* deeper is a loop */

void rollup_release(struct rollup *r)
{
	vec_release(r);
}

static size_t place(const struct rollup *r, inum_t ino)
{
	size_t lo = 0, hi = r->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (r->v[mid].ino < ino)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct rollup_row *rollup_dir(const struct rollup *r, inum_t ino)
{
	size_t i = place(r, ino);

	return i < r->n && r->v[i].ino == ino ? &r->v[i] : NULL;
}

/* --- one file --- */

static double uses(const struct rollup_options *opt, inum_t ino)
{
	size_t lo = 0, hi = opt->used_n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (opt->used[mid].ino < ino)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < opt->used_n && opt->used[lo].ino == ino ? opt->used[lo].count : 0;
}

bool rollup_file(const struct model *m, const struct rollup_options *opt, inum_t ino,
		 struct run_list *runs, struct rollup_row *out)
{
	struct disk_walk w = {.disk = opt->disk, .block_size = model_geom(m)->block_size};
	int64_t used = times_last_use(opt->times, ino);
	struct inode_info info = {0};
	uint32_t ideal;

	*out = (struct rollup_row){.ino = ino, .age_days = -1};
	model_inode(m, ino, &info);
	out->type = info.type;
	runs->n = 0;
	if (!model_runs(m, ino, runs))
		return false;
	if (used) {
		out->age_days = (double)(opt->now - used) / 86400.0;
		if (out->age_days < 0)
			out->age_days = 0;
	}
	if (!runs->n || !owner_is_data(runs->v[0].kind) || info.flags & INODE_SYSTEM)
		return true;
	disk_read_file(&w, runs->v, runs->n);
	out->files = 1;
	out->blocks = extent_blocks(runs->v, runs->n);
	out->fragments = extent_fragments(runs->v, runs->n);
	ideal = model_ideal(m, out->blocks);
	out->excess_fragments = out->fragments > ideal ? out->fragments - ideal : 0;
	out->jumps = w.jumps ? w.jumps - 1 : 0;
	out->read_ms = w.ms;
	out->excess_ms = w.ms - disk_ideal_ms(&w);
	if (out->excess_ms < 1e-6)
		out->excess_ms = 0;
	out->heat = out->excess_ms * (opt->used ? uses(opt, ino)
				      : out->age_days >= 0
					      ? exp2(-out->age_days / opt->half_life_days)
					      : 0);
	return true;
}

/* --- sums --- */

static void add(struct rollup_row *to, const struct rollup_row *r)
{
	to->files += r->files;
	to->blocks += r->blocks;
	to->fragments += r->fragments;
	to->excess_fragments += r->excess_fragments;
	to->jumps += r->jumps;
	to->read_ms += r->read_ms;
	to->excess_ms += r->excess_ms;
	to->heat += r->heat;
	if (r->age_days >= 0 && (to->age_days < 0 || r->age_days < to->age_days))
		to->age_days = r->age_days;
}

static struct rollup_row *find(struct rollup *r, inum_t ino)
{
	size_t i = place(r, ino);

	return i < r->n && r->v[i].ino == ino ? &r->v[i] : NULL;
}

struct order {
	uint32_t depth, index;
};

static int deepest_first(const void *a, const void *b)
{
	const struct order *x = a, *y = b;

	if (x->depth != y->depth)
		return x->depth > y->depth ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* Steps to the root; DEPTH_MAX in a loop, whose members then belong to nobody. */
static uint32_t depth_of(const struct model *m, inum_t ino)
{
	uint32_t depth = 0;

	while (ino && ino != ROOT && depth < DEPTH_MAX) {
		ino = model_parent(m, ino);
		depth++;
	}
	return depth;
}

/* Trees into their parents' trees, from below. */
static bool carry_up(const struct model *m, struct rollup *r)
{
	struct order *o = malloc((r->n ? r->n : 1) * sizeof(*o));

	if (!o)
		return false;
	for (size_t i = 0; i < r->n; i++)
		o[i] = (struct order){depth_of(m, r->v[i].ino), (uint32_t)i};
	qsort(o, r->n, sizeof(*o), deepest_first);
	for (size_t i = 0; i < r->n; i++) {
		const struct rollup_row *row = &r->v[o[i].index];
		struct rollup_row *up = NULL;

		if (row->ino != ROOT && o[i].depth < DEPTH_MAX)
			up = find(r, model_parent(m, row->ino));
		if (up && up != row)
			add(up, row);
	}
	free(o);
	return true;
}

bool rollup_compute(const struct model *m, const struct rollup_options *opt,
		    struct rollup *out)
{
	struct run_list runs = {0};
	struct inode_info info;
	struct rollup_row row;
	bool ok = true;
	inum_t ino;

	for (ino = model_next_inode(m, 0); ok && ino; ino = model_next_inode(m, ino))
		if (model_inode(m, ino, &info) && info.type == INODE_DIR)
			ok = vec_push(out, (struct rollup_row){.ino = ino,
							       .type = INODE_DIR,
							       .age_days = -1});
	for (ino = model_next_inode(m, 0); ok && ino; ino = model_next_inode(m, ino)) {
		struct rollup_row *to = find(out, ino);

		if (!to)
			to = find(out, model_parent(m, ino));
		if (!to)
			continue;
		ok = rollup_file(m, opt, ino, &runs, &row);
		if (ok)
			add(to, &row);
	}
	vec_release(&runs);
	return ok && carry_up(m, out);
}

bool rollup_children(const struct model *m, const struct rollup_options *opt,
		     const struct rollup *r, inum_t dir, struct rollup *out)
{
	struct run_list runs = {0};
	bool ok = true;

	for (inum_t ino = model_next_inode(m, 0); ok && ino;
	     ino = model_next_inode(m, ino)) {
		const struct rollup_row *tree;
		struct rollup_row row;

		if (ino == dir || model_parent(m, ino) != dir)
			continue;
		tree = rollup_dir(r, ino);
		if (tree) {
			ok = vec_push(out, *tree);
			continue;
		}
		ok = rollup_file(m, opt, ino, &runs, &row);
		if (ok && row.files)
			ok = vec_push(out, row);
	}
	vec_release(&runs);
	return ok;
}
