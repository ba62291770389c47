/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * demo.c - see demo.h. A small machine's life in four acts, in the lab's world and through
 * its next-fit allocator: installed, lived in by writers that take turns, a mail spool
 * that never rests, and deletions that leave holes which later files fill.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lab/demo.h"
#include "src/lab/ground.h"
#include "src/lab/world.h"

/* The tree: each row a directory below the row `parent` (0 is the root). */
static const struct {
	const char *name;
	uint32_t parent;
} dirs[] = {
	{"home", 0},  {"ada", 1},   {"bob", 1}, {"usr", 0}, {"lib", 4},
	{"share", 4}, {"var", 0},   {"log", 7}, {"lib", 7}, {"db", 9},
	{"spool", 7}, {"mail", 11}, {"srv", 0}, {"vm", 13},
};
enum {
	DIR_ADA = 2,
	DIR_BOB = 3,
	DIR_LIB = 5,
	DIR_SHARE = 6,
	DIR_LOG = 8,
	DIR_DB = 10,
	DIR_MAIL = 12,
	DIR_VM = 14
};

/* What an installation brings: large, contiguous, never touched again. */
static const struct {
	uint32_t dir;
	const char *stem, *suffix;
	uint32_t count, min, spread; /* KiB */
} installed[] = {
	{DIR_LIB, "lib", ".so", 40, 60, 500},
	{DIR_SHARE, "dict", ".txt", 24, 20, 300},
	{DIR_SHARE, "icons", ".cache", 6, 300, 700},
};

/* Files that several programs write at the same time, a little each in turn. */
static const struct {
	uint32_t dir;
	const char *name;
	uint32_t kib, step; /* final size for a 64 MiB volume; KiB a turn */
} growing[] = {
	{DIR_DB, "base.dat", 2600, 40},	    {DIR_DB, "base.wal", 900, 24},
	{DIR_VM, "server.img", 4200, 96},   {DIR_LOG, "syslog", 800, 12},
	{DIR_LOG, "auth.log", 300, 8},	    {DIR_ADA, "thesis.pdf", 700, 28},
	{DIR_BOB, "holiday.mov", 3200, 64}, {DIR_ADA, "photos.tar", 2400, 56},
};
#define GROWING (sizeof(growing) / sizeof(growing[0]))

struct demo {
	struct world w;
	uint64_t random;
	uint32_t scale; /* size of the volume / 64 MiB */
	uint32_t dir[sizeof(dirs) / sizeof(dirs[0]) + 1];
	uint32_t serial;
};

static uint32_t draw(struct demo *d, uint32_t n)
{
	return (uint32_t)lab_random_below(&d->random, n);
}

static bool make_dirs(struct demo *d)
{
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		d->dir[i + 1] =
			world_create(&d->w, d->dir[dirs[i].parent], dirs[i].name, true);
		if (d->dir[i + 1] == WORLD_NONE)
			return false;
	}
	return true;
}

/* Written in one go. Most sizes are no multiple of a block. */
static bool new_file(struct demo *d, uint32_t dir, const char *name, uint32_t kib)
{
	uint32_t node = world_create(&d->w, d->dir[dir], name, false);

	if (node == WORLD_NONE ||
	    !world_append(&d->w, node, (uint64_t)kib * 1024 - draw(d, 1000)))
		return false;
	world_close(&d->w, node);
	return true;
}

static bool install(struct demo *d)
{
	char name[WORLD_NAME];

	for (size_t k = 0; k < sizeof(installed) / sizeof(installed[0]); k++)
		for (uint32_t i = 0; i < installed[k].count * d->scale; i++) {
			uint32_t kib = installed[k].min + draw(d, installed[k].spread);

			snprintf(name, sizeof(name), "%s%02u%s", installed[k].stem, i,
				 installed[k].suffix);
			if (!new_file(d, installed[k].dir, name, kib))
				return false;
		}
	return true;
}

/* A letter comes in, or an old one goes: the hot directory. */
static bool mail_turn(struct demo *d)
{
	struct world *w = &d->w;
	char name[WORLD_NAME];

	if (draw(d, 100) < 35) {
		uint32_t at = draw(d, (uint32_t)w->nodes.n);

		if (w->nodes.v[at].live && w->nodes.v[at].parent == d->dir[DIR_MAIL]) {
			world_delete(w, at);
			return true;
		}
	}
	snprintf(name, sizeof(name), "msg.%06u.eml", 100000 + d->serial++);
	return new_file(d, DIR_MAIL, name, 1 + draw(d, 28));
}

