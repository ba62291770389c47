/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session.c - see session.h: the frame around batches, and the way back.
 *
 *   OPENED --first batch--> MARKED (superblock not VALID) --close--> CLOSED
 *      |                       |
 *      |                       +--an error after the intent, or the image file in use by
 *      |                          others--> DEAD (recover.c, next open)
 *      +--close: nothing was written
 *
 *   S1  SESSION is durable before the superblock is marked, CLOSING before it is written
 *       for the last time: a torn superblock can be mended from the journal
 *   S2  the superblock is written exactly twice, 1024 bytes at once
 *   S3  nothing is closed before everything is durable
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "src/fs/ending.h"
#include "src/fs/inuse.h"
#include "src/fs/keep.h"
#include "src/fs/mmp.h"
#include "src/fs/relocate.h"
#include "src/fs/session_journal.h"

struct session {
	struct volume *v;
	struct committer k;
	struct stack stack;
	bool begun, dead;
	uint8_t before[SUPER_BYTES]; /* superblock as it was when this session began */
	char action[80];	     /* name waiting for the first batch */
};

/* --- opening --- */

struct session *session_open(struct volume *v, const struct session_options *opt,
			     struct str *note, struct err *err)
{
	struct session *s = calloc(1, sizeof(*s));
	struct err inner = ERR_INIT;

	if (!s) {
		err_nomem(err);
		return NULL;
	}
	s->v = s->k.v = v;
	s->k.full = opt->keep_free;
	s->k.verify = opt->verify;
	stack_init(&s->stack);
	if (!v->info.write) {
		err_set(&inner, ERR_REFUSED, "%s is open for viewing only", v->info.path);
	} else {
		s->k.journal = session_journal(v, &s->stack, opt, note, &inner);
	}
	if (!err_isset(&inner))
		s->k.alloc = alloc_new(v, &inner);
	if (!err_isset(&inner))
		return s;
	session_free(s);
	if (err)
		*err = inner;
	return NULL;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	journal_close(s->k.journal);
	alloc_free(s->k.alloc);
	vec_release(&s->k.freed);
	stack_release(&s->stack);
	free(s);
}

void session_on_progress(struct session *s, batch_progress_fn fn, void *arg)
{
	s->k.progress = fn;
	s->k.arg = arg;
}

/* --- beginning: just before the first batch --- */

/* The volume is taken from other hosts only when the journal is open, so that a crash
 * leaves nothing locked for ever. */
static bool take(struct session *s, const uint8_t *marked, struct err *err)
{
	if (mmp_has(s->v) && s->k.progress)
		s->k.progress(s->k.arg, BATCH_WAIT, 0, 1);
	return mmp_claim(s->v, err) && mmp_hold(s->v, err) &&
	       io_write_super(s->v, marked, err) && io_barrier(s->v, err);
}

static bool begin(struct session *s, struct err *err)
{
	uint8_t images[2 * SUPER_BYTES + MMP_BYTES];
	size_t n = mmp_has(s->v) ? sizeof(images) : 2 * SUPER_BYTES;

	if (s->begun)
		return true;
	if (!io_read_super(s->v, s->before, err))
		return false;
	memcpy(images, s->before, SUPER_BYTES);
	super_mark(s->before, images + SUPER_BYTES);
	memcpy(images + 2 * SUPER_BYTES, s->v->mmp.seen, MMP_BYTES);
	if (!journal_append(s->k.journal, JOURNAL_SESSION, images, n, err) ||
	    !journal_sync(s->k.journal, err))
		return false;
	s->begun = true;
	return take(s, images + SUPER_BYTES, err);
}

bool session_action(struct session *s, const char *name, struct err *err)
{
	(void)err;
	snprintf(s->action, sizeof(s->action), "%s", name);
	return true;
}

/* An action is written down with its first batch, so that one that never began leaves no
 * trace. */
