/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * screen_keys.c - what a key or a click does: prompt, question, help, then count and
 * prefix, then the key table.
 */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/bind.h"
#include "ui/cmd.h"
#include "ui/draw.h"
#include "ui/files.h"
#include "ui/lesson.h"
#include "ui/map_frame.h"
#include "ui/picker.h"
#include "ui/place.h"
#include "ui/preview.h"
#include "ui/prompt.h"
#include "ui/replay.h"
#include "ui/safety.h"
#include "ui/screen_priv.h"
#include "ui/tree.h"

#define ESC	  0x1b
#define COUNT_MAX 100000000

/* --- things that only a screen does --- */

void screen_focus(struct app *a, enum app_focus focus)
{
	a->focus = focus;
	if (focus != FOCUS_MAP)
		a->lower = focus;
}

static void focus_step(struct app *a, int step)
{
	screen_focus(
		a, (enum app_focus)(((int)a->focus + step + FOCUS_COUNT) % FOCUS_COUNT));
}

static void tab_to(struct app *a, enum app_tab tab)
{
	app_show_tab(a, tab);
	screen_focus(a, FOCUS_BOTTOM);
}

/* gt and gT go through the names in the line of tabs but the map. */
static void tab_step(struct app *a, const struct screen_layout *l, int step)
{
	struct screen_tab tabs[SCREEN_TABS_MAX];
	int n = screen_tabs(l, tabs), at = 1;

	for (int i = 1; i < n; i++)
		if (screen_tab_shown(a, l, &tabs[i]))
			at = i;
	at = (at - 1 + step + n - 1) % (n - 1) + 1;
	screen_show_tab(a, &tabs[at]);
}

static bool in_tree(const struct app *a)
{
	return a->focus == FOCUS_BOTTOM && a->tab == TAB_TREE && a->tree->ready &&
	       a->tree->cursor < a->tree->rows.n;
}

/* The file that a key is about: under the cursor of the pane, else the selected one. */
static inum_t file_at_hand(const struct app *a)
{
	const struct geom *g = a->model ? model_geom(a->model) : NULL;
	struct run r;

	if (!g)
		return 0;
	if (a->focus == FOCUS_FILES && a->files && a->files->cursor < a->files->list.n)
		return a->files->list.v[a->files->cursor];
	if (in_tree(a))
		return a->tree->rows.v[a->tree->cursor].ino;
	if (a->focus == FOCUS_MAP && a->map.cursor >= g->first_block &&
	    a->map.cursor < g->blocks) {
		model_at(a->model, a->map.cursor, &r);
		if (r.ino != 0)
			return r.ino;
	}
	return a->selected;
}

/* On the map a region is at hand before any file. */
static bool target_at_hand(const struct app *a, char *out, size_t size)
{
	inum_t ino = file_at_hand(a);

	if (a->focus == FOCUS_MAP && a->map.region.len > 0)
		snprintf(out, size, "region");
	else
		snprintf(out, size, "\"%s %u\"",
			 in_tree(a) && a->tree->rows.v[a->tree->cursor].type == INODE_DIR
				 ? "dir"
				 : "ino",
			 ino);
	return ino != 0 || out[0] == 'r';
}

static void run_line(struct app *a, const char *template)
{
	const char *mark = strstr(template, "{file}");
	struct str line = STR_INIT;
	char target[32] = "";

	a->message[0] = '\0';
	if (mark && !target_at_hand(a, target, sizeof(target))) {
		app_say(a, "no file here");
		return;
	}
	if (mark)
		str_addf(&line, "%.*s%s%s", (int)(mark - template), template, target,
			 mark + strlen("{file}"));
	else
		str_add(&line, template);
	a->repeat_fresh = false;
	if (line.oom)
		app_say(a, "out of memory");
	else
		cmd_run_line(a, line.buf);
	if (mark && a->repeat_fresh && target[0] != 'r')
		app_select(a, file_at_hand(a), false); /* where it is, where it goes */
	if (mark && a->repeat_fresh)
		snprintf(a->repeat, sizeof(a->repeat), "%s", template);
	str_release(&line);
}

static void repeat(struct app *a)
{
	char template[sizeof(a->repeat)];

	snprintf(template, sizeof(template), "%s", a->repeat);
	if (template[0])
		run_line(a, template);
	else
		app_say(a, "nothing was planned yet; d plans the file at hand");
}

/* What the last action was that an undo or redo would take, for the question. */
static void ask_line(struct app *a, const char *line)
{
	bool undo = !strcmp(line, "undo");
	const struct history_action *found = NULL;
	char text[200], forced[32];

	for (size_t i = 0; a->history && i < a->history->actions.n; i++) {
		const struct history_action *h = &a->history->actions.v[i];

		if (undo ? h->undone < h->batches : h->undone > 0) {
			found = h;
			if (!undo)
				break;
		}
	}
	if (a->job != 0) {
		app_say(a, "%s is running; ^C stops it", a->job_name);
		return;
	}
	if (a->history && !found) {
		app_say(a, "nothing to %s", line);
		return;
	}
	snprintf(text, sizeof(text), "%s \"%.80s\"?", line,
		 found ? found->name : "the last action");
	snprintf(forced, sizeof(forced), "%s!", line);
	app_ask(a, text, forced);
}

