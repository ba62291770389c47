/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prompt_priv.h - what prompt.c and prompt_keys.c share. */
#ifndef UI_PROMPT_PRIV_H
#define UI_PROMPT_PRIV_H

#include <stdio.h>
#include "ui/prompt.h"

/* Readline is global to the process, and so is this. */
struct prompt {
	struct app *app;
	bool ready; /* readline has been set up */
	bool active;
	FILE *null;
	struct str queue;
	size_t taken; /* bytes of the queue that readline has read */
	char *line;
	bool cancelled;
	char *history; /* path or NULL */
	char **words;  /* completions on show */
	size_t word_count;
	int word_start; /* where in the line they go */
	int word_at;	/* the one in the line, -1 none yet */
};
extern struct prompt prompt;

/* Bindings: completion, history, and what must not be bound. After rl_initialize(). */
void prompt_bind_keys(void);
/* Is text valid in the locale's encoding? Readline 8.2 can hang on a line that is not. */
bool prompt_text_fits(const char *text, size_t n);
void prompt_close_list(void);
/* Was the last key one that walks through the list of completions? */
bool prompt_list_walked(void);

#endif
