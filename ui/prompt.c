/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * prompt.c - GNU readline in callback mode, cut off from the terminal.
 *
 * What keeps readline away from it, in the order in which it matters:
 *   - rl_redisplay_function is set before rl_initialize(), which would otherwise load
 *     terminfo for itself and replace the cur_term of curses;
 *   - rl_change_environment = 0: LINES and COLUMNS in the environment would make curses
 *     deaf to every later resize;
 *   - no signal handlers, no prep and deprep functions;
 *   - rl_outstream is the null device: clear-screen, messages and some listings print
 *     there;
 *   - rl_getc_function takes from a byte queue. It is only called while the queue holds
 *     something: end of file would mean a lost line.
 */
#include "ui/prompt.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>
#include <readline/history.h>
#include <readline/readline.h>
#include "ui/pane.h"
#include "ui/prompt_priv.h"

struct prompt prompt = {.queue = STR_INIT, .word_at = -1};

/* --- the byte queue --- */

static int queue_getc(FILE *in)
{
	(void)in;
	if (prompt.taken >= prompt.queue.len)
		return EOF;
	return (unsigned char)prompt.queue.buf[prompt.taken++];
}

static int queue_waits(void)
{
	return prompt.taken < prompt.queue.len;
}

/* --- set-up --- */

static void no_redisplay(void)
{
	/* prompt_draw() looks at the line itself. */
}

/* Readline would complete names of files of the host. */
static char **no_completions(const char *text, int start, int end)
{
	(void)text;
	(void)start;
	(void)end;
	rl_attempted_completion_over = 1;
	return NULL;
}

static void set_up_readline(void)
{
	static const char *const variables[][2] = {
		{"bell-style", "none"},
		{"enable-bracketed-paste", "off"},
		{"show-mode-in-prompt", "off"},
		{"blink-matching-paren", "off"},
		{"echo-control-characters", "off"},
		{"mark-modified-lines", "off"},
		{"revert-all-at-newline", "on"},
	};

	rl_redisplay_function = no_redisplay;
	rl_getc_function = queue_getc;
	rl_input_available_hook = queue_waits;
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_change_environment = 0;
	rl_prep_term_function = NULL;
	rl_deprep_term_function = NULL;
	rl_instream = prompt.null;
	rl_outstream = prompt.null;
	rl_readline_name = "cdefrag";
	rl_attempted_completion_function = no_completions;
	rl_initialize();
	rl_set_screen_size(24, 4096); /* it scrolls nothing: prompt_draw() does */
	/* After the user's inputrc. */
	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++)
		rl_variable_bind(variables[i][0], variables[i][1]);
	prompt_bind_keys();
}

bool prompt_init(struct app *a, const char *history, struct err *err)
{
	char *path = history ? strdup(history) : NULL;

	if (history && !path)
		return err_nomem(err);
	if (!prompt.ready) {
		prompt.null = fopen("/dev/null", "r+e");
		if (!prompt.null) {
			err_set_errno(err, ERR_IO, errno, "cannot open /dev/null");
			free(path);
			return false;
		}
		set_up_readline();
		using_history();
		prompt.ready = true;
	}
	free(prompt.history);
	prompt.history = path;
	prompt.app = a;
	prompt.word_at = -1;
	clear_history();
	stifle_history(PROMPT_HISTORY_MAX);
	if (path)
		read_history(path);
	return true;
}

void prompt_release(void)
{
	if (!prompt.ready)
		return;
	prompt_cancel();
	if (prompt.history)
		history_truncate_file(prompt.history, PROMPT_HISTORY_MAX);
	clear_history();
	free(prompt.history);
	prompt.history = NULL;
	str_release(&prompt.queue);
	prompt.taken = 0;
	prompt.app = NULL;
}

/* --- editing --- */

/* Called by readline with the finished line, NULL at end of file (^D). */
static void line_done(char *line)
{
	rl_callback_handler_remove();
	prompt.active = false;
	prompt.cancelled = !line;
	prompt.line = line;
}

void prompt_open(const char *text)
{
	if (!prompt.ready || prompt.active)
		return;
	free(prompt_take());
	str_clear(&prompt.queue);
	prompt.taken = 0;
	prompt.cancelled = false;
	prompt_close_list();
	rl_callback_handler_install(":", line_done);
	if (*text)
		rl_insert_text(text);
	prompt.active = true;
}

static bool searching(void)
{
	return RL_ISSTATE(RL_STATE_ISEARCH) || RL_ISSTATE(RL_STATE_NSEARCH);
}

bool prompt_active(void)
{
	return prompt.active;
}

static void read_byte(char byte)
{
	str_clear(&prompt.queue);
	prompt.taken = 0;
	str_addc(&prompt.queue, byte);
	rl_callback_read_char();
	str_clear(&prompt.queue);
	prompt.taken = 0;
}

void prompt_cancel(void)
{
	if (!prompt.ready)
		return;
	prompt_close_list();
	str_clear(&prompt.queue);
	prompt.taken = 0;
	if (!prompt.active)
		return;
	/* Readline frees what belongs to the line only where a line ends by itself: a
	 * search with ^G, the line with Enter. */
	if (searching())
		read_byte(KEY_CTRL('g'));
	rl_callback_sigcleanup(); /* a half-typed key */
	if (prompt.active)
		read_byte('\r');
	if (prompt.active) {
		prompt.active = false;
		rl_callback_handler_remove();
	}
	free(prompt_take());
}

