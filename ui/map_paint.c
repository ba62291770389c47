/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * map_paint.c - from blocks to cells.
 *
 * model_walk hands out runs in block order, and cells follow each other in block order
 * too, so one walk fills many cells: a tally is kept for the cell at hand and written
 * out where the cell ends.
 */
#include "ui/map_paint.h"
#include <string.h>

/* Classes that the majority decides between; of equals the last. */
enum { FIRST_CLASS = STYLE_MAP_FREE, CLASSES = STYLE_MAP_FRAGMENTED - FIRST_CLASS + 1 };

struct tally {
	uint64_t count[CLASSES];
	uint64_t longest[CLASSES];
	inum_t ino[CLASSES];
	bool odd[CLASSES];
	bool bad, pinned;
	uint8_t flags;
};

struct painter {
	const struct map_paint *to;
	size_t index, last; /* cell at hand, last to paint */
	struct range cell;
	struct tally tally;
	inum_t prev_ino; /* of the last data run, and where it would go on */
	lblk_t prev_next;
};

/* Class of a run by its owner; what is fixed and not listed is metadata. */
static const uint8_t class_of_kind[OWNER_KINDS] = {
	[OWNER_FREE] = STYLE_MAP_FREE,
	[OWNER_UNKNOWN] = STYLE_MAP_UNKNOWN,
	[OWNER_JOURNAL] = STYLE_MAP_JOURNAL,
	[OWNER_FILE] = STYLE_MAP_CONTIGUOUS,
	[OWNER_DIR] = STYLE_MAP_DIR,
	[OWNER_SYMLINK] = STYLE_MAP_CONTIGUOUS,
	[OWNER_EA_INODE] = STYLE_MAP_CONTIGUOUS,
	[OWNER_TREE] = STYLE_MAP_TREE,
	[OWNER_XATTR] = STYLE_MAP_TREE,
	[OWNER_XATTR_SHARED] = STYLE_MAP_TREE,
	[OWNER_CLUSTER_PAD] = STYLE_MAP_CONTIGUOUS,
};

int map_class_of(const struct run *r)
{
	int class = class_of_kind[r->kind];

	if (class == STYLE_MAP_CONTIGUOUS || class == STYLE_MAP_DIR)
		return r->fragmented ? STYLE_MAP_FRAGMENTED : class;
	return class ? class : STYLE_MAP_META;
}

static bool is_tagged(const struct map_paint *to, inum_t ino)
{
	return ino / 8 < to->tag_bytes && (to->tag_bits[ino / 8] >> (ino % 8) & 1);
}

/* Adds a piece of a run that lies in the cell at hand. */
static void tally_add(struct painter *p, const struct run *r, int class, uint64_t len)
{
	struct tally *t = &p->tally;
	int i = class - FIRST_CLASS;

	t->count[i] += len;
	if (r->ino == 0)
		return;
	if (len > t->longest[i]) {
		t->longest[i] = len;
		t->ino[i] = r->ino;
		t->odd[i] = r->odd;
	}
	if (r->ino == p->to->selected)
		t->flags |= CELL_SELECTED;
	if (is_tagged(p->to, r->ino))
		t->flags |= CELL_TAGGED;
	if (p->to->pinned_bits && class != STYLE_MAP_META && class != STYLE_MAP_JOURNAL)
		t->pinned |= p->to->pinned_bits[r->ino / 8] >> (r->ino % 8) & 1;
	if (class == STYLE_MAP_META) {
		t->bad |= r->kind == OWNER_BAD;
		t->pinned |= r->kind == OWNER_SYSTEM || r->kind == OWNER_QUOTA ||
			     r->kind == OWNER_ORPHAN;
	}
}

static void cell_finish(struct painter *p)
{
	struct map_cell *cell = &p->to->cells[p->index];
	const struct tally *t = &p->tally;
	uint64_t used = p->cell.len - t->count[0];
	int best = 0;

	for (int i = 1; i < CLASSES; i++)
		if (t->count[i] >= t->count[best] && t->count[i] > 0)
			best = i;
	cell->class = (uint8_t)(t->bad	    ? STYLE_MAP_BAD
				: t->pinned ? STYLE_MAP_PINNED
					    : best + FIRST_CLASS);
	cell->ino = t->ino[best];
	cell->flags = (uint8_t)(t->flags | (t->odd[best] ? CELL_ODD : 0));
	cell->fill = (uint8_t)(used == 0	     ? 0
			       : used >= p->cell.len ? 255
						     : 1 + used * 253 / p->cell.len);
}

