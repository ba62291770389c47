/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_map.c - the block map: layout arithmetic, cells against a count of single blocks,
 * partial repaints against full ones, small golden maps, keys.
 */
#include "tests/lib/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "core/model.h"
#include "ui/anim.h"
#include "ui/map_cell.h"
#include "ui/map_frame.h"
#include "ui/map_look.h"
#include "ui/pane.h"
#include "ui/shot.h"

static uint32_t seed;

static uint32_t any(uint32_t limit)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % limit;
}

static struct geom make_geom(blkno_t first, uint32_t per_group, blkno_t blocks)
{
	struct geom g;

	geom_init(&g);
	g.block_size = 1024;
	g.cluster_ratio = 1;
	g.blocks = blocks;
	g.first_block = first;
	g.blocks_per_group = per_group;
	g.groups = (group_t)((blocks - first + per_group - 1) / per_group);
	g.inodes_per_group = 64;
	g.inodes = g.groups * 64;
	g.inode_size = 256;
	g.flex_groups = 1;
	g.first_inode = 11;
	return g;
}

/* --- layout --- */

/* Every block has one cell, cells come in block order and leave nothing out. */
static void check_layout(const struct map_layout *l)
{
	blkno_t next = l->top;
	int last_row = 0;

	for (int row = 0; row < l->rows; row++) {
		for (int col = 0; col < l->cols; col++) {
			struct range r = map_layout_cell(l, row, col);
			int found_row, found_col;

			if (r.len == 0)
				continue;
			assert_int_equal(r.start, next);
			assert_true(r.len <= l->blocks_per_cell);
			next = r.start + r.len;
			last_row = row;
			for (int k = 0; k < 2; k++) {
				blkno_t b = k ? next - 1 : r.start;

				assert_true(
					map_layout_find(l, b, &found_row, &found_col));
				assert_int_equal(found_row, row);
				assert_int_equal(found_col, col);
			}
		}
	}
	/* The screen is used to its end unless the volume ends before. */
	assert_true(next == l->geom->blocks || last_row == l->rows - 1);
	if (next < l->geom->blocks)
		assert_false(map_layout_find(l, next, &last_row, &last_row));
}

static void test_layout_round_trip(void **state)
{
	(void)state;
	seed = 1;
	for (int i = 0; i < 400; i++) {
		struct geom g = make_geom(any(2), 8 + any(90) * 8, 20 + any(6000));
		struct map_layout l;
		int rows = 1 + (int)any(30), cols = 1 + (int)any(50);
		blkno_t b = g.first_block + any((uint32_t)(g.blocks - g.first_block));
		int row, col;

		map_layout_init(&l, &g, MAP_GROUPS, rows, cols, any(3) ? 1 + any(40) : 0,
				any((uint32_t)g.blocks));
		check_layout(&l);
		l.top = map_layout_scroll_to(&l, b);
		assert_true(map_layout_find(&l, b, &row, &col));
	}
}

static void test_fit_is_smallest(void **state)
{
	(void)state;
	seed = 2;
	for (int i = 0; i < 300; i++) {
		struct geom g = make_geom(1, 8 + any(90) * 8, 20 + any(6000));
		struct map_layout l;
		int rows = 1 + (int)any(30), cols = 1 + (int)any(50);
		struct range last = {0, 0};

		map_layout_init(&l, &g, MAP_GROUPS, rows, cols, 0, 0);
		assert_int_equal(l.top, g.first_block);
		for (int k = 0; k < rows * cols; k++) {
			struct range r = map_layout_cell(&l, k / cols, k % cols);

			if (r.len > 0)
				last = r;
		}
		assert_int_equal(last.start + last.len, g.blocks);
		assert_int_equal(l.linear, g.groups > (group_t)rows);
		if (l.blocks_per_cell == 1)
			continue;
		/* One block a cell less does not show all. */
		map_layout_init(&l, &g, MAP_GROUPS, rows, cols, l.blocks_per_cell - 1,
				g.blocks - 1);
		assert_true(l.top > g.first_block ||
			    l.linear != (g.groups > (group_t)rows));
	}
}

