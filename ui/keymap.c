/* SPDX-License-Identifier: GPL-3.0-or-later */
/* keymap.c - the table of keys, see keymap.h. */
#include "ui/keymap.h"
#include <string.h>
#include "ui/cmd.h"

#define UP	KEY_UI_UP
#define DOWN	KEY_UI_DOWN
#define LEFT	KEY_UI_LEFT
#define RIGHT	KEY_UI_RIGHT
#define HOME	KEY_UI_HOME
#define END	KEY_UI_END
#define PGUP	KEY_UI_PGUP
#define PGDN	KEY_UI_PGDN
#define META(c) (KEY_UI_META + (c))

/* clang-format off */
const struct keymap_row keymap_table[] = {
	/* the map */
	{{'h', 'j', 'k', 'l', LEFT, DOWN, UP, RIGHT}, IN_MAP, ACT_PANE, NULL,
	 "h j k l, arrows", "move the cursor; digits before a key repeat it", NULL},
	{{'0', '$', HOME, END}, IN_MAP, ACT_PANE, NULL,
	 "0 $, Home End", "start, end of the row", NULL},
	{{PGUP, PGDN, KEY_CTRL('u'), KEY_CTRL('d')}, IN_MAP, ACT_PANE, NULL,
	 "PgUp PgDn ^U ^D", "a page, half a page", NULL},
	{{KEY_CTRL('e'), KEY_CTRL('y')}, IN_MAP, ACT_PANE, NULL,
	 "^E ^Y", "scroll by a row, the cursor stays where it can", NULL},
	{{KEY_AFTER_G('g'), 'G'}, IN_MAP, ACT_PANE, NULL,
	 "gg G 12G", "first block, last block, block group 12", NULL},
	{{'{', '}'}, IN_MAP, ACT_PANE, NULL, "{ }", "previous, next block group", NULL},
	{{'[', ']'}, IN_MAP, ACT_PANE, NULL, "[ ]", "previous, next hole", NULL},
	{{'H', 'L'}, IN_MAP, ACT_PANE, NULL, "H L", "previous, next file", NULL},
	{{'\r', '\n', '*'}, IN_MAP, ACT_PANE, NULL,
	 "Enter *", "select the file under the cursor", NULL},

	/* lists */
	{{'j', 'k', DOWN, UP}, IN_LISTS, ACT_PANE, NULL,
	 "j k, arrows", "move; digits before a key repeat it", NULL},
	{{PGUP, PGDN, KEY_CTRL('u'), KEY_CTRL('d')}, IN_LISTS, ACT_PANE, NULL,
	 "PgUp PgDn ^U ^D", "a page, half a page", NULL},
	{{KEY_AFTER_G('g'), 'G', HOME, END}, IN_LISTS, ACT_PANE, NULL,
	 "gg G, Home End", "first, last line; 12G: line 12", NULL},
	{{'\r', '\n'}, IN_FILES, ACT_INSPECT, NULL,
	 "Enter", "go to the file on the map and inspect it", NULL},
	{{'s', KEY_UI_F4}, IN_ALL & ~IN_TREE, ACT_SORT, NULL,
	 "s", "sort the files by the next column", "Sort"},
	{{'f'}, IN_ALL, ACT_PROMPT, "filter ",
	 "f", "list only some files: frag>4 size<1M age<30 name~*.log", NULL},
	{{'S'}, IN_ALL, ACT_REVERSE, NULL, "S", "sort the other way round", NULL},

	{{'\r', '\n', 'l', RIGHT}, IN_TREE, ACT_PANE, NULL,
	 "Enter l", "into the directory, or to the file on the map", NULL},
	{{'h', LEFT, KEY_UI_BACKSPACE}, IN_TREE, ACT_PANE, NULL,
	 "h Backspace", "up to the directory above", NULL},
	{{'s', KEY_UI_F4}, IN_TREE, ACT_PANE, NULL, "s", "sort by the next column", "Sort"},
	{{'a'}, IN_TREE, ACT_PANE, NULL,
	 "a", "all directories of the volume, and back", NULL},

	{{'\r', '\n'}, IN_JOURNAL, ACT_PANE, NULL,
	 "Enter", "undo all back to this line, or redo up to it (asks first)", NULL},
	{{'r'}, IN_JOURNAL, ACT_LINE, "replay",
	 "r", "replay what was done on the map: arrows step, Space plays", NULL},

	/* looking */
	{{'w', 'b'}, IN_ALL, ACT_MAP, NULL,
	 "w b", "next, previous fragment of the file", NULL},
	{{'+', '-', '='}, IN_ALL, ACT_MAP, NULL, "+ - =", "zoom in, out, fit", NULL},
	{{'V', KEY_UI_F2}, IN_ALL, ACT_MAP, NULL,
	 "V", "map by block groups, without breaks, as a table of groups", "View"},
	{{'c'}, IN_ALL, ACT_MAP, NULL,
	 "c", "colour by file, kind, fragments, use, age, plan", NULL},
	{{'A', '|'}, IN_ALL, ACT_MAP, NULL,
	 "A |", "the map after the plan; or both, one above the other", NULL},
	{{'z'}, IN_ALL, ACT_MAP, NULL, "z", "spotlight on the selected file", NULL},

	{{'v'}, IN_MAP, ACT_PANE, NULL,
	 "v", "select a region; v or the mouse ends it, again: drops it", NULL},
	{{'m', '\''}, IN_ALL, ACT_MARK, NULL,
	 "mx 'x", "set mark x, go to mark x; '' goes back", NULL},

	{{'x'}, IN_MAP, ACT_PANE, "move",
	 "x", "pick up the region or the fragment; x or Enter drops it at the cursor", NULL},

	/* acting */
	{{' ', KEY_UI_F5}, IN_ALL, ACT_TAG, NULL,
	 "Space", "tag or untag the file at hand, or the region's files", "Tag"},
	{{'u'}, IN_ALL, ACT_LINE, "untag", "u", "untag all files", NULL},
	{{'d'}, IN_ALL, ACT_LINE, "defrag {file}",
	 "d", "plan: defragment the file at hand, or the region's", NULL},
	{{'o'}, IN_ALL, ACT_LINE, "pack {file}",
	 "o", "plan: pack the directory or file at hand, in the order it is read", NULL},
	{{'D'}, IN_ALL, ACT_LINE, "defrag @tags",
	 "D", "plan: defragment the tagged files", NULL},
	{{'p', KEY_UI_F6}, IN_ALL, ACT_TAB, NULL, "p", "show the plan", "Plan"},
	{{'P'}, IN_ALL, ACT_LINE, "plan drop {file}",
	 "P", "drop the file at hand from the plan", NULL},
	{{'.'}, IN_ALL, ACT_REPEAT, NULL,
	 ".", "plan again as last time, for the file at hand now", NULL},
	{{'>', KEY_UI_F7}, IN_ALL, ACT_LINE, "step",
	 ">", "carry out the next file of the plan", "Step"},
	{{'!', KEY_UI_F8}, IN_ALL, ACT_LINE, "run",
	 "!", "run the plan (asks first)", "Run"},
	{{KEY_CTRL('c')}, IN_ALL, ACT_LINE, "stop",
	 "^C", "stop the running job at its next safe point", NULL},
	{{'U', KEY_UI_F9}, IN_ALL, ACT_ASK_LINE, "undo",
	 "U", "undo the last action (asks first)", "Undo"},
	{{KEY_CTRL('r')}, IN_ALL, ACT_ASK_LINE, "redo",
	 "^R", "redo what was undone (asks first)", NULL},

	/* the screen */
	{{'/', KEY_UI_F3}, IN_ALL, ACT_PROMPT, "search ",
	 "/", "look for a file by a part of its path", "Find"},
	{{'n'}, IN_ALL, ACT_LINE, "search", "n", "next match", NULL},
	{{'N'}, IN_ALL, ACT_LINE, "search --back", "N", "previous match", NULL},
	{{'\t'}, IN_ALL, ACT_FOCUS_NEXT, NULL, "Tab", "next pane", NULL},
	{{KEY_UI_BACKTAB}, IN_ALL, ACT_FOCUS_PREV, NULL, "S-Tab", "previous pane", NULL},
	{{KEY_AFTER_G('t')}, IN_ALL, ACT_TAB_NEXT, NULL, "gt", "next tab", NULL},
	{{KEY_AFTER_G('T')}, IN_ALL, ACT_TAB_PREV, NULL, "gT", "previous tab", NULL},
	{{META('1'), META('2'), META('3'), META('4'), META('5')}, IN_ALL, ACT_TAB, NULL,
	 "M-1 to M-5", "plan, jobs, journal, log, tree", NULL},
	{{':'}, IN_ALL, ACT_PROMPT, NULL, ":", "command line; Tab completes", NULL},
	{{'?', KEY_UI_F1}, IN_ALL, ACT_HELP, NULL, "?", "this help", "Help"},
	{{0x1b}, IN_ALL, ACT_BACK, NULL, "Esc", "close, or back to the map", NULL},
	{{'q', KEY_UI_F10}, IN_ALL, ACT_QUIT, NULL, "q", "close help, or quit", "Quit"},
	{{KEY_CTRL('l')}, IN_ALL, ACT_REDRAW, NULL, "^L", "draw the screen anew", NULL},
	{{KEY_CTRL('z')}, IN_ALL, ACT_SUSPEND, NULL, "^Z", "suspend", NULL},
};
/* clang-format on */
const size_t keymap_count = sizeof(keymap_table) / sizeof(keymap_table[0]);