/* Everybody writes a little, in turn, until each has what it wanted. */
static bool grow_together(struct demo *d)
{
	uint32_t node[GROWING], have[GROWING] = {0};
	bool more = true;

	for (size_t i = 0; i < GROWING; i++) {
		node[i] = world_create(&d->w, d->dir[growing[i].dir], growing[i].name,
				       false);
		if (node[i] == WORLD_NONE)
			return false;
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < GROWING; i++) {
			uint32_t step =
				growing[i].step / 2 + draw(d, growing[i].step) + 1;

			if (have[i] >= growing[i].kib * d->scale)
				continue;
			if (!world_append(&d->w, node[i], step * 1024ull) ||
			    !mail_turn(d))
				return false;
			have[i] += step;
			more = true;
		}
	}
	for (size_t i = 0; i < GROWING; i++)
		world_close(&d->w, node[i]);
	return true;
}

/* Three programs save at the same time: their pieces interleave. */
static bool save_together(struct demo *d)
{
	uint32_t node[3], left[3];
	char name[WORLD_NAME];

	for (int i = 0; i < 3; i++) {
		uint32_t dir = d->dir[draw(d, 2) ? DIR_ADA : DIR_BOB];

		snprintf(name, sizeof(name), "note-%05u.txt", d->serial++);
		node[i] = world_create(&d->w, dir, name, false);
		if (node[i] == WORLD_NONE)
			return false;
		left[i] = 4096 + draw(d, 90 * 1024);
	}
	while (left[0] + left[1] + left[2])
		for (int i = 0; i < 3; i++) {
			uint32_t piece = 2048 + draw(d, 12 * 1024);

			if (piece > left[i])
				piece = left[i];
			if (piece && !world_append(&d->w, node[i], piece))
				return false;
			left[i] -= piece;
		}
	for (int i = 0; i < 3; i++)
		world_close(&d->w, node[i]);
	return true;
}

static bool is_user_file(const struct demo *d, const struct world_node *n)
{
	return n->live && !n->is_dir &&
	       (n->parent == d->dir[DIR_ADA] || n->parent == d->dir[DIR_BOB] ||
		n->parent == d->dir[DIR_SHARE]);
}

/* Old user files go, new ones come: free space falls to pieces, and new files with it. */
static bool churn(struct demo *d, double target)
{
	for (uint32_t turn = 0; turn < 1600 * d->scale; turn++) {
		uint32_t at = draw(d, (uint32_t)d->w.nodes.n);

		if (is_user_file(d, &d->w.nodes.v[at]) &&
		    world_fill(&d->w) > target - 0.05)
			world_delete(&d->w, at);
		if (world_fill(&d->w) < target && !save_together(d))
			return false;
		if (draw(d, 6) == 0 && !mail_turn(d))
			return false;
	}
	return true;
}

static bool live_a_life(struct demo *d, struct err *err)
{
	if (make_dirs(d) && install(d) && grow_together(d) && churn(d, 0.76) &&
	    world_sync(&d->w))
		return true;
	err_set(err, ERR_NOSPACE, "the demo volume is too small for its own contents");
	return false;
}

static bool check_options(const char *path, struct demo_options *opt, bool force,
			  struct err *err)
{
	struct stat st;

	if (!opt->bytes)
		opt->bytes = 64ull << 20;
	if (!opt->block_size)
		opt->block_size = 1024;
	if (!opt->type)
		opt->type = "ext4";
	if (opt->bytes < 64ull << 20 || opt->bytes > 256ull << 20) {
		err_set(err, ERR_USAGE, "a demo volume has 64 to 256 MiB");
		return false;
	}
	if (lstat(path, &st))
		return true;
	if (!S_ISREG(st.st_mode) || !force) {
		err_set(err, ERR_REFUSED, "%s exists; choose another name, or --force",
			path);
		return false;
	}
	if (unlink(path)) {
		err_set_errno(err, ERR_IO, errno, "cannot replace %s", path);
		return false;
	}
	return true;
}

/* Frees b, finished or not. */
static bool live_and_write(struct build *b, const struct demo_options *opt,
			   struct err *err)
{
	struct demo d = {
		.serial = 1, .random = opt->seed, .scale = (uint32_t)(opt->bytes >> 26)};
	struct space space;
	bool ok = ground_space(b, &space, err);

	if (ok) {
		world_init(&d.w, &space, &policy_next, opt->seed, LAB_TIME);
		ok = live_a_life(&d, err) && world_put(&d.w, b, NULL, err);
		world_release(&d.w);
	}
	if (ok)
		return build_finish(b, err);
	build_free(b);
	return false;
}

bool demo_make(const char *path, const struct demo_options *options, bool force,
	       struct err *err)
{
	struct demo_options opt = *options;
	struct build *b;

	if (!check_options(path, &opt, force, err))
		return false;
	b = build_new(path,
		      &(struct build_options){.type = opt.type,
					      .bytes = opt.bytes,
					      .block_size = opt.block_size,
					      .seed = opt.seed,
					      .time = LAB_TIME,
					      .label = "demo"},
		      err);
	if (b && live_and_write(b, &opt, err))
		return true;
	unlink(path);
	return false;
}
