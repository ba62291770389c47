/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prompt.h - the command line: all of GNU readline, and nothing else knows of it.
 *
 * Readline edits, keeps the history and searches it; it never touches the terminal: bytes
 * come from prompt_key() and prompt_feed(), the line goes into a canvas. Readline is
 * global to the process, so there is one prompt. Needs setlocale() before prompt_init().
 */
#ifndef UI_PROMPT_H
#define UI_PROMPT_H

#include "ui/app.h"
#include "ui/canvas.h"

#define PROMPT_HISTORY_MAX 1000

enum prompt_result {
	PROMPT_MORE,   /* still being edited */
	PROMPT_LINE,   /* done: prompt_take() has the line */
	PROMPT_CANCEL, /* given up */
};

/* history: file that history is read from and appended to, NULL = none. Only ERR_NOMEM
 * and ERR_IO (no null device) can happen; an unreadable history is an empty one. */
bool prompt_init(struct app *a, const char *history, struct err *err);
/* Shortens the history file. */
void prompt_release(void);
/* The default place, appended to out: $XDG_STATE_HOME/cdefrag/history or
 * ~/.local/state/..., its folder created; under sudo root's own home. False: none. */
bool prompt_history_path(struct str *out);

/* Starts editing with this text in the line. */
void prompt_open(const char *text);
bool prompt_active(void);
/* Forgets the line. */
void prompt_cancel(void);
/* One key of input.h. */
enum prompt_result prompt_key(int key);
/* Raw bytes as a terminal would send them; stops at the end of the line. */
enum prompt_result prompt_feed(const char *bytes, size_t n);
/* Inserts pasted text; line ends and other control characters become blanks. */
void prompt_paste(const char *text);
/* The finished line, to be freed by the caller; NULL if there is none. */
char *prompt_take(void);

/* What is on show; pointers hold until the next key. */
struct prompt_look {
	const char *prompt; /* with readline's marks \001 and \002 */
	const char *line;
	size_t len, point;	  /* bytes, in the locale's encoding */
	const char *const *words; /* completions, in a list above the line */
	size_t word_count;
	int word_at; /* the one that is in the line, -1 none */
};
/* False: nothing is being edited. */
bool prompt_look(struct prompt_look *look);

/* Draws the line into `line` (one row) and puts the canvas cursor there; completions into
 * the last rows of `above`. */
void prompt_draw(const struct app *a, const struct view *line, const struct view *above);

#endif
