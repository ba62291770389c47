/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * place.h - the figures that AIX's `place` and `fileplace` print, for any set of files.
 *
 * Of one file with N blocks in G strict runs that span [min, max] on the volume:
 *   space efficiency     N / (max - min + 1)
 *   space sequentiality  (N - G + 1) / N
 * (IBM's fileplace: 868 blocks over 956 are 90.8 %, in 3 runs 99.8 %.) Of many files the
 * arithmetic and the geometric mean over those that own blocks; overall = 100 (worst -
 * fragments) / (worst - best), 0/0 = 100. Only data counts; directories are files.
 */
#ifndef CORE_PLACE_H
#define CORE_PLACE_H

#include "core/model.h"

struct place_file {
	uint64_t blocks, span; /* max - min + 1, in blocks */
	uint32_t fragments;    /* its own tree blocks in between do not part them ... */
	uint32_t strict;       /* ... here they do: runs in the sense of AIX */
};

struct place {
	uint64_t inodes;    /* looked at, with or without blocks */
	uint64_t best;	    /* those that own blocks */
	uint64_t worst;	    /* their blocks */
	uint64_t fragments; /* as metric.h counts them */
	uint64_t strict;
	double efficiency_sum, efficiency_ln;
	double sequentiality_sum, sequentiality_ln;
};

enum place_mean { PLACE_ARITHMETIC, PLACE_GEOMETRIC };

/* Runs as model_runs() gives them. False: no data of a user in them. */
bool place_of_file(const struct run *runs, size_t n, struct place_file *out);
double place_file_efficiency(const struct place_file *f);
double place_file_sequentiality(const struct place_file *f);

/* Adds an inode; f NULL: one without blocks. */
void place_add(struct place *p, const struct place_file *f);
/* In percent; 100 where no file owns blocks. */
double place_efficiency(const struct place *p, enum place_mean mean);
double place_sequentiality(const struct place *p, enum place_mean mean);
double place_overall(const struct place *p);
/* e4defrag's score: 8r up to r = 10, else 80 + r/5; r = 100 (fragments - best) / blocks. */
double place_e4defrag(const struct place *p);

/* --- tables: one row a directory or a block group --- */

enum place_key {
	PLACE_BY_DIRECTORY, /* key: inode of the directory, 0 = no known name */
	PLACE_BY_GROUP,	    /* key: block group of the file's first block */
};
struct place_row {
	uint64_t key;
	struct place place;
};
struct place_table {
	VEC(struct place_row) rows;
	struct place total;
};

/* inos NULL: all inodes in use but those of the system. Rows by falling number of
 * fragments above the best case, then by key. False: out of memory. */
bool place_tabulate(const struct model *m, const inum_t *inos, size_t n,
		    enum place_key key, struct place_table *out);
bool place_total(const struct model *m, const inum_t *inos, size_t n, struct place *out);
void place_table_release(struct place_table *t);

#endif
