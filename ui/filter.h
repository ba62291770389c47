/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * filter.h - which files: "frag>4 size<1M name~*.log | type=dir".
 *
 *   filter = clause { "|" clause }        one clause must hold
 *   clause = { term }                     all its terms must hold
 *   term   = ["!"] KEY OP VALUE | TEXT    TEXT alone: path~TEXT
 *
 * Keys may be shortened as long as they stay clear. Numbers: fragments (frags), ideal,
 * excess (fragments over the ideal), size (bytes: 4k, 1M), blocks, inode, first (block),
 * group (of the first block), score (layout score, percent), age (since the last use: 30
 * days, 12h, 2w, 1y); with > >= < <= = !=. Words: type (file, dir, link), name (the last
 * part of the path), path; with = != ~ !~. ~ is a pattern if it holds * ? or [, else a
 * part; without letters in upper case, upper and lower case are the same.
 */
#ifndef UI_FILTER_H
#define UI_FILTER_H

#include "core/heat.h"
#include "ui/app.h"

enum filter_key {
	FILTER_FRAGMENTS,
	FILTER_IDEAL,
	FILTER_EXCESS,
	FILTER_SIZE,
	FILTER_BLOCKS,
	FILTER_INODE,
	FILTER_FIRST,
	FILTER_GROUP,
	FILTER_SCORE,
	FILTER_AGE,
	FILTER_TYPE,
	FILTER_NAME,
	FILTER_PATH
};
enum filter_op {
	FILTER_EQUAL,
	FILTER_NOT_EQUAL,
	FILTER_LESS,
	FILTER_AT_MOST,
	FILTER_MORE,
	FILTER_AT_LEAST,
	FILTER_LIKE,
	FILTER_NOT_LIKE
};

struct filter_term {
	enum filter_key key;
	enum filter_op op;
	bool negated;
	unsigned clause;
	double number;	/* of numbers; enum inode_type of `type` */
	char text[200]; /* of name and path */
	bool exact;	/* upper and lower case differ */
};

struct filter {
	VEC(struct filter_term) terms; /* none: every file */
	char source[200];	       /* as it was typed */
	struct times_list times;       /* for `age`; see filter_prepare() */
	int64_t now;
};

/* Yes and no; unknown as long as the path is missing. */
enum filter_verdict { FILTER_NO, FILTER_YES, FILTER_UNKNOWN };

/* One file of the list: 24 bytes of it are kept for each. */
struct file_row {
	inum_t ino;
	uint32_t fragments, ideal;
	uint32_t blocks; /* UINT32_MAX: as many or more */
	blkno_t first;
};

/* ERR_USAGE with *at: byte of the faulty word in text (NULL: not wanted). */
bool filter_parse(const char *text, struct filter *out, int *at, struct err *err);
void filter_release(struct filter *f);
/* Fetches what the model does not hold: times of use. */
bool filter_prepare(struct filter *f, struct app *a, struct err *err);
bool filter_needs_names(const struct filter *f);
/* path NULL: not known (yet). */
enum filter_verdict filter_test(const struct filter *f, const struct model *m,
				const struct file_row *row, const char *path);
/* Layout score in percent of a file of so many blocks and fragments (metric.h). */
double filter_score(uint64_t blocks, uint32_t fragments);

/* The figures of a file, false: not one for lists (no data, or a system file). `runs` is
 * scratch memory; *oom is set if it ran out. */
bool file_row_get(const struct model *m, inum_t ino, struct run_list *runs,
		  struct file_row *out, bool *oom);
/* Appends all files for which the filter holds, by inode. Waits for names and times. */
bool filter_select(struct filter *f, struct app *a, struct inum_list *out,
		   struct err *err);
/* Keys with an operator, for completion: "frag> ..." */
extern const char filter_words[];

#endif
