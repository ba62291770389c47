/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * window_find.h - where a stretch of so many blocks costs least to empty.
 *
 * Cost: blocks of others that would have to leave, and two more a run. Nothing fixed lies
 * in a window, nor a run of others that no hole takes whole. One walk over the volume:
 * O(runs), for a whole goal, never per file.
 */
#ifndef CORE_WINDOW_FIND_H
#define CORE_WINDOW_FIND_H

#include "src/core/planner.h"

struct found_window {
	struct range at;
	uint64_t cost;	 /* UINT64_MAX: there is none */
	blkno_t longest; /* stretch that could be emptied at all */
};

/* own: a bit an inode, whose blocks cost nothing; may be NULL. False: out of memory. */
bool window_find(struct planner *p, blkno_t len, struct range in, const uint8_t *own,
		 struct found_window *out);

#endif
