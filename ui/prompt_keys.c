/* SPDX-License-Identifier: GPL-3.0-or-later */
/* prompt_keys.c - readline's key bindings: completion by the command table, history by
 * what starts alike, and what readline 8.2 cannot be trusted with. */
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include <readline/history.h>
#include <readline/readline.h>
#include "ui/cmd.h"
#include "ui/prompt_priv.h"

/* --- completion --- */

void prompt_close_list(void)
{
	cmd_completions_free(prompt.words, prompt.word_count);
	prompt.words = NULL;
	prompt.word_count = 0;
	prompt.word_at = -1;
}

bool prompt_text_fits(const char *text, size_t n)
{
	mbstate_t state;
	size_t at = 0, len;

	memset(&state, 0, sizeof(state));
	while (at < n) {
		len = mbrlen(text + at, n - at, &state);
		if (len == 0 || len > n - at)
			return false;
		at += len;
	}
	return true;
}

/* Bytes that all words start with, whole characters. */
static size_t common_prefix(char **words, size_t n)
{
	size_t len = strlen(words[0]);

	for (size_t i = 1; i < n; i++) {
		size_t k = 0;

		while (k < len && words[i][k] == words[0][k])
			k++;
		len = k;
	}
	while (len > 0 && ((unsigned char)words[0][len] & 0xC0) == 0x80)
		len--;
	return len;
}

/* Replaces the word before the cursor by n bytes of text. */
static void replace_word(const char *text, size_t n)
{
	char *copy;

	if (!prompt_text_fits(text, n))
		return;
	copy = strndup(text, n);
	if (!copy)
		return;
	rl_begin_undo_group();
	rl_delete_text(prompt.word_start, rl_point);
	rl_point = prompt.word_start;
	rl_insert_text(copy);
	rl_end_undo_group();
	free(copy);
}

static void complete_first(void)
{
	size_t n = 0, len;
	char **words = cmd_complete(prompt.app, rl_line_buffer, rl_point,
				    &prompt.word_start, &n);

	if (!words || n == 0 || prompt.word_start > rl_point) {
		cmd_completions_free(words, n);
		return;
	}
	if (n == 1) {
		len = strlen(words[0]);
		replace_word(words[0], len);
		if (len > 0 && !strchr("/=", words[0][len - 1]))
			rl_insert_text(" ");
		cmd_completions_free(words, n);
		return;
	}
	len = common_prefix(words, n);
	if ((int)len > rl_point - prompt.word_start)
		replace_word(words[0], len);
	prompt.words = words;
	prompt.word_count = n;
}

static void complete_next(int step)
{
	int n = (int)prompt.word_count;

	if (prompt.word_at < 0)
		prompt.word_at = step > 0 ? 0 : n - 1;
	else
		prompt.word_at = (prompt.word_at + step + n) % n;
	replace_word(prompt.words[prompt.word_at], strlen(prompt.words[prompt.word_at]));
}

/* Tab: completes as far as it is clear, then walks through the list. */
static int complete_forward(int count, int key)
{
	(void)count;
	(void)key;
	if (prompt.word_count > 0)
		complete_next(1);
	else
		complete_first();
	return 0;
}

static int complete_backward(int count, int key)
{
	(void)count;
	(void)key;
	if (prompt.word_count > 0)
		complete_next(-1);
	return 0;
}

/* --- history --- */

/* To the next older (step -1) or newer (1) line that starts with the text before the
 * cursor. */
static int history_alike(int step)
{
	int at = where_history(), i = at + step, point = rl_point;
	HIST_ENTRY **list = history_list();

	while (i >= 0 && i < history_length &&
	       strncmp(list[i]->line, rl_line_buffer, (size_t)point) != 0)
		i += step;
	if (i < 0 || i > history_length || (step < 0 && !list))
		return 0;
	if (step < 0)
		rl_get_previous_history(at - i, 0);
	else if (i > at)
		rl_get_next_history(i - at, 0);
	rl_point = point > rl_end ? rl_end : point;
	return 0;
}

static int older_alike(int count, int key)
{
	(void)count;
	(void)key;
	return history_alike(-1);
}

static int newer_alike(int count, int key)
{
	(void)count;
	(void)key;
	return history_alike(1);
}

/* --- bindings --- */

static void bind_keys(Keymap map)
{
	static const struct {
		const char *sequence;
		rl_command_func_t *fn;
	} keys[] = {
		{"\\e[3~", rl_delete},
		{"\\e[2~", rl_overwrite_mode},
		{"\\e[5~", older_alike},
		{"\\e[6~", newer_alike},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		rl_bind_keyseq_if_unbound_in_map(keys[i].sequence, keys[i].fn, map);
	rl_bind_keyseq_in_map("\\e[Z", complete_backward, map);
}

/* In readline 8.2 these free the undo list of a history line twice. The last one is in
 * the way of a hasty Alt+Enter; an inputrc can still choose vi. */
static void unbind_dangerous(void)
{
	rl_command_func_t *fns[] = {
		rl_operate_and_get_next,
		rl_noninc_forward_search,
		rl_noninc_reverse_search,
		rl_noninc_forward_search_again,
		rl_noninc_reverse_search_again,
		rl_history_search_backward,
		rl_history_search_forward,
		rl_history_substr_search_backward,
		rl_history_substr_search_forward,
		rl_vi_search,
		rl_vi_search_again,
		rl_vi_editing_mode,
	};
	Keymap maps[] = {emacs_standard_keymap, emacs_meta_keymap, vi_insertion_keymap,
			 vi_movement_keymap};

	for (size_t m = 0; m < sizeof(maps) / sizeof(maps[0]); m++)
		for (size_t i = 0; i < sizeof(fns) / sizeof(fns[0]); i++)
			rl_unbind_function_in_map(fns[i], maps[m]);
}

void prompt_bind_keys(void)
{
	bind_keys(emacs_standard_keymap);
	bind_keys(vi_insertion_keymap);
	unbind_dangerous();
	rl_bind_key_in_map('\t', complete_forward, emacs_standard_keymap);
	rl_bind_key_in_map('\t', complete_forward, vi_insertion_keymap);
	/* Listings of readline's own would be printed. */
	rl_bind_key_in_map('?', complete_forward, emacs_meta_keymap);
	rl_bind_key_in_map('=', complete_forward, emacs_meta_keymap);
	rl_bind_key_in_map('*', complete_forward, emacs_meta_keymap);
}

bool prompt_list_walked(void)
{
	return rl_last_func == complete_forward || rl_last_func == complete_backward;
}
