/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan.c - see scan.h. The phases follow each other:
 *
 *   BITMAPS -> INODES -> NODES (level by level, then attribute blocks) -> DIRS -> SEAL
 *
 * What a phase finds is what the next ones read.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/num.h"
#include "src/fs/pin.h"
#include "src/fs/scan_priv.h"

const char *scan_phase_name(enum scan_phase phase)
{
	static const char *const names[] = {"bitmaps", "inode tables", "tree nodes",
					    "directories", "sorting"};

	return names[phase];
}

static int cores(int least, int most)
{
	long n = sysconf(_SC_NPROCESSORS_ONLN);

	return n < least ? least : n > most ? most : (int)n;
}

/* Tables: enough that the device never waits for parsing. Single blocks: what a device
 * can work on at a time. */
static void choose_readers(struct scan *s, int readers)
{
	if (readers > READERS_MAX)
		readers = READERS_MAX;
	s->readers = readers > 0 ? readers : cores(4, 8);
	s->readers_small = readers > 0 ? readers : READERS_MAX;
}

struct scan *scan_new(struct volume *v, int readers, struct err *err)
{
	struct scan *s = calloc(1, sizeof(*s));

	if (!s) {
		err_nomem(err);
		return NULL;
	}
	s->v = v;
	choose_readers(s, readers);
	s->bytes_before = v->bytes_read;
	s->flaws.limit = 32;
	return s;
}

/* All that the seal and those who ask afterwards do not need. */
static void release_lists(struct scan *s)
{
	pass_release(s);
	vec_release(&s->nodes);
	vec_release(&s->xattrs);
	vec_release(&s->dirs);
	vec_release(&s->inline_parents);
	vec_release(&s->orphans);
}

void scan_free(struct scan *s)
{
	if (!s)
		return;
	release_lists(s);
	model_free(s->model);
	free(s->used);
	free(s->overview.count);
	vec_release(&s->flaws.list);
	free(s);
}

static void next_phase(struct scan *s, enum scan_phase phase)
{
	s->phase = phase;
	s->begun = false;
	s->done = s->total = 0;
}

/* --- bitmaps --- */

static bool step_bitmaps(struct scan *s, struct err *err)
{
	s->used = volume_read_bitmap(s->v, &s->flaws, err);
	if (!s->used)
		return false;
	if (!overview_begin(s))
		return err_nomem(err);
	next_phase(s, SCAN_INODES);
	return true;
}

/* --- inode tables --- */

static bool is_trusted(const struct volume *v, group_t g)
{
	int flags = v->fs->flags;
	bool ok;

	if (!ext2fs_has_group_desc_csum(v->fs))
		return false;
	v->fs->flags &= ~EXT2_FLAG_IGNORE_CSUM_ERRORS;
	ok = ext2fs_group_desc_csum_verify(v->fs, g);
	v->fs->flags = flags;
	return ok;
}

/* Inodes of a group that may be in use: the descriptor knows, if it has a checksum. */
static uint32_t used_inodes(const struct volume *v, group_t g)
{
	uint32_t n = v->geom.inodes_per_group, unused;

	if (!is_trusted(v, g))
		return n;
	if (ext2fs_bg_flags_test(v->fs, g, EXT2_BG_INODE_UNINIT))
		return 0;
	unused = ext2fs_bg_itable_unused(v->fs, g);
	return unused < n ? n - unused : 0;
}

/* The used parts of all tables, none longer than a read. Those of a flex group lie side
 * by side, and are read together. */
static bool list_tables(struct scan *s, struct todo_list *out)
{
	const struct geom *g = &s->v->geom;
	uint32_t max = pass_unit_blocks(s, false) * g->block_size / g->inode_size;
	uint32_t per_block = g->block_size / g->inode_size;

	for (group_t i = 0; i < g->groups; i++) {
		uint32_t used = used_inodes(s->v, i);

		for (uint32_t at = 0; at < used; at += max) {
			blkno_t block =
				ext2fs_inode_table_loc(s->v->fs, i) + at / per_block;
			struct todo t = {
				.where = todo_at(block, OWNER_INODE_TABLE, 0, false),
				.ino = i * g->inodes_per_group + at + 1,
				.count = used - at < max ? used - at : max};

			if (!vec_push(out, t))
				return false;
		}
	}
	return true;
}

