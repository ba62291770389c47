/* SPDX-License-Identifier: GPL-3.0-or-later */
/* group_stat.h - figures of one block group, counted from the model. */
#ifndef CORE_GROUP_STAT_H
#define CORE_GROUP_STAT_H

#include "core/model.h"

struct group_stat {
	uint32_t blocks; /* of the group */
	uint32_t free;
	uint32_t meta;	    /* fixed metadata and the journal */
	uint32_t holes;	    /* runs of free blocks, cut at the group's ends */
	uint32_t largest;   /* blocks of the largest of them */
	uint32_t files;	    /* files and directories with a block here */
	uint32_t in_pieces; /* of them fragmented */
	uint32_t fragments; /* pieces of files that lie here */
};

/* O(runs in the group). False: out of memory. */
bool group_stat(const struct model *m, group_t group, struct group_stat *out);

#endif
