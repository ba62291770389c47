/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * past.h - what an undo journal has done to a volume, batch by batch, as moves: to be
 * looked at again on a model, without touching the volume.
 */
#ifndef FS_PAST_H
#define FS_PAST_H

#include "core/plan.h"
#include "fs/volume.h"

struct past_batch {
	char action[80];
	struct move *on, *back; /* as extent_apply() takes them: forwards, backwards */
	size_t on_count, back_count;
};
struct past {
	VEC(struct past_batch) batches; /* oldest first; what is undone is left out */
};

/* ERR_REFUSED: there is nothing, or the volume is no longer as the journal left it. */
bool past_read(const char *journal, const char *volume, uint64_t offset, struct past *out,
	       struct err *err);
void past_release(struct past *p);

#endif
