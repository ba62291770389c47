/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sample.h - a small volume by hand, shown by a real app without a terminal or a disk.
 *
 *   ino 12  file, 20 blocks in 3 fragments: 100+10 (logical 0), 300+5 (10), 400+5 (15)
 *   ino 13  file, 50 blocks at 500
 *   ino 14  directory, 1 block at 600
 *   ino 15  file, 200 blocks in 100 fragments of 2 from 1100 on, every 4 blocks
 */
#ifndef TESTS_SCREEN_SAMPLE_H
#define TESTS_SCREEN_SAMPLE_H

#include "tests/lib/test.h"
#include <stdlib.h>
#include <string.h>
#include "ui/files.h"
#include "ui/screen.h"

static struct geom sample_geom;

static inline void sample_run(struct model *m, inum_t ino, blkno_t phys, uint32_t len,
			      lblk_t lblk)
{
	struct run r = {.phys = phys, .len = len, .lblk = lblk, .ino = ino};

	r.kind = ino == 14 ? OWNER_DIR : OWNER_FILE;
	assert_true(model_add_run(m, &r));
}

static inline struct model *sample_model(void)
{
	struct geom *g = &sample_geom;
	struct fixed meta = {1, 20, 0, OWNER_INODE_TABLE};
	struct inode_info file = {INODE_FILE, 0, 20480}, dir = {INODE_DIR, 0, 1024};
	struct flaw_list flaws = {0};
	struct err err = ERR_INIT;
	struct model *m;

	geom_init(g);
	g->block_size = 1024;
	g->cluster_ratio = 1;
	g->blocks = 2048;
	g->first_block = 1;
	g->blocks_per_group = 1024;
	g->groups = 2;
	g->inodes = 64;
	g->inodes_per_group = 32;
	g->inode_size = 256;
	g->flex_groups = 1;
	g->first_inode = 11;
	assert_true(vec_push(&g->fixed, meta));
	assert_true(geom_seal(g, &err));
	m = model_new(g, &err);
	assert_non_null(m);
	for (inum_t ino = 12; ino <= 15; ino++)
		assert_true(model_set_inode(m, ino, ino == 14 ? &dir : &file));
	sample_run(m, 12, 100, 10, 0);
	sample_run(m, 12, 300, 5, 10);
	sample_run(m, 12, 400, 5, 15);
	sample_run(m, 13, 500, 50, 0);
	sample_run(m, 14, 600, 1, 0);
	for (uint32_t i = 0; i < 100; i++)
		sample_run(m, 15, 1100 + i * 4, 2, i * 2);
	assert_true(model_seal(m, NULL, 1, &flaws, &err));
	assert_int_equal(flaws.count, 0);
	return m;
}

/* An app with the sample volume open; ASCII and no colours, so that text says it all. */
static inline void sample_app(struct app *a)
{
	struct err err = ERR_INIT;

	assert_true(app_init(a, 0, &err));
	theme_default(&a->theme, DEPTH_MONO, false);
	a->open = true;
	a->interactive = true;
	strcpy(a->volume.path, "/tmp/sample.img");
	strcpy(a->volume.type, "ext4");
	strcpy(a->volume.state, "clean");
	a->volume.block_size = 1024;
	a->volume.blocks = 2048;
	a->volume.groups = 2;
	a->volume.write = true;
	a->model = sample_model();
	metrics_compute(a->model, &a->metrics);
	assert_true(files_refresh(a->files, a, &err));
	assert_true(files_set_sort(a->files, a, SORT_INODE, false, &err));
	a->files->cursor = a->files->top = 0;
	a->map.cursor = 1;
}

static inline void sample_release(struct app *a)
{
	app_release(a);
	geom_release(&sample_geom);
}

/* A row of the canvas as text, without blanks at the end; beyond ASCII: '?'. */
static inline const char *sample_row(const struct canvas *c, int row)
{
	static char text[8][512];
	static int turn;
	char *out = text[turn++ % 8];
	int n = 0;

	for (int col = 0; col < c->cols && n < 511; col++) {
		wchar_t ch = c->cells[row * c->cols + col].ch;

		if (ch != 0)
			out[n++] = ch > 0x7e ? '?' : (char)ch;
	}
	while (n > 0 && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
	return out;
}

/* The first row that contains the text, -1 none. */
static inline int sample_find(const struct canvas *c, const char *text)
{
	for (int row = 0; row < c->rows; row++)
		if (strstr(sample_row(c, row), text))
			return row;
	return -1;
}

static inline void sample_print(const struct canvas *c)
{
	for (int row = 0; row < c->rows; row++)
		print_message("# %s\n", sample_row(c, row));
}

/* Fails with the screen printed. */
#define assert_shows(c, text)                                          \
	do {                                                           \
		if (sample_find((c), (text)) < 0) {                    \
			sample_print(c);                               \
			fail_msg("not on the screen: \"%s\"", (text)); \
		}                                                      \
	} while (0)
#define assert_shows_not(c, text)                                  \
	do {                                                       \
		if (sample_find((c), (text)) >= 0) {               \
			sample_print(c);                           \
			fail_msg("on the screen: \"%s\"", (text)); \
		}                                                  \
	} while (0)

#endif