static void sort_by(struct app *a, enum files_sort sort, bool reverse)
{
	char line[64];

	snprintf(line, sizeof(line), "sort %s%s", files_sort_name(sort),
		 reverse ? "-" : "");
	cmd_run_line(a, line);
}

/* The next column on show: there is none for blocks. */
static enum files_sort next_sort(enum files_sort sort)
{
	int next = ((int)sort + 1) % SORT_COUNT;

	return (enum files_sort)(next == SORT_BLOCKS ? next + 1 : next);
}

static void tag_file(struct app *a)
{
	inum_t ino = file_at_hand(a);
	struct files *f = a->files;

	if (a->focus == FOCUS_MAP && a->map.region.len > 0) {
		cmd_run_line(a, "tag region");
		return;
	}
	if (ino == 0)
		return;
	if (in_tree(a) && a->tree->rows.v[a->tree->cursor].type == INODE_DIR) {
		run_line(a, app_is_tagged(a, ino) ? "untag {file}" : "tag {file}");
		return;
	}
	if (!app_tag(a, ino, !app_is_tagged(a, ino))) {
		app_say(a, "out of memory: not tagged");
		return;
	}
	/* On to the next, so that a row of files is tagged by holding the key. */
	if (a->focus == FOCUS_FILES && f->cursor + 1 < f->list.n)
		app_select(a, f->list.v[++f->cursor], false);
}

static void inspect(struct app *a, const struct screen_layout *l)
{
	inum_t ino = file_at_hand(a);

	if (ino == 0)
		return;
	app_select(a, ino, true);
	a->inspect_follow = true;
	if (!l->wide)
		screen_focus(a, FOCUS_INSPECT);
}

/* The letter after m or '. */
static void mark_key(struct app *a, int prefix, int letter)
{
	char line[32];

	a->message[0] = '\0';
	if (letter == ESC)
		return;
	if (letter > 0x7e || mark_index(letter) < 0 ||
	    (prefix == 'm' && letter == '\'')) {
		app_say(a, "a mark is one letter, a to z or A to Z");
		return;
	}
	snprintf(line, sizeof(line), prefix == 'm' ? "mark %c" : "goto \"'%c\"", letter);
	cmd_run_line(a, line);
}

/* Esc lets go of what was begun last: the region, the message, the pane. */
static void go_back(struct app *a)
{
	a->message[0] = '\0';
	if (a->focus == FOCUS_MAP && a->map.pick.len > 0)
		a->map.pick.len = 0;
	else if (a->focus == FOCUS_MAP)
		region_clear(a);
	screen_focus(a, FOCUS_MAP);
}

static void quit(struct app *a)
{
	char text[120];

	if (a->job != 0 && draw_job_writes(a)) {
		snprintf(text, sizeof(text),
			 "stop the %s at its next safe point and quit?", a->progress.job);
		app_ask(a, text, "quit!");
		return;
	}
	cmd_run_line(a, "quit!");
}

static void to_map(struct app *a, struct canvas *c, const struct screen_layout *l,
		   const struct keymap_row *row, int key)
{
	struct view v = screen_view(l, c, PART_MAP);

	/* A function key stands for the letter that its row starts with. */
	if (key >= KEY_UI_F1 && key <= KEY_UI_F10)
		key = row->keys[0];
	pane_map.key(a, key, a->key_count, &v);
	a->inspect_follow = true;
}

static void pane_key(struct app *a, struct canvas *c, const struct screen_layout *l,
		     int key)
{
	struct view v = screen_view(l, c, screen_part_of(l, a->focus));

	if (key == KEY_AFTER_G('g'))
		key = 'g';
	screen_pane(a, a->focus)->key(a, key, a->key_count, &v);
	if (a->focus == FOCUS_MAP)
		a->inspect_follow = true;
}

