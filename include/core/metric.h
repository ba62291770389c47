/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * metric.h - the figures that a volume is judged by.
 *
 * All are sums over files plus the free space, so a plan's "after" is the "before" with
 * the moved files taken out and put back in their new shape.
 *
 * Definitions:
 *
 * - Fragment: a maximal stretch of a file's blocks, in logical order, each physically
 *   right after the one before (extent_fragments).
 * - Best, worst: files that own a block; all their blocks.
 * - Layout score: share of a file's blocks after its first that directly follow their
 *   predecessor; files of one block are left out; the volume's is weighted by blocks
 *   (Smith and Seltzer, 1997).
 * - Read time: each file read once: a jump to its first block and at each gap inside,
 *   bytes / rate; short gaps ahead are read over at the rate. The disk is disk_now().
 */
#ifndef CORE_METRIC_H
#define CORE_METRIC_H

#include "core/freemap.h"

struct metrics {
	uint64_t inodes_used;
	uint64_t files; /* regular files, with or without blocks */
	uint64_t directories;
	uint64_t best;	/* files and directories that own blocks (one fragment each) */
	uint64_t ideal; /* sum of model_ideal over them: what fixed metadata allows */
	uint64_t worst; /* their blocks */
	uint64_t fragments;
	uint64_t files_fragmented;   /* more fragments than their ideal */
	uint64_t pairs, pairs_close; /* layout score = pairs_close / pairs */
	double read_time_ms;
	uint64_t free_blocks, free_runs, largest_hole_blocks;
};

/* Only data kinds of users count (owner FILE, DIR, SYMLINK, EA_INODE). */
void metrics_compute(const struct model *m, struct metrics *out);

/* One file's share: adds (sign +1) or takes away (-1) the figures that depend on its
 * layout. ideal: model_ideal of its blocks. */
void metrics_count_file(struct metrics *t, const struct run *runs, size_t n,
			uint32_t ideal, uint32_t block_size, int sign);
void metrics_set_free(struct metrics *t, const struct freemap *f);
/* Counts the free space anew; what depends on files stays as it is. */
void metrics_count_free(const struct model *m, struct metrics *t);

/* 1.0 when no file has more than one block. */
double metrics_layout_score(const struct metrics *t);
/* 100 (worst - fragments) / (worst - best); 100 where 0/0. */
double metrics_overall(const struct metrics *t);
/* Modelled milliseconds to read one file (runs as of model_runs). */
double metrics_read_ms(const struct run *runs, size_t n, uint32_t block_size);
/* Percent of files with blocks that are fragmented. */
double metrics_percent_fragmented(const struct metrics *t);

#endif
