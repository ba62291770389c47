/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_look.c - themes, the map as text, the screen as a file. */
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "ui/cmd_priv.h"
#include "ui/files.h"
#include "ui/map_cell.h"
#include "ui/names.h"
#include "ui/options.h"
#include "ui/pane.h"
#include "ui/screen.h"
#include "ui/shot.h"

bool cmd_theme(struct app *a, struct cmd_call *c, struct err *err)
{
	struct str s = STR_INIT;
	char **names;
	size_t n;

	if (!cmd_args(c, 0, 1, err))
		return false;
	if (c->argc) {
		if (options_theme(a, c->argv[0], a->theme.depth, a->theme.utf8, err))
			return true;
		c->bad = 0;
		return false;
	}
	names = theme_names(&n);
	for (size_t i = 0; names && i < n; i++)
		str_addf(&s, "%s%s%s", i ? " " : "", names[i],
			 strcmp(names[i], a->theme_id) ? "" : "*");
	app_print(a, "%s\n", s.buf);
	theme_names_free(names, n);
	str_release(&s);
	return true;
}

/* --- map, shot --- */

/* Draws with whole cells and letters where colours are not kept. */
struct look_saved {
	struct theme theme;
	bool glyphs;
};

static bool plain_look(struct app *a, bool plain, struct look_saved *saved,
		       struct err *err)
{
	saved->theme = a->theme;
	saved->glyphs = a->map.glyphs;
	if (!plain)
		return true;
	if (!theme_load(&a->theme, a->theme_id, DEPTH_MONO, saved->theme.utf8, NULL, NULL,
			err))
		return false;
	a->map.glyphs = true;
	map_cache_invalidate(a->map_cache);
	return true;
}

static void restore_look(struct app *a, const struct look_saved *saved)
{
	a->theme = saved->theme;
	a->map.glyphs = saved->glyphs;
	map_cache_invalidate(a->map_cache);
}

/* As many rows as there are groups, within reason, for a map of this width. */
static int map_rows(const struct app *a)
{
	uint64_t rows = model_geom(a->model)->groups;

	if (a->map.view == VIEW_TABLE)
		return rows < 999 ? (int)rows + 1 : 1000;
	if (a->map.split)
		rows *= 2;
	return rows < 8 ? 17 : rows > 48 ? 49 : (int)rows + 1;
}

/* A word of `map`: how, or of when. */
static bool set_view(struct app *a, struct cmd_call *c, int i, struct err *err)
{
	static const char *const views[VIEW_COUNT] = {"groups", "linear", "table"};
	const char *word = c->argv[i];

	for (int k = 0; k < VIEW_COUNT; k++)
		if (!strcmp(word, views[k])) {
			a->map.view = (enum app_view)k;
			return true;
		}
	if (strcmp(word, "now") && strcmp(word, "after") && strcmp(word, "split"))
		return cmd_bad(c, i, err,
			       "\"%s\" is not one of: groups, linear, table, now, after, "
			       "split",
			       word);
	if (word[0] != 'n' && !a->plan)
		return cmd_bad(
			c, i, err,
			"there is no plan to look at; make one, as with: defrag %%");
	a->map.after = word[0] == 'a';
	a->map.split = word[0] == 's';
	return true;
}

bool cmd_map(struct app *a, struct cmd_call *c, struct err *err)
{
	const char *text;
	struct look_saved saved;
	struct canvas canvas;
	struct view v;
	uint64_t width = 80;

	if (!cmd_option(c, "--width", &text, err) || !cmd_args(c, 0, 2, err))
		return false;
	if (text && (!num_parse_u64(text, &width) || width < 20 || width > 1000))
		return cmd_bad(c, -1, err, "the width is 20 to 1000 columns");
	if (!app_need_model(a, err))
		return false;
	for (int i = 0; i < c->argc; i++)
		if (!set_view(a, c, i, err))
			return false;
	if (a->interactive) {
		a->focus = FOCUS_MAP;
		return true;
	}
	if (!plain_look(a, !a->color, &saved, err))
		return false;
	if (!canvas_init(&canvas, map_rows(a), (int)width)) {
		restore_look(a, &saved);
		return err_nomem(err);
	}
	v = canvas_view(&canvas);
	pane_map.draw(a, &v);
	canvas.cursor_row = -1;
	if (a->color && !a->json)
		shot_ansi(&canvas, a->out);
	else
		shot_text(&canvas, a->out);
	canvas_release(&canvas);
	restore_look(a, &saved);
	return true;
}

bool cmd_parse_size(const char *text, int *rows, int *cols)
{
	char left[16];
	size_t len = strcspn(text, "xX");
	uint64_t r, c;

	if (len >= sizeof(left) || !text[len])
		return false;
	memcpy(left, text, len);
	left[len] = '\0';
	if (!num_parse_u64(left, &c) || !num_parse_u64(text + len + 1, &r) || r < 1 ||
	    r > 500 || c < 1 || c > 1000)
		return false;
	*rows = (int)r;
	*cols = (int)c;
	return true;
}

/* Names that the picture shows are asked for while it is drawn: draw until none is
 * missing. */
void cmd_draw(struct app *a, struct canvas *canvas)
{
	for (int i = 0; i < 4; i++) {
		screen_draw(a, canvas);
		names_flush(a->names, a);
		if (!names_busy(a->names) || !names_settle(a->names, a, NULL))
			break;
	}
	screen_draw(a, canvas);
}

bool cmd_shot(struct app *a, struct cmd_call *c, struct err *err)
{
	const char *size, *end;
	struct look_saved saved;
	struct canvas canvas;
	int rows, cols;
	bool ok;

	cmd_screen_size(a, &rows, &cols);
	if (!cmd_option(c, "--size", &size, err) || !cmd_args(c, 1, 1, err))
		return false;
	if (size && !cmd_parse_size(size, &rows, &cols))
		return cmd_bad(c, -1, err, "\"%s\" is no size; COLUMNSxROWS, as 120x40",
			       size);
	if (a->open && !a->model && !a->interactive && !app_need_model(a, err))
		return false;
	if (a->model && !a->interactive && !a->files->list.n &&
	    !files_refresh(a->files, a, err))
		return false;
	end = strrchr(c->argv[0], '.');
	if (!plain_look(a, end && !strcmp(end, ".txt"), &saved, err))
		return false;
	ok = canvas_init(&canvas, rows, cols) || err_nomem(err);
	if (ok) {
		cmd_draw(a, &canvas);
		ok = shot_write(&canvas, c->argv[0], err);
		canvas_release(&canvas);
	}
	restore_look(a, &saved);
	if (ok && a->interactive)
		app_say(a, "saved %s", c->argv[0]);
	return ok;
}