/* Goes on to the next cell that has blocks; false after the last. */
static bool cell_next(struct painter *p)
{
	const struct map_layout *l = p->to->layout;

	while (++p->index <= p->last) {
		p->cell = map_layout_cell(l, (int)(p->index / (size_t)l->cols),
					  (int)(p->index % (size_t)l->cols));
		if (p->cell.len > 0) {
			memset(&p->tally, 0, sizeof(p->tally));
			return true;
		}
		memset(&p->to->cells[p->index], 0, sizeof(struct map_cell));
		p->to->cells[p->index].class = STYLE_MAP_OUTSIDE;
	}
	return false;
}

/* True if the run's first block starts a fragment of its file other than the first. */
static bool starts_fragment(struct painter *p, const struct run *r)
{
	bool start = r->fragmented && r->lblk != 0 &&
		     (r->ino != p->prev_ino || r->lblk != p->prev_next);

	p->prev_ino = r->ino;
	p->prev_next = r->lblk + r->len;
	return start;
}

static bool paint_run(void *arg, const struct run *r)
{
	struct painter *p = arg;
	int class = map_class_of(r);
	blkno_t pos = r->phys, end = r->phys + r->len;

	if (p->to->layout->blocks_per_cell == 1 && owner_is_data(r->kind) &&
	    starts_fragment(p, r))
		p->tally.flags |= CELL_START;
	while (pos < end && p->index <= p->last) {
		blkno_t cell_end = p->cell.start + p->cell.len;
		blkno_t upto = end < cell_end ? end : cell_end;

		tally_add(p, r, class, upto - pos);
		pos = upto;
		if (pos == cell_end) {
			cell_finish(p);
			if (!cell_next(p))
				return false;
		}
	}
	return true;
}

void map_paint_cells(const struct map_paint *to, const struct model *m, size_t first,
		     size_t last)
{
	struct painter p = {.to = to, .index = first - 1, .last = last};
	size_t cols = (size_t)to->layout->cols;
	struct range end = {0, 0};
	struct run before;
	blkno_t start;

	if (!cell_next(&p))
		return;
	start = p.cell.start;
	for (size_t i = last + 1; i-- > first && end.len == 0;)
		end = map_layout_cell(to->layout, (int)(i / cols), (int)(i % cols));
	if (start > model_geom(m)->first_block) {
		if (to->after)
			forecast_at(to->after, start - 1, &before);
		else
			model_at(m, start - 1, &before);
		p.prev_ino = owner_is_data(before.kind) ? before.ino : 0;
		p.prev_next = before.lblk + before.len;
		if (before.phys + before.len > start) /* the same run goes on */
			p.prev_next = before.lblk + (lblk_t)(start - before.phys);
	}
	if (to->after)
		forecast_walk(to->after, start, end.start + end.len - start, paint_run,
			      &p);
	else
		model_walk(m, start, end.start + end.len - start, paint_run, &p);
}

/* --- painting before there is a model --- */

static void overview_cell(const struct geom *g, const struct overview *o, struct range r,
			  struct map_cell *cell)
{
	static const uint8_t classes[OVER_CLASSES] = {
		STYLE_MAP_FREE,	     STYLE_MAP_UNKNOWN, STYLE_MAP_META,
		STYLE_MAP_JOURNAL,   STYLE_MAP_DIR,	STYLE_MAP_CONTIGUOUS,
		STYLE_MAP_FRAGMENTED};
	uint64_t sum[OVER_CLASSES] = {0}, total = 0;
	blkno_t at = r.start - g->first_block;
	uint64_t first = at / o->blocks_per_cell;
	uint64_t last = (at + r.len - 1) / o->blocks_per_cell;
	int best = OVER_FREE;

	for (uint64_t i = first; i <= last && i < o->cells; i++)
		for (int k = 0; k < OVER_CLASSES; k++)
			sum[k] += o->count[i][k];
	for (int k = 0; k < OVER_CLASSES; k++) {
		total += sum[k];
		if (sum[k] > sum[best])
			best = k;
	}
	cell->class = classes[best];
	cell->fill = total == 0 ? 0 : (uint8_t)((total - sum[OVER_FREE]) * 255 / total);
}

void map_paint_overview(const struct map_paint *to, const struct overview *o)
{
	const struct map_layout *l = to->layout;
	struct map_cell *cell = to->cells;

	for (int row = 0; row < l->rows; row++) {
		for (int col = 0; col < l->cols; col++, cell++) {
			struct range r = map_layout_cell(l, row, col);

			memset(cell, 0, sizeof(*cell));
			cell->class = r.len > 0 ? STYLE_MAP_UNKNOWN : STYLE_MAP_OUTSIDE;
			if (r.len > 0 && o && o->blocks_per_cell > 0)
				overview_cell(l->geom, o, r, cell);
		}
	}
}
