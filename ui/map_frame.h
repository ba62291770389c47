/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map_frame.h - how the map pane divides its view: gutter, cells, legend. */
#ifndef UI_MAP_FRAME_H
#define UI_MAP_FRAME_H

#include "ui/app.h"
#include "ui/map_layout.h"

struct map_frame {
	struct geom geom;	  /* of the volume; guessed until there is a model */
	struct map_layout layout; /* points into this struct or into the model */
	struct view cells, gutter, legend; /* gutter and legend may be empty */
	struct view rule, cells_after,
		gutter_after; /* the map of the plan below; else empty */
	bool half;	      /* two map rows a screen row */
};

/* False: no volume, or no room for a single cell. Cursor and top of the app may be stale;
 * the layout shows the cursor. */
bool map_frame_init(struct map_frame *f, const struct app *a, const struct view *v);
/* The cursor inside the volume. */
blkno_t map_frame_cursor(const struct map_frame *f, const struct app *a);

/* The legend and the scale, in its view (map_legend.c). */
void map_legend_draw(const struct app *a, const struct map_frame *f);

/* While a region is being selected it reaches from its anchor's cell to the cursor's. */
void map_region_follow(struct app *a, const struct view *v);

/* Moves the cursor, and the view with it. */
void map_cursor_set(struct app *a, const struct view *v, blkno_t block);
/* The file that owns the block under the cursor, 0 none. */
inum_t map_file_under(const struct app *a);
/* The keys [ ] H L, and w b (map_seek.c). False: another key. */
bool map_key_seek(struct app *a, int key, int count, const struct view *v);
bool map_key_fragment(struct app *a, int key, int count, const struct view *v);

/* The map as a table of block groups, and what keys and mouse do there (map_table.c). */
struct mouse;
void map_table_draw(struct app *a, const struct view *v);
bool map_table_key(struct app *a, int key, int count, const struct view *v);
bool map_table_mouse(struct app *a, const struct mouse *m, const struct view *v);

/* Keys and mouse of the pane (map_keys.c). */
struct mouse;
bool map_key(struct app *a, int key, int count, const struct view *v);
bool map_mouse(struct app *a, const struct mouse *m, const struct view *v);

#endif
