/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * map_legend.c - the line below the map: what its colours and glyphs mean.
 *
 * The line is short and what may be on the map is much. Words get shorter before anything
 * that matters is left out, and what is left out is what matters least (its rank).
 */
#include <stdio.h>
#include <string.h>
#include "ui/ages.h"
#include "ui/app_priv.h"
#include "ui/map_frame.h"
#include "ui/map_look.h"

#define ITEMS_MAX 24

/* The lowest goes first. */
enum rank {
	RANK_CURSOR,
	RANK_TREE,
	RANK_DIR,
	RANK_JOURNAL,
	RANK_META,
	RANK_TAGGED,
	RANK_PENDING, /* what a plan or a selection adds */
	RANK_FILES,
	RANK_FREE,
};

struct legend_item {
	struct look looks[THEME_RAMP_MAX];
	int n;
	char letters[16]; /* in place of a glyph, or empty */
	char word[40], brief[40];
	char share[8]; /* of the volume, or empty */
	enum rank rank;
};

struct legend {
	const struct app *app;
	const struct view *view;
	bool solid;  /* swatches of colour rather than glyphs */
	bool brief;  /* short words */
	bool shares; /* with their part of the volume */
	struct legend_item items[ITEMS_MAX];
	int count;
};

/* --- what is to be explained --- */

static struct legend_item *add(struct legend *g, enum rank rank, const char *word)
{
	struct legend_item *item = &g->items[g->count];

	if (g->count + 1 < ITEMS_MAX)
		g->count++;
	memset(item, 0, sizeof(*item));
	item->rank = rank;
	snprintf(item->word, sizeof(item->word), "%s", word);
	snprintf(item->brief, sizeof(item->brief), "%s", word);
	return item;
}

static struct legend_item *add_class(struct legend *g, enum rank rank, int id,
				     const char *word)
{
	const struct theme *t = &g->app->theme;
	struct legend_item *item = add(g, rank, word);

	item->looks[0].style = t->styles[id];
	item->looks[0].glyph = t->glyphs[id];
	item->n = 1;
	if (g->shares && id >= STYLE_MAP_FREE && id <= STYLE_MAP_FRAGMENTED)
		census_percent(&g->app->census, id, item->share);
	return item;
}

/* A class that the volume may not have. */
static void add_if_any(struct legend *g, enum rank rank, int id, const char *word)
{
	if (!g->shares || g->app->census.blocks[id] > 0)
		add_class(g, rank, id, word);
}

/* The tones that a kind of file can have; without colours each file has its letter. */
static void add_files(struct legend *g, bool fragmented)
{
	const struct theme *t = &g->app->theme;
	int id = fragmented ? STYLE_MAP_FRAGMENTED : STYLE_MAP_CONTIGUOUS;
	int tones = fragmented ? t->vivid_count : t->calm_count;
	struct legend_item *item =
		add_class(g, RANK_FILES, id, fragmented ? "fragmented" : "contiguous");

	snprintf(item->brief, sizeof(item->brief), "%s", fragmented ? "frag" : "contig");
	if (g->app->map.color != COLOR_BY_FILE)
		return;
	if (!g->solid) {
		snprintf(item->letters, sizeof(item->letters), "%s",
			 fragmented ? "a-z" : "");
		return;
	}
	tones = tones > 3 && g->view->cols < 100 ? 3 : tones > 4 ? 4 : tones;
	for (int i = 0; i < tones; i++) {
		item->looks[i] = item->looks[0];
		item->looks[i].style.fg = fragmented ? t->vivid[i][0] : t->calm[i];
	}
	item->n = tones > 0 ? tones : 1;
}

/* Without swatches cells are digits, and * from ten fragments on. */
static void heat_letters(struct legend_item *item, bool only, bool last)
{
	snprintf(item->letters, sizeof(item->letters), "%.15s",
		 only	? "2-9*"
		 : last ? "*"
			: item->word);
	if (only) {
		snprintf(item->word, sizeof(item->word), "fragments");
		snprintf(item->brief, sizeof(item->brief), "frag");
	} else if (!last) {
		item->word[0] = item->brief[0] = 0;
	}
}

static void add_heat(struct legend *g)
{
	const struct theme *t = &g->app->theme;
	int steps = t->heat_count > 0 ? t->heat_count : 2;

	for (int i = 0; i < steps; i++) {
		struct legend_item *item = add_class(
			g, RANK_FILES, i ? STYLE_MAP_FRAGMENTED : STYLE_MAP_CONTIGUOUS,
			"contiguous");
		uint32_t from = look_heat_from(i);

		if (i > 0)
			item->share[0] = '\0'; /* it is of all steps */
		if (t->heat_count > 0)
			item->looks[0].style.fg = t->heat[i];
		if (i > 0 && i + 1 == steps)
			snprintf(item->word, sizeof(item->word), "%u+", from);
		else if (i > 0)
			snprintf(item->word, sizeof(item->word), "%u-%u", from,
				 look_heat_from(i + 1) - 1);
		snprintf(item->brief, sizeof(item->brief), "%s",
			 i > 0 ? item->word : "contig");
		if (i > 0 && !g->solid)
			heat_letters(item, steps == 2, i + 1 == steps);
	}
}

