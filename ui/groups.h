/* SPDX-License-Identifier: GPL-3.0-or-later */
/* groups.h - figures of block groups, counted when they are first looked at. */
#ifndef UI_GROUPS_H
#define UI_GROUPS_H

#include "core/extent.h"
#include "core/group_stat.h"

struct groups;
struct groups *groups_new(void); /* NULL: out of memory */
void groups_free(struct groups *g);
/* NULL: out of memory. Valid until the next call. */
const struct group_stat *groups_get(struct groups *g, const struct model *m,
				    group_t group);
/* The files of these moves have other blocks: call it before and after engine_apply(). */
void groups_touch(struct groups *g, const struct model *m, const struct move *moves,
		  size_t n);
void groups_forget(struct groups *g);

#endif