static void test_groups_start_rows(void **state)
{
	struct geom g = make_geom(1, 100, 331);
	struct map_layout l;

	(void)state;
	/* 100 blocks, 30 a row: 4 rows a group. */
	map_layout_init(&l, &g, MAP_GROUPS, 20, 10, 3, 0);
	assert_false(l.linear);
	assert_int_equal(map_layout_row_group(&l, 0), 0);
	assert_int_equal(map_layout_row_group(&l, 1), -1);
	assert_int_equal(map_layout_row_group(&l, 4), 1);
	assert_int_equal(map_layout_row_group(&l, 12), 3);
	assert_int_equal(map_layout_row_group(&l, 13), -1);
	assert_int_equal(map_layout_cell(&l, 3, 3).len, 1); /* 10 blocks left: 3 3 3 1 */
	assert_int_equal(map_layout_cell(&l, 3, 4).len, 0);
	assert_int_equal(map_layout_cell(&l, 4, 0).start, 101);
	/* More groups than rows: without breaks. */
	map_layout_init(&l, &g, MAP_GROUPS, 3, 10, 0, 0);
	assert_true(l.linear);
	assert_int_equal(l.blocks_per_cell, 11);
	assert_int_equal(map_layout_row_group(&l, 0), 0);
	assert_int_equal(map_layout_row_group(&l, 1), 2); /* 111..220 holds 201 */
	assert_int_equal(map_layout_row_group(&l, 2), 3);
}

static void test_steps(void **state)
{
	struct geom g = make_geom(1, 100, 331);
	struct map_layout l;

	(void)state;
	map_layout_init(&l, &g, MAP_GROUPS, 20, 10, 3, 0);
	assert_int_equal(map_layout_step(&l, 1, 0, 1), 4);
	assert_int_equal(map_layout_step(&l, 100, 0, 1), 101); /* the short last cell */
	assert_int_equal(map_layout_step(&l, 101, 0, -1), 100);
	assert_int_equal(map_layout_step(&l, 1, 0, -5), 1);
	assert_int_equal(map_layout_step(&l, 1, 0, 1000000), 328);
	assert_int_equal(map_layout_step(&l, 5, 1, 0), 35);
	assert_int_equal(map_layout_step(&l, 85, 1, 0), 100); /* short row: its last */
	assert_int_equal(map_layout_step(&l, 111, -1, 0), 100);
	assert_int_equal(map_layout_step(&l, 35, -9, 0), 5);
	assert_int_equal(map_layout_step(&l, 35, 2000000000, 0), 305);
}

/* --- a small volume --- */

struct volume {
	struct geom geom;
	struct app app;
};

static void add_run(struct model *m, inum_t ino, enum owner_kind kind, lblk_t lblk,
		    struct range at)
{
	struct run r = {.phys = at.start,
			.len = (uint32_t)at.len,
			.lblk = lblk,
			.ino = ino,
			.kind = kind};

	assert_true(model_add_run(m, &r));
}

static void add_inode(struct model *m, inum_t ino, enum inode_type type)
{
	struct inode_info info = {.type = type, .size = 4096};

	assert_true(model_set_inode(m, ino, &info));
}

static void seal(struct volume *v)
{
	struct flaw_list flaws = {.limit = 4};
	struct err err = ERR_INIT;

	if (!model_seal(v->app.model, NULL, 1, &flaws, &err) || flaws.count > 0)
		fail_msg("%s %s", err.msg, flaws.list.n ? flaws.list.v[0].text : "");
	vec_release(&flaws.list);
}

static void volume_init(struct volume *v, struct geom geom, enum theme_depth depth,
			bool utf8)
{
	struct err err = ERR_INIT;

	assert_true(app_init(&v->app, 0, &err));
	v->geom = geom;
	for (group_t i = 0; i < geom.groups; i++) {
		struct fixed f = {geom.first_block + (blkno_t)i * geom.blocks_per_group,
				  3, i, OWNER_INODE_TABLE};

		assert_true(vec_push(&v->geom.fixed, f));
	}
	assert_true(geom_seal(&v->geom, &err));
	theme_default(&v->app.theme, depth, utf8);
	v->app.model = model_new(&v->geom, &err);
	assert_non_null(v->app.model);
}