/* Ages that share a colour share a swatch; without colours each has its letter. */
static void add_ages(struct legend *g)
{
	const struct theme *t = &g->app->theme;

	for (int i = AGE_DAY; i <= AGE_OLDER; i++) {
		struct legend_item *item =
			add_class(g, RANK_FILES, STYLE_MAP_CONTIGUOUS, age_words[i]);

		item->share[0] = '\0';
		if (t->heat_count > 0)
			item->looks[0].style.fg = t->heat[ages_step(i, t->heat_count)];
		if (!g->solid)
			item->letters[0] = age_letters[i];
		if (i > 0 && g->solid &&
		    ages_step(i, t->heat_count) == ages_step(i - 1, t->heat_count))
			item->n = 0;
	}
}

static void add_usage(struct legend *g)
{
	const struct theme *t = &g->app->theme;
	struct legend_item *item;

	if (!g->solid) {
		add(g, RANK_FREE,
		    t->utf8 ? "\u00b7 free \u2591 \u2592 \u2593 \u2588 full"
			    : ". free : + x # full");
		return;
	}
	add_class(g, RANK_FREE, STYLE_MAP_FREE, "free");
	item = add(g, RANK_FREE, "full");
	for (int i = 0; i < t->usage_count; i++) {
		item->looks[i].style = t->styles[STYLE_MAP_FREE];
		item->looks[i].style.fg = t->usage[i];
	}
	item->n = t->usage_count;
}

/* What lies over the colours of the mode. */
static void add_marks(struct legend *g)
{
	const struct app *a = g->app;

	if (a->plan && (a->map.color == COLOR_BY_KIND || a->map.color == COLOR_BY_PLAN)) {
		add_class(g, RANK_PENDING, STYLE_MAP_SOURCE, "from");
		add_class(g, RANK_PENDING, STYLE_MAP_DESTINATION, "to");
	} else if (a->plan && a->selected != 0)
		add_class(g, RANK_PENDING, STYLE_MAP_DESTINATION, "to");
	if (a->selected != 0 && !a->map.spotlight)
		add_class(g, RANK_PENDING, STYLE_MAP_SELECTED, "selected");
	if (a->tags.n > 0)
		add_class(g, RANK_TAGGED, STYLE_MAP_MARKED, "tagged");
	add_class(g, RANK_CURSOR, STYLE_MAP_CURSOR, "cursor");
}

/* Whoever sees a map that is not of now must be told. */
static void add_after(struct legend *g)
{
	struct legend_item *item = add(g, RANK_FREE, "");

	item->looks[0].style = g->app->theme.styles[STYLE_UI_WARN];
	item->n = 1;
	snprintf(item->letters, sizeof(item->letters), "after the plan:");
}

static void add_all(struct legend *g)
{
	const struct app *a = g->app;

	if (a->map.after && a->plan && !a->map.split)
		add_after(g);
	if (a->map.spotlight && a->selected != 0) {
		add_class(g, RANK_FREE, STYLE_MAP_SELECTED, "selected file");
		add_class(g, RANK_FILES, STYLE_MAP_DIMMED, "others");
		add_class(g, RANK_FILES, STYLE_MAP_FREE, "free");
	} else if (a->map.color == COLOR_BY_PLAN) {
		add_class(g, RANK_FREE, STYLE_MAP_FREE, "free");
		add_class(g, RANK_FILES, STYLE_MAP_DIMMED, "stays");
	} else if (a->map.color == COLOR_BY_USAGE) {
		add_usage(g);
	} else {
		add_class(g, RANK_FREE, STYLE_MAP_FREE, "free");
		add_class(g, RANK_META, STYLE_MAP_META, "meta");
		if (a->map.color != COLOR_BY_AGE && a->map.color != COLOR_BY_FRAG)
			add_if_any(g, RANK_DIR, STYLE_MAP_DIR, "dir");
		add_if_any(g, RANK_JOURNAL, STYLE_MAP_JOURNAL, "journal");
		add_if_any(g, RANK_TREE, STYLE_MAP_TREE, "tree");
		if (map_cache_shows(a->map_cache, STYLE_MAP_PINNED))
			add_class(g, RANK_PENDING, STYLE_MAP_PINNED, "fixed");
		if (map_cache_shows(a->map_cache, STYLE_MAP_BAD))
			add_class(g, RANK_PENDING, STYLE_MAP_BAD, "bad");
		if (a->map.color == COLOR_BY_AGE) {
			add_ages(g);
		} else if (a->map.color == COLOR_BY_FRAG) {
			add_heat(g);
		} else {
			add_files(g, false);
			add_files(g, true);
		}
	}
	add_marks(g);
}

/* --- what there is room for --- */

