/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checker.c - see checker.h. */
#include <string.h>
#include "core/checker.h"

const char *const checker_phase_name[CHECKER_PHASES] = {"inode tables", "map blocks",
							"directories", "bitmaps"};

/* Blocks of a group's table up to its last inode in use: what bg_itable_unused leaves. */
static uint32_t table_in_use(const struct model *m, group_t group)
{
	const struct geom *g = model_geom(m);
	inum_t first = group * g->inodes_per_group + 1, last = 0;
	uint32_t each = g->block_size / g->inode_size;

	for (inum_t ino = model_next_inode(m, first - 1);
	     ino && ino - first < g->inodes_per_group; ino = model_next_inode(m, ino))
		last = ino;
	return last ? (last - first) / each + 1 : 0;
}

/* geom.fixed is sorted by place, which is the order of the groups. */
static void read_tables(const struct model *m, struct checker *c)
{
	const struct geom *g = model_geom(m);
	struct disk_walk all = c->phase[CHECKER_TABLES];

	for (size_t i = 0; i < g->fixed.n; i++) {
		const struct fixed *f = &g->fixed.v[i];
		uint32_t used;

		if (f->kind != OWNER_INODE_TABLE)
			continue;
		used = table_in_use(m, f->group);
		used = used < f->len ? used : f->len;
		c->groups_skipped += !used;
		c->table_blocks += f->len;
		disk_read(&c->phase[CHECKER_TABLES], f->start, used);
		disk_read(&all, f->start, f->len);
	}
	c->untrimmed_ms = all.ms;
}

static bool read_maps(const struct model *m, struct checker *c)
{
	struct run_list runs = {0};
	bool ok = true;

	for (inum_t ino = 0; ok && (ino = model_next_inode(m, ino));) {
		runs.n = 0;
		ok = model_runs(m, ino, &runs);
		for (size_t i = 0; i < runs.n; i++)
			if (runs.v[i].kind == OWNER_TREE)
				disk_read(&c->phase[CHECKER_MAPS], runs.v[i].phys,
					  runs.v[i].len);
	}
	vec_release(&runs);
	return ok;
}

static bool read_by_place(void *arg, const struct run *r)
{
	struct checker *c = arg;

	if (r->kind == OWNER_DIR)
		disk_read(&c->phase[CHECKER_DIRS], r->phys, r->len);
	else if (r->kind == OWNER_BLOCK_BITMAP || r->kind == OWNER_INODE_BITMAP)
		disk_read(&c->phase[CHECKER_BITMAPS], r->phys, r->len);
	return true;
}

bool checker_compute(const struct model *m, const struct disk *disk, struct checker *out)
{
	const struct geom *g = model_geom(m);

	memset(out, 0, sizeof(*out));
	for (int p = 0; p < CHECKER_PHASES; p++)
		out->phase[p] =
			(struct disk_walk){.disk = disk, .block_size = g->block_size};
	read_tables(m, out);
	if (!read_maps(m, out))
		return false;
	model_walk(m, g->first_block, g->blocks - g->first_block, read_by_place, out);
	for (int p = 0; p < CHECKER_PHASES; p++)
		out->packed_ms[p] = disk_ideal_ms(&out->phase[p]);
	return true;
}
