/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * stack.h - what a journal says has been done, undone and done again.
 */
#ifndef FS_STACK_H
#define FS_STACK_H

#include "journal/journal.h"
#include "src/fs/change.h"
#include "src/fs/super.h"

#define NO_RECORD SIZE_MAX

/* KEPT records (keep.h) in a row; n 0: none. */
struct stack_kept {
	size_t first, n;
};

/* A batch and the record that last changed it: its opposite is the next undo or redo. */
struct stack_batch {
	uint32_t number, action;
	bool undone;
	size_t intent, done;	/* records; done NO_RECORD: its checksums are not known */
	size_t first;		/* the forward intent */
	struct stack_kept kept; /* of the forward intent */
	uint64_t moves, blocks;
};

struct stack_action {
	uint32_t number;
	char name[80];
	int64_t time;
};

struct stack {
	VEC(struct stack_batch) batches; /* oldest first */
	VEC(struct stack_action) actions;
	uint32_t next_batch; /* number for the next forward batch */
	bool open;	     /* a session began and did not end */
	size_t session;	     /* record of the last SESSION, or NO_RECORD */
	size_t first_session;
	size_t closing;	      /* of the last CLOSING after it */
	size_t last_intent;   /* of the open session, NO_RECORD if it has none */
	size_t intent_before; /* the one before it in the same session */
	struct stack_kept
		last_kept; /* what lay where last_intent writes, if it is known */
	struct stack_kept kept_before; /* the same of intent_before */
};

void stack_init(struct stack *s);
void stack_release(struct stack *s);
/* Reads all heads. ERR_CORRUPT if the records contradict each other. */
bool stack_read(struct stack *s, const struct journal *j, struct err *err);

/* Index of the batch that undo (redo) takes next, or NO_RECORD. */
size_t stack_next_undo(const struct stack *s);
size_t stack_next_redo(const struct stack *s);
/* Notes a batch that has just been carried out; `intent` and `done` are its records, the
 * KEPT records stand in front of its intent. */
bool stack_note(struct stack *s, const struct change_head *head, struct stack_kept kept,
		size_t intent, size_t done);
/* What was kept of the free blocks that batch number `batch` writes to. */
struct stack_kept stack_kept_of(const struct stack *s, uint32_t batch);
/* Is nothing left to undo? (Also when nothing was ever done for good.) */
bool stack_all_undone(const struct stack *s);

/* The change of an intent record, with the checksums of its done record where known. */
bool stack_load(const struct volume *v, const struct journal *j, size_t intent,
		size_t done, struct change *out, struct err *err);
/* Superblock images of a SESSION record (before, marked), of a CLOSING record (before:
 * the final one). */
bool stack_images(const struct journal *j, size_t record, uint8_t before[SUPER_BYTES],
		  uint8_t marked[SUPER_BYTES], struct err *err);

/* Does the journal belong to this volume (UUID, block size)? And is the volume as the
 * journal left it? why: NULL, or room for 200 bytes. Both in history.c. If that cannot be
 * read the answer is false too, and err is set: nothing may be concluded from it. */
bool stack_is_ours(const struct volume *v, const struct journal *j);
bool stack_fits(struct volume *v, const struct journal *j, const struct stack *s,
		char *why, struct err *err);

#endif
