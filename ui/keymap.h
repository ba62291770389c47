/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * keymap.h - the one table of keys. Dispatch, help overlay and function bar are all read
 * from it, so that they cannot disagree.
 *
 * A key is a command line, a motion of a pane, or one of the few things that only a
 * screen can do (focus, prompt, help...). Rows whose verb the command table lacks do not
 * exist: they neither work nor show.
 */
#ifndef UI_KEYMAP_H
#define UI_KEYMAP_H

#include "ui/pane.h"

/* Where a row holds. */
#define IN_MAP	   0x01u
#define IN_FILES   0x02u
#define IN_INSPECT 0x04u
#define IN_PLAN	   0x08u
#define IN_JOBS	   0x10u
#define IN_JOURNAL 0x20u
#define IN_LOG	   0x40u
#define IN_TREE	   0x80u
#define IN_BOTTOM  (IN_PLAN | IN_JOBS | IN_JOURNAL | IN_LOG | IN_TREE)
#define IN_LISTS   (IN_FILES | IN_INSPECT | IN_BOTTOM)
#define IN_ALL	   (IN_MAP | IN_LISTS)

enum keymap_act {
	ACT_PANE,     /* a motion of the pane that has the focus */
	ACT_MAP,      /* the map does it, whichever pane has the focus */
	ACT_LINE,     /* runs `line`; "{file}" stands for the file at hand */
	ACT_ASK_LINE, /* asks first */
	ACT_REPEAT,   /* the last line that made a plan */
	ACT_TAG,
	ACT_INSPECT,
	ACT_SORT,
	ACT_REVERSE,
	ACT_FOCUS_NEXT,
	ACT_FOCUS_PREV,
	ACT_TAB_NEXT,
	ACT_TAB_PREV,
	ACT_TAB,    /* by the number in the key: M-1... */
	ACT_PROMPT, /* with `line` typed already, if it has one */
	ACT_HELP,
	ACT_MARK, /* waits for a letter */
	ACT_BACK,
	ACT_QUIT,
	ACT_REDRAW,
	ACT_SUSPEND
};

/* After a `g`. */
#define KEY_AFTER_G(c) (0x400000 + (c))
#define KEYMAP_KEYS    10

struct keymap_row {
	int keys[KEYMAP_KEYS]; /* 0-terminated unless full */
	unsigned where;
	enum keymap_act act;
	const char *line;
	const char *name; /* the keys as help prints them */
	const char *help;
	const char *bar; /* label in the function bar: one of the keys is F1..F10 */
};

extern const struct keymap_row keymap_table[];
extern const size_t keymap_count;

/* The row that a key has in a place (one IN_ bit), or NULL. */
const struct keymap_row *keymap_find(int key, unsigned where);
/* False if the row runs a verb that does not exist. */
bool keymap_exists(const struct keymap_row *row);
/* The IN_ bit of the pane that has the focus. */
unsigned keymap_where(const struct app *a);
/* What IN_ bits are called in help: "Map", "Files"... */
const char *keymap_where_name(unsigned where);

#endif
