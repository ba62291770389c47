/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * randvol.h - a random volume in memory: a sealed model with files, directories, indirect
 * maps, unwritten runs, logical holes, trees, xattr blocks and pinned inodes in pieces.
 */
#ifndef TESTS_LIB_RANDVOL_H
#define TESTS_LIB_RANDVOL_H

#include "core/model.h"

struct randvol_shape {
	uint32_t seed;
	uint32_t groups;
	uint32_t blocks_per_group;
	uint32_t percent_free;
	uint32_t max_file;  /* blocks of the largest file */
	uint32_t max_piece; /* blocks of the longest fragment */
};

struct randvol {
	struct geom geom;
	struct model *model;
	uint8_t *used; /* a byte a block: what the model must say */
	uint32_t seed;
};

/* Asserts (cmocka) that all goes well. */
void randvol_make(struct randvol *v, const struct randvol_shape *shape);
void randvol_release(struct randvol *v);
uint32_t randvol_random(struct randvol *v, uint32_t n);

#endif