static void volume_release(struct volume *v)
{
	app_release(&v->app);
	geom_release(&v->geom);
}

/* Two groups of 40 blocks: file 12 in three fragments, 13 contiguous, 14 a directory. */
static void small_volume(struct volume *v)
{
	volume_init(v, make_geom(0, 40, 80), DEPTH_MONO, false);
	add_inode(v->app.model, 12, INODE_FILE);
	add_inode(v->app.model, 13, INODE_FILE);
	add_inode(v->app.model, 14, INODE_DIR);
	add_run(v->app.model, 12, OWNER_FILE, 0, (struct range){5, 4});
	add_run(v->app.model, 12, OWNER_FILE, 4, (struct range){50, 3});
	add_run(v->app.model, 12, OWNER_FILE, 7, (struct range){20, 2});
	add_run(v->app.model, 13, OWNER_FILE, 0, (struct range){30, 8});
	add_run(v->app.model, 14, OWNER_DIR, 0, (struct range){9, 2});
	seal(v);
}

static const char *drawn(struct app *a, int rows, int cols)
{
	static char text[8000];
	struct str s = STR_INIT;
	struct canvas c;
	struct view v;

	assert_true(canvas_init(&c, rows, cols));
	v = canvas_view(&c);
	pane_map.draw(a, &v);
	shot_text(&c, &s);
	snprintf(text, sizeof(text), "%s", s.buf);
	str_release(&s);
	canvas_release(&c);
	return text;
}

static void test_golden_small(void **state)
{
	struct volume v;
	char letter = 0;
	const char *text;

	(void)state;
	small_volume(&v);
	v.app.map.cursor = 79;
	/* No room for gutter and legend; the cursor is the last cell. */
	v.app.map.color = COLOR_BY_KIND;
	assert_string_equal(drawn(&v.app, 4, 20), "###..****%%.........\n"
						  "**........========..\n"
						  "###.......***.......\n"
						  "...................+\n");
	/* Files by letter; half the scale. */
	v.app.map.color = COLOR_BY_FILE;
	text = drawn(&v.app, 2, 20);
	letter = text[3];
	assert_in_range(letter, 'a', 'z');
	assert_int_equal(strncmp(text, "##", 2), 0);
	assert_int_equal(text[15], '=');
	/* Gutter and legend. */
	v.app.map.color = COLOR_BY_FRAG;
	assert_string_equal(drawn(&v.app, 6, 45),
			    "  0 |###..3333%%.........33........========..\n"
			    "  1 >###.......333..........................+\n"
			    "    |\n"
			    "    |\n"
			    "    |\n"
			    "     .free =contig 2-9* frag    1 blk/cell z0\n");
	v.app.map.color = COLOR_BY_USAGE;
	v.app.map.blocks_per_cell = 4;
	assert_string_equal(drawn(&v.app, 2, 10), "xxx..+.+#+\n"
						  "x.+:.....+\n");
	volume_release(&v);
}

static void test_one_block_wins(void **state)
{
	struct volume v;
	const struct map_cell *cells;
	struct map_layout l;

	(void)state;
	small_volume(&v);
	map_layout_init(&l, &v.geom, MAP_GROUPS, 2, 2, 20, 0);
	v.app.selected = 12;
	assert_true(app_tag(&v.app, 14, true));
	cells = map_cache_update(v.app.map_cache, &v.app, &l, 0);
	assert_int_equal(cells[0].class, STYLE_MAP_FREE);
	assert_int_equal(cells[0].flags, CELL_SELECTED | CELL_TAGGED);
	assert_int_equal(cells[1].flags, CELL_SELECTED);
	assert_int_equal(cells[1].fill, 1 + 10 * 253 / 20);
	assert_int_equal(cells[1].class, STYLE_MAP_FREE);
	assert_int_equal(cells[2].flags, CELL_SELECTED);
	assert_int_equal(cells[3].flags, 0);
	volume_release(&v);
}

