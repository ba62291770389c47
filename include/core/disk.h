/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * disk.h - a modelled disk, and what reading stretches of it in some order costs.
 *
 * A stretch that begins where the last one ended costs its bytes; one a little further on
 * costs the bytes in between as well; any other costs a jump. Nothing here depends on the
 * machine that it runs on.
 */
#ifndef CORE_DISK_H
#define CORE_DISK_H

#include "core/model.h"

struct disk {
	const char *name;
	double jump_ms;		  /* average seek and half a turn */
	double bytes_per_ms;	  /* in sequence */
	uint64_t read_over_bytes; /* gaps ahead up to this are read, not jumped */
	const char *what;	  /* one line for people */
};
/* hdd (the default everywhere), ssd, nvme, sd. */
extern const struct disk disk_presets[];
extern const size_t disk_preset_count;
/* NULL: there is no such preset. */
const struct disk *disk_find(const char *name);
/* The disk that every time in ms is modelled for: hdd, until another one is chosen (and
 * copied). Only while no other thread counts: sums made before are of another disk. */
const struct disk *disk_now(void);
void disk_choose(const struct disk *d);

/* The head, and what it has done. Start with .disk and .block_size set, all else zero. */
struct disk_walk {
	const struct disk *disk;
	uint32_t block_size;
	bool begun;
	blkno_t at;		     /* behind the last block read */
	uint64_t blocks, read_over;  /* wanted; and read in between for nothing */
	uint64_t jumps, distance;    /* distance in blocks */
	uint64_t reads;		     /* stretches that did not directly continue */
	uint64_t pairs, pairs_close; /* neighbours in this order; adjacent on the disk */
	double ms;
};
void disk_read(struct disk_walk *w, blkno_t start, uint64_t len);
/* The data of one inode in logical order (runs of model_runs). */
void disk_read_file(struct disk_walk *w, const struct run *runs, size_t n);
/* The files of a list, one after the other. The share of adjacent pairs is the dynamic
 * layout score of that order. False: out of memory. */
bool disk_read_order(struct disk_walk *w, const struct model *m, const inum_t *inos,
		     size_t n);
/* 1.0 where there are no pairs. */
double disk_dynamic_score(const struct disk_walk *w);
/* All wanted blocks in one sweep. */
double disk_ideal_ms(const struct disk_walk *w);

#endif