static bool write_action(struct session *s, struct err *err)
{
	struct stack_action a = {.number = (uint32_t)s->stack.actions.n + 1,
				 .time = time(NULL)};
	uint8_t payload[8 + sizeof(a.name)];

	if (!s->action[0] && s->stack.actions.n)
		return true;
	memcpy(a.name, s->action, sizeof(a.name));
	for (int i = 0; i < 8; i++)
		payload[i] = (uint8_t)((uint64_t)a.time >> 8 * i);
	memcpy(payload + 8, a.name, sizeof(a.name));
	s->action[0] = '\0';
	return journal_append(s->k.journal, JOURNAL_ACTION, payload, 8 + strlen(a.name),
			      err) &&
	       (vec_push(&s->stack.actions, a) || err_nomem(err));
}

/* --- batches --- */

static void head_of(const struct change *c, struct change_head *h)
{
	*h = (struct change_head){.way = c->way,
				  .batch = c->batch,
				  .action = c->action,
				  .inodes = (uint32_t)c->inodes.n,
				  .moves = c->moves};
	for (size_t k = 0; k < c->inodes.n; k++) {
		for (size_t i = 0; i < c->inodes.v[k].copies.n; i++)
			h->blocks += c->inodes.v[k].copies.v[i].len;
	}
}

/* An image file may be attached or mounted by others at any time. What the session has
 * left undone, its end included, is then not done: it is for recovery. */
static bool stays_ours(struct session *s, struct err *err)
{
	if (inuse_stays_ours(s->v, s->begun, err) && mmp_keep(s->v, err))
		return true;
	s->dead = s->begun;
	return false;
}

/* Carries a change out and notes it. What was refused leaves the session alive. */
static bool commit(struct session *s, struct change *c, struct batch_result *out,
		   struct err *err)
{
	struct change_head head;
	struct stack_kept kept = {0};
	size_t intent;
	bool ok;

	if (!stays_ours(s, err))
		return false;
	if (!batch_check(&s->k, c, err)) {
		s->dead = err->class == ERR_IO;
		return false;
	}
	ok = journal_reserve(s->k.journal, 1 << 20, err);
	if (!ok && err->class == ERR_NOSPACE)
		return false;
	ok = ok && begin(s, err);
	if (ok && c->way == CHANGE_FORWARD) {
		ok = write_action(s, err);
		c->action = (uint32_t)s->stack.actions.n;
	}
	if (!ok) {
		if (err->class == ERR_REFUSED) /* taken by another host meanwhile */
			err->class = ERR_RECOVER;
		s->dead = true;
		return false;
	}
	kept.first = journal_count(s->k.journal);
	if (!batch_commit(&s->k, c, out, err)) {
		s->dead = err->class != ERR_NOSPACE;
		return false;
	}
	head_of(c, &head);
	intent = journal_count(s->k.journal) - 2; /* DONE is the last */
	kept.n = intent - kept.first;
	if (stack_note(&s->stack, &head, kept, intent, intent + 1) &&
	    change_to_moves(c, out))
		return true;
	s->dead = true;
	return err_nomem(err);
}

static bool is_alive(const struct session *s, struct err *err)
{
	if (!s->dead)
		return true;
	err_set(err, ERR_IO,
		"the session has ended after an error; open the volume again");
	return false;
}

/* What was asked for is what has been done: the front end counts in moves of its plan. */
static bool echo_moves(const struct move *moves, size_t n, struct batch_result *out)
{
	vec_clear(&out->moves);
	for (size_t i = 0; i < n; i++)
		if (!vec_push(&out->moves, moves[i]))
			return false;
	return true;
}

bool session_batch(struct session *s, const struct move *moves, size_t n,
		   struct batch_result *out, struct err *err)
{
	struct err inner = ERR_INIT;
	struct change c;
	bool ok = is_alive(s, &inner);

