/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * files.h - the file list: which files, in which order. 4 bytes a file, and 24 more to
 * sort and filter again at once (up to FILES_MAX files).
 */
#ifndef UI_FILES_H
#define UI_FILES_H

#include "ui/filter.h"

enum files_sort {
	SORT_FRAGMENTS,
	SORT_SIZE,
	SORT_INODE,
	SORT_FIRST,
	SORT_SCORE,
	SORT_BLOCKS,
	SORT_NAME,
	SORT_COUNT
};

struct files {
	VEC(inum_t) list; /* sorted */
	enum files_sort sort;
	bool reverse;
	bool only_fragmented;
	struct filter filter;
	size_t cursor, top; /* indices into list */
	uint64_t total;	    /* files that the volume has; list may be cut at FILES_MAX */

	/* What makes the next order cheap. */
	VEC(struct file_row) rows; /* by inode */
	bool rows_whole;
	VEC(uint32_t) rank;	   /* of rows, by path; empty: not known */
	struct files_build *build; /* a rebuild under way, or NULL */
};
#define FILES_MAX 4000000u

struct files *files_new(void);
void files_free(struct files *f);
/* Rebuilds list and order from the model, waiting for names where they decide; keeps the
 * cursor on the same inode. */
bool files_refresh(struct files *f, struct app *a, struct err *err);
/* The same in slices, so that keys are heard meanwhile: begin, then step for as long as
 * it leaves files_busy. The old list stands until the new one is whole. */
bool files_begin(struct files *f, struct app *a, struct err *err);
bool files_step(struct files *f, struct app *a, struct err *err);
bool files_busy(const struct files *f);
/* Nothing to do for the rebuild before the names that were asked for come. */
bool files_wait(const struct files *f, const struct app *a);
/* Percent of the rebuild under way. */
unsigned files_percent(const struct files *f, const struct app *a);
/* Forgets the list and any rebuild: the model goes. */
void files_clear(struct files *f);
/* Blocks have moved: figures are taken from the model next time. */
void files_forget(struct files *f);
/* The same files in another order; a cursor at the top stays at the top. On a terminal
 * what takes longer than a moment goes on in slices. */
bool files_set_sort(struct files *f, struct app *a, enum files_sort sort, bool reverse,
		    struct err *err);
/* Other files. Takes the filter over, NULL: all. */
bool files_set_filter(struct files *f, struct app *a, struct filter *filter,
		      struct err *err);
const char *files_sort_name(enum files_sort sort);
/* Do the largest figures come first unless reversed? */
bool files_sort_falls(enum files_sort sort);
/* Puts the cursor on ino if it is in the list. */
void files_goto(struct files *f, inum_t ino);

#endif
