/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * map_cell.c - keeps the cells of the map on screen and knows which are out of date.
 *
 * map_paint.c fills cells; here is decided which. A change of one file (moved, tagged,
 * selected) dirties the cells that it lies in, so that the cost of a frame follows what
 * changed, not the size of the volume.
 */
#include "ui/map_cell.h"
#include <stdlib.h>
#include <string.h>
#include "ui/anim.h"
#include "ui/map_heat.h"
#include "ui/map_paint.h"

struct map_cache {
	struct map_cell *cells;
	uint8_t *dirty;	  /* a byte a cell */
	uint8_t *overlay; /* CELL_SOURCE, CELL_DESTINATION */
	size_t n, cap;
	bool all_dirty, any_dirty;

	struct map_layout layout; /* geom only valid during an update */
	const struct model *model;
	blkno_t end; /* after the last block on screen */

	inum_t selected;
	VEC(inum_t) tags;  /* as last seen, sorted */
	uint8_t *tag_bits; /* bit i = inode i is tagged */
	size_t tag_bytes;
	uint8_t *pinned_bits; /* NULL: no inode is pinned, or not known yet */
	bool pinned_known;
	const struct plan *plan;
	size_t plan_moves;
	inum_t plan_selected;
	uint64_t shown; /* bit i: a cell is of style i */
	bool flashing;	/* some cell has flash set */

	const struct forecast *after; /* NULL: as it is */
	struct map_cache *more;

	struct map_heat heat;
};

struct map_cache *map_cache_new(void)
{
	struct map_cache *c = calloc(1, sizeof(*c));

	if (c)
		c->all_dirty = true;
	return c;
}

void map_cache_free(struct map_cache *c)
{
	if (!c)
		return;
	map_cache_free(c->more);
	free(c->cells);
	free(c->dirty);
	free(c->overlay);
	free(c->tag_bits);
	free(c->pinned_bits);
	map_heat_release(&c->heat);
	vec_release(&c->tags);
	free(c);
}

struct map_cache *map_cache_more(struct map_cache *c)
{
	if (!c->more)
		c->more = map_cache_new();
	return c->more;
}

void map_cache_foretell(struct map_cache *c, const struct forecast *after)
{
	if (c->after != after)
		c->all_dirty = true;
	c->after = after;
}

void map_cache_invalidate(struct map_cache *c)
{
	if (!c)
		return;
	map_cache_invalidate(c->more);
	c->all_dirty = true;
	c->plan = NULL;
	c->plan_moves = 0;
	c->pinned_known = false;
	map_heat_clear(&c->heat);
}

/* --- which cells lie under a range --- */

/* Index of the cell of a block on screen. */
static size_t cell_index(const struct map_cache *c, blkno_t b)
{
	int row = 0, col = 0;

	map_layout_find(&c->layout, b, &row, &col);
	return (size_t)row * (size_t)c->layout.cols + (size_t)col;
}

/* The cells [*first, *last] under a range; false if it is not on screen. */
static bool cells_under(const struct map_cache *c, struct range r, size_t *first,
			size_t *last)
{
	blkno_t end = r.start + r.len;

	if (c->n == 0 || r.len == 0 || r.start >= c->end || end <= c->layout.top)
		return false;
	*first = cell_index(c, r.start < c->layout.top ? c->layout.top : r.start);
	*last = cell_index(c, (end > c->end ? c->end : end) - 1);
	return true;
}

static void mark_dirty(struct map_cache *c, blkno_t start, blkno_t len)
{
	struct range r = {start, len};
	size_t first, last;

	if (!cells_under(c, r, &first, &last))
		return;
	memset(c->dirty + first, 1, last - first + 1);
	c->any_dirty = true;
}

/* All cells where a file is now. */
static void mark_file(struct map_cache *c, const struct model *m, inum_t ino)
{
	struct run_list runs = {NULL, 0, 0};

	if (c->after) /* where it will be is not looked up */
		c->all_dirty = true;
	if (c->all_dirty || ino == 0)
		return;
	if (!model_runs(m, ino, &runs))
		c->all_dirty = true;
	for (size_t i = 0; i < runs.n; i++)
		mark_dirty(c, runs.v[i].phys, runs.v[i].len);
	free(runs.v);
}

uint32_t map_cache_fragments(struct map_cache *c, const struct model *m, inum_t ino)
{
	return map_heat_fragments(&c->heat, m, ino);
}