/* An immutable file, and a block of the bad block list, in cells of free space. */
static void test_pinned_and_bad(void **state)
{
	struct volume v;
	struct inode_info info = {.type = INODE_FILE, .flags = INODE_PINNED};
	const struct map_cell *cells;
	struct map_layout l;

	(void)state;
	volume_init(&v, make_geom(0, 40, 80), DEPTH_MONO, false);
	assert_true(model_set_inode(v.app.model, 15, &info));
	add_inode(v.app.model, 1, INODE_OTHER);
	add_run(v.app.model, 15, OWNER_FILE, 0, (struct range){30, 1});
	add_run(v.app.model, 1, OWNER_BAD, 0, (struct range){50, 1});
	add_run(v.app.model, 1, OWNER_BAD, 1, (struct range){31, 1});
	seal(&v);
	map_layout_init(&l, &v.geom, MAP_GROUPS, 2, 4, 10, 0);
	cells = map_cache_update(v.app.map_cache, &v.app, &l, 0);
	assert_int_equal(cells[3].class, STYLE_MAP_BAD); /* wins over pinned */
	assert_int_equal(cells[5].class, STYLE_MAP_BAD);
	map_layout_init(&l, &v.geom, MAP_GROUPS, 2, 40, 1, 0);
	cells = map_cache_update(v.app.map_cache, &v.app, &l, 0);
	assert_int_equal(cells[30].class, STYLE_MAP_PINNED);
	assert_int_equal(cells[29].class, STYLE_MAP_FREE);
	volume_release(&v);
}

/* --- a random volume --- */

static void fill_volume(struct volume *v)
{
	const struct geom *g = &v->geom;
	inum_t files = g->inodes - 11;
	lblk_t *next = calloc(g->inodes + 1, sizeof(*next));

	assert_non_null(next);
	for (inum_t ino = 11; ino < 11 + files; ino++)
		add_inode(v->app.model, ino, ino % 5 ? INODE_FILE : INODE_DIR);
	for (group_t i = 0; i < g->groups; i++) {
		blkno_t at = geom_group_start(g, i) + 3;
		blkno_t end = geom_group_start(g, i) + geom_group_len(g, i);

		while (at < end) {
			inum_t ino = 11 + any(files);
			uint32_t len = 1 + any(9);

			if (len > end - at)
				len = (uint32_t)(end - at);
			if (any(3) > 0) {
				add_run(v->app.model, ino,
					ino % 5 ? OWNER_FILE : OWNER_DIR, next[ino],
					(struct range){at, len});
				next[ino] += len;
			}
			at += len;
		}
	}
	free(next);
	seal(v);
}

static void random_volume(struct volume *v)
{
	seed = 7;
	volume_init(v, make_geom(1, 800, 4000), DEPTH_256, true);
	fill_volume(v);
}

static int class_alone(const struct run *r)
{
	if (r->kind == OWNER_FREE)
		return STYLE_MAP_FREE;
	if (r->kind == OWNER_INODE_TABLE)
		return STYLE_MAP_META;
	if (r->fragmented)
		return STYLE_MAP_FRAGMENTED;
	return r->kind == OWNER_DIR ? STYLE_MAP_DIR : STYLE_MAP_CONTIGUOUS;
}

/* One cell, block by block. */
static void check_cell(const struct app *a, const struct map_cell *cell, struct range at)
{
	uint32_t count[STYLE_COUNT] = {0};
	int best = STYLE_MAP_FREE;
	unsigned flags = 0;

	for (blkno_t b = at.start; b < at.start + at.len; b++) {
		struct run r;

		model_at(a->model, b, &r);
		count[class_alone(&r)]++;
		if (r.ino != 0 && r.ino == a->selected)
			flags |= CELL_SELECTED;
		if (r.ino != 0 && app_is_tagged(a, r.ino))
			flags |= CELL_TAGGED;
	}
	for (int i = STYLE_MAP_FREE; i <= STYLE_MAP_FRAGMENTED; i++)
		if (count[i] > 0 && count[i] >= count[best])
			best = i;
	assert_int_equal(cell->class, best);
	assert_int_equal(cell->flags & (CELL_SELECTED | CELL_TAGGED), flags);
	assert_int_equal(cell->fill == 0, count[STYLE_MAP_FREE] == at.len);
	assert_int_equal(cell->fill == 255, count[STYLE_MAP_FREE] == 0);
}