	change_init(&c);
	c.batch = s->stack.next_batch;
	c.moves = (uint32_t)n;
	if (ok && !relocate_plan(s->v, moves, n, &c, &inner)) {
		ok = false;
		s->dead = s->dead || inner.class == ERR_IO;
	}
	ok = ok && commit(s, &c, out, &inner);
	if (ok && !echo_moves(moves, n, out)) {
		s->dead = true;
		ok = err_nomem(&inner);
	}
	change_release(&c);
	if (!ok && err)
		*err = inner;
	return ok;
}

/* The free blocks that an undone batch had written to. A crash before the next barrier
 * leaves it to recovery. */
static bool put_back(struct session *s, size_t at, struct batch_result *out,
		     struct err *err)
{
	struct stack_kept kept = s->stack.batches.v[at].kept;

	if (keep_restore(&s->k, kept, false, &out->bytes_written, err))
		return true;
	s->dead = true;
	return false;
}

static bool go_back(struct session *s, size_t at, enum change_way way,
		    struct batch_result *out, struct err *err)
{
	const struct stack_batch *b = &s->stack.batches.v[at];
	struct change was, c;
	bool ok;

	change_init(&was);
	change_init(&c);
	ok = stack_load(s->v, s->k.journal, b->intent, b->done, &was, err) &&
	     (change_reverse(s->v, &was, way, &c) || err_nomem(err)) &&
	     relocate_verify(s->v, &c, err) && relocate_read_old_trees(s->v, &c, err) &&
	     commit(s, &c, out, err) && (way != CHANGE_UNDO || put_back(s, at, out, err));
	change_release(&was);
	change_release(&c);
	return ok;
}

/* Is the neighbour of batch `at` in the direction of travel of another action, or none?
 */
static bool ends_action(const struct stack *s, size_t at, size_t next)
{
	return next == NO_RECORD || s->batches.v[next].action != s->batches.v[at].action;
}

bool session_undo_batch(struct session *s, struct batch_result *out, struct err *err)
{
	struct err inner = ERR_INIT;
	size_t at = stack_next_undo(&s->stack);
	bool ok = is_alive(s, &inner);

	if (ok && at == NO_RECORD) {
		err_set(&inner, ERR_REFUSED, "nothing to undo");
		ok = false;
	}
	ok = ok && go_back(s, at, CHANGE_UNDO, out, &inner);
	if (ok)
		out->action_done = ends_action(&s->stack, at, stack_next_undo(&s->stack));
	else if (err)
		*err = inner;
	return ok;
}

bool session_redo_batch(struct session *s, struct batch_result *out, struct err *err)
{
	struct err inner = ERR_INIT;
	size_t at = stack_next_redo(&s->stack);
	bool ok = is_alive(s, &inner);

	if (ok && at == NO_RECORD) {
		err_set(&inner, ERR_REFUSED, "nothing to redo");
		ok = false;
	}
	ok = ok && go_back(s, at, CHANGE_REDO, out, &inner);
	if (ok)
		out->action_done = ends_action(&s->stack, at, stack_next_redo(&s->stack));
	else if (err)
		*err = inner;
	return ok;
}

/* --- closing --- */

static bool finish(struct session *s, struct err *err)
{
	uint8_t final[SUPER_BYTES];
	struct change keep;
	bool ok;

	change_init(&keep);
	ok = batch_settle(&s->k, err) &&
	     ending_restore_groups(&s->k, &s->stack, false, &keep, err) &&
	     alloc_flush(s->k.alloc, err) && io_barrier(s->v, err) &&
	     ending_super(&s->k, &s->stack, s->before, final, err) &&
	     ending_write(&s->k, final, err);
	change_release(&keep);
	return ok;
}

bool session_close(struct session *s, struct err *err)
{
	bool ok = true;

	if (!s)
		return true;
	if (s->stack.first_session == NO_RECORD && s->begun)
		s->stack.first_session =
			0; /* the first record of a new journal is this session's */
	if (s->begun)
		ok = is_alive(s, err) && stays_ours(s, err) && finish(s, err);
	session_free(s);
	return ok;
}
