/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_set.c - the options, and the verb that shows and changes them. */
#include <stdio.h>
#include <string.h>
#include "ui/anim.h"
#include "ui/cmd_priv.h"
#include "ui/map_cell.h"
#include "ui/options.h"

static void warn(void *arg, const char *text)
{
	app_log(arg, true, "%s", text);
}

bool options_theme(struct app *a, const char *name, enum theme_depth depth, bool utf8,
		   struct err *err)
{
	if (!theme_load(&a->theme, name, depth, utf8, warn, a, err))
		return false;
	if (name != a->theme_id)
		snprintf(a->theme_id, sizeof(a->theme_id), "%s", name);
	map_cache_invalidate(a->map_cache);
	a->redraw = true;
	return true;
}

/* --- the options --- */

static const char *get_animate(const struct app *a)
{
	return a->animate ? "on" : "off";
}

static bool set_animate(struct app *a, const char *value, struct err *err)
{
	(void)err;
	a->animate = !strcmp(value, "on");
	anim_enable(a->anim, a->animate);
	return true;
}

static const char *get_cells(const struct app *a)
{
	return a->map.glyphs ? "letters" : "halves";
}

static bool set_cells(struct app *a, const char *value, struct err *err)
{
	(void)err;
	a->map.glyphs = !strcmp(value, "letters");
	map_cache_invalidate(a->map_cache);
	return true;
}

static const char *get_charset(const struct app *a)
{
	return a->theme.utf8 ? "utf8" : "ascii";
}

static bool set_charset(struct app *a, const char *value, struct err *err)
{
	return options_theme(a, a->theme_id, a->theme.depth, !strcmp(value, "utf8"), err);
}

static const char *get_color(const struct app *a)
{
	static const char *const modes[COLOR_MODES] = {"file",	"kind", "frag",
						       "usage", "age",	"plan"};

	return modes[a->map.color];
}

/* As the verbs of the same names do it. */
static bool run_verb(struct app *a, const char *verb, const char *value, struct err *err)
{
	const struct cmd *cmd = cmd_find(verb, err);
	struct cmd_call call = {.cmd = cmd, .argc = 1, .argv = {value}, .bad = -1};

	return cmd && cmd->run(a, &call, err);
}

static bool set_color(struct app *a, const char *value, struct err *err)
{
	return run_verb(a, "color", value, err);
}

static const char *get_mouse(const struct app *a)
{
	return a->mouse ? "on" : "off";
}

static bool set_mouse(struct app *a, const char *value, struct err *err)
{
	(void)err;
	a->mouse = !strcmp(value, "on");
	return true;
}

static const char *get_spotlight(const struct app *a)
{
	return a->map.spotlight ? "on" : "off";
}

static bool set_spotlight(struct app *a, const char *value, struct err *err)
{
	return run_verb(a, "spotlight", value, err);
}

static const char *get_theme(const struct app *a)
{
	return a->theme_id;
}

static bool set_theme(struct app *a, const char *value, struct err *err)
{
	return options_theme(a, value, a->theme.depth, a->theme.utf8, err);
}

static const char *get_undo(const struct app *a)
{
	return a->undo_full ? "full" : "blocks";
}

static bool set_undo(struct app *a, const char *value, struct err *err)
{
	(void)err;
	a->undo_full = !strcmp(value, "full");
	return true;
}

static const char *get_verify(const struct app *a)
{
	return a->verify ? "on" : "off";
}

static bool set_verify(struct app *a, const char *value, struct err *err)
{
	(void)err;
	a->verify = !strcmp(value, "on");
	return true;
}

static const char *get_view(const struct app *a)
{
	static const char *const views[VIEW_COUNT] = {"groups", "linear", "table"};

	return views[a->map.view];
}

/* Not by `map`, which draws it in batch mode. */
static bool set_view(struct app *a, const char *value, struct err *err)
{
	(void)err;
	a->map.view = !strcmp(value, "groups")	 ? VIEW_GROUPS
		      : !strcmp(value, "linear") ? VIEW_LINEAR
						 : VIEW_TABLE;
	map_cache_invalidate(a->map_cache);
	return true;
}