static void test_cells_count_blocks(void **state)
{
	struct volume v;

	(void)state;
	random_volume(&v);
	v.app.selected = 40;
	assert_true(app_tag(&v.app, 50, true));
	assert_true(app_tag(&v.app, 20, true));
	for (int i = 0; i < 60; i++) {
		struct map_layout l;
		const struct map_cell *cells;
		int rows = 1 + (int)any(30), cols = 1 + (int)any(50);

		map_layout_init(&l, &v.geom, MAP_GROUPS, rows, cols,
				any(2) ? 1 + any(30) : 0, any(4000));
		cells = map_cache_update(v.app.map_cache, &v.app, &l, 0);
		for (int k = 0; k < rows * cols; k++) {
			struct range r = map_layout_cell(&l, k / cols, k % cols);

			if (r.len == 0)
				assert_int_equal(cells[k].class, STYLE_MAP_OUTSIDE);
			else
				check_cell(&v.app, &cells[k], r);
		}
	}
	volume_release(&v);
}

/* Moves a piece of a file's first run to a free place; false if it has none. */
static bool move_something(struct app *a, inum_t ino)
{
	struct run_list runs = {NULL, 0, 0};
	struct move move = {.ino = ino, .len = 1};
	struct err err = ERR_INIT;
	struct run hole;
	bool ok = model_runs(a->model, ino, &runs) && runs.n > 0 && runs.v[0].len == 1;

	model_at(a->model, 1 + any(3999), &hole);
	ok = ok && hole.kind == OWNER_FREE;
	if (ok) {
		move.from = runs.v[0].phys;
		move.to = hole.phys;
		map_cache_touch(a->map_cache, a->model, &move, 1);
		runs.v[0].phys = hole.phys;
		assert_true(model_replace(a->model, ino, &runs, &err));
		map_cache_touch(a->map_cache, a->model, &move, 1);
	}
	free(runs.v);
	return ok;
}

static void test_partial_repaint(void **state)
{
	struct volume v;
	struct map_layout l;
	int moved = 0;

	(void)state;
	random_volume(&v);
	for (int i = 0; i < 400; i++) {
		struct map_cache *fresh = map_cache_new();
		const struct map_cell *cells, *whole;

		assert_non_null(fresh);
		if (i % 50 == 0)
			map_layout_init(&l, &v.geom, MAP_GROUPS, 12, 40, i % 100 ? 3 : 1,
					any(4000));
		moved += move_something(&v.app, 11 + any(300));
		v.app.selected = any(4) ? v.app.selected : any(300);
		if (any(3) == 0)
			assert_true(app_tag(&v.app, 11 + any(300), any(2)));
		cells = map_cache_update(v.app.map_cache, &v.app, &l, 0);
		whole = map_cache_update(fresh, &v.app, &l, 0);
		assert_memory_equal(cells, whole, sizeof(*cells) * 12 * 40);
		map_cache_free(fresh);
	}
	assert_true(moved > 10);
	volume_release(&v);
}

static void test_flash_and_plan(void **state)
{
	struct volume v;
	struct map_layout l;
	struct plan plan = {.title = "x"};
	struct move move = {.ino = 12, .len = 3, .from = 50, .to = 60};
	const struct map_cell *cells;
	int source, destination;

	(void)state;
	small_volume(&v);
	map_layout_init(&l, &v.geom, MAP_GROUPS, 2, 40, 1, 0);
	assert_true(vec_push(&plan.moves, move));
	v.app.plan = &plan;
	anim_moves(v.app.anim, &move, 1, 1000);
	cells = map_cache_update(v.app.map_cache, &v.app, &l, 1000);
	assert_int_equal(cells[52].flags & ~(CELL_ODD | CELL_START), CELL_SOURCE);
	assert_int_equal(cells[60].flags, CELL_DESTINATION);
	assert_int_equal(cells[63].flags, 0);
	assert_int_equal(cells[50].flash, 3 * 4);
	assert_int_equal(cells[62].flash, 3);
	assert_true(anim_active(v.app.anim, 1400));
	anim_at(v.app.anim, 40, 11, 1400, &source, &destination);
	assert_int_equal(source * 10 + destination, 0 * 10 + 0);
	anim_at(v.app.anim, 40, 11, 1130, &source, &destination);
	assert_int_equal(source * 10 + destination, 2 * 10 + 0);
	v.app.plan = NULL;
	assert_false(anim_active(v.app.anim, 1800));
	cells = map_cache_update(v.app.map_cache, &v.app, &l, 1800);
	assert_int_equal(cells[50].flash | cells[62].flash | cells[60].flags, 0);
	anim_enable(v.app.anim, false);
	anim_moves(v.app.anim, &move, 1, 2000);
	assert_false(anim_active(v.app.anim, 2000));
	vec_release(&plan.moves);
	volume_release(&v);
}