void map_cache_touch(struct map_cache *c, const struct model *m, const struct move *moves,
		     size_t n)
{
	if (!c)
		return;
	map_cache_touch(c->more, m, moves, n);
	/* What the plan will make does not change as it is carried out. */
	if (c->all_dirty || c->after)
		return;
	if (c->model != m) {
		map_cache_invalidate(c);
		return;
	}
	c->layout.geom = model_geom(m);
	for (size_t i = 0; i < n; i++) {
		if (i > 0 && moves[i].ino == moves[i - 1].ino)
			continue;
		mark_file(c, m, moves[i].ino);
		map_heat_forget(&c->heat, moves[i].ino);
	}
}

/* --- what changed since the last frame --- */

static bool layout_equal(const struct map_layout *a, const struct map_layout *b)
{
	return a->rows == b->rows && a->cols == b->cols && a->top == b->top &&
	       a->blocks_per_cell == b->blocks_per_cell && a->linear == b->linear;
}

static bool grow_cells(struct map_cache *c, size_t n)
{
	struct map_cell *cells = calloc(n, sizeof(*cells));
	uint8_t *dirty = calloc(n, 1), *overlay = calloc(n, 1);

	if (!cells || !dirty || !overlay) {
		free(cells);
		free(dirty);
		free(overlay);
		return false;
	}
	free(c->cells);
	free(c->dirty);
	free(c->overlay);
	c->cells = cells;
	c->dirty = dirty;
	c->overlay = overlay;
	c->cap = n;
	return true;
}

static bool take_layout(struct map_cache *c, const struct map_layout *l)
{
	size_t n = (size_t)l->rows * (size_t)l->cols;
	bool same = c->n == n && layout_equal(&c->layout, l);

	if (n > c->cap && !grow_cells(c, n))
		return false;
	c->layout = *l;
	if (same)
		return true;
	c->n = n;
	c->all_dirty = true;
	c->plan = NULL;
	c->plan_moves = 0;
	memset(c->overlay, 0, n);
	c->end = l->top;
	for (size_t i = n; i-- > 0 && c->end == l->top;) {
		struct range r = map_layout_cell(l, (int)(i / (size_t)l->cols),
						 (int)(i % (size_t)l->cols));

		if (r.len > 0)
			c->end = r.start + r.len;
	}
	return true;
}

static void flip_tag(struct map_cache *c, const struct model *m, inum_t ino)
{
	if (ino / 8 >= c->tag_bytes)
		return;
	c->tag_bits[ino / 8] ^= (uint8_t)(1u << (ino % 8));
	mark_file(c, m, ino);
}

/* Files tagged or untagged since the last frame: both lists are sorted. */
static bool take_tags(struct map_cache *c, const struct app *a)
{
	size_t bytes = (size_t)model_geom(a->model)->inodes / 8 + 1, i = 0, k = 0;

	if (a->tags.n == c->tags.n &&
	    (a->tags.n == 0 ||
	     memcmp(a->tags.v, c->tags.v, a->tags.n * sizeof(*a->tags.v)) == 0))
		return true;
	if (c->tag_bytes != bytes) {
		uint8_t *bits = calloc(bytes, 1);

		if (!bits)
			return false;
		free(c->tag_bits);
		c->tag_bits = bits;
		c->tag_bytes = bytes;
		c->tags.n = 0;
	}
	if (!vec_reserve(&c->tags, a->tags.n))
		return false;
	while (i < a->tags.n || k < c->tags.n) {
		inum_t new = i < a->tags.n ? a->tags.v[i] : UINT32_MAX;
		inum_t old = k < c->tags.n ? c->tags.v[k] : UINT32_MAX;

		if (new != old)
			flip_tag(c, a->model, new < old ? new : old);
		i += new <= old;
		k += old <= new;
	}
	c->tags.n = a->tags.n;
	if (a->tags.n > 0)
		memcpy(c->tags.v, a->tags.v, a->tags.n * sizeof(*a->tags.v));
	return true;
}

/* Which inodes must not be moved: asked once a model, moves change nothing of it. */
static bool take_pinned(struct map_cache *c, const struct model *m)
{
	size_t bytes = (size_t)model_geom(m)->inodes / 8 + 1;
	struct inode_info info;

	if (c->pinned_known)
		return true;
	free(c->pinned_bits);
	c->pinned_bits = NULL;
	for (inum_t ino = model_next_inode(m, 0); ino; ino = model_next_inode(m, ino)) {
		if (!model_inode(m, ino, &info) || !(info.flags & INODE_PINNED))
			continue;
		if (!c->pinned_bits)
			c->pinned_bits = calloc(bytes, 1);
		if (!c->pinned_bits)
			return false;
		c->pinned_bits[ino / 8] |= (uint8_t)(1u << (ino % 8));
	}
	c->pinned_known = true;
	return true;
}

static void take_selection(struct map_cache *c, const struct app *a)
{
	if (c->selected == a->selected)
		return;
	mark_file(c, a->model, c->selected);
	mark_file(c, a->model, a->selected);
	c->selected = a->selected;
}

