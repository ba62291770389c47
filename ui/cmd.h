/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd.h - the command language: one table of verbs feeds parser, completion, help and
 * batch mode.
 *
 *   line    = command { ";" command } [ "#" comment ]
 *   command = VERB ["!"] { word | "quoted word" | --option[=value] }
 * Verbs may be shortened as long as they stay unique (exact aliases first). Handlers live
 * in cmd_*.c by topic.
 */
#ifndef UI_CMD_H
#define UI_CMD_H

#include "ui/app.h"

#define CMD_WORDS_MAX 32

struct cmd_call {
	const struct cmd *cmd;
	bool force; /* verb! */
	int argc;   /* words after the verb */
	const char *argv[CMD_WORDS_MAX];
	int at[CMD_WORDS_MAX]; /* column of each word in the line, for the caret */
	int bad; /* set by a handler: index of the word that is wrong, -1 none */
};

/* What a word of this verb can be, for completion. */
enum cmd_complete {
	COMPLETE_NONE,
	COMPLETE_VERB,
	COMPLETE_TARGET /* path in the volume, %, . */,
	COMPLETE_HOST_PATH,
	COMPLETE_THEME,
	COMPLETE_COLOR,
	COMPLETE_SORT,
	COMPLETE_FILTER,
	COMPLETE_ALIAS,
	COMPLETE_TREE,
	COMPLETE_MARK,
	COMPLETE_OPTION,
	COMPLETE_TAB
};

struct cmd {
	const char *verb;
	const char *args; /* "[TARGET...]" as help prints it */
	const char *help; /* one line, ends without a period */
	enum cmd_complete complete;
	const char *words; /* further words that an argument can be, or NULL */
	bool (*run)(struct app *a, struct cmd_call *call, struct err *err);
	bool forced; /* `verb!` means something of its own */
};

extern const struct cmd cmd_table[];
extern const size_t cmd_count;

/* Runs a whole line (several commands). Stops at the first failure: the error goes to
 * app_fail with a caret under the faulty word, the exit code is kept in the app. Returns
 * false on failure. */
bool cmd_run_line(struct app *a, const char *line);

/* The verb for a (shortened) word; NULL with ERR_USAGE "unknown command "foo"; did you
 * mean "fit"?" */
const struct cmd *cmd_find(const char *word, struct err *err);

/* Completions of the word that ends at `end` in `line`; each malloc'd, whole words;
 * sorted. Free with cmd_completions_free. *start receives the word's column. */
char **cmd_complete(struct app *a, const char *line, int end, int *start, size_t *n);
void cmd_completions_free(char **list, size_t n);

/* Shows what a copy that was started on a terminal has come to. */
void cmd_copied(struct app *a);

/* Resolves a target: "%" all, "." the file under the cursor, "@tags" or "@", "ino N",
 * "{frag>4 size<1M}" (filter.h), "/path", and the files that own a block of "a,b", "a+len", "gN", "region"; a directory stands for
 * its whole tree. Appends to out, each inode once. */
bool cmd_target(struct app *a, const char *word, struct inum_list *out, struct err *err);

#endif