const struct keymap_row *keymap_find(int key, unsigned where)
{
	for (size_t i = 0; i < keymap_count; i++) {
		const struct keymap_row *row = &keymap_table[i];

		if (!(row->where & where))
			continue;
		for (int k = 0; k < KEYMAP_KEYS && row->keys[k]; k++)
			if (row->keys[k] == key)
				return keymap_exists(row) ? row : NULL;
	}
	return NULL;
}

bool keymap_exists(const struct keymap_row *row)
{
	size_t len;

	if (!row->line)
		return true;
	len = strcspn(row->line, " !");
	for (size_t i = 0; i < cmd_count; i++)
		if (strlen(cmd_table[i].verb) == len &&
		    !memcmp(cmd_table[i].verb, row->line, len))
			return true;
	return false;
}

unsigned keymap_where(const struct app *a)
{
	switch (a->focus) {
	case FOCUS_FILES:
		return IN_FILES;
	case FOCUS_INSPECT:
		return IN_INSPECT;
	case FOCUS_BOTTOM:
		return IN_PLAN << a->tab;
	default:
		return IN_MAP;
	}
}

const char *keymap_where_name(unsigned where)
{
	static const char *const names[] = {"Map",  "Files",   "Inspect", "Plan",
					    "Jobs", "Journal", "Log",	  "Tree"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (where == 1u << i)
			return names[i];
	return "";
}