const struct ui_option ui_options[] = {
	{"animate", "on off", "blocks flash and fade when they move", get_animate,
	 set_animate, NULL},
	{"cells", "halves letters", "two cells of the map in a character, or one letter",
	 get_cells, set_cells, NULL},
	{"charset", "utf8 ascii", "characters beyond ASCII, or none", get_charset,
	 set_charset, NULL},
	{"color", "file kind frag usage age plan", "what colours mean on the map",
	 get_color, set_color, NULL},
	{"disk", "hdd ssd nvme sd own",
	 "the modelled disk that reading and moving is priced for", options_get_disk,
	 options_set_disk, NULL},
	{"heat.days", NULL, "after so many days a use counts half", options_get_heat_days,
	 options_set_heat_days, "DAYS"},
	{"model.gap", NULL, "a gap up to this is read over, not jumped; disk=own then",
	 options_get_gap, options_set_gap, "SIZE"},
	{"model.jump", NULL, "a jump: seek and half a turn; disk=own then",
	 options_get_jump, options_set_jump, "MS"},
	{"model.rate", NULL, "reading and writing in a row; disk=own then",
	 options_get_rate, options_set_rate, "MB/s"},
	{"mouse", "on off", "clicks are the program's; off: the terminal selects text",
	 get_mouse, set_mouse, NULL},
	{"spotlight", "on off", "the selected file is lit, the rest dimmed",
	 get_spotlight, set_spotlight, NULL},
	{"theme", NULL, "colours and glyphs", get_theme, set_theme, NULL},
	{"undo", "full blocks",
	 "full: undo gives back what lay in free blocks too, the whole image", get_undo,
	 set_undo, NULL},
	{"verify", "on off", "what was copied is read back before it counts", get_verify,
	 set_verify, NULL},
	{"view", "groups linear table", "how the map is laid out", get_view, set_view,
	 NULL},
};
const size_t ui_option_count = sizeof(ui_options) / sizeof(ui_options[0]);

/* --- the verb --- */

static void show(struct app *a, const struct ui_option *o)
{
	app_print(a, "%s=%s\n", o->name, o->get(a));
}

/* An exact name, or a clear beginning of one. */
static const struct ui_option *find(const char *word, size_t len)
{
	const struct ui_option *found = NULL;
	int hits = 0;

	for (size_t i = 0; i < ui_option_count; i++) {
		if (strncmp(ui_options[i].name, word, len))
			continue;
		if (!ui_options[i].name[len])
			return &ui_options[i];
		found = &ui_options[i];
		hits++;
	}
	return len && hits == 1 ? found : NULL;
}

static bool is_value(const struct ui_option *o, const char *value)
{
	size_t len = strlen(value);

	for (const char *p = o->values; p && *p;) {
		size_t n = strcspn(p, " ");

		if (n == len && !memcmp(p, value, len))
			return true;
		p += n + (p[n] == ' ');
	}
	return !o->values;
}

static bool set(struct app *a, struct cmd_call *c, int i, const struct ui_option *o,
		const char *value, struct err *err)
{
	char first[32];

	if (!value && o->values) { /* "set animate" */
		snprintf(first, sizeof(first), "%.*s", (int)strcspn(o->values, " "),
			 o->values);
		value = first;
	}
	if (!value) {
		show(a, o);
		return true;
	}
	if (!is_value(o, value))
		return cmd_bad(c, i, err, "%s is one of: %s", o->name, o->values);
	if (o->set(a, value, err))
		return true;
	c->bad = i;
	return false;
}

bool cmd_set(struct app *a, struct cmd_call *c, struct err *err)
{
	if (!cmd_args(c, 0, CMD_WORDS_MAX, err))
		return false;
	for (size_t i = 0; !c->argc && i < ui_option_count; i++)
		show(a, &ui_options[i]);
	for (int i = 0; i < c->argc; i++) {
		const char *word = c->argv[i];
		size_t len = strcspn(word, "=?");
		const struct ui_option *o = find(word, len);

		if (!o)
			return cmd_bad(c, i, err,
				       "no option is called \"%.*s\"; see: set", (int)len,
				       word);
		if (word[len] == '?')
			show(a, o);
		else if (!set(a, c, i, o, word[len] == '=' ? word + len + 1 : NULL, err))
			return false;
	}
	return true;
}
