/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map_heat.h - fragments of the files on screen, remembered: to count them takes a look at all
 * runs of a file. For map_cell.c. */
#ifndef UI_MAP_HEAT_H
#define UI_MAP_HEAT_H

#include "core/model.h"

/* Zeros are an empty one. */
struct map_heat {
	struct heat_slot *v;
	size_t n, cap; /* cap: a power of two, or 0 */
};

/* 1 if memory is short. */
uint32_t map_heat_fragments(struct map_heat *h, const struct model *m, inum_t ino);
/* The file has changed. */
void map_heat_forget(struct map_heat *h, inum_t ino);
void map_heat_clear(struct map_heat *h);
void map_heat_release(struct map_heat *h);

#endif
