/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * space.h - free space in figures, and what keeps a volume from getting smaller.
 *
 * All counts are blocks of the volume.
 */
#ifndef CORE_SPACE_H
#define CORE_SPACE_H

#include "core/model.h"

/* Class i holds the runs of 2^i to 2^(i+1) - 1 blocks (e2freefrag's classes, in blocks). */
#define SPACE_CLASSES 40

struct space {
	uint64_t free_blocks, runs, shortest, longest; /* shortest 0: nothing is free */
	struct space_class {
		uint64_t runs, blocks;
	} class[SPACE_CLASSES];
	/* Aligned stretches of chunk_blocks, counted from block 0; the last may be short. */
	uint64_t chunk_blocks, chunks, chunks_free;
	uint64_t at_least, at_least_blocks; /* free blocks in runs of at least so many */
};

/* chunk_blocks, at_least > 0. */
void space_compute(const struct model *m, uint64_t chunk_blocks, uint64_t at_least,
		   struct space *out);

/* --- shrinking --- */

/* A volume of B blocks keeps the groups below B; metadata that only serves groups above
 * it goes away with them. `now`: no block and no inode in use lies above. `packed`: what
 * can be moved has been moved down, inodes stay where they are. `renumbered`: inodes of
 * groups above get new numbers too, as resize2fs does it. Lower bounds: resize2fs adds a
 * margin of its own. */
struct blockers {
	blkno_t now, packed, renumbered;
	blkno_t last_movable; /* last block of a file that can be moved, BLKNO_NONE */
	inum_t last_movable_ino;
	blkno_t last_fixed; /* last one that cannot and does not go with its group */
	inum_t last_fixed_ino;
	enum owner_kind last_fixed_kind;
	inum_t last_inode;     /* highest number in use */
	uint64_t movable_tail; /* movable blocks at or above `packed` */
	uint64_t used_data;    /* blocks that inodes own */
};
void blockers_compute(const struct model *m, struct blockers *out);
/* Blocks of group metadata in a volume of its first `groups` groups: what a shrink to that
 * size keeps. */
uint64_t blockers_overhead(const struct geom *g, group_t groups);
/* Can this run's blocks be moved by this program? pinned: its inode is. */
bool blockers_can_move(enum owner_kind kind, bool pinned);

#endif
