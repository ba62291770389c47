/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hand.h - allocating by hand: one operation on an image of the lab, through an allocator
 * of policy.h, with a line of reason for each stretch of blocks. fs/hand.h takes steps
 * back.
 */
#ifndef LAB_HAND_H
#define LAB_HAND_H

#include "base/str.h"
#include "fs/hand.h"

enum lab_op_kind {
	LAB_WRITE, /* new files of so many bytes */
	LAB_APPEND,
	LAB_TRUNCATE, /* to so many bytes */
	LAB_DELETE,
	LAB_MKDIR,
	LAB_PUNCH, /* a hole: offset, bytes */
	LAB_FILL,  /* files until so many percent of the volume are used */
};

struct lab_target {
	const char *path;
	uint64_t bytes;
};

struct lab_op {
	enum lab_op_kind kind;
	const struct lab_target *targets; /* several: they take turns (write, append) */
	size_t n;
	uint64_t piece;	    /* bytes a turn; 0: each file in one go */
	uint64_t offset;    /* of a hole, bytes */
	unsigned percent;   /* of a fill */
	const char *policy; /* NULL: the image's own */
	const char *text;   /* the command, as it is to be remembered */
};

struct lab_result {
	struct range_list taken, freed;
	struct str said; /* lines */
};
void lab_result_init(struct lab_result *r);
void lab_result_release(struct lab_result *r);

/* ERR_USAGE, ERR_REFUSED, ERR_NOSPACE: nothing was changed. */
bool lab_do(const char *image, const struct lab_op *op, struct lab_result *out,
	    struct err *err);

/* The allocator that an image remembers ("ext4" if none), by its name. */
bool lab_policy_get(const char *image, struct str *name, struct err *err);
bool lab_policy_set(const char *image, const char *name, struct err *err);

#endif