static bool begin_inodes(struct scan *s, struct err *err)
{
	struct todo_list tables = {0};

	for (size_t i = 0; i < s->v->geom.fixed.n; i++)
		s->claimed += s->v->geom.fixed.v[i].len;
	s->model = model_new(&s->v->geom, err);
	if (!s->model)
		return false;
	if (orphans_find(s) && list_tables(s, &tables)) {
		pass_begin(s, &tables, scan_table, false);
		return true;
	}
	vec_release(&tables);
	return err_nomem(err);
}

static bool step_inodes(struct scan *s, struct err *err)
{
	if (!s->begun && !begin_inodes(s, err))
		return false;
	s->begun = true;
	if (!pass_step(s, err))
		return false;
	if (pass_is_over(s))
		next_phase(s, SCAN_NODES);
	return true;
}

/* --- nodes --- */

/* Passes: one a level of nodes, then the attribute blocks. */
static bool step_nodes(struct scan *s, struct err *err)
{
	if (!pass_is_over(s))
		return pass_step(s, err);
	if (s->nodes.n)
		pass_begin(s, &s->nodes, scan_nodes, true);
	else if (s->xattrs.n)
		pass_begin(s, &s->xattrs, scan_xattrs, true);
	else
		next_phase(s, SCAN_DIRS);
	return true;
}

/* --- directories --- */

static void begin_dirs(struct scan *s)
{
	struct inode_info root;

	if (!model_inode(s->model, EXT2_ROOT_INO, &root) || root.type != INODE_DIR)
		flaw_add(&s->flaws, BLKNO_NONE, EXT2_ROOT_INO,
			 "there is no root directory");
	for (size_t i = 0; i < s->inline_parents.n; i++)
		pass_parent(s, &s->inline_parents.v[i]);
	vec_release(&s->inline_parents);
	pass_begin(s, &s->dirs, scan_dirs, true);
}

static bool step_dirs(struct scan *s, struct err *err)
{
	if (!s->begun)
		begin_dirs(s);
	s->begun = true;
	if (!pass_step(s, err))
		return false;
	if (pass_is_over(s))
		next_phase(s, SCAN_SEAL);
	return true;
}

/* --- seal --- */

static void forbid_if_flawed(struct scan *s)
{
	char what[80];

	if (!s->flaws.count)
		return;
	snprintf(what, sizeof(what), "it contradicts itself in %llu places",
		 (unsigned long long)s->flaws.count);
	volume_forbid(s->v, what, "check it with: e2fsck -fn PATH");
}

static bool step_seal(struct scan *s, struct err *err)
{
	pin_files(s->v, s->model);
	release_lists(s); /* memory that the seal can use */
	if (!model_seal(s->model, s->used, cores(1, 8), &s->flaws, err))
		return false;
	free(s->used);
	s->used = NULL;
	forbid_if_flawed(s);
	return true;
}

/* --- the outside --- */

static struct scan_cost now(const struct scan *s)
{
	struct scan_cost c = {.bytes = s->v->bytes_read, .real_us = num_now_us()};

	num_cpu_us(&c.user_us, &c.sys_us);
	return c;
}

static void charge(struct scan *s, enum scan_phase phase, const struct scan_cost *begun)
{
	struct scan_cost end = now(s), *c = &s->cost[phase];

	c->bytes += end.bytes - begun->bytes;
	c->real_us += end.real_us - begun->real_us;
	c->user_us += end.user_us - begun->user_us;
	c->sys_us += end.sys_us - begun->sys_us;
}

enum scan_state scan_step(struct scan *s, struct err *err)
{
	static bool (*const steps[])(struct scan *, struct err *) = {
		step_bitmaps, step_inodes, step_nodes, step_dirs, step_seal};
	struct scan_cost begun = now(s);
	enum scan_phase phase = s->phase;

	if (!steps[phase](s, err))
		return SCAN_FAILED;
	charge(s, phase, &begun);
	return phase == SCAN_SEAL ? SCAN_DONE : SCAN_MORE;
}

const struct scan_cost *scan_costs(const struct scan *s)
{
	return s->cost;
}

enum scan_phase scan_progress(const struct scan *s, uint64_t *done, uint64_t *total)
{
	*done = s->done;
	*total = s->total;
	return s->phase;
}

const struct overview *scan_overview(const struct scan *s)
{
	return &s->overview;
}

uint64_t scan_bytes_read(const struct scan *s)
{
	return s->v->bytes_read - s->bytes_before;
}

struct model *scan_take(struct scan *s, struct flaw_list *flaws)
{
	struct model *m = s->model;

	s->model = NULL;
	*flaws = s->flaws;
	memset(&s->flaws, 0, sizeof(s->flaws));
	return m;
}
