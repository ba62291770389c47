/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run_record.c - taking the figures; see run_record.h. */
#include "base/num.h"
#include "ui/run_record.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/app_priv.h"

#define ORDERED_MAX 200000 /* inodes, on a terminal: nobody should wait */

/* --- the map --- */

static enum record_class class_of(const struct run *r)
{
	switch (r->kind) {
	case OWNER_FREE:
		return RECORD_FREE;
	case OWNER_DIR:
		return RECORD_DIR;
	case OWNER_FILE:
	case OWNER_SYMLINK:
	case OWNER_EA_INODE:
		return r->fragmented ? RECORD_FRAGMENTED : RECORD_FILE;
	default:
		return RECORD_META;
	}
}

struct painter {
	uint64_t each; /* blocks of a cell */
	blkno_t first;
	uint64_t (*count)[RECORD_CLASSES];
};

static bool paint(void *arg, const struct run *r)
{
	struct painter *p = arg;
	uint64_t at = r->phys - p->first, end = at + r->len;

	while (at < end) {
		uint64_t cell = at / p->each, edge = (cell + 1) * p->each;
		uint64_t to = edge < end ? edge : end;

		p->count[cell][class_of(r)] += to - at;
		at = to;
	}
	return true;
}

static bool take_map(const struct model *m, uint8_t *cells)
{
	const struct geom *g = model_geom(m);
	uint64_t blocks = g->blocks - g->first_block;
	struct painter p = {(blocks + RECORD_CELLS - 1) / RECORD_CELLS, g->first_block,
			    calloc(RECORD_CELLS, sizeof(*p.count))};

	if (!p.count)
		return false;
	model_walk(m, g->first_block, blocks, paint, &p);
	for (int c = 0; c < RECORD_CELLS; c++) {
		uint64_t best = 0;

		cells[c] = RECORD_FREE;
		for (int k = RECORD_CLASSES - 1; k > RECORD_FREE; k--)
			if (p.count[c][k] > best) {
				best = p.count[c][k];
				cells[c] = (uint8_t)k;
			}
		if (p.count[c][RECORD_FREE] > 4 * best)
			cells[c] = RECORD_FREE;
	}
	free(p.count);
	return true;
}

/* --- figures --- */

static bool take(struct app *a, struct run_record *r, struct run_figures *f)
{
	const struct model *m = a->model;
	uint32_t bs = model_geom(m)->block_size;
	bool ok;

	f->metrics = a->metrics;
	space_compute(m, (1u << 20) / bs ? (1u << 20) / bs : 1,
		      (1u << 20) / bs ? (1u << 20) / bs : 1, &f->space);
	ok = place_total(m, NULL, 0, &f->place) && take_map(m, f->cell);
	for (int o = 0; ok && r->ordered && o < 3; o++) {
		f->order[o] =
			(struct disk_walk){.disk = disk_now(), .block_size = bs};
		ok = disk_read_order(&f->order[o], m, r->order[o].v, r->order[o].n);
	}
	return ok;
}

/* Moving blocks changes no names: the same lists serve before and after. */
static void ask_orders(struct app *a, struct run_record *r)
{
	inum_t root = 2;

	if (a->interactive && a->metrics.inodes_used > ORDERED_MAX)
		return;
	for (int o = 0; o < 3; o++) {
		struct request q = {.kind = REQ_ORDER,
				    .model = a->model,
				    .inos = &root,
				    .ino_count = 1,
				    .count = (uint32_t)o};
		struct event *ev = app_query(a, &q, -1, NULL);

		if (!ev)
			return; /* figures less; no reason not to run */
		r->order[o] = ev->order;
		ev->order = (struct inum_list){0};
		event_free(ev);
	}
	r->ordered = true;
}

static void count_evictions(struct run_record *r, const struct plan *p)
{
	inum_t last = 0;

	for (size_t i = 0; p && i < p->moves.n; i++) {
		const struct move *m = &p->moves.v[i];

		if (m->kind != MOVE_DATA ||
		    (m->reason != REASON_ROOM && m->reason != REASON_STAGE))
			continue;
		r->evicted_files += m->ino != last;
		r->evicted_blocks += m->len;
		last = m->ino;
	}
}

bool run_record_begin(struct app *a, const char *job, const struct plan *plan,
		      struct err *err)
{
	struct run_record *r;

	if (a->job) {
		err_set(err, ERR_REFUSED, "%s is running; stop it with: stop",
			a->job_name);
		return false;
	}
	run_record_drop(a);
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_nomem(err);
	snprintf(r->job, sizeof(r->job), "%s", job);
	snprintf(r->title, sizeof(r->title), "%s", plan ? plan->title : job);
	a->record = r;
	count_evictions(r, plan);
	ask_orders(a, r);
	if (!take(a, r, &r->before)) {
		run_record_drop(a);
		return err_nomem(err);
	}
	num_cpu_ms(&r->user_ms, &r->sys_ms);
	return true;
}

void run_record_end(struct app *a)
{
	struct run_record *r = a->record;
	uint64_t user, sys;

	if (!r || r->ended || !a->model)
		return;
	num_cpu_ms(&user, &sys);
	r->user_ms = user - r->user_ms;
	r->sys_ms = sys - r->sys_ms;
	r->summary = a->last_run;
	r->ended = take(a, r, &r->after);
	if (!r->ended)
		run_record_drop(a);
}

void run_record_drop(struct app *a)
{
	struct run_record *r = a->record;

	a->record = NULL;
	for (int o = 0; r && o < 3; o++)
		vec_release(&r->order[o]);
	free(r);
}