static void overlay_range(struct map_cache *c, struct range r, uint8_t flag)
{
	size_t first, last;

	if (!cells_under(c, r, &first, &last))
		return;
	for (size_t i = first; i <= last; i++)
		c->overlay[i] |= flag;
}

static void take_plan(struct map_cache *c, const struct plan *plan)
{
	if (c->plan == plan && (!plan || (c->plan_moves == plan->moves.n &&
					  c->plan_selected == c->selected)))
		return;
	memset(c->overlay, 0, c->n);
	c->plan = plan;
	c->plan_moves = plan ? plan->moves.n : 0;
	c->plan_selected = c->selected;
	for (size_t i = 0; i < c->plan_moves; i++) {
		const struct move *m = &plan->moves.v[i];
		struct range from = {m->from, m->len}, to = {m->to, m->len};

		if (m->from != BLKNO_NONE)
			overlay_range(c, from, CELL_SOURCE);
		overlay_range(c, to,
			      m->ino == c->selected ? CELL_DESTINATION | CELL_MINE
						    : CELL_DESTINATION);
	}
}

static void flash_range(void *arg, struct range r, int source, int destination)
{
	struct map_cache *c = arg;
	size_t first, last;

	if (!cells_under(c, r, &first, &last))
		return;
	for (size_t i = first; i <= last; i++) {
		uint8_t was = c->cells[i].flash;
		int s = source > was / 4 ? source : was / 4;
		int d = destination > was % 4 ? destination : was % 4;

		c->cells[i].flash = (uint8_t)(s * 4 + d);
	}
	c->flashing = true;
}

static void paint_model(struct map_cache *c, const struct model *m)
{
	struct map_paint to = {&c->layout,   c->cells,	     c->selected, c->tag_bits,
			       c->tag_bytes, c->pinned_bits, c->after};
	size_t first = 0;

	if (c->all_dirty) {
		map_paint_cells(&to, m, 0, c->n - 1);
	} else if (c->any_dirty) {
		while (first < c->n) {
			uint8_t *hit = memchr(c->dirty + first, 1, c->n - first);
			size_t last;

			if (!hit)
				break;
			first = last = (size_t)(hit - c->dirty);
			while (last + 1 < c->n && c->dirty[last + 1])
				last++;
			map_paint_cells(&to, m, first, last);
			first = last + 1;
		}
	}
	if (c->all_dirty || c->any_dirty)
		memset(c->dirty, 0, c->n);
	c->all_dirty = c->any_dirty = false;
}

_Static_assert(STYLE_COUNT <= 64, "a bit a style");

bool map_cache_shows(const struct map_cache *c, int style)
{
	return c && c->shown >> style & 1;
}

/* What lies over the cells whatever they hold. */
static void lay_over(struct map_cache *c, const struct app *a)
{
	size_t first = 1, last = 0;

	c->shown = 0;
	for (size_t i = 0; i < c->n; i++)
		c->shown |= 1ull << c->cells[i].class;
	for (size_t i = 0; i < c->n; i++)
		c->cells[i].flags =
			(uint8_t)((c->cells[i].flags & ~(CELL_SOURCE | CELL_DESTINATION |
							 CELL_REGION | CELL_MINE)) |
				  c->overlay[i]);
	if (cells_under(c, a->map.region, &first, &last))
		for (size_t i = first; i <= last; i++)
			c->cells[i].flags |= CELL_REGION;
}

const struct map_cell *map_cache_update(struct map_cache *c, const struct app *a,
					const struct map_layout *l, uint64_t now)
{
	struct map_paint blank = {.layout = &c->layout};

	if (!take_layout(c, l))
		return NULL;
	if (c->model != a->model)
		map_cache_invalidate(c);
	c->model = a->model;
	if (a->model) {
		take_selection(c, a);
		if (!take_pinned(c, a->model) || !take_tags(c, a))
			return NULL;
		paint_model(c, a->model);
	} else {
		blank.cells = c->cells;
		map_paint_overview(&blank, a->overview);
		c->all_dirty = true;
	}
	take_plan(c, a->plan);
	for (size_t i = 0; c->flashing && i < c->n; i++)
		c->cells[i].flash = 0;
	c->flashing = false;
	if (a->anim)
		anim_each(a->anim, now, flash_range, c);
	if (a->map.pick.len > 0 &&
	    !c->after) { /* a move by hand shows as one that is done */
		struct range to = {a->map.cursor, a->map.pick.len};

		flash_range(c, a->map.pick, 3, 0);
		flash_range(c, to, 0, 3);
	}
	lay_over(c, a);
	return c->cells;
}
