/* SPDX-License-Identifier: GPL-3.0-or-later */
/* metric.c - see metric.h. */
#include <string.h>
#include "core/disk.h"
#include "core/extent.h"
#include "core/metric.h"

static bool is_user_data(enum owner_kind kind)
{
	return kind == OWNER_FILE || kind == OWNER_DIR || kind == OWNER_SYMLINK ||
	       kind == OWNER_EA_INODE;
}

/* Pairs of neighbouring blocks that lie next to each other. A file's own tree block in
 * between parts them: the head has to pass over it. */
static uint64_t close_pairs(const struct run *runs, size_t data)
{
	uint64_t close = 0;

	for (size_t i = 0; i < data; i++) {
		close += runs[i].len - 1u;
		if (i && runs[i - 1].phys + runs[i - 1].len == runs[i].phys)
			close++;
	}
	return close;
}

static size_t data_runs(const struct run *runs, size_t n)
{
	size_t i = 0;

	while (i < n && owner_is_data(runs[i].kind))
		i++;
	return i;
}

double metrics_read_ms(const struct run *runs, size_t n, uint32_t block_size)
{
	const struct disk *d = disk_now();
	double ms = 0;

	n = data_runs(runs, n);
	for (size_t i = 0; i < n; i++) {
		blkno_t end = i ? runs[i - 1].phys + runs[i - 1].len : 0;
		uint64_t gap = runs[i].phys - end;

		ms += (double)runs[i].len * block_size / d->bytes_per_ms;
		if (i && runs[i].phys == end)
			continue;
		if (i && runs[i].phys > end && gap <= d->read_over_bytes / block_size)
			ms += (double)gap * block_size / d->bytes_per_ms;
		else
			ms += d->jump_ms;
	}
	/* In steps of 2^-16 ms, so that sums are exact whatever their order: a predicted
	 * total then equals the one counted afterwards. */
	return (double)(uint64_t)(ms * 65536.0 + 0.5) / 65536.0;
}

void metrics_count_file(struct metrics *t, const struct run *runs, size_t n,
			uint32_t ideal, uint32_t block_size, int sign)
{
	uint64_t s = sign < 0 ? UINT64_MAX : 1; /* adds -1 in modular arithmetic */
	uint64_t blocks, fragments;

	if (!n || !is_user_data(runs[0].kind))
		return;
	blocks = extent_blocks(runs, n);
	fragments = extent_fragments(runs, n);
	t->best += s;
	t->ideal += s * ideal;
	t->worst += s * blocks;
	t->fragments += s * fragments;
	t->files_fragmented += s * (fragments > ideal);
	t->pairs += s * (blocks - 1);
	t->pairs_close += s * close_pairs(runs, data_runs(runs, n));
	t->read_time_ms += sign * metrics_read_ms(runs, n, block_size);
}

void metrics_set_free(struct metrics *t, const struct freemap *f)
{
	struct range largest = {0, 0};

	freemap_largest(f, &largest);
	t->free_blocks = freemap_blocks(f);
	t->free_runs = freemap_runs(f);
	t->largest_hole_blocks = largest.len;
}

struct holes {
	struct metrics *t;
	blkno_t end, len; /* of the hole so far: a long one comes in parts */
};

static bool count_hole(void *arg, const struct run *r)
{
	struct holes *h = arg;

	if (r->kind != OWNER_FREE)
		return true;
	if (h->len && h->end == r->phys) {
		h->len += r->len;
	} else {
		h->len = r->len;
		h->t->free_runs++;
	}
	h->end = r->phys + r->len;
	h->t->free_blocks += r->len;
	if (h->len > h->t->largest_hole_blocks)
		h->t->largest_hole_blocks = h->len;
	return true;
}

void metrics_count_free(const struct model *m, struct metrics *t)
{
	const struct geom *g = model_geom(m);
	struct holes holes = {t, 0, 0};

	t->free_blocks = t->free_runs = t->largest_hole_blocks = 0;
	model_walk(m, g->first_block, g->blocks - g->first_block, count_hole, &holes);
}

void metrics_compute(const struct model *m, struct metrics *out)
{
	const struct geom *g = model_geom(m);
	struct run_list runs = {0};
	struct inode_info info;

	*out = (struct metrics){0};
	for (inum_t ino = model_next_inode(m, 0); ino; ino = model_next_inode(m, ino)) {
		if (!model_inode(m, ino, &info))
			continue;
		out->inodes_used++;
		out->files += info.type == INODE_FILE;
		out->directories += info.type == INODE_DIR;
		runs.n = 0;
		if (model_runs(m, ino, &runs))
			metrics_count_file(out, runs.v, runs.n,
					   model_ideal(m, extent_blocks(runs.v, runs.n)),
					   g->block_size, 1);
	}
	vec_release(&runs);
	metrics_count_free(m, out);
}

double metrics_layout_score(const struct metrics *t)
{
	return t->pairs ? (double)t->pairs_close / (double)t->pairs : 1.0;
}

double metrics_overall(const struct metrics *t)
{
	if (t->worst == t->best)
		return 100.0;
	return 100.0 * (double)(t->worst - t->fragments) / (double)(t->worst - t->best);
}

double metrics_percent_fragmented(const struct metrics *t)
{
	return t->best ? 100.0 * (double)t->files_fragmented / (double)t->best : 0.0;
}