static void test_overview_map(void **state)
{
	struct app a;
	uint32_t count[4][OVER_CLASSES] = {{[OVER_META] = 20},
					   {[OVER_UNKNOWN] = 12, [OVER_FREE] = 8},
					   {[OVER_FREE] = 20},
					   {[OVER_JOURNAL] = 20}};
	struct overview over = {4, 20, count};

	(void)state;
	assert_true(app_init(&a, 0, NULL));
	theme_default(&a.theme, DEPTH_MONO, false);
	a.map.cursor = 79;
	assert_string_equal(drawn(&a, 2, 8), "\n\n"); /* nothing is open */
	a.volume.blocks = 80;
	a.volume.block_size = 4096;
	a.volume.groups = 1;
	assert_string_equal(drawn(&a, 2, 8), "????????\n???????+\n");
	a.overview = &over;
	assert_string_equal(drawn(&a, 2, 8), "####????\n....JJJ+\n");
	a.overview = NULL; /* ours */
	app_release(&a);
}

/* Every size of view, every mode: nothing outside the view is touched. */
static void test_stays_inside(void **state)
{
	static const struct style mark = {7, 7, 0};
	struct volume v;
	struct canvas c;

	(void)state;
	random_volume(&v);
	v.app.selected = 33;
	assert_true(canvas_init(&c, 30, 60));
	for (int i = 0; i < 300; i++) {
		struct view all = canvas_view(&c), part;
		int row = (int)any(12), col = (int)any(12);
		int rows = (int)any(18), cols = (int)any(48);

		view_fill(&all, L'\u00a7', mark);
		part = view_part(&all, row, col, rows, cols);
		theme_default(&v.app.theme, i % 3 ? DEPTH_256 : DEPTH_8, i % 2);
		v.app.map.color = (enum app_color)any(COLOR_MODES);
		v.app.map.spotlight = any(2);
		v.app.map.cursor = any(4100);
		v.app.map.blocks_per_cell = any(9);
		v.app.map.glyphs = any(2);
		pane_map.draw(&v.app, &part);
		for (int k = 0; k < 30 * 60; k++) {
			bool inside = k / 60 >= row && k / 60 < row + rows &&
				      k % 60 >= col && k % 60 < col + cols;

			assert_int_equal(c.cells[k].ch == 0xa7, !inside);
		}
	}
	canvas_release(&c);
	volume_release(&v);
}

/* --- keys --- */

static blkno_t press(struct app *a, struct view *v, int key, int count)
{
	assert_true(pane_map.key(a, key, count, v));
	return a->map.cursor;
}

