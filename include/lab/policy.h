/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * policy.h - an allocator: which free blocks does a file get?
 *
 * Each policy is one small file, src/lab/policy_NAME.c, that only chooses; taking the
 * blocks out of the free map and counting is done here for all of them. A policy answers
 * with a place and with one line that says why, as a teacher would.
 *
 *   first         the first hole that is large enough, from the start of the volume
 *   next          the same, but from where the last search ended
 *   best          the smallest hole that is large enough
 *   worst         the largest hole
 *   buddy         aligned chunks of 2^n blocks, the smallest that will do
 *   random        any hole that is large enough
 *   ext4          what ext4 does: see policy_ext4.c
 *   ext4-nodelay  the same without delayed allocation: every write is placed at once
 */
#ifndef LAB_POLICY_H
#define LAB_POLICY_H

#include "lab/space.h"

/* What a file wants now. */
struct policy_want {
	uint32_t file;	 /* a number for it, the same as long as it lives */
	lblk_t lblk;	 /* logical block of the first one wanted */
	uint32_t len;	 /* blocks */
	blkno_t behind;	 /* block that holds the logical block before; BLKNO_NONE */
	group_t group;	 /* of its inode */
	uint32_t writer; /* who writes: a process, numbered from 0 */
	uint64_t size;	 /* blocks of the whole file as far as it is known now */
	bool closed;	 /* nobody has it open: it will not grow soon */
	bool directory;	 /* the block is one of a directory */
};

#define POLICY_WHY 120

struct policy_answer {
	struct range got; /* 1 to want->len blocks; ask again for the rest */
	char why[POLICY_WHY];
};

struct policy;

/* What a policy file offers. choose() finds free blocks and does not take them, unless it
 * says so in *taken (blocks set aside for the file earlier). */
struct policy_kind {
	const char *name;
	const char *title; /* one line for people */
	bool delayed;	   /* blocks are chosen when data is written out, not before */
	bool (*choose)(struct policy *p, const struct policy_want *w,
		       struct policy_answer *out, bool *taken);
	/* Optional. */
	group_t (*dir_group)(struct policy *p, group_t parent, bool top);
	void (*close)(struct policy *p, uint32_t file);
	void (*release)(struct policy *p);
};

/* The allocator of one volume, with what it remembers. */
struct policy {
	const struct policy_kind *kind;
	struct space *space; /* borrowed */
	uint64_t random;     /* state of its generator */
	blkno_t rover;	     /* where the last search ended */
	void *memory;	     /* of the kind */
};

extern const struct policy_kind policy_first, policy_next, policy_best, policy_worst,
	policy_buddy, policy_random, policy_ext4, policy_ext4_nodelay;
/* All of them, NULL at the end. */
extern const struct policy_kind *const policy_kinds[];
/* ERR_USAGE that names the known ones. */
const struct policy_kind *policy_find(const char *name, struct err *err);

void policy_init(struct policy *p, const struct policy_kind *kind, struct space *space,
		 uint64_t seed);
void policy_release(struct policy *p);

/* Takes blocks for the file. False: not one block is free (or out of memory). */
bool policy_place(struct policy *p, const struct policy_want *w,
		  struct policy_answer *out);
/* Nobody has the file open any more: what was set aside for it is given back. */
void policy_close(struct policy *p, uint32_t file);
/* The group for the inode of a new directory; top: its parent is the root. */
group_t policy_dir_group(struct policy *p, group_t parent, bool top);
/* Gives back all that was set aside for anybody, as an unmount does. */
void policy_flush(struct policy *p);

#endif
