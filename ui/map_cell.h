/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * map_cell.h - what each cell of the map stands for.
 *
 * A cell takes the class of most of its blocks; a single bad or unmovable block wins over
 * that, and selected and tagged files are flagged by a single block, so that nothing that
 * matters hides in a mixed cell.
 *
 * The cells of the map on screen are kept in a cache. One walk over the visible blocks
 * fills them; later only cells that changed are walked again. The cache notices by itself
 * a new layout, selection, tags or plan. It must be told when the model changes:
 * map_cache_touch around moves that are applied, map_cache_invalidate for anything else.
 */
#ifndef UI_MAP_CELL_H
#define UI_MAP_CELL_H

#include "ui/app.h"
#include "ui/map_layout.h"

#define CELL_ODD	 0x01u /* of an odd fragment */
#define CELL_START	 0x02u /* first block of a later fragment (one block a cell) */
#define CELL_SELECTED	 0x04u
#define CELL_TAGGED	 0x08u
#define CELL_SOURCE	 0x10u /* the pending plan takes blocks away */
#define CELL_DESTINATION 0x20u /* the pending plan puts blocks here */
#define CELL_REGION	 0x40u /* touches the selected region */
#define CELL_MINE	 0x80u /* the pending plan puts blocks of the selected file here */

struct map_cell {
	uint8_t class; /* enum style_id, STYLE_MAP_OUTSIDE: no block here */
	uint8_t flags;
	uint8_t fill;  /* used blocks: 0 none, 255 all, nothing else rounds to these */
	uint8_t flash; /* strength of a source * 4 + of a destination */
	inum_t ino;    /* the file with the longest piece of this class, 0 none */
};

struct map_cache;
struct map_cache *map_cache_new(void); /* NULL: out of memory */
void map_cache_free(struct map_cache *c);
/* Another cache for another map of the same volume; made when first asked for, told of all
 * that this one is told of, freed with it. NULL: out of memory. */
struct map_cache *map_cache_more(struct map_cache *c);
/* From now on it shows the volume as a plan will make it; NULL: as it is. */
struct forecast;
void map_cache_foretell(struct map_cache *c, const struct forecast *after);
void map_cache_invalidate(struct map_cache *c);
/* The files of these moves have other blocks: call it just before and just after
 * engine_apply(m, moves, n). Only their cells are walked again. */
void map_cache_touch(struct map_cache *c, const struct model *m, const struct move *moves,
		     size_t n);

/* The cells of this layout, row by row, as the app is at time now: from its model, else
 * from its overview. Valid until the next call. NULL: out of memory. */
const struct map_cell *map_cache_update(struct map_cache *c, const struct app *a,
					const struct map_layout *l, uint64_t now);
/* Had any cell of the last update this class? */
bool map_cache_shows(const struct map_cache *c, int style);
/* Fragments of a file, remembered. */
uint32_t map_cache_fragments(struct map_cache *c, const struct model *m, inum_t ino);

#endif
