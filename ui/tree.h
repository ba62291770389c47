/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * tree.h - directories with what they hold and what reading it costs, hot ones first; and
 * the trace that heat can be taken from instead of access times.
 */
#ifndef UI_TREE_H
#define UI_TREE_H

#include "core/rollup.h"
#include "ui/app.h"

enum tree_sort {
	TREE_HEAT,
	TREE_EXCESS,
	TREE_READ,
	TREE_FRAGMENTS,
	TREE_BLOCKS,
	TREE_FILES,
	TREE_NAME,
	TREE_SORTS
};

struct tree {
	inum_t dir; /* that is shown */
	bool flat;  /* all directories of the volume instead, each with its own tree */
	enum tree_sort sort;
	struct rollup rows; /* on show, in order */
	size_t cursor, top;

	struct rollup dirs; /* of the whole volume */
	bool ready;	    /* dirs is of the model as it is */
	struct times_list times;
	int64_t now;
	VEC(struct rollup_use) used; /* by a trace, sorted */
	bool traced;
};

struct tree *tree_new(void);
void tree_free(struct tree *t);
/* The model goes. */
void tree_clear(struct tree *t);
/* Blocks have moved: sums are worked out again when they are next shown. */
void tree_forget(struct tree *t);

/* Works out what is to be shown, unless it is there. Times and (for the order by name)
 * paths are waited for. */
bool tree_ready(struct app *a, struct err *err);
/* Shows a directory, or (flat) all; in that order. */
bool tree_show(struct app *a, inum_t dir, bool flat, enum tree_sort sort,
	       struct err *err);
const char *tree_sort_name(enum tree_sort sort);

/* Heat from a trace: lines that are paths, or lines of fatrace or strace with paths in
 * them. strip: taken off the front of paths (where the volume was mounted), or NULL.
 * Says how many were found; NULL text: access times again. */
bool tree_trace(struct app *a, const char *text, const char *strip, struct err *err);
/* The path in a line of a trace, malloc'd; NULL: none. */
char *trace_path(const char *line, size_t len);

#endif
