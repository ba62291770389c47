/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * runplan.h - carries a plan out on a random volume, by the rules of a batch and by nothing
 * that a planner knows, and remembers what was before.
 */
#ifndef TESTS_LIB_RUNPLAN_H
#define TESTS_LIB_RUNPLAN_H

#include "core/strategy.h"
#include "tests/lib/randvol.h"

struct before {
	uint32_t *fragments; /* by inode */
	struct run_list pinned;
};
void note_before(struct randvol *v, struct before *b);
void release_before(struct before *b);

/* Every destination must be free when its batch starts, and every file as the move has
 * it; asserts (cmocka). Changes v->model and v->used. */
void run_plan(struct randvol *v, const struct plan *p);
/* Every inode, or one in `one_in`. */
void ask(struct randvol *v, uint32_t one_in, struct inum_list *out);

#endif
