/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map_look.c - the colour modes of the map, and what lies over them. */
#include "ui/map_look.h"
#include "ui/ages.h"
#include <string.h>

static uint32_t hash_inode(inum_t ino)
{
	uint32_t h = ino * 2654435761u;

	return h ^ h >> 15;
}

void look_begin(struct look_context *x, const struct app *a, bool solid)
{
	memset(x, 0, sizeof(*x));
	memset(x->mixed, 0xFF, sizeof(x->mixed));
	memset(x->lit, 0xFF, sizeof(x->lit));
	x->app = a;
	x->cache = a->map_cache;
	x->solid = solid;
	x->plan = a->plan &&
		  (a->map.color == COLOR_BY_KIND || a->map.color == COLOR_BY_PLAN);
}

static const uint32_t heat_from[THEME_RAMP_MAX] = {1,	2,    4,    10,	   30,	  100,
						   300, 1000, 3000, 10000, 30000, 100000};

int look_heat_step(uint32_t fragments, int steps)
{
	int step = 0;

	while (step + 1 < steps && step + 1 < THEME_RAMP_MAX &&
	       fragments >= heat_from[step + 1])
		step++;
	return step;
}

uint32_t look_heat_from(int step)
{
	return heat_from[step];
}

static struct look look_of(const struct theme *t, int id)
{
	struct look l = {t->styles[id], t->glyphs[id]};

	return l;
}

/* A map colour in place of a style's own; without colours there is nothing to replace. */
static void set_color(struct look *l, int16_t color)
{
	if (l->style.fg != COLOR_DEFAULT)
		l->style.fg = color;
}

struct style look_file_style(const struct theme *t, inum_t ino, bool fragmented)
{
	struct look l =
		look_of(t, fragmented ? STYLE_MAP_FRAGMENTED : STYLE_MAP_CONTIGUOUS);
	uint32_t h = hash_inode(ino);

	if (fragmented && t->vivid_count > 0)
		set_color(&l, t->vivid[h % (uint32_t)t->vivid_count][0]);
	else if (!fragmented && t->calm_count > 0)
		set_color(&l, t->calm[h % (uint32_t)t->calm_count]);
	return l.style;
}

/* Hue of a fragmented file: by its number, or the next one if the file before it on the
 * map has that. */
static int pick_hue(struct look_context *x, inum_t ino, int hues)
{
	int hue = (int)(hash_inode(ino) % (uint32_t)hues);

	if (ino == x->ino)
		return x->hue;
	if (x->ino != 0 && hue == x->hue)
		hue = (hue + 1) % hues;
	x->ino = ino;
	x->hue = hue;
	return hue;
}

static void look_by_file(struct look_context *x, const struct map_cell *cell,
			 struct look *l)
{
	const struct theme *t = &x->app->theme;
	uint32_t h = hash_inode(cell->ino);

	if (cell->ino == 0)
		return;
	if (cell->class == STYLE_MAP_CONTIGUOUS && t->calm_count > 0)
		set_color(l, t->calm[h % (uint32_t)t->calm_count]);
	if (cell->class != STYLE_MAP_FRAGMENTED)
		return;
	if (t->vivid_count > 0)
		set_color(l, t->vivid[pick_hue(x, cell->ino, t->vivid_count)]
				     [cell->flags & CELL_ODD ? 1 : 0]);
	l->glyph = L'a' + (wchar_t)(h % 26);
}

static void look_by_fragments(struct look_context *x, const struct map_cell *cell,
			      struct look *l)
{
	const struct theme *t = &x->app->theme;
	uint32_t n = 1;

	if (cell->class != STYLE_MAP_CONTIGUOUS && cell->class != STYLE_MAP_FRAGMENTED &&
	    cell->class != STYLE_MAP_DIR)
		return;
	if (cell->class == STYLE_MAP_FRAGMENTED) {
		n = 2;
		if (x->app->model && cell->ino != 0)
			n = map_cache_fragments(x->cache, x->app->model, cell->ino);
		l->glyph = n < 10 ? L'0' + (wchar_t)n : L'*';
	}
	if (t->heat_count > 0)
		set_color(l, t->heat[look_heat_step(n, t->heat_count)]);
}

/* Files by the time since their last use, hot ones first. */
static void look_by_age(struct look_context *x, const struct map_cell *cell,
			struct look *l)
{
	const struct theme *t = &x->app->theme;
	int age = ages_get(x->app, cell->ino);

	if (cell->ino == 0 ||
	    (cell->class != STYLE_MAP_CONTIGUOUS && cell->class != STYLE_MAP_FRAGMENTED &&
	     cell->class != STYLE_MAP_DIR))
		return;
	l->glyph = (wchar_t)age_letters[age];
	if (age == AGE_UNKNOWN)
		*l = look_of(t, STYLE_MAP_UNKNOWN);
	else if (t->heat_count > 0)
		set_color(l, t->heat[ages_step(age, t->heat_count)]);
}

/* Empty and full have steps of their own; all between shares the rest. */
static void look_by_usage(const struct theme *t, const struct map_cell *cell,
			  struct look *l)
{
	static const wchar_t shades[2][5] = {
		{L'.', L':', L'+', L'x', L'#'},
		{L'\u00b7', L'\u2591', L'\u2592', L'\u2593', L'\u2588'}};
	int steps = t->usage_count, step = 0;
	int shade = cell->fill == 0	? 0
		    : cell->fill == 255 ? 4
					: 1 + cell->fill * 3 / 256;

