/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bind.h - what a user calls things: keys that run lines (`bind`), words that stand for
 * the beginning of a line (`alias`). They go before the tables of the program.
 */
#ifndef UI_BIND_H
#define UI_BIND_H

#include "ui/keymap.h"

struct user_key {
	struct keymap_row row; /* line: as typed; with ":" before it, it is left in the
				  prompt */
	char name[24];
	char label[12]; /* for the function bar */
	char *line;
};

struct user_alias {
	char name[24];
	char *line;
	bool busy; /* being run: its own name means the verb then */
};

/* A key by its name: "x", "^X", "M-x", "gx", "F5", "Space", "Enter", "Up"... False: there
 * is none. */
bool bind_parse_key(const char *name, int *key);

/* Lines are copied. `where`: IN_ bits. False: out of memory. */
bool bind_set(struct app *a, const char *name, int key, unsigned where, const char *line);
/* False: it was not bound. */
bool bind_unset(struct app *a, int key, unsigned where);
/* The row of a key: the user's, else the program's (keymap.h), else NULL. */
const struct keymap_row *bind_find(const struct app *a, int key, unsigned where);

bool alias_set(struct app *a, const char *name, const char *line);
bool alias_unset(struct app *a, const char *name);
/* NULL: none, or it is being run. */
struct user_alias *alias_find(struct app *a, const char *name);

void bind_release(struct app *a);

#endif