char *prompt_take(void)
{
	char *line = prompt.line;

	prompt.line = NULL;
	return line;
}

static void remember(const char *line)
{
	HIST_ENTRY *last = history_length > 0
				   ? history_get(history_base + history_length - 1)
				   : NULL;
	int fd;

	if (strspn(line, " \t") == strlen(line) || (last && !strcmp(last->line, line)))
		return;
	add_history(line);
	if (!prompt.history)
		return;
	/* append_history() wants the file to exist. */
	fd = open(prompt.history, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return;
	close(fd);
	append_history(1, prompt.history);
}

/* Readline 8.2 in callback mode follows a null pointer when a prefix key other than
 * Escape comes during an incremental search. It means nothing there: dropped. */
static bool drop_prefix(void)
{
	unsigned char byte = (unsigned char)prompt.queue.buf[prompt.taken];

	if (!RL_ISSTATE(RL_STATE_ISEARCH) || byte == ESC ||
	    rl_get_keymap()[byte].type != ISKMAP)
		return false;
	prompt.taken++;
	return true;
}

enum prompt_result prompt_feed(const char *bytes, size_t n)
{
	if (!prompt.active)
		return PROMPT_CANCEL;
	str_addn(&prompt.queue, bytes, n);
	while (prompt.active && queue_waits()) {
		if (drop_prefix())
			continue;
		rl_callback_read_char();
		if (!prompt_list_walked())
			prompt_close_list();
	}
	str_clear(&prompt.queue);
	prompt.taken = 0;
	if (prompt.active)
		return PROMPT_MORE;
	prompt_close_list();
	if (prompt.cancelled || !prompt.line)
		return PROMPT_CANCEL;
	remember(prompt.line);
	return PROMPT_LINE;
}

static const char *key_sequence(int key)
{
	static const struct {
		int key;
		const char *sequence;
	} keys[] = {
		{KEY_UI_UP, "\033[A"},	    {KEY_UI_DOWN, "\033[B"},
		{KEY_UI_RIGHT, "\033[C"},   {KEY_UI_LEFT, "\033[D"},
		{KEY_UI_HOME, "\033[H"},    {KEY_UI_END, "\033[F"},
		{KEY_UI_INSERT, "\033[2~"}, {KEY_UI_DELETE, "\033[3~"},
		{KEY_UI_PGUP, "\033[5~"},   {KEY_UI_PGDN, "\033[6~"},
		{KEY_UI_BACKTAB, "\033[Z"}, {KEY_UI_BACKSPACE, "\177"},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].key == key)
			return keys[i].sequence;
	return NULL;
}

/* A character, with Escape before it for Alt, in the locale's encoding. */
static enum prompt_result feed_char(int key)
{
	char bytes[MB_LEN_MAX + 1];
	mbstate_t state = {0};
	size_t at = 0, n;

	if (key >= KEY_UI_META) {
		bytes[at++] = ESC;
		key -= KEY_UI_META;
	}
	n = wcrtomb(bytes + at, (wchar_t)key, &state);
	if (n == (size_t)-1)
		return PROMPT_MORE; /* the locale lacks it */
	return prompt_feed(bytes, at + n);
}

/* Escape: closes the list, then the search; in vi editing it belongs to readline. */
static enum prompt_result escape(void)
{
	if (prompt.word_count > 0) {
		prompt_close_list();
		return PROMPT_MORE;
	}
	if (searching() || rl_get_keymap() == vi_insertion_keymap)
		return prompt_feed("\033", 1);
	prompt_cancel();
	return PROMPT_CANCEL;
}

enum prompt_result prompt_key(int key)
{
	const char *sequence = key_sequence(key);

	if (!prompt.active)
		return PROMPT_CANCEL;
	if (key == ESC)
		return escape();
	if (key == KEY_CTRL('c') || (key == KEY_CTRL('g') && !searching())) {
		prompt_cancel();
		return PROMPT_CANCEL;
	}
	/* An emptied line goes away, as in vi. */
	if (key == KEY_UI_BACKSPACE && rl_end == 0 && !searching()) {
		prompt_cancel();
		return PROMPT_CANCEL;
	}
	if (sequence)
		return prompt_feed(sequence, strlen(sequence));
	if (key >= KEY_UI_BASE && key < KEY_UI_META)
		return PROMPT_MORE;
	return feed_char(key);
}

void prompt_paste(const char *text)
{
	char *copy;

	if (!prompt.active)
		return;
	if (searching())
		prompt_feed("\033", 1);
	copy = strdup(text);
	if (!copy || !prompt.active) {
		free(copy);
		return;
	}
	for (char *p = copy; *p; p++)
		if ((unsigned char)*p < 0x20 || *p == 0x7f)
			*p = ' ';
	if (prompt_text_fits(copy, strlen(copy)))
		rl_insert_text(copy);
	prompt_close_list();
	free(copy);
}

bool prompt_look(struct prompt_look *look)
{
	if (!prompt.active)
		return false;
	look->prompt = rl_display_prompt ? rl_display_prompt : ":";
	look->line = rl_line_buffer;
	look->len = (size_t)rl_end;
	look->point = (size_t)rl_point;
	look->words = (const char *const *)prompt.words;
	look->word_count = prompt.word_count;
	look->word_at = prompt.word_at;
	return true;
}
