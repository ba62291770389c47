/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ending.c - see ending.h. */
#include <string.h>
#include <time.h>
#include "src/fs/ending.h"
#include "src/fs/mmp.h"

static bool restore_group(struct committer *k, const struct change_group *g, bool rebuild,
			  struct err *err)
{
	return (!rebuild || alloc_rebuild(k->alloc, g->group, err)) &&
	       alloc_restore_uninit(k->alloc, g, err);
}

/* Takes the groups of one batch over into keep, and restores them. */
static bool restore_batch(struct committer *k, const struct stack_batch *b, bool rebuild,
			  struct change *keep, struct err *err)
{
	struct change c;
	bool ok;

	change_init(&c);
	ok = stack_load(k->v, k->journal, b->first, NO_RECORD, &c, err);
	for (size_t g = 0; ok && g < c.groups.n; g++) {
		ok = vec_push(&keep->groups, c.groups.v[g]) || err_nomem(err);
		if (!ok)
			break;
		c.groups.v[g].bitmap = NULL; /* keep's now */
		ok = restore_group(k, &keep->groups.v[keep->groups.n - 1], rebuild, err);
	}
	change_release(&c);
	return ok;
}

bool ending_restore_groups(struct committer *k, const struct stack *s, bool rebuild,
			   struct change *keep, struct err *err)
{
	for (size_t i = s->batches.n; i-- && s->batches.v[i].undone;)
		if (!restore_batch(k, &s->batches.v[i], rebuild, keep, err))
			return false;
	return true;
}

bool ending_super(struct committer *k, const struct stack *s,
		  const uint8_t before[SUPER_BYTES], uint8_t final[SUPER_BYTES],
		  struct err *err)
{
	uint64_t free_blocks = alloc_free_blocks(k->alloc);
	uint8_t first[SUPER_BYTES];

	super_finish(before, free_blocks, time(NULL), final);
	if (!stack_all_undone(s) || s->first_session == NO_RECORD)
		return true;
	if (!stack_images(k->journal, s->first_session, first, NULL, err))
		return false;
	if (super_free_blocks(first) == free_blocks)
		memcpy(final, first, SUPER_BYTES);
	return true;
}

bool ending_write(struct committer *k, const uint8_t final[SUPER_BYTES], struct err *err)
{
	return journal_append(k->journal, JOURNAL_CLOSING, final, SUPER_BYTES, err) &&
	       journal_sync(k->journal, err) && io_write_super(k->v, final, err) &&
	       io_barrier(k->v, err) && mmp_release(k->v, err) &&
	       journal_append(k->journal, JOURNAL_CLOSED, NULL, 0, err) &&
	       journal_sync(k->journal, err);
}
