/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan.c - see scan.h. The phases follow each other:
 *
 *   BITMAPS -> INODES -> NODES (level by level, then attribute blocks) -> DIRS -> SEAL
 *
 * Each lays out its units, sorted by place, and works through them; what a phase finds
 * feeds the next.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fs/dirs.h"
#include "src/fs/scan_priv.h"

const char *scan_phase_name(enum scan_phase phase)
{
	static const char *const names[] = {"bitmaps", "inode tables", "tree nodes",
					    "directories", "sorting"};

	return names[phase];
}

struct scan *scan_new(struct volume *v, int readers, struct err *err)
{
	struct scan *s = calloc(1, sizeof(*s));
	long cores = sysconf(_SC_NPROCESSORS_ONLN);

	if (!s) {
		err_nomem(err);
		return NULL;
	}
	s->v = v;
	s->readers = readers > 0 ? readers : cores > 4 ? 8 : 6;
	s->bytes_before = v->bytes_read;
	s->flaws.limit = 32;
	return s;
}

void scan_free(struct scan *s)
{
	if (!s)
		return;
	model_free(s->model);
	free(s->used);
	free(s->overview.count);
	vec_release(&s->flaws.list);
	vec_release(&s->units);
	vec_release(&s->nodes);
	vec_release(&s->next_nodes);
	vec_release(&s->xattrs);
	vec_release(&s->dirs);
	vec_release(&s->inline_dirs);
	free(s);
}

