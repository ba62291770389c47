/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * plan_text.h - a plan as text, to be kept and read again.
 *
 *	cdefrag plan 1
 *	volume UUID BLOCKS BLOCK_SIZE
 *	title TEXT
 *	move BATCH INODE data|tree LOGICAL BLOCKS FROM|- TO REASON GAIN
 *	...
 *	end MOVES
 *
 * Numbers are decimal. What a plan would leave as it is, is not kept: it can be asked for
 * again.
 */
#ifndef CORE_PLAN_TEXT_H
#define CORE_PLAN_TEXT_H

#include "base/str.h"
#include "core/plan.h"

/* Appends the text. False: out of memory. */
bool plan_write(const struct plan *p, const struct geom *g, const char *uuid,
		struct str *out);
/* Reads it into an initialised plan, which is priced but not checked: plan_check() tells
 * whether the volume is still the one that it was made for. ERR_USAGE names the line that
 * is wrong; ERR_REFUSED: it was made for another volume. On failure out is empty. */
bool plan_read(const char *text, const struct geom *g, const char *uuid, struct plan *out,
	       struct err *err);

#endif