static void test_keys(void **state)
{
	struct volume v;
	struct canvas c;
	struct view w;
	struct app *a = &v.app;

	(void)state;
	small_volume(&v);
	assert_true(canvas_init(&c, 4, 20));
	w = canvas_view(&c);
	assert_int_equal(press(a, &w, 'l', 6), 6);
	assert_int_equal(press(a, &w, 'w', 0), 50); /* fragments in logical order */
	assert_int_equal(press(a, &w, 'w', 5), 20);
	assert_int_equal(press(a, &w, 'l', 0), 21);
	assert_int_equal(press(a, &w, 'b', 0), 20);
	assert_int_equal(press(a, &w, 'b', 2), 5);
	assert_int_equal(press(a, &w, ']', 0), 11);
	assert_int_equal(press(a, &w, ']', 2), 38);
	assert_int_equal(press(a, &w, '[', 2), 11);
	assert_int_equal(press(a, &w, 'L', 0), 20);
	assert_int_equal(press(a, &w, 'H', 0), 9);
	assert_int_equal(press(a, &w, '}', 0), 40);
	assert_int_equal(press(a, &w, 'j', 0), 60);
	assert_int_equal(press(a, &w, '{', 0), 40);
	assert_int_equal(press(a, &w, '{', 0), 0);
	assert_int_equal(press(a, &w, 'G', 0), 79);
	assert_int_equal(press(a, &w, 'G', 1), 40);
	assert_int_equal(press(a, &w, '$', 0), 59);
	assert_int_equal(press(a, &w, '0', 0), 40);
	assert_int_equal(press(a, &w, 'g', 0), 0);
	press(a, &w, 'l', 30);
	press(a, &w, ' ', 0);
	assert_int_equal(a->tags.v[0], 13);
	press(a, &w, '\r', 0);
	assert_int_equal(a->selected, 13);
	press(a, &w, ' ', 0);
	assert_int_equal(a->tags.n, 0);
	press(a, &w, 'c', 0);
	assert_int_equal(a->map.color, COLOR_BY_KIND);
	press(a, &w, 'z', 0);
	assert_true(a->map.spotlight);
	assert_false(pane_map.key(a, 'Q', 0, &w));
	canvas_release(&c);
	volume_release(&v);
}

static void test_zoom_and_scroll(void **state)
{
	struct volume v;
	struct canvas c;
	struct view w;
	struct app *a = &v.app;
	struct map_frame f;
	uint64_t fit;

	(void)state;
	random_volume(&v);
	assert_true(canvas_init(&c, 8, 40));
	w = canvas_view(&c);
	assert_true(map_frame_init(&f, a, &w));
	fit = f.layout.blocks_per_cell;
	press(a, &w, 'G', 2);
	assert_int_equal(press(a, &w, '+', 0), 1601);
	assert_int_equal(a->map.blocks_per_cell, (fit + 1) / 2);
	press(a, &w, '+', 9);
	assert_int_equal(a->map.blocks_per_cell, 1);
	assert_true(a->map.glyphs); /* beyond one block a half cell: whole cells */
	assert_true(a->map.top <= 1601 && a->map.top + 8 * 35 > 1601);
	press(a, &w, '-', 9);
	assert_int_equal(a->map.blocks_per_cell, 0);
	assert_false(a->map.glyphs);
	press(a, &w, '+', 2);
	/* Wherever a key leads, the cursor is on the screen. */
	for (int i = 0; i < 300; i++) {
		static const int keys[] = {'j',		  'k', 'h', 'l', KEY_UI_PGDN,
					   KEY_UI_PGUP,	  '}', '{', ']', '[',
					   'w',		  'b', '+', '-', KEY_CTRL('d'),
					   KEY_CTRL('u'), 'G', 'L', 'H'};
		int row, col;

		press(a, &w, keys[any(19)], (int)any(4));
		assert_true(map_frame_init(&f, a, &w));
		assert_int_equal(f.layout.top, a->map.top);
		assert_true(map_layout_find(&f.layout, a->map.cursor, &row, &col));
	}
	canvas_release(&c);
	volume_release(&v);
}

static void test_mouse(void **state)
{
	struct volume v;
	struct canvas c;
	struct view w;
	struct mouse m = {MOUSE_PRESS, 1, 12};

	(void)state;
	small_volume(&v);
	assert_true(canvas_init(&c, 4, 20));
	w = canvas_view(&c);
	assert_true(pane_map.mouse(&v.app, &m, &w));
	assert_int_equal(v.app.map.cursor, 32);
	assert_int_equal(v.app.selected, 0);
	m.kind = MOUSE_DOUBLE;
	assert_true(pane_map.mouse(&v.app, &m, &w));
	assert_int_equal(v.app.selected, 13);
	m.row = 9;
	assert_false(pane_map.mouse(&v.app, &m, &w));
	canvas_release(&c);
	volume_release(&v);
}

