/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * input.h - bytes of a terminal in, keys, clicks and pastes out. No curses, no file
 * descriptor: the loop feeds it, tests feed it too.
 *
 * Understood: UTF-8; CSI and SS3 keys of xterm, tmux, screen, the Linux console and rxvt,
 * with modifiers ignored; what terminfo names beyond them (input_add_key); Escape or Alt
 * before a character; mouse reports in SGR (1006) and old (1000) form; bracketed paste
 * (2004). An Escape that nothing follows within INPUT_ESCAPE_MS is the Escape key.
 */
#ifndef UI_INPUT_H
#define UI_INPUT_H

#include "base/str.h"
#include "ui/pane.h"

#define INPUT_ESCAPE_MS 25
#define INPUT_DOUBLE_MS 400
#define INPUT_PASTE_MAX 65536u /* bytes; the rest of a longer paste is dropped */

enum input_kind { INPUT_KEY, INPUT_MOUSE, INPUT_PASTE };
struct input_event {
	enum input_kind kind;
	int key;	    /* a Unicode character or enum key */
	struct mouse mouse; /* places of the whole screen, from 0 */
	const char *text;   /* paste, valid until the next call; may hold any byte but NUL
			     */
};

struct input;
/* utf8: the terminal sends UTF-8, else bytes of the locale. NULL: out of memory. */
struct input *input_new(bool utf8);
void input_free(struct input *in);
/* A key sequence of this terminal (terminfo). False: out of memory. */
bool input_add_key(struct input *in, const char *sequence, int key);
/* False: out of memory, the bytes are lost. */
bool input_feed(struct input *in, const char *bytes, size_t n);
/* The next event, if a whole one is there; now: num_now_ms(), for double clicks. */
bool input_next(struct input *in, uint64_t now, struct input_event *ev);
/* Is the start of a sequence being held back? Then call input_timeout() if nothing comes
 * within INPUT_ESCAPE_MS, and input_next() again. */
bool input_waiting(const struct input *in);
void input_timeout(struct input *in);

#endif
