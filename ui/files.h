/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files.h - the file list: which files, in which order. 4 bytes a file. */
#ifndef UI_FILES_H
#define UI_FILES_H

#include "ui/app.h"

enum files_sort {
	SORT_FRAGMENTS,
	SORT_SIZE,
	SORT_INODE,
	SORT_FIRST,
	SORT_NAME,
	SORT_COUNT
};

struct files {
	VEC(inum_t) list; /* sorted */
	enum files_sort sort;
	bool reverse;
	bool only_fragmented;
	size_t cursor, top; /* indices into list */
	uint64_t total;	    /* files that the volume has; list may be cut at FILES_MAX */
	struct files_build *build; /* a rebuild under way, or NULL */
};
#define FILES_MAX 4000000u

struct files *files_new(void);
void files_free(struct files *f);
/* Rebuilds list and order from the model; keeps the cursor on the same inode. */
bool files_refresh(struct files *f, struct app *a, struct err *err);
/* The same in slices, so that keys are heard meanwhile: begin, then step for as long as
 * it leaves files_busy. The old list stands until the new one is whole. */
bool files_begin(struct files *f, struct app *a, struct err *err);
bool files_step(struct files *f, struct app *a, struct err *err);
bool files_busy(const struct files *f);
/* Percent of the rebuild under way. */
unsigned files_percent(const struct files *f, const struct app *a);
/* Forgets the list and any rebuild: the model goes. */
void files_clear(struct files *f);
/* The same in another order; a cursor at the top stays at the top. */
bool files_set_sort(struct files *f, struct app *a, enum files_sort sort, bool reverse,
		    struct err *err);
const char *files_sort_name(enum files_sort sort);
/* Puts the cursor on ino if it is in the list. */
void files_goto(struct files *f, inum_t ino);

#endif
