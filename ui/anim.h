/* SPDX-License-Identifier: GPL-3.0-or-later */
/* anim.h - blocks that flash after a move: sources fade, destinations pulse. */
#ifndef UI_ANIM_H
#define UI_ANIM_H

#include "core/extent.h"

struct anim;
struct anim *anim_new(void);
void anim_free(struct anim *a);
void anim_enable(struct anim *a, bool on);
/* Notes the moves of a batch at time now (milliseconds of num_now_ms). Bounded: the
 * oldest are dropped. */
void anim_moves(struct anim *a, const struct move *moves, size_t n, uint64_t now);
/* Is anything still to be drawn? Ends what is over. */
bool anim_active(struct anim *a, uint64_t now);
/* Calls fn for each range that still flashes, with strengths 0..3. */
typedef void (*anim_fn)(void *arg, struct range r, int source, int destination);
void anim_each(const struct anim *a, uint64_t now, anim_fn fn, void *arg);
/* Strength 0..3 of the flash in [start, start+len): *source and *destination. */
void anim_at(const struct anim *a, blkno_t start, blkno_t len, uint64_t now, int *source,
	     int *destination);

#endif
