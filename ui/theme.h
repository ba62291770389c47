/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * theme.h - looks by name, read from small INI files (themes/NAME.theme), resolved for
 * the terminal at hand.
 *
 *   name = Default        [ui]  title = 231 on 24 bold     [map] fragmented = 208
 *   inherit = okabe       [files] calm = 24 60 23 25        vivid = 34/28 207/127
 *   [map@8] dir = magenta  (only at 8 colours)              [glyphs] free = "·" "."
 *
 * Colours: a name, 0-255, #rrggbb (the nearest of the palette), default. Unknown keys
 * warn with file:line.
 */
#ifndef UI_THEME_H
#define UI_THEME_H

#include "base/err.h"
#include "ui/canvas.h"

enum theme_depth { DEPTH_MONO = 0, DEPTH_8 = 8, DEPTH_256 = 256 };

/* One X-macro: the enum, the key in the file, its section. */
#define THEME_STYLES(X)                              \
	X(UI_TEXT, "ui", "text")                     \
	X(UI_DIM, "ui", "dim")                       \
	X(UI_TITLE, "ui", "title")                   \
	X(UI_TITLE_STATE, "ui", "state")             \
	X(UI_PLAN_BADGE, "ui", "badge")              \
	X(UI_RULE, "ui", "rule")                     \
	X(UI_TAB, "ui", "tab")                       \
	X(UI_TAB_ACTIVE, "ui", "tab_active")         \
	X(UI_HEAD, "ui", "head")                     \
	X(UI_SELECTED, "ui", "selected")             \
	X(UI_TAGGED, "ui", "tagged")                 \
	X(UI_READOUT, "ui", "readout")               \
	X(UI_KEY, "ui", "key")                       \
	X(UI_KEY_LABEL, "ui", "key_label")           \
	X(UI_BAR, "ui", "bar")                       \
	X(UI_BAR_EMPTY, "ui", "bar_empty")           \
	X(UI_GOOD, "ui", "good")                     \
	X(UI_WARN, "ui", "warn")                     \
	X(UI_ERROR, "ui", "error")                   \
	X(UI_POPUP, "ui", "popup")                   \
	X(UI_POPUP_SELECTED, "ui", "popup_selected") \
	X(UI_GUTTER, "ui", "gutter")                 \
	X(MAP_FREE, "map", "free")                   \
	X(MAP_UNKNOWN, "map", "unknown")             \
	X(MAP_META, "map", "meta")                   \
	X(MAP_JOURNAL, "map", "journal")             \
	X(MAP_DIR, "map", "dir")                     \
	X(MAP_TREE, "map", "tree")                   \
	X(MAP_CONTIGUOUS, "map", "contiguous")       \
	X(MAP_FRAGMENTED, "map", "fragmented")       \
	X(MAP_BAD, "map", "bad")                     \
	X(MAP_PINNED, "map", "pinned")               \
	X(MAP_SOURCE, "map", "source")               \
	X(MAP_DESTINATION, "map", "destination")     \
	X(MAP_SELECTED, "map", "selected")           \
	X(MAP_MARKED, "map", "marked")               \
	X(MAP_CURSOR, "map", "cursor")               \
	X(MAP_DIMMED, "map", "dimmed")               \
	X(MAP_OUTSIDE, "map", "outside")

enum style_id {
#define X(id, section, key) STYLE_##id,
	THEME_STYLES(X)
#undef X
		STYLE_COUNT
};

#define THEME_CALM_MAX	8
#define THEME_VIVID_MAX 16
#define THEME_RAMP_MAX	12
struct theme {
	char name[64];
	enum theme_depth depth;
	bool utf8; /* glyphs beyond ASCII allowed; half-block cells */
	struct style styles[STYLE_COUNT];
	wchar_t glyphs[STYLE_COUNT]; /* of the map classes, for `utf8` or ASCII as
					resolved */
	int16_t calm[THEME_CALM_MAX];
	int calm_count;
	int16_t vivid[THEME_VIVID_MAX]
		     [2]; /* light tone (even fragments), dark tone (odd) */
	int vivid_count;
	int16_t heat[THEME_RAMP_MAX]; /* contiguous first, then more and more fragments */
	int heat_count;
	int16_t usage[THEME_RAMP_MAX]; /* from free to full */
	int usage_count;
};

/* The built-in default (compiled from nothing but this file's fallback table), resolved.
 */
void theme_default(struct theme *t, enum theme_depth depth, bool utf8);
/* Loads NAME from the theme folders (see theme.c) or a path ending in .theme. On error *t
 * is unchanged. Warnings (unknown key, bad colour: "file:line: ...") go to warn(arg,
 * text) if not NULL. */
bool theme_load(struct theme *t, const char *name, enum theme_depth depth, bool utf8,
		void (*warn)(void *arg, const char *text), void *arg, struct err *err);
/* Names of all themes found, sorted; freed with theme_names_free. */
char **theme_names(size_t *n);
void theme_names_free(char **names, size_t n);

/* r,g,b of an xterm palette entry (0-255), for SVG and for #rrggbb. */
void palette_rgb(int color, uint8_t rgb[3]);
int palette_nearest(const uint8_t rgb[3], enum theme_depth depth);
/* A colour as a theme writes it, brought to what the depth has. False: no such colour. */
bool palette_parse(const char *word, enum theme_depth depth, int16_t *color);
/* The palette entry nearest to part/whole of a and the rest of b. */
int palette_mix(int a, int b, int part, int whole);
/* How light an entry looks, 0 to 255. */
int palette_luma(int color);

#endif
