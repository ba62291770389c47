/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * map_layout.c - block <-> cell.
 *
 * A volume is cut into bands that each start a map row: one band a block group, or one
 * band for all (linear). All bands but the last have the same length, so every question
 * is a division.
 */
#include "ui/map_layout.h"

/* The volume as bands at some scale. */
struct bands {
	uint64_t count;
	uint64_t len;	/* blocks of a band; the last may be shorter */
	uint64_t rows;	/* map rows of a full band */
	uint64_t cells; /* cells of a full band */
	uint64_t total_rows;
};

static uint64_t ceil_div(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static uint64_t volume_len(const struct geom *g)
{
	return g->blocks > g->first_block ? g->blocks - g->first_block : 0;
}

/* Blocks of one map row. */
static uint64_t row_len(const struct map_layout *l)
{
	return (uint64_t)l->cols * l->blocks_per_cell;
}

static struct bands bands_of(const struct map_layout *l)
{
	uint64_t total = volume_len(l->geom);
	struct bands b = {1, total ? total : 1, 0, 0, 0};

	if (!l->linear && l->geom->groups > 1) {
		b.count = l->geom->groups;
		b.len = l->geom->blocks_per_group;
	}
	b.rows = ceil_div(b.len, row_len(l));
	b.cells = ceil_div(b.len, l->blocks_per_cell);
	b.total_rows = (b.count - 1) * b.rows;
	b.total_rows += ceil_div(total - (b.count - 1) * b.len, row_len(l));
	if (b.total_rows == 0)
		b.total_rows = 1;
	return b;
}

static uint64_t band_len(const struct map_layout *l, const struct bands *b, uint64_t i)
{
	return i + 1 < b->count ? b->len : volume_len(l->geom) - (b->count - 1) * b->len;
}

/* Map row of a block, counted from the first of the volume. */
static uint64_t row_of(const struct map_layout *l, const struct bands *b, blkno_t block)
{
	uint64_t at = block - l->geom->first_block;

	return at / b->len * b->rows + at % b->len / row_len(l);
}

static blkno_t row_start(const struct map_layout *l, const struct bands *b, uint64_t row)
{
	return l->geom->first_block + row / b->rows * b->len + row % b->rows * row_len(l);
}

static blkno_t clamp_block(const struct geom *g, blkno_t block)
{
	if (block < g->first_block || volume_len(g) == 0)
		return g->first_block;
	return block < g->blocks ? block : g->blocks - 1;
}

/* Map rows that the volume takes with each group on rows of its own. */
static uint64_t group_rows(const struct geom *g, uint64_t cols, uint64_t blocks_per_cell)
{
	uint64_t whole = g->groups ? g->groups - 1 : 0;
	uint64_t last = volume_len(g) - whole * g->blocks_per_group;

	return whole * ceil_div(g->blocks_per_group, cols * blocks_per_cell) +
	       ceil_div(last, cols * blocks_per_cell);
}

uint64_t map_layout_fit(const struct map_layout *l)
{
	const struct geom *g = l->geom;
	uint64_t r = (uint64_t)l->rows, c = (uint64_t)l->cols;
	uint64_t low = ceil_div(volume_len(g), r * c), high;

	if (low == 0)
		low = 1;
	if (l->order == MAP_LINEAR || g->groups > r || g->groups < 2)
		return low; /* linear: rows without breaks */
	/* A group in a single row always fits now. */
	high = ceil_div(g->blocks_per_group, c);
	if (high < low)
		high = low;
	while (low < high) {
		uint64_t mid = low + (high - low) / 2;

		if (group_rows(g, c, mid) <= r)
			high = mid;
		else
			low = mid + 1;
	}
	return low;
}

void map_layout_init(struct map_layout *l, const struct geom *g, enum map_order order,
		     int rows, int cols, uint64_t blocks_per_cell, blkno_t top)
{
	struct bands b;
	uint64_t row, most;

	l->geom = g;
	l->order = order;
	l->rows = rows > 0 ? rows : 1;
	l->cols = cols > 0 ? cols : 1;
	l->blocks_per_cell = blocks_per_cell ? blocks_per_cell : map_layout_fit(l);
	if (l->blocks_per_cell > volume_len(g) && volume_len(g) > 0)
		l->blocks_per_cell = volume_len(g);
	l->linear = order == MAP_LINEAR ||
		    (g->groups > (group_t)l->rows && row_len(l) > g->blocks_per_group);
	b = bands_of(l);
	row = row_of(l, &b, clamp_block(g, top));
	most = b.total_rows > (uint64_t)l->rows ? b.total_rows - (uint64_t)l->rows : 0;
	l->top = row_start(l, &b, row < most ? row : most);
}

struct range map_layout_cell(const struct map_layout *l, int row, int col)
{
	struct bands b = bands_of(l);
	struct range r = {0, 0};
	uint64_t at, band, offset, len;

	if (row < 0 || col < 0 || row >= l->rows || col >= l->cols)
		return r;
	at = row_of(l, &b, l->top) + (uint64_t)row;
	if (at >= b.total_rows)
		return r;
	band = at / b.rows;
	offset = at % b.rows * row_len(l) + (uint64_t)col * l->blocks_per_cell;
	len = band_len(l, &b, band);
	if (offset >= len)
		return r;
	r.start = l->geom->first_block + band * b.len + offset;
	r.len = len - offset < l->blocks_per_cell ? len - offset : l->blocks_per_cell;
	return r;
}

bool map_layout_find(const struct map_layout *l, blkno_t block, int *row, int *col)
{
	struct bands b = bands_of(l);
	uint64_t top = row_of(l, &b, l->top), at;

	if (block < l->top || block >= l->geom->blocks)
		return false;
	at = row_of(l, &b, block) - top;
	if (at >= (uint64_t)l->rows)
		return false;
	*row = (int)at;
	*col = (int)((block - l->geom->first_block) % b.len % row_len(l) /
		     l->blocks_per_cell);
	return true;
}

struct range map_layout_cell_of(const struct map_layout *l, blkno_t b)
{
	struct bands bands = bands_of(l);
	blkno_t at = clamp_block(l->geom, b) - l->geom->first_block;
	uint64_t band = at / bands.len, len = band_len(l, &bands, band);
	uint64_t offset = at % bands.len / l->blocks_per_cell * l->blocks_per_cell;
	struct range r = {l->geom->first_block + band * bands.len + offset,
			  l->blocks_per_cell};

	if (r.len > len - offset)
		r.len = len - offset;
	return r;
}

int64_t map_layout_row_group(const struct map_layout *l, int row)
{
	struct bands b = bands_of(l);
	const struct geom *g = l->geom;
	uint64_t at = row_of(l, &b, l->top) + (uint64_t)row, start, group;

	if (row < 0 || row >= l->rows || at >= b.total_rows || g->blocks_per_group == 0)
		return -1;
	start = row_start(l, &b, at) - g->first_block;
	group = ceil_div(start, g->blocks_per_group);
	if (group >= g->groups || group * g->blocks_per_group >= start + row_len(l))
		return -1;
	return !l->linear && group * g->blocks_per_group != start ? -1 : (int64_t)group;
}

blkno_t map_layout_scroll_to(const struct map_layout *l, blkno_t block)
{
	struct bands b = bands_of(l);
	uint64_t top = row_of(l, &b, l->top);
	uint64_t at = row_of(l, &b, clamp_block(l->geom, block));

	if (at < top)
		return row_start(l, &b, at);
	if (at >= top + (uint64_t)l->rows)
		return row_start(l, &b, at - (uint64_t)l->rows + 1);
	return l->top;
}

/* a + step, kept in [0, limit). */
static uint64_t add_clamped(uint64_t a, int step, uint64_t limit)
{
	if (step < 0)
		return a < (uint64_t) - (int64_t)step ? 0
						      : a - (uint64_t) - (int64_t)step;
	return limit - 1 - a < (uint64_t)step ? limit - 1 : a + (uint64_t)step;
}

/* Start of the n-th cell of the volume, as the eye reads them. */
static blkno_t cell_start(const struct map_layout *l, const struct bands *b, uint64_t n)
{
	return l->geom->first_block + n / b->cells * b->len +
	       n % b->cells * l->blocks_per_cell;
}

blkno_t map_layout_step(const struct map_layout *l, blkno_t block, int rows, int cols)
{
	struct bands b = bands_of(l);
	uint64_t at, len, offset, total, row;

	block = clamp_block(l->geom, block);
	if (volume_len(l->geom) == 0 || (rows == 0 && cols == 0))
		return block;
	if (cols != 0) {
		at = block - l->geom->first_block;
		total = (b.count - 1) * b.cells +
			ceil_div(band_len(l, &b, b.count - 1), l->blocks_per_cell);
		block = cell_start(l, &b,
				   add_clamped(at / b.len * b.cells +
						       at % b.len / l->blocks_per_cell,
					       cols, total));
	}
	if (rows == 0)
		return block;
	at = block - l->geom->first_block;
	offset = at % b.len % row_len(l);
	row = add_clamped(row_of(l, &b, block), rows, b.total_rows);
	offset += row % b.rows * row_len(l);
	len = band_len(l, &b, row / b.rows);
	if (offset >= len) /* a short row: its last cell */
		offset = (len - 1) / l->blocks_per_cell * l->blocks_per_cell;
	return l->geom->first_block + row / b.rows * b.len + offset;
}
