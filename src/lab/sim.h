/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * sim.h - ageing in memory: files grow, shrink and vanish on a plain array of blocks;
 * only what is left at the end is put on the disk. Deterministic: one generator, seeded
 * once.
 */
#ifndef LAB_SIM_H
#define LAB_SIM_H

#include "base/err.h"
#include "base/vec.h"
#include "fs/build.h"

struct sim_node {
	char name[48];
	uint32_t parent; /* index of a directory in sim.nodes; 0 is the root */
	bool is_dir, live;
	VEC(uint32_t) blocks;
	uint32_t entries; /* of a directory: names in it, for its growth */
	uint64_t tail;	  /* bytes used of the last block */
	int64_t mtime, atime;
	blkno_t goal; /* where its next block would like to be */
};

struct sim {
	struct build *build;
	uint8_t *used; /* a byte a block */
	blkno_t blocks;
	uint64_t used_count;
	uint32_t block_size;
	VEC(struct sim_node) nodes;
	uint64_t random; /* state of the generator */
	int64_t now;	 /* seconds since 1970; advances with every operation */
};

bool sim_init(struct sim *s, struct build *b, uint32_t block_size, uint64_t seed,
	      int64_t now, struct err *err);
void sim_release(struct sim *s);

/* 0 <= result < n */
uint32_t sim_random(struct sim *s, uint32_t n);
double sim_fill(const struct sim *s); /* share of used blocks, 0 to 1 */

/* Index of the new node, or UINT32_MAX (no room, no memory). A directory gets its first
 * block, and its parent grows when its names no longer fit. */
uint32_t sim_create(struct sim *s, uint32_t parent, const char *name, bool is_dir);
/* Appends blocks, each the first free one at or after the file's goal (next fit). False:
 * no room. */
bool sim_append(struct sim *s, uint32_t node, uint32_t blocks);
void sim_delete(struct sim *s, uint32_t node);
/* Notes a read of the file now. */
void sim_touch(struct sim *s, uint32_t node);

/* Puts all live nodes on the disk, in the order of their creation. */
bool sim_commit(struct sim *s, struct err *err);

#endif