/* The same file has the same hue, a neighbour of equal hue gets another. */
static void test_hues(void **state)
{
	struct app a;
	struct look_context x;
	struct map_cell cell = {.class = STYLE_MAP_FRAGMENTED};
	inum_t twin = 12;
	struct look first, second;

	(void)state;
	memset(&a, 0, sizeof(a));
	theme_default(&a.theme, DEPTH_256, true);
	while (++twin < 10000)
		if (look_file_style(&a.theme, twin, true).fg ==
		    look_file_style(&a.theme, 12, true).fg)
			break;
	look_begin(&x, &a, false);
	cell.ino = 12;
	first = look_cell(&x, &cell, false);
	assert_int_equal(first.style.fg, look_file_style(&a.theme, 12, true).fg);
	cell.flags = CELL_ODD;
	assert_int_not_equal(look_cell(&x, &cell, false).style.fg, first.style.fg);
	cell.flags = 0;
	cell.ino = twin;
	second = look_cell(&x, &cell, false);
	assert_int_not_equal(second.style.fg, first.style.fg);
	assert_int_equal(look_cell(&x, &cell, false).style.fg, second.style.fg);
}

/* The last line of the map, this wide. */
static const char *legend(struct app *a, int cols)
{
	const char *text = drawn(a, 6, cols);

	for (int i = 0; i < 5; i++)
		text = strchr(text, '\n') + 1;
	return text;
}

/* The less room, the less is explained; what a plan and a selection add stays longest. */
static void test_legend(void **state)
{
	struct volume v;
	struct plan plan = {.title = "x"};

	(void)state;
	small_volume(&v);
	v.app.map.color = COLOR_BY_KIND;
	assert_string_equal(
		legend(&v.app, 90),
		"     .free 69% #meta 8% %dir 3% =contiguous 10% *fragmented 11%"
		" +cursor      1 blk/cell z0\n");
	/* Shorter words first, then no shares. */
	assert_string_equal(
		legend(&v.app, 72),
		"     .free 69% #meta 8% %dir 3% =contig 10% *frag 11%      1 "
		"blk/cell z0\n");
	assert_string_equal(legend(&v.app, 62),
			    "     .free #meta %dir =contiguous *fragmented    1 blk/cell "
			    "z0\n");
	v.app.job = 7;
	v.app.job_kind = REQ_RUN;
	assert_null(strstr(legend(&v.app, 120), "69%"));
	v.app.job = 0;
	v.app.plan = &plan;
	v.app.selected = 12;
	assert_non_null(strstr(legend(&v.app, 90), "<from >to @selected"));
	assert_non_null(strstr(legend(&v.app, 70), "=contig *frag <from >to @selected"));
	assert_null(strstr(legend(&v.app, 70), "cursor"));
	assert_null(strstr(legend(&v.app, 62), "dir"));
	assert_non_null(strstr(legend(&v.app, 62), ".free"));
	v.app.plan = NULL;
	assert_null(strstr(legend(&v.app, 120), "from"));
	assert_non_null(strstr(legend(&v.app, 120), "@selected"));
	v.app.map.spotlight = true;
	assert_non_null(strstr(legend(&v.app, 60), "@selected file"));
	assert_null(strstr(legend(&v.app, 120), "meta"));
	v.app.selected = 0;
	volume_release(&v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout_round_trip),
		cmocka_unit_test(test_fit_is_smallest),
		cmocka_unit_test(test_groups_start_rows),
		cmocka_unit_test(test_steps),
		cmocka_unit_test(test_golden_small),
		cmocka_unit_test(test_one_block_wins),
		cmocka_unit_test(test_pinned_and_bad),
		cmocka_unit_test(test_cells_count_blocks),
		cmocka_unit_test(test_partial_repaint),
		cmocka_unit_test(test_flash_and_plan),
		cmocka_unit_test(test_overview_map),
		cmocka_unit_test(test_stays_inside),
		cmocka_unit_test(test_keys),
		cmocka_unit_test(test_zoom_and_scroll),
		cmocka_unit_test(test_mouse),
		cmocka_unit_test(test_hues),
		cmocka_unit_test(test_legend),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
