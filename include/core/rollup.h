/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rollup.h - what directories hold, with all below them: blocks, fragments, what reading
 * them costs, and how much of that is used.
 *
 * heat = sum over the files of (excess read time in ms x weight), where the weight says
 * how much a file is used: 0.5 ^ (age / half-life) by access times, or how often it was
 * opened in a trace. Read time and excess as in heat.h.
 */
#ifndef CORE_ROLLUP_H
#define CORE_ROLLUP_H

#include "core/heat.h"
#include "core/strategy.h"

struct rollup_row {
	inum_t ino;
	enum inode_type type;
	uint64_t files; /* files and directories that own blocks, itself included */
	uint64_t blocks, fragments;
	uint64_t excess_fragments; /* over the ideals */
	uint64_t jumps;		   /* seeks inside files */
	double read_ms, excess_ms, heat;
	double age_days; /* of what was used last; < 0: not known */
};

struct rollup_options {
	const struct disk *disk;
	const struct times_list *times; /* may be empty */
	int64_t now;
	double half_life_days; /* > 0 */
	/* Instead of ages, if not NULL: how often an inode was used; sorted by inode. */
	const struct rollup_use {
		inum_t ino;
		uint32_t count;
	} * used;
	size_t used_n;
};

struct rollup {
	struct rollup_row *v; /* one a directory, by inode: its tree */
	size_t n, cap;
};

/* All directories. What has no known parent belongs to none; a loop of directories is cut
 * somewhere. False: out of memory. */
bool rollup_compute(const struct model *m, const struct rollup_options *opt,
		    struct rollup *out);
void rollup_release(struct rollup *r);
/* NULL: not a directory. */
const struct rollup_row *rollup_dir(const struct rollup *r, inum_t ino);
/* One file alone. False: out of memory. */
bool rollup_file(const struct model *m, const struct rollup_options *opt, inum_t ino,
		 struct run_list *runs, struct rollup_row *out);
/* What lies directly in dir, appended to out: files that own blocks, and directories
 * with their trees. False: out of memory. */
bool rollup_children(const struct model *m, const struct rollup_options *opt,
		     const struct rollup *r, inum_t dir, struct rollup *out);

#endif
