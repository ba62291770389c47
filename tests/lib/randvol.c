/* SPDX-License-Identifier: GPL-3.0-or-later */
/* randvol.c - see randvol.h. */
#include <stdlib.h>
#include <string.h>
#include "core/extent.h"
#include "tests/lib/randvol.h"
#include "tests/lib/test.h"

uint32_t randvol_random(struct randvol *v, uint32_t n)
{
	v->seed = v->seed * 1664525u + 1013904223u;
	return (uint32_t)(((uint64_t)(v->seed >> 4) * n) >> 28);
}

static void make_geom(struct randvol *v, const struct randvol_shape *s)
{
	struct geom *g = &v->geom;
	struct err err = ERR_INIT;

	geom_init(g);
	g->block_size = s->seed % 2 ? 1024 : 4096;
	g->first_block = s->seed % 2;
	g->blocks_per_group = s->blocks_per_group;
	g->groups = s->groups;
	/* a short last group */
	g->blocks = g->first_block + (blkno_t)s->groups * s->blocks_per_group -
		    s->blocks_per_group / 3;
	g->inodes_per_group = 4096;
	g->inodes = g->groups * g->inodes_per_group;
	g->flex_groups = s->seed % 3 ? 4 : 1;
	g->first_inode = 11;
	for (group_t i = 0; i < g->groups; i++) {
		struct fixed f = {geom_group_start(g, i) + 2, 6, i, OWNER_INODE_TABLE};

		assert_true(vec_push(&g->fixed, f));
	}
	assert_true(geom_seal(g, &err));
}

/* A free stretch of up to `want` blocks somewhere; length 0: the volume is full. */
static struct range find_room(struct randvol *v, uint32_t want)
{
	blkno_t n = v->geom.blocks - v->geom.first_block;
	blkno_t at = v->geom.first_block + randvol_random(v, (uint32_t)n);
	struct range r = {at, 0};

	for (blkno_t i = 0; i < n && v->used[r.start]; i++)
		if (++r.start == v->geom.blocks)
			r.start = v->geom.first_block;
	while (r.len < want && r.start + r.len < v->geom.blocks &&
	       !v->used[r.start + r.len])
		r.len++;
	return r;
}

static uint32_t add(struct randvol *v, struct run r)
{
	struct range at = find_room(v, r.len);

	r.phys = at.start;
	r.len = (uint32_t)at.len;
	if (r.len) {
		assert_true(model_add_run(v->model, &r));
		memset(v->used + r.phys, 1, r.len);
	}
	return r.len;
}

/* Data in random pieces, some unwritten, some with a hole in front; then the tree that
 * the map really needs, and sometimes an xattr block. */
static uint64_t add_file(struct randvol *v, const struct randvol_shape *s, inum_t ino)
{
	struct inode_info info = {INODE_FILE, 0, 0};
	struct run r = {.ino = ino, .kind = OWNER_FILE};
	uint32_t size = 1 + randvol_random(v, 1 + randvol_random(v, s->max_file)), tree;
	struct run_list runs = {0};
	uint64_t blocks = 0;

	if (randvol_random(v, 8) == 0) {
		info.type = INODE_DIR;
		r.kind = OWNER_DIR;
	}
	if (randvol_random(v, 5) == 0)
		info.flags |= INODE_INDIRECT;
	if (randvol_random(v, 12) == 0)
		info.flags |= INODE_PINNED;
	for (uint32_t left = size, got; left; left -= got, blocks += got) {
		uint32_t piece = 1 + randvol_random(v, s->max_piece);

		r.lblk += randvol_random(v, 6) == 0 ? 3 : 0;
		r.len = piece < left ? piece : left;
		r.unwritten = !(info.flags & INODE_INDIRECT) && info.type == INODE_FILE &&
			      randvol_random(v, 10) == 0;
		got = add(v, r);
		if (!got)
			break;
		r.phys = UINT32_MAX + blocks * 2; /* apart: no two join */
		r.len = got;
		assert_true(vec_push(&runs, r));
		r.lblk += got;
	}
	info.size = (uint64_t)r.lblk * v->geom.block_size;
	assert_true(model_set_inode(v->model, ino, &info));
	tree = info.flags & INODE_INDIRECT
		       ? extent_indirect_blocks(runs.v, runs.n, v->geom.block_size)
		       : extent_tree_blocks(extent_records(runs.v, runs.n),
					    v->geom.block_size);
	for (uint32_t got = 1; tree && got; tree -= got, blocks += got)
		got = add(v, (struct run){.ino = ino, .kind = OWNER_TREE, .len = 1});
	if (randvol_random(v, 12) == 0)
		blocks += add(v, (struct run){.ino = ino, .kind = OWNER_XATTR, .len = 1});
	vec_release(&runs);
	return blocks;
}

void randvol_make(struct randvol *v, const struct randvol_shape *s)
{
	struct flaw_list flaws = {0};
	struct err err = ERR_INIT;
	uint64_t blocks, goal, done = 0;

	memset(v, 0, sizeof(*v));
	v->seed = s->seed;
	make_geom(v, s);
	v->used = calloc(v->geom.blocks, 1);
	v->model = model_new(&v->geom, &err);
	assert_non_null(v->used);
	assert_non_null(v->model);
	for (size_t i = 0; i < v->geom.fixed.n; i++)
		memset(v->used + v->geom.fixed.v[i].start, 1, v->geom.fixed.v[i].len);
	blocks = v->geom.blocks - v->geom.first_block - 6ull * v->geom.groups;
	goal = blocks - blocks * s->percent_free / 100;
	for (inum_t ino = 12; done < goal && ino <= v->geom.inodes; ino++)
		done += add_file(v, s, ino);
	assert_true(model_seal(v->model, NULL, 1, &flaws, &err));
	assert_int_equal(flaws.count, 0);
	vec_release(&flaws.list);
}

void randvol_release(struct randvol *v)
{
	model_free(v->model);
	geom_release(&v->geom);
	free(v->used);
}