static const char *item_word(const struct legend *g, const struct legend_item *item)
{
	return g->brief ? item->brief : item->word;
}

static int swatch_width(const struct legend *g, const struct legend_item *item)
{
	bool wide = item->n == 1 && g->solid && !g->brief && g->view->cols >= 100;

	if (item->letters[0])
		return text_width(item->letters);
	return wide ? 2 : item->n;
}

/* Between a glyph and its word; ASCII glyphs stand right before it. */
static int word_gap(const struct legend *g, const struct legend_item *item)
{
	return swatch_width(g, item) > 0 && item_word(g, item)[0] &&
	       (g->solid || item->letters[0] || g->app->theme.utf8);
}

static int share_width(const struct legend *g, const struct legend_item *item)
{
	int width = text_width(item->share);

	return g->shares && width > 0 ? width + 1 : 0;
}

/* Columns of all that matter at least so much. */
static int legend_width(const struct legend *g, enum rank least)
{
	int width = 0;

	for (int i = 0; i < g->count; i++)
		width += g->items[i].rank < least
				 ? 0
				 : share_width(g, &g->items[i]) +
					   swatch_width(g, &g->items[i]) +
					   word_gap(g, &g->items[i]) +
					   text_width(item_word(g, &g->items[i])) + 1;
	return width;
}

/* Of the least that matter the last. */
static int find_least(const struct legend *g)
{
	int least = 0;

	for (int i = 1; i < g->count; i++)
		if (g->items[i].rank <= g->items[least].rank)
			least = i;
	return least;
}

/* Shares are worth more than long words. */
static void choose_words(struct legend *g, int room)
{
	bool shares = g->shares;

	for (int i = 0; i < 4; i++) {
		g->shares = shares && i < 2;
		g->brief = i % 2;
		if (legend_width(g, RANK_TREE + 1) <= room)
			return;
	}
}

static void legend_fit(struct legend *g, int room)
{
	choose_words(g, room);
	while (g->count > 0 && legend_width(g, RANK_CURSOR) > room) {
		int least = find_least(g);

		g->count--;
		memmove(&g->items[least], &g->items[least + 1],
			sizeof(g->items[0]) * (size_t)(g->count - least));
	}
}

static int draw_item(const struct legend *g, const struct legend_item *item, int col)
{
	struct style text = g->app->theme.styles[STYLE_UI_DIM];
	int width = swatch_width(g, item);

	if (item->letters[0])
		view_text(g->view, 0, col, item->looks[0].style, item->letters);
	for (int i = 0; i < width && !item->letters[0]; i++) {
		struct look look = item->looks[i < item->n ? i : item->n - 1];

		if (g->solid) {
			look.style.bg = COLOR_DEFAULT;
			look.style.attr = 0;
			look.glyph = L'\u2588';
		}
		view_put(g->view, 0, col + i, look.glyph, look.style);
	}
	col += width + word_gap(g, item);
	col = view_text(g->view, 0, col, text, item_word(g, item));
	if (share_width(g, item) > 0)
		col = view_text(g->view, 0, col + 1, g->app->theme.styles[STYLE_UI_TEXT],
				item->share);
	return col + 1;
}

/* Doublings from fit down to this scale. */
static int zoom_level(const struct map_frame *f)
{
	const struct map_layout *l = &f->layout;
	uint64_t fit = map_layout_fit(l);
	int level = 0;

	while (fit > l->blocks_per_cell) {
		fit = (fit + 1) / 2;
		level++;
	}
	while (fit < l->blocks_per_cell) {
		fit *= 2;
		level--;
	}
	return level;
}

void map_legend_draw(const struct app *a, const struct map_frame *f)
{
	struct legend g;
	uint64_t scale = f->layout.blocks_per_cell;
	int col = f->gutter.cols, end;
	char text[80];

	if (f->legend.rows < 1)
		return;
	memset(&g, 0, sizeof(g));
	g.app = a;
	g.view = &f->legend;
	g.solid = a->theme.utf8 && a->theme.depth == DEPTH_256;
	/* While blocks move they would be of before. */
	g.shares = a->model && !(a->job && app_kind_writes(a->job_kind)) &&
		   a->census.model == a->model && !a->map.after;
	snprintf(text, sizeof(text), "1 cell = %llu block%s, zoom %d",
		 (unsigned long long)scale, scale == 1 ? "" : "s", zoom_level(f));
	if (f->legend.cols < 110)
		snprintf(text, sizeof(text), "%llu blk/cell z%d",
			 (unsigned long long)scale, zoom_level(f));
	end = f->legend.cols - text_width(text);
	view_fill(&f->legend, L' ', a->theme.styles[STYLE_UI_TEXT]);
	add_all(&g);
	legend_fit(&g, end - 1 - col);
	for (int i = 0; i < g.count; i++)
		col = draw_item(&g, &g.items[i], col);
	view_text(&f->legend, 0, end, a->theme.styles[STYLE_UI_DIM], text);
}