static void next_phase(struct scan *s, enum scan_phase phase)
{
	s->phase = phase;
	s->begun = false;
	s->done = s->total = 0;
	s->unit_at = 0;
	vec_clear(&s->units);
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

/* Inodes of a group that may be in use: the descriptor knows, if it has a checksum. */
static uint32_t used_inodes(const struct volume *v, group_t g)
{
	uint32_t n = v->geom.inodes_per_group, unused;

	if (!ext2fs_has_group_desc_csum(v->fs))
		return n;
	if (ext2fs_bg_flags_test(v->fs, g, EXT2_BG_INODE_UNINIT))
		return 0;
	unused = ext2fs_bg_itable_unused(v->fs, g);
	return unused < n ? n - unused : 0;
}

static int by_unit_start(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool layout_tables(struct scan *s)
{
	const struct geom *g = &s->v->geom;
	uint32_t per_block = g->block_size / g->inode_size;
	uint32_t max = UNIT_BYTES / g->inode_size;

	for (group_t i = 0; i < g->groups; i++) {
		uint32_t used = used_inodes(s->v, i);

		for (uint32_t at = 0; at < used; at += max) {
			uint32_t n = used - at < max ? used - at : max;
			struct unit u = {.start = ext2fs_inode_table_loc(s->v->fs, i) +
						  at / per_block,
					 .count = (n + per_block - 1) / per_block,
					 .first =
						 (size_t)i * g->inodes_per_group + at + 1,
					 .last = n};

			s->total += (uint64_t)u.count * g->block_size;
			if (!vec_push(&s->units, u))
				return false;
		}
	}
	if (s->units.n)
		qsort(s->units.v, s->units.n, sizeof(*s->units.v), by_unit_start);
	s->work = scan_table;
	return true;
}

static bool step_inodes(struct scan *s, struct err *err)
{
	if (!s->begun) {
		s->begun = true;
		s->model = model_new(&s->v->geom, err);
		if (!s->model)
			return false;
		if (!layout_tables(s))
			return err_nomem(err);
	}
	if (!crew_step(s, err))
		return false;
	if (s->unit_at == s->units.n)
		next_phase(s, SCAN_NODES);
	return true;
}

/* --- nodes --- */

static int by_node_block(const void *a, const void *b)
{
	const struct node *x = a, *y = b;

	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static int by_xattr_block(const void *a, const void *b)
{
	const struct xattr_ref *x = a, *y = b;

	if (x->block != y->block)
		return x->block < y->block ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static blkno_t node_block(const struct scan *s, size_t i)
{
	return s->nodes.v[i].block;
}

static blkno_t xattr_block(const struct scan *s, size_t i)
{
	return s->xattrs.v[i].block;
}

static uint32_t one_block(const struct scan *s, size_t i)
{
	(void)s;
	(void)i;
	return 1;
}

/* The next level of nodes; when there is none, the attribute blocks; false in *more when
 * all are done. */
static bool layout_nodes(struct scan *s, bool *more)
{
	*more = true;
	vec_clear(&s->nodes);
	if (s->next_nodes.n) {
		void *v = s->nodes.v;
		size_t cap = s->nodes.cap;

		s->nodes.v = s->next_nodes.v;
		s->nodes.n = s->next_nodes.n;
		s->nodes.cap = s->next_nodes.cap;
		s->next_nodes.v = v;
		s->next_nodes.n = 0;
		s->next_nodes.cap = cap;
		qsort(s->nodes.v, s->nodes.n, sizeof(*s->nodes.v), by_node_block);
		s->work = scan_nodes;
		return crew_layout(s, s->nodes.n, node_block, one_block);
	}
	if (s->work != scan_xattrs && s->xattrs.n) {
		qsort(s->xattrs.v, s->xattrs.n, sizeof(*s->xattrs.v), by_xattr_block);
		s->work = scan_xattrs;
		return crew_layout(s, s->xattrs.n, xattr_block, one_block);
	}
	*more = false;
	return true;
}

static bool step_nodes(struct scan *s, struct err *err)
{
	bool more = true;

	if (s->unit_at == s->units.n && !layout_nodes(s, &more))
		return err_nomem(err);
	if (!more) {
		next_phase(s, SCAN_DIRS);
		return true;
	}
	return crew_step(s, err);
}

/* --- directories --- */

static int by_dir_block(const void *a, const void *b)
{
	const struct dir_run *x = a, *y = b;

	return x->block < y->block ? -1 : x->block > y->block;
}

static blkno_t dir_block(const struct scan *s, size_t i)
{
	return s->dirs.v[i].block;
}

static uint32_t dir_len(const struct scan *s, size_t i)
{
	return s->dirs.v[i].len;
}

/* Long runs are cut, so that no read is larger than a unit. */
static bool cut_dir_runs(struct scan *s)
{
	uint32_t max = UNIT_BYTES / s->v->geom.block_size;

	for (size_t i = 0; i < s->dirs.n; i++)
		if (s->dirs.v[i].len > max) {
			struct dir_run rest = s->dirs.v[i];

			rest.block += max;
			rest.len -= max;
			s->dirs.v[i].len = max;
			if (!vec_push(&s->dirs, rest))
				return false;
		}
	return true;
}

struct inline_dir {
	struct scan *s;
	inum_t dir;
};

static bool inline_entry(void *arg, const char *name, size_t len, inum_t ino,
			 enum inode_type type)
{
	struct inline_dir *d = arg;

	(void)name, (void)len, (void)type;
	model_set_parent(d->s->model, ino, d->dir);
	return true;
}

static void read_inline_dirs(struct scan *s)
{
	for (size_t i = 0; i < s->inline_dirs.n; i++) {
		struct inline_dir d = {s, s->inline_dirs.v[i]};
		struct err err = ERR_INIT;

		if (!dir_list(s->v, d.dir, inline_entry, &d, &err))
			flaw_add(&s->flaws, BLKNO_NONE, d.dir, "%.150s", err.msg);
	}
}

static bool step_dirs(struct scan *s, struct err *err)
{
	if (!s->begun) {
		s->begun = true;
		if (!cut_dir_runs(s))
			return err_nomem(err);
		if (s->dirs.n)
			qsort(s->dirs.v, s->dirs.n, sizeof(*s->dirs.v), by_dir_block);
		s->work = scan_dirs;
		if (!crew_layout(s, s->dirs.n, dir_block, dir_len))
			return err_nomem(err);
		read_inline_dirs(s);
	}
	if (!crew_step(s, err))
		return false;
	if (s->unit_at == s->units.n)
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
	vec_release(&s->dirs); /* memory that the seal can use */
	vec_release(&s->nodes);
	vec_release(&s->next_nodes);
	vec_release(&s->xattrs);
	if (!model_seal(s->model, s->used, s->readers, &s->flaws, err))
		return false;
	free(s->used);
	s->used = NULL;
	forbid_if_flawed(s);
	return true;
}

/* --- the outside --- */

enum scan_state scan_step(struct scan *s, struct err *err)
{
	static bool (*const steps[])(struct scan *, struct err *) = {
		step_bitmaps, step_inodes, step_nodes, step_dirs, step_seal};
	bool last = s->phase == SCAN_SEAL;

	if (!steps[s->phase](s, err))
		return SCAN_FAILED;
	return last ? SCAN_DONE : SCAN_MORE;
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
