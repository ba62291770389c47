/* SPDX-License-Identifier: GPL-3.0-or-later */
/* compare.c - see compare.h. */
#include "lab/compare.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fs/volume.h"
#include "src/lab/ground.h"
#include "src/lab/life.h"
#include "src/lab/world_model.h"

/* The common ground: free space, geometry and bitmap of the scratch image. */
struct ground {
	struct str path;
	struct space space;
	struct volume *volume;
	uint8_t *used;
	size_t used_bytes;
};

void compare_result_release(struct compare_result *r)
{
	age_report_release(&r->report);
	free(r->cells);
	r->cells = NULL;
}

static bool scratch(const char *folder, struct str *path, struct err *err)
{
	int fd;

	str_addf(path, "%s/cdefrag-lab.XXXXXX", folder);
	if (path->oom)
		return err_nomem(err);
	fd = mkstemp(path->buf);
	if (fd < 0) {
		err_set_errno(err, ERR_IO, errno, "cannot make a scratch image in %s",
			      folder);
		str_clear(path);
		return false;
	}
	close(fd);
	return true;
}

static bool ground_open(struct ground *g, const char *folder, const struct age_options *o,
			struct err *err)
{
	struct volume_options vopt = {.write = false};
	struct flaw_list flaws = {.limit = 1};
	const struct geom *geom;
	struct build *b;

	if (!scratch(folder, &g->path, err))
		return false;
	b = ground_format(g->path.buf, o, true, err);
	if (!b)
		return false;
	if (!ground_space(b, &g->space, err)) {
		build_free(b);
		return false;
	}
	if (!build_finish(b, err))
		return false;
	g->volume = volume_open(g->path.buf, &vopt, err);
	if (!g->volume)
		return false;
	g->used = volume_read_bitmap(g->volume, &flaws, err);
	vec_release(&flaws.list);
	geom = volume_geom(g->volume);
	g->used_bytes = (geom->blocks - geom->first_block + 7) / 8;
	return g->used != NULL;
}

static void ground_close(struct ground *g)
{
	if (g->path.len)
		unlink(g->path.buf);
	str_release(&g->path);
	space_release(&g->space);
	volume_close(g->volume);
	free(g->used);
}

/* --- the small map --- */

struct tally {
	uint64_t blocks[4];
};

static bool count_run(void *arg, const struct run *r)
{
	struct tally *t = arg;
	enum compare_cell cell = r->kind == OWNER_FREE ? CELL_FREE
				 : !owner_is_data(r->kind) || r->kind == OWNER_JOURNAL
					 ? CELL_META
				 : r->fragmented ? CELL_PIECES
						 : CELL_WHOLE;

	t->blocks[cell] += r->len;
	return true;
}

static bool draw(struct compare_result *r, const struct model *m, size_t cells,
		 struct err *err)
{
	const struct geom *g = model_geom(m);
	uint64_t all = g->blocks - g->first_block, per = (all + cells - 1) / cells;

	r->cell_count = (all + per - 1) / per;
	r->cells = calloc(r->cell_count, 1);
	if (!r->cells)
		return err_nomem(err);
	for (size_t i = 0; i < r->cell_count; i++) {
		struct tally t = {{0}};
		uint64_t start = i * per, len = all - start < per ? all - start : per;
		enum compare_cell best = CELL_META;

		model_walk(m, g->first_block + start, len, count_run, &t);
		if (t.blocks[CELL_FREE] * 2 >= len)
			best = CELL_FREE;
		else if (t.blocks[CELL_PIECES] >= t.blocks[CELL_WHOLE] &&
			 t.blocks[CELL_PIECES] >= t.blocks[CELL_META])
			best = CELL_PIECES;
		else if (t.blocks[CELL_WHOLE] >= t.blocks[CELL_META])
			best = CELL_WHOLE;
		r->cells[i] = (uint8_t)best;
	}
	return true;
}

/* --- one allocator --- */

static bool run_one(const struct ground *g, const struct age_options *o, size_t cells,
		    struct compare_result *r, struct err *err)
{
	uint8_t *used = malloc(g->used_bytes);
	struct model *m = NULL;
	struct space space;
	struct world w;
	bool ok;

	if (!used || !space_copy(&space, &g->space)) {
		free(used);
		return err_nomem(err);
	}
	memcpy(used, g->used, g->used_bytes);
	world_init(&w, &space, r->policy, o->seed, LAB_TIME);
	ok = life_run(&w, o, &r->report, err);
	if (ok) {
		policy_flush(&w.policy);
		life_count(&w, &r->report);
		m = world_model(&w, volume_geom(g->volume), used, err);
		ok = m != NULL;
	}
	if (ok) {
		metrics_compute(m, &r->metrics);
		ok = draw(r, m, cells, err);
	}
	model_free(m);
	world_release(&w);
	free(used);
	return ok;
}

bool lab_compare(const char *folder, const struct age_options *o,
		 const struct policy_kind *const *policies, size_t n, size_t cells,
		 struct compare_result *results, struct err *err)
{
	struct ground g = {.path = STR_INIT};
	bool ok = age_check(o, err) && ground_open(&g, folder, o, err);

	memset(results, 0, n * sizeof(*results));
	for (size_t i = 0; ok && i < n; i++) {
		results[i].policy = policies[i];
		age_report_init(&results[i].report);
		ok = run_one(&g, o, cells ? cells : 1, &results[i], err);
	}
	for (size_t i = 0; !ok && i < n; i++)
		compare_result_release(&results[i]);
	ground_close(&g);
	return ok;
}
