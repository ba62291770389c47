/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * demo.c - see demo.h. A small machine's life in four acts: installed, lived in by
 * writers that take turns, a mail spool that never rests, and deletions that leave holes
 * which later files fill.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "lab/demo.h"
#include "src/lab/sim.h"

#define DEMO_TIME 1704067200 /* 2024-01-01 00:00:00 UTC */
#define NO_NODE	  UINT32_MAX

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
	struct sim sim;
	uint32_t scale; /* size of the volume / 64 MiB */
	uint32_t dir[sizeof(dirs) / sizeof(dirs[0]) + 1];
	uint32_t serial;
};

static uint32_t kib_blocks(const struct demo *d, uint64_t kib)
{
	return (uint32_t)((kib * 1024 + d->sim.block_size - 1) / d->sim.block_size);
}

static bool make_dirs(struct demo *d)
{
	for (size_t i = 0; i < sizeof(dirs) / sizeof(dirs[0]); i++) {
		d->dir[i + 1] =
			sim_create(&d->sim, d->dir[dirs[i].parent], dirs[i].name, true);
		if (d->dir[i + 1] == NO_NODE)
			return false;
	}
	return true;
}

static bool new_file(struct demo *d, uint32_t dir, const char *name, uint32_t blocks)
{
	uint32_t node = sim_create(&d->sim, d->dir[dir], name, false);

	return node != NO_NODE && sim_append(&d->sim, node, blocks);
}

static bool install(struct demo *d)
{
	char name[48];

	for (size_t k = 0; k < sizeof(installed) / sizeof(installed[0]); k++)
		for (uint32_t i = 0; i < installed[k].count * d->scale; i++) {
			uint64_t kib = installed[k].min +
				       sim_random(&d->sim, installed[k].spread);
			struct sim_node *dir;

			snprintf(name, sizeof(name), "%s%02u%s", installed[k].stem, i,
				 installed[k].suffix);
			if (!new_file(d, installed[k].dir, name, kib_blocks(d, kib)))
				return false;
			dir = &d->sim.nodes.v[d->dir[installed[k].dir]];
			dir->goal = d->sim.nodes.v[d->sim.nodes.n - 1].goal;
		}
	return true;
}

/* A letter comes in, or an old one goes: the hot directory. */
static bool mail_turn(struct demo *d)
{
	struct sim *s = &d->sim;
	char name[48];

	if (s->nodes.n && sim_random(s, 100) < 35) {
		uint32_t at = sim_random(s, (uint32_t)s->nodes.n);

		if (s->nodes.v[at].live && s->nodes.v[at].parent == d->dir[DIR_MAIL]) {
			sim_delete(s, at);
			return true;
		}
	}
	snprintf(name, sizeof(name), "msg.%06u.eml", 100000 + d->serial++);
	return new_file(d, DIR_MAIL, name, kib_blocks(d, 1 + sim_random(s, 28)));
}

/* Everybody writes a little, in turn, until each has what it wanted. */
static bool grow_together(struct demo *d)
{
	uint32_t node[GROWING], have[GROWING] = {0};
	bool more = true;

	for (size_t i = 0; i < GROWING; i++) {
		node[i] = sim_create(&d->sim, d->dir[growing[i].dir], growing[i].name,
				     false);
		if (node[i] == NO_NODE)
			return false;
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < GROWING; i++) {
			uint32_t step = growing[i].step / 2 +
					sim_random(&d->sim, growing[i].step) + 1;

			if (have[i] >= growing[i].kib * d->scale)
				continue;
			if (!sim_append(&d->sim, node[i], kib_blocks(d, step)) ||
			    !mail_turn(d))
				return false;
			have[i] += step;
			more = true;
		}
	}
	return true;
}

/* Three programs save at the same time in the same region: their pieces interleave. */
static bool save_together(struct demo *d)
{
	struct sim *s = &d->sim;
	uint32_t node[3], left[3], goal = sim_random(s, (uint32_t)s->blocks);
	char name[48];

	for (int i = 0; i < 3; i++) {
		uint32_t dir = d->dir[sim_random(s, 2) ? DIR_ADA : DIR_BOB];

		snprintf(name, sizeof(name), "note-%05u.txt", d->serial++);
		node[i] = sim_create(s, dir, name, false);
		if (node[i] == NO_NODE)
			return false;
		s->nodes.v[node[i]].goal = goal;
		left[i] = kib_blocks(d, 4 + sim_random(s, 90));
	}
	while (left[0] + left[1] + left[2])
		for (int i = 0; i < 3; i++) {
			uint32_t piece = 4 + sim_random(s, 24);

			if (piece > left[i])
				piece = left[i];
			if (piece && !sim_append(s, node[i], piece))
				return false;
			left[i] -= piece;
		}
	return true;
}

static bool is_user_file(const struct demo *d, const struct sim_node *n)
{
	return n->live && !n->is_dir &&
	       (n->parent == d->dir[DIR_ADA] || n->parent == d->dir[DIR_BOB] ||
		n->parent == d->dir[DIR_SHARE]);
}

/* Old user files go, new ones come: free space falls to pieces, and new files with it. */
static bool churn(struct demo *d, double target)
{
	struct sim *s = &d->sim;

	for (uint32_t turn = 0; turn < 1200 * d->scale; turn++) {
		uint32_t at = sim_random(s, (uint32_t)s->nodes.n);

		if (is_user_file(d, &s->nodes.v[at]) && sim_fill(s) > target - 0.05)
			sim_delete(s, at);
		if (sim_fill(s) < target && !save_together(d))
			return false;
		if (sim_random(s, 3) == 0 && !mail_turn(d))
			return false;
	}
	return true;
}

static bool live_a_life(struct demo *d, struct err *err)
{
	if (make_dirs(d) && install(d) && grow_together(d) && churn(d, 0.76))
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

bool demo_make(const char *path, const struct demo_options *options, bool force,
	       struct err *err)
{
	struct demo_options opt = *options;
	struct build_options bopt;
	struct demo d = {.serial = 1};
	struct build *b;
	bool ok;

	if (!check_options(path, &opt, force, err))
		return false;
	bopt = (struct build_options){.type = opt.type,
				      .bytes = opt.bytes,
				      .block_size = opt.block_size,
				      .seed = opt.seed,
				      .time = DEMO_TIME,
				      .label = "demo"};
	b = build_new(path, &bopt, err);
	ok = b != NULL;
	if (ok) {
		d.scale = (uint32_t)(opt.bytes >> 26);
		ok = sim_init(&d.sim, b, opt.block_size, opt.seed, DEMO_TIME, err) &&
		     live_a_life(&d, err) && sim_commit(&d.sim, err);
		sim_release(&d.sim);
		if (ok)
			ok = build_finish(b, err);
		else
			build_free(b);
	}
	if (!ok)
		unlink(path);
	return ok;
}
