/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * features.h - what each feature of a volume means for this program: one table, which
 * opening, planning, `features`, `info` and the documentation read.
 */
#ifndef FS_FEATURES_H
#define FS_FEATURES_H

#include "base/types.h"

/* The three words of feature bits in the superblock (ext2_fs.h: EXT2_FEATURE_COMPAT_*,
 * _INCOMPAT_*, _RO_COMPAT_*). */
enum feature_set { FEATURE_COMPAT, FEATURE_INCOMPAT, FEATURE_RO_COMPAT, FEATURE_SETS };

/* Blocks are moved; the volume is only shown; it is not even shown. */
enum feature_rule { FEATURE_MOVE, FEATURE_VIEW, FEATURE_REFUSE };

struct feature {
	enum feature_set set;
	uint32_t mask;
	const char *name; /* as dumpe2fs calls it */
	enum feature_rule rule;
	/* What the mover heeds; with the other rules what the operator is told. Never
	 * empty. */
	const char *why;
	const char *remedy; /* "PATH" stands for the volume; "" if there is none */
};

size_t feature_count(void);
const struct feature *feature_at(size_t i);
/* "move", "view", "refuse"; "compat", "incompat", "ro_compat". */
const char *feature_rule_word(enum feature_rule rule);
const char *feature_set_word(enum feature_set set);

#endif