	if (steps > 2 && cell->fill > 0)
		step = cell->fill == 255 ? steps - 1 : 1 + cell->fill * (steps - 2) / 256;
	else if (steps > 0 && cell->fill > 0)
		step = steps - 1;
	*l = look_of(t, STYLE_MAP_FREE);
	if (steps > 0)
		set_color(l, t->usage[step]);
	l->glyph = shades[t->utf8][shade];
}

/* What is not the selected file, in the spotlight: free space stays dark, files go to one
 * grey, the rest to greys as light as they were. */
static void look_dim(const struct theme *t, const struct map_cell *cell, struct look *l)
{
	wchar_t glyph = l->glyph;

	if (cell->class == STYLE_MAP_FREE) {
		*l = look_of(t, STYLE_MAP_FREE);
		return;
	}
	if (t->depth == DEPTH_256 && cell->class != STYLE_MAP_CONTIGUOUS &&
	    cell->class != STYLE_MAP_FRAGMENTED) {
		l->style = t->styles[cell->class];
		l->style.fg = (int16_t)(237 + palette_luma(l->style.fg) * 9 / 256);
		return;
	}
	*l = look_of(t, STYLE_MAP_DIMMED);
	l->glyph = glyph;
}

static void look_flash(struct look_context *x, struct look *l, int id, int strength)
{
	const struct theme *t = &x->app->theme;
	int16_t *mixed;

	if (t->depth != DEPTH_256) {
		*l = look_of(t, id);
		return;
	}
	mixed = &x->mixed[id == STYLE_MAP_SOURCE ? 0 : 1][strength][l->style.fg & 255];
	if (*mixed < 0)
		*mixed = (int16_t)palette_mix(t->styles[id].fg, l->style.fg, strength, 3);
	l->style.fg = *mixed;
	l->glyph = t->glyphs[id];
}

/* The region: lighter, whatever lies in it; without colours in reverse. */
static void look_region(struct look_context *x, struct look *l)
{
	int16_t *lit = &x->lit[l->style.fg & 255];

	if (x->app->theme.depth != DEPTH_256) {
		l->style.attr ^= ATTR_REVERSE;
		return;
	}
	if (*lit < 0)
		*lit = (int16_t)palette_mix(231, l->style.fg, 2, 5);
	l->style.fg = *lit;
}

/* Solid cells: the colour becomes the ground, the glyph a shade that can be read on it.
 */
static void look_solid(struct look *l, const struct map_cell *cell)
{
	int color = l->style.fg;

	l->style.bg = (int16_t)color;
	l->style.fg =
		(int16_t)palette_mix(palette_luma(color) > 110 ? 16 : 231, color,
				     cell->class == STYLE_MAP_CONTIGUOUS ? 1 : 2, 3);
	if (cell->flags & CELL_START)
		l->style.attr |= ATTR_BOLD | ATTR_UNDERLINE;
}

/* What the plan does to a cell. In modes of their own colours only the new place of the
 * selected file shows. */
static void look_plan(struct look_context *x, const struct map_cell *cell, struct look *l)
{
	const struct app *a = x->app;

	if (x->plan && cell->flags & CELL_SOURCE && !x->after)
		*l = look_of(&a->theme, STYLE_MAP_SOURCE);
	if (x->plan && cell->flags & CELL_DESTINATION &&
	    (!x->after || a->map.color == COLOR_BY_PLAN))
		*l = look_of(&a->theme, STYLE_MAP_DESTINATION);
	if (cell->flags & CELL_MINE && !x->after)
		*l = look_of(&a->theme, STYLE_MAP_DESTINATION);
}

struct look look_cell(struct look_context *x, const struct map_cell *cell, bool cursor)
{
	const struct app *a = x->app;
	const struct theme *t = &a->theme;
	struct look l = look_of(t, cell->class);

	if (a->map.color == COLOR_BY_FILE)
		look_by_file(x, cell, &l);
	else if (a->map.color == COLOR_BY_FRAG)
		look_by_fragments(x, cell, &l);
	else if (a->map.color == COLOR_BY_AGE)
		look_by_age(x, cell, &l);
	else if (a->map.color == COLOR_BY_USAGE && cell->class != STYLE_MAP_OUTSIDE)
		look_by_usage(t, cell, &l);
	if (((a->map.spotlight && a->selected != 0) || a->map.color == COLOR_BY_PLAN) &&
	    cell->class != STYLE_MAP_OUTSIDE)
		look_dim(t, cell, &l);
	if (cell->flags & CELL_TAGGED)
		l = look_of(t, STYLE_MAP_MARKED);
	look_plan(x, cell, &l);
	if (cell->flags & CELL_SELECTED)
		l = look_of(t, STYLE_MAP_SELECTED);
	if (cell->flags & CELL_REGION && cell->class != STYLE_MAP_OUTSIDE)
		look_region(x, &l);
	if (cell->flash / 4 > 0)
		look_flash(x, &l, STYLE_MAP_SOURCE, cell->flash / 4);
	if (cell->flash % 4 > 0)
		look_flash(x, &l, STYLE_MAP_DESTINATION, cell->flash % 4);
	if (cursor)
		l = look_of(t, STYLE_MAP_CURSOR);
	if (x->solid)
		look_solid(&l, cell);
	else if (cell->flags & CELL_START)
		l.style.attr |= ATTR_UNDERLINE;
	return l;
}
