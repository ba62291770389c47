/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch.h - carrying out one change set, crash-safely. The heart of the program; see
 * batch.c for its invariants.
 */
#ifndef FS_BATCH_H
#define FS_BATCH_H

#include "fs/session.h"
#include "journal/journal.h"
#include "src/fs/alloc.h"

/* What a session keeps between batches. */
struct committer {
	struct volume *v;
	struct journal *journal;
	struct alloc *alloc;
	VEC(struct range)
	freed; /* sources of the last batch: free in truth, still marked on the disk */
	bool verify; /* read back what was written, before it is referred to */
	bool full;   /* keep what lies in free blocks before they are written to */
	batch_progress_fn progress;
	void *arg;
};

/* Is the change possible? Writes nothing. ERR_REFUSED says why not. Notes groups without
 * a bitmap in c. Sources of the batch before count as free from here on. */
bool batch_check(struct committer *k, struct change *c, struct err *err);
/* Carries out a change that batch_check() has passed. ERR_NOSPACE: no room for its intent
 * in the journal, nothing has happened. Any other error ends the session. On success
 * out's figures are filled (moves are not). */
bool batch_commit(struct committer *k, struct change *c, struct batch_result *out,
		  struct err *err);

/* Clears the marks of the last batch's sources on the disk. No barrier. */
bool batch_settle(struct committer *k, struct err *err);

/* Writes the cores of all inodes of c (`after`, or `before` if back), whole inode-table
 * blocks at a time. No barrier. */
bool batch_switch(struct volume *v, const struct change *c, bool back, uint64_t *bytes,
		  struct err *err);

#endif