/* The screen's own part of the key table. */
static void screen_act(struct app *a, const struct screen_layout *l,
		       const struct keymap_row *row, int key)
{
	switch (row->act) {
	case ACT_REPEAT:
		repeat(a);
		break;
	case ACT_TAG:
		tag_file(a);
		break;
	case ACT_INSPECT:
		inspect(a, l);
		break;
	case ACT_SORT:
		if (a->files)
			sort_by(a, next_sort(a->files->sort), false);
		break;
	case ACT_REVERSE:
		if (a->files)
			sort_by(a, a->files->sort, !a->files->reverse);
		break;
	case ACT_FOCUS_NEXT:
	case ACT_FOCUS_PREV:
		focus_step(a, row->act == ACT_FOCUS_NEXT ? 1 : -1);
		break;
	case ACT_TAB_NEXT:
	case ACT_TAB_PREV:
		tab_step(a, l, row->act == ACT_TAB_NEXT ? 1 : -1);
		break;
	case ACT_TAB:
		tab_to(a, key >= KEY_UI_META ? (enum app_tab)(key - KEY_UI_META - '1')
					     : TAB_PLAN);
		break;
	case ACT_PROMPT:
		a->message[0] = '\0';
		prompt_open(row->line ? row->line : "");
		break;
	case ACT_HELP:
		a->help_open = true;
		a->help_scroll = 0;
		break;
	case ACT_MARK:
		a->key_prefix = key;
		break;
	case ACT_BACK:
		go_back(a);
		break;
	case ACT_QUIT:
		quit(a);
		break;
	case ACT_REDRAW:
		a->redraw = true;
		break;
	case ACT_SUSPEND:
		a->suspend = true;
		break;
	default:
		break;
	}
}

static void act(struct app *a, struct canvas *c, const struct screen_layout *l,
		const struct keymap_row *row, int key)
{
	switch (row->act) {
	case ACT_PANE:
		pane_key(a, c, l, key);
		break;
	case ACT_MAP:
		to_map(a, c, l, row, key);
		break;
	case ACT_LINE:
		run_line(a, row->line);
		break;
	case ACT_ASK_LINE:
		ask_line(a, row->line);
		break;
	default:
		screen_act(a, l, row, key);
		break;
	}
}

/* --- what stands before the key table --- */

static void edit_key(struct app *a, int key)
{
	char *line;

	enum prompt_result result = prompt_key(key);

	preview_after_key(a, result);
	if (result != PROMPT_LINE)
		return;
	line = prompt_take();
	if (line && line[strspn(line, " \t:")])
		cmd_run_line(a, line + strspn(line, " \t:"));
	free(line);
}

static void help_key(struct app *a, struct canvas *c, int key)
{
	struct view v = screen_help_view(c);

	if (key == 'q' || key == ESC || key == '?' || key == KEY_UI_F1 ||
	    key == KEY_UI_F10 || key == KEY_CTRL('c'))
		a->help_open = false;
	else
		pane_help.key(a, key == KEY_AFTER_G('g') ? 'g' : key, a->key_count, &v);
}

/* Digits and `g` before a key. True: the key is not complete yet. */
static bool prefix_key(struct app *a, int *key)
{
	if (a->key_prefix == 'm' || a->key_prefix == '\'') {
		mark_key(a, a->key_prefix, *key);
		a->key_prefix = a->key_count = 0;
		return true;
	}
	if (a->key_prefix == 'g') {
		a->key_prefix = 0;
		*key = KEY_AFTER_G(*key);
		return false;
	}
	if (*key == 'g') {
		a->key_prefix = 'g';
		return true;
	}
	if ((*key >= '1' && *key <= '9') || (*key == '0' && a->key_count > 0)) {
		if (a->key_count < COUNT_MAX)
			a->key_count = a->key_count * 10 + (*key - '0');
		return true;
	}
	return false;
}

static void follow_region(struct app *a, struct canvas *c, const struct screen_layout *l)
{
	struct view v = screen_view(l, c, PART_MAP);

	if (!l->too_small)
		map_region_follow(a, &v);
}

void screen_key(struct app *a, struct canvas *c, int key)
{
	const struct keymap_row *row;
	struct screen_layout l;

	screen_layout(&l, c->rows, c->cols);
	screen_settle(a, &l);
	if (key == KEY_CTRL('l') || key == KEY_CTRL('z')) {
		a->redraw = a->redraw || key == KEY_CTRL('l');
		a->suspend = a->suspend || key == KEY_CTRL('z');
		return;
	}
	if (prompt_active()) {
		edit_key(a, key);
		return;
	}
	if (safety_key(a, key))
		return;
	if (a->confirm_line) {
		app_answer(a, key == 'y' || key == 'Y');
		return;
	}
	if (a->picker) {
		struct view all = canvas_view(c);
		struct view list = view_part(&all, 0, 0, c->rows - 1, c->cols);

		picker_key(a, key, &list);
		return;
	}
	if (replay_key(a, key) || lesson_key(a, key) || prefix_key(a, &key))
		return;
	if (a->help_open) {
		help_key(a, c, key);
	} else {
		row = bind_find(a, key, keymap_where(a));
		/* Where there is nothing to see, only leaving makes sense. */
		if (row && (!l.too_small || row->act == ACT_QUIT))
			act(a, c, &l, row, key);
		follow_region(a, c, &l);
	}
	a->key_count = 0;
}
