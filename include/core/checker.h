/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * checker.h - what a file system checker has to read of a volume, and what that costs.
 *
 * In the order of e2fsck: inode tables with the map blocks of their files (pass 1), in the
 * order of inodes; directory blocks in the order of the disk (pass 2); bitmaps (pass 5).
 * Checked: lengths, jumps and distances in blocks, seconds of a modelled disk.
 */
#ifndef CORE_CHECKER_H
#define CORE_CHECKER_H

#include "core/disk.h"

enum checker_phase {
	CHECKER_TABLES, /* without the part of each table behind its last inode in use */
	CHECKER_MAPS,	/* extent-tree and indirect blocks */
	CHECKER_DIRS,
	CHECKER_BITMAPS,
	CHECKER_PHASES
};
extern const char *const checker_phase_name[CHECKER_PHASES];

struct checker {
	struct disk_walk phase[CHECKER_PHASES];
	double packed_ms[CHECKER_PHASES]; /* its blocks in one stretch */
	uint64_t table_blocks;	/* of all tables: what is read without trimming */
	double untrimmed_ms;	/* CHECKER_TABLES then */
	group_t groups_skipped; /* with no inode in use */
};

/* False: out of memory. */
bool checker_compute(const struct model *m, const struct disk *disk, struct checker *out);

#endif
