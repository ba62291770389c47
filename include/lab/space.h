/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * space.h - the blocks that an allocator of the lab hands out: the free map of a volume
 * and a few counters a group. In memory only; positions and lengths in blocks.
 */
#ifndef LAB_SPACE_H
#define LAB_SPACE_H

#include "core/freemap.h"

struct space {
	struct freemap *free;
	blkno_t first, blocks; /* the volume is [first, blocks) */
	uint32_t block_size;   /* bytes */
	uint32_t per_group;    /* blocks of a group */
	uint32_t flex;	       /* groups of a flex group, at least 1 */
	group_t groups;
	uint32_t inodes_per_group;
	VEC(struct space_group) group;
};

/* Counters of one block group. */
struct space_group {
	uint32_t free_blocks;
	uint32_t free_inodes;
	uint32_t dirs;	  /* directories whose inode lies in it */
	uint32_t changes; /* takes and gives so far */
};

/* A volume of this shape with nothing free yet: space_give() what is. */
bool space_init(struct space *s, const struct geom *g, struct err *err);
void space_release(struct space *s);
/* An independent copy into an uninitialised space. False: out of memory. */
bool space_copy(struct space *out, const struct space *s);

/* As freemap_take and freemap_give, and the counters follow. False: the range is not free
 * (free already), nothing changed. */
bool space_take(struct space *s, struct range r);
bool space_give(struct space *s, struct range r);

group_t space_group_of(const struct space *s, blkno_t b);
/* The blocks of a group, clipped to the volume. */
struct range space_group_range(const struct space *s, group_t g);

/* A small generator (splitmix64): the same seed, the same numbers on every machine. */
uint64_t lab_random(uint64_t *state);
/* 0 <= result < n, n > 0. */
uint64_t lab_random_below(uint64_t *state, uint64_t n);

#endif
