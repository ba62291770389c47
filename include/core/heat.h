/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * heat.h - which files are worth moving first: those that are read slowly and used lately.
 *
 *   heat = excess read time in ms x 0.5 ^ (age in days / half-life)
 * Excess: what the modelled disk needs for the file as it lies, less one jump and its
 * bytes. Age: days since the last use, which is the later of atime and mtime (ctime where
 * both are 0). A file from the future has age 0.
 */
#ifndef CORE_HEAT_H
#define CORE_HEAT_H

#include "core/disk.h"

/* Seconds since 1970. */
struct inode_times {
	inum_t ino;
	int64_t atime, mtime, ctime;
};
struct times_list {
	struct inode_times *v; /* sorted by inode */
	size_t n, cap;
};
/* NULL if ino is not in the list. O(log n). */
const struct inode_times *times_find(const struct times_list *l, inum_t ino);
/* 0 if nothing is known. */
int64_t times_last_use(const struct times_list *l, inum_t ino);

struct heat_row {
	inum_t ino; /* of a file, or of a directory for the sum of its files */
	uint32_t files;
	uint64_t jumps;
	double excess_ms, age_days, heat; /* age of a directory: of its latest file */
};
struct heat_list {
	struct heat_row *v; /* by falling heat, then by inode */
	size_t n, cap;
};
struct heat_options {
	const struct disk *disk;
	int64_t now;
	double half_life_days; /* > 0 */
};
/* Files and directories with an excess > 0 go to `files`, the sums of their parents to
 * `dirs` (may be NULL). inos NULL: all but those of the system. False: out of memory. */
bool heat_compute(const struct model *m, const inum_t *inos, size_t n,
		  const struct times_list *times, const struct heat_options *opt,
		  struct heat_list *files, struct heat_list *dirs);

#endif
