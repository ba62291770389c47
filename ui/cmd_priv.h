/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_priv.h - what the files cmd*.c share: words, options, targets, handlers. */
#ifndef UI_CMD_PRIV_H
#define UI_CMD_PRIV_H

#include <stdarg.h>
#include <stdio.h>
#include "ui/cmd.h"

/* --- cmd_parse.c --- */

enum parse_state { PARSE_END, PARSE_COMMAND, PARSE_BAD };

/* One command as words. buf: as long as the line plus its number of words and one. */
struct cmd_words {
	char *buf;
	int n;
	const char *word[CMD_WORDS_MAX];
	int at[CMD_WORDS_MAX], end[CMD_WORDS_MAX]; /* where it stands in the line */
	char open; /* the quote that the last word lacks; '\0': none */
};
/* The next command of a line from *at on; *at moves behind it. */
enum parse_state cmd_parse(const char *line, size_t *at, struct cmd_words *out,
			   struct err *err);

/* Takes an option without a value out of the words; true if it was there. */
bool cmd_flag(struct cmd_call *c, const char *name);
/* Takes "--name VALUE" or "--name=VALUE" out; *value NULL: not given. */
bool cmd_option(struct cmd_call *c, const char *name, const char **value,
		struct err *err);
/* After the options: are there min to max words? */
bool cmd_args(struct cmd_call *c, int min, int max, struct err *err);
bool cmd_number(struct cmd_call *c, int i, uint64_t min, uint64_t max, uint64_t *out,
		struct err *err);
/* ERR_USAGE about word i (-1: none). Always false. */
bool cmd_bad(struct cmd_call *c, int i, struct err *err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* "a", "a,b" (b included), "a+len", "gN", "region" or "sel"; a and b are block numbers or
 * marks ('x). False with err clear: it is something else. Needs a model. */
bool cmd_range(const struct app *a, const char *word, struct range *out, struct err *err);

/* --- target.c --- */

/* All words as targets ("ino" and a number count as one); none: `otherwise`. */
bool cmd_targets(struct app *a, struct cmd_call *c, const char *otherwise,
		 struct inum_list *out, struct err *err);
/* The words as one inode: a directory means itself. */
bool cmd_inode(struct app *a, struct cmd_call *c, inum_t *out, struct err *err);
/* The inode of a path inside the volume, 0 with err. */
inum_t cmd_lookup(struct app *a, const char *path, struct err *err);
/* The words with blanks between, for titles. */
void cmd_words_text(const struct cmd_call *c, struct str *out);

/* --- printing, cmd_report.c --- */

/* The path of an inode, safe to print; names must have been fetched. */
void cmd_print_name(struct app *a, inum_t ino);
void cmd_print_change(struct app *a, const struct metrics *before,
		      const struct metrics *after);
void cmd_print_flaws(struct app *a);

/* "120x40". */
bool cmd_parse_size(const char *text, int *rows, int *cols);
struct canvas;
/* The whole screen with every name that it shows. */
void cmd_draw(struct app *a, struct canvas *canvas);
/* The size of the screen, 24 x 80 without one. */
void cmd_screen_size(const struct app *a, int *rows, int *cols);

/* The folder of the undo journals, made if it is missing. */
bool cmd_state_folder(struct str *out, struct err *err);

/* --- handlers --- */

#define HANDLER(name) bool name(struct app *a, struct cmd_call *c, struct err *err)
HANDLER(cmd_alias);
HANDLER(cmd_analyze);
HANDLER(cmd_arrange);
HANDLER(cmd_bind);
HANDLER(cmd_blocks);
HANDLER(cmd_check);
HANDLER(cmd_clone);
HANDLER(cmd_close);
HANDLER(cmd_color);
HANDLER(cmd_compact);
HANDLER(cmd_compare);
HANDLER(cmd_compare_runs);
HANDLER(cmd_defrag);
HANDLER(cmd_demo);
HANDLER(cmd_echo);
HANDLER(cmd_evacuate);
HANDLER(cmd_explain);
HANDLER(cmd_features);
HANDLER(cmd_files);
HANDLER(cmd_filter);
HANDLER(cmd_gap);
HANDLER(cmd_goto);
HANDLER(cmd_groups);
HANDLER(cmd_help);
HANDLER(cmd_hole);
HANDLER(cmd_image);
HANDLER(cmd_info);
HANDLER(cmd_iotrace);
HANDLER(cmd_journal);
HANDLER(cmd_lab);
HANDLER(cmd_lesson);
HANDLER(cmd_log);
HANDLER(cmd_map);
HANDLER(cmd_mark);
HANDLER(cmd_marks);
HANDLER(cmd_move);
HANDLER(cmd_next);
HANDLER(cmd_open);
HANDLER(cmd_owner);
HANDLER(cmd_pack);
HANDLER(cmd_plan);
HANDLER(cmd_prev);
HANDLER(cmd_quit);
HANDLER(cmd_readtest);
HANDLER(cmd_record);
HANDLER(cmd_redo);
HANDLER(cmd_replay);
HANDLER(cmd_region);
HANDLER(cmd_report);
HANDLER(cmd_restore);
HANDLER(cmd_run);
HANDLER(cmd_search);
HANDLER(cmd_select);
HANDLER(cmd_set);
HANDLER(cmd_shot);
HANDLER(cmd_sort);
HANDLER(cmd_source);
HANDLER(cmd_spotlight);
HANDLER(cmd_step);
HANDLER(cmd_stop);
HANDLER(cmd_tag);
HANDLER(cmd_theme);
HANDLER(cmd_trace);
HANDLER(cmd_tree);
HANDLER(cmd_unalias);
HANDLER(cmd_unbind);
HANDLER(cmd_undo);
HANDLER(cmd_untag);
HANDLER(cmd_version);
HANDLER(cmd_volumes);
HANDLER(cmd_watch);
HANDLER(cmd_zoom);

#endif
