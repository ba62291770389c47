/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * recover.c - after a crash: see session.h. Copies no data.
 *
 * The last intent of the open session names everything that can be in between:
 *   - its inodes: each is wholly before or wholly after. All after: the batch is kept.
 *     Otherwise the ones after are switched back (their old blocks are still whole:
 *     nothing is given away before barrier B), and the batch is void.
 *   - its destinations and sources, and the sources of the batch before: their bits
 *     follow from the inodes.
 *   - their groups' bitmaps and descriptors: may be of different moments, but agree on
 *     all other bits.
 *   - the superblock: one of the images in the journal, or torn between two of them.
 *
 *   R1  inodes are durable before bits, bits before the superblock, that before CLOSED;
 *       nothing is taken for durable because it can be read
 *   R2  every step gives the same result when it is repeated: recovery may be cut short
 *       itself
 *   R3  anything that is none of the expected is an error: never guess
 *   R4  no block that an inode owns is marked free, whatever the journal says: it may have
 *       lost its end (crash/journal_damage truncated)
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "src/fs/ending.h"
#include "src/fs/keep.h"
#include "src/fs/mmp.h"
#include "src/fs/owned.h"
#include "src/fs/rescue.h"

struct recovery {
	struct volume *v;
	struct committer k;
	struct stack stack;
	struct recover_report *report;
	struct rescue super; /* the images of the superblock that the journal holds */
	struct change last, prior; /* the last intent, and the one before it */
	bool has_last, keep;
	struct err *err;
};

/* --- the superblock --- */

enum super_state { SUPER_BEFORE, SUPER_MARKED, SUPER_FINAL, SUPER_FOREIGN };

static bool load_images(struct rescue *out, const struct journal *j,
			const struct stack *s, struct err *err)
{
	if (!stack_images(j, s->session, out->before, out->marked, err))
		return false;
	out->has_final = s->closing != NO_RECORD;
	return !out->has_final || stack_images(j, s->closing, out->final, NULL, err);
}

static enum super_state judge_super(struct recovery *r, const uint8_t now[SUPER_BYTES])
{
	if (r->super.has_final && memcmp(now, r->super.final, SUPER_BYTES) == 0)
		return SUPER_FINAL;
	if (memcmp(now, r->super.marked, SUPER_BYTES) == 0)
		return SUPER_MARKED;
	if (memcmp(now, r->super.before, SUPER_BYTES) == 0)
		return SUPER_BEFORE;
	r->report->superblock_mended =
		super_is_torn(now, r->super.before, r->super.marked) ||
		(r->super.has_final &&
		 super_is_torn(now, r->super.marked, r->super.final));
	return r->report->superblock_mended ? SUPER_MARKED : SUPER_FOREIGN;
}

/* --- inodes --- */

enum inode_state { INODE_OLD, INODE_NEW, INODE_FOREIGN };

static bool judge_inode(struct recovery *r, const struct change_inode *i,
			struct ext2_inode_large *raw, enum inode_state *state)
{
	struct inode_core core;
	blkno_t block;
	size_t offset;
	uint8_t *buf = malloc(r->v->geom.block_size);

	if (!buf)
		return err_nomem(r->err);
	inode_locate(r->v, i->ino, &block, &offset);
	if (!io_read(r->v, block, 1, buf, r->err)) {
		free(buf);
		return false;
	}
	memcpy(raw, buf + offset, r->v->geom.inode_size);
	free(buf);
	core_get(r->v, raw, &core);
	*state = raw->i_generation != i->generation			? INODE_FOREIGN
		 : memcmp(core.bytes, i->after.bytes, CORE_BYTES) == 0	? INODE_NEW
		 : memcmp(core.bytes, i->before.bytes, CORE_BYTES) == 0 ? INODE_OLD
									: INODE_FOREIGN;
	return true;
}

/* How far the switch of the last batch came. */
static bool judge_inodes(struct recovery *r)
{
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(r->v));
	bool ok = raw || err_nomem(r->err);

	for (size_t k = 0; ok && k < r->last.inodes.n; k++) {
		const struct change_inode *i = &r->last.inodes.v[k];
		enum inode_state state = INODE_FOREIGN;

		ok = judge_inode(r, i, raw, &state);
		if (!ok)
			break;
		if (state == INODE_FOREIGN) {
			err_set(r->err, ERR_CORRUPT,
				"inode %u is neither as the interrupted session found it "
				"nor as it left it; "
				"nothing was changed: run e2fsck -f %s",
				i->ino, r->v->info.path);
			ok = false;
		} else if (state == INODE_NEW) {
			r->report->inodes_new++;
		} else {
			r->report->inodes_old++;
		}
	}
	free(raw);
	r->keep = ok && r->report->inodes_old == 0;
	return ok;
}

/* --- bits --- */

struct marker {
	struct recovery *r;
	bool used;
};

static bool set_bits(void *arg, blkno_t start, uint32_t len)
{
	struct marker *m = arg;

	return alloc_mark(m->r->k.alloc, start, len, m->used, m->r->err);
}

static bool mark_change(struct recovery *r, const struct change *c, bool taken, bool used)
{
	struct marker m = {r, used};

	for (size_t k = 0; k < c->inodes.n; k++)
		if (!(taken ? change_each_taken(&c->inodes.v[k], set_bits, &m)
			    : change_each_freed(&c->inodes.v[k], set_bits, &m)))
			return false;
	return true;
}

/* A group that got its first block in the last batch may hold a bitmap of no moment at
 * all: from nothing, then. */
static bool rebuild_groups(struct recovery *r)
{
	for (size_t i = 0; i < r->last.groups.n; i++)
		if (!alloc_rebuild(r->k.alloc, r->last.groups.v[i].group, r->err))
			return false;
	return true;
}

/* A group whose first blocks were taken back has no bitmap again. */
static bool restore_aborted(struct recovery *r)
{
	for (size_t i = 0; !r->keep && i < r->last.groups.n; i++)
		if (!alloc_restore_uninit(r->k.alloc, &r->last.groups.v[i], r->err))
			return false;
	return true;
}

/* First everything of these two batches is free, then what the inodes really own is used.
 */
static bool mend_bits(struct recovery *r)
{
	if (!r->has_last)
		return true;
	return rebuild_groups(r) && mark_change(r, &r->prior, false, false) &&
	       mark_change(r, &r->last, true, false) &&
	       mark_change(r, &r->last, false, false) &&
	       mark_change(r, &r->last, r->keep, true) && restore_aborted(r);
}

/* --- the whole --- */

static bool load_changes(struct recovery *r)
{
	r->has_last = r->stack.last_intent != NO_RECORD;
	if (!r->has_last)
		return true;
	if (r->stack.intent_before != NO_RECORD &&
	    !stack_load(r->v, r->k.journal, r->stack.intent_before, NO_RECORD, &r->prior,
			r->err))
		return false;
	r->report->batch = 0;
	if (!stack_load(r->v, r->k.journal, r->stack.last_intent, NO_RECORD, &r->last,
			r->err))
		return false;
	r->report->batch = r->last.batch;
	return true;
}

/* Written also where they read right: after a barrier that failed, or a kill, what is
 * read may be in memory alone, and the bits that follow would be durable before it. */
static bool mend_inodes(struct recovery *r)
{
	uint64_t bytes = 0;

	if (!r->has_last)
		return true;
	return batch_switch(r->v, &r->last, !r->keep, &bytes, r->err) &&
	       io_barrier(r->v, r->err);
}

/* Notes a batch that was taken back, and what the journal says with that. */
static bool note_abort(struct recovery *r)
{
	if (!r->has_last || r->keep)
		return true;
	stack_release(&r->stack);
	stack_init(&r->stack);
	return journal_append(r->k.journal, JOURNAL_ABORT, NULL, 0, r->err) &&
	       journal_sync(r->k.journal, r->err) &&
	       stack_read(&r->stack, r->k.journal, r->err);
}

/* Free blocks that an undone or voided batch wrote to get back what they held. The undo
 * before the last batch may have done so without a barrier since. */
static bool mend_free_blocks(struct recovery *r)
{
	bool undo = r->last.way == CHANGE_UNDO;
	uint64_t bytes = 0;

	if (!r->has_last)
		return true;
	if (r->prior.way == CHANGE_UNDO &&
	    !keep_restore(&r->k, r->stack.kept_before, true, &bytes, r->err))
		return false;
	return undo != r->keep ||
	       keep_restore(&r->k, r->stack.last_kept, true, &bytes, r->err);
}

/* Nothing has been given away yet: may it be? */
static bool nobody_owns(struct recovery *r, const struct change *groups)
{
	const struct change *looked_at[] = {&r->prior, &r->last, groups};

	return owned_are_marked(r->v, r->k.alloc, looked_at, 3, r->err);
}

/* Bits, then the groups of undone batches: a crash at the end of an undo may have left
 * anything in their bitmaps. */
static bool mend_groups(struct recovery *r)
{
	struct change keep;
	bool ok;

	change_init(&keep);
	ok = mend_bits(r) && note_abort(r) &&
	     ending_restore_groups(&r->k, &r->stack, true, &keep, r->err) &&
	     nobody_owns(r, &keep) && alloc_flush(r->k.alloc, r->err) &&
	     mend_free_blocks(r) && io_barrier(r->v, r->err);
	change_release(&keep);
	return ok;
}

/* A batch begins only when the mark is durable: with a batch in the journal and no mark
 * this is not the volume that the session was on. */
static bool is_the_one(struct recovery *r, enum super_state state)
{
	if (state != SUPER_BEFORE || r->stack.last_intent == NO_RECORD)
		return true;
	err_set(r->err, ERR_REFUSED,
		"a session was cut short on another copy of %s; open that one with -w to "
		"recover it, or name another undo journal for this one with -z FILE",
		r->v->info.path);
	return false;
}

static void tell(struct recovery *r, enum super_state state)
{
	struct recover_report *p = r->report;

	if (state == SUPER_BEFORE)
		snprintf(p->text, sizeof(p->text),
			 "a session was cut short before it changed anything");
	else if (state == SUPER_FINAL || r->super.has_final)
		snprintf(p->text, sizeof(p->text),
			 "a session was cut short at its very end; it is complete");
	else if (!r->has_last)
		snprintf(p->text, sizeof(p->text),
			 "a session was cut short before its first batch");
	else
		snprintf(p->text, sizeof(p->text),
			 "a session was cut short in batch %u: %u of its %u files had "
			 "been switched; the batch %s",
			 p->batch, p->inodes_new, p->inodes_new + p->inodes_old,
			 r->keep ? "is complete" : "was taken back");
	if (p->superblock_mended)
		strncat(p->text, "; the torn superblock was mended",
			sizeof(p->text) - strlen(p->text) - 1);
}

/* With CLOSING durable all but the superblock is; else the last batch is looked at. */
static bool mend(struct recovery *r)
{
	r->k.alloc = alloc_new(r->v, r->err);
	if (!r->k.alloc)
		return false;
	alloc_trust_nothing(r->k.alloc);
	if (!r->super.has_final &&
	    !(load_changes(r) && judge_inodes(r) && mend_inodes(r) && mend_groups(r) &&
	      ending_super(&r->k, &r->stack, r->super.before, r->super.final, r->err)))
		return false;
	return ending_write(&r->k, r->super.final, r->err);
}

static bool set_aside(struct recovery *r, const char *path,
		      const uint8_t now[SUPER_BYTES])
{
	struct str aside = STR_INIT;
	char why[120];
	bool ok;

	super_explain(r->super.marked, now, why, sizeof(why));
	ok = journal_set_aside(path, &aside, r->err);
	if (ok)
		snprintf(r->report->text, sizeof(r->report->text),
			 "a session had been cut short, but %s; its undo journal is now "
			 "%.120s",
			 why, aside.buf);
	str_release(&aside);
	return ok;
}

/* Multiple-mount protection as the session left it, or had not yet taken it. */
static bool adopt(struct recovery *r)
{
	uint8_t head[2 * SUPER_BYTES + MMP_BYTES];
	struct err none = ERR_INIT;
	size_t n = journal_read_head(r->k.journal, r->stack.session, head, sizeof(head),
				     &none);

	return mmp_adopt(r->v, n == sizeof(head) ? head + 2 * SUPER_BYTES : NULL, r->err);
}

static bool run(struct recovery *r, const char *path)
{
	uint8_t now[SUPER_BYTES];
	enum super_state state;
	bool ok;

	if (!load_images(&r->super, r->k.journal, &r->stack, r->err) ||
	    !io_read_super(r->v, now, r->err))
		return false;
	r->report->needed = true;
	state = judge_super(r, now);
	r->report->superblock_mended |= r->super.done;
	if (state == SUPER_FOREIGN)
		return set_aside(r, path, now);
	if (!is_the_one(r, state) || !adopt(r))
		return false;
	/* At its very end or before its first batch only the journal is behind. */
	ok = state == SUPER_MARKED ? mend(r) : ending_write(&r->k, now, r->err);
	if (ok)
		tell(r, state);
	return ok;
}

/* Looks only; *due: the volume may need it, and super holds what its superblock may be. */
static bool is_due(const char *journal, bool *due, struct rescue *super, struct err *err)
{
	struct journal *j = journal_open(journal, false, err);
	struct stack s;
	bool ok;

	stack_init(&s);
	ok = j && stack_read(&s, j, err);
	*due = ok && s.open;
	ok = ok && (!s.open || load_images(super, j, &s, err));
	stack_release(&s);
	journal_close(j);
	return ok;
}

/* The volume first: while it is in use, its journal is, and must not be cut. */
static bool open_both(struct recovery *r, const char *path, uint64_t offset,
		      const char *journal)
{
	r->v = r->k.v = volume_open_cut(path, offset, &r->super, r->err);
	r->k.journal = r->v ? journal_open(journal, true, r->err) : NULL;
	return r->k.journal && stack_read(&r->stack, r->k.journal, r->err);
}

bool recover_volume(const char *path, uint64_t offset, const char *journal,
		    struct recover_report *out, struct err *err)
{
	struct recovery r = {.report = out, .err = err};
	bool ok, due;

	memset(out, 0, sizeof(*out));
	if (access(journal, F_OK))
		return true;
	stack_init(&r.stack);
	change_init(&r.last);
	change_init(&r.prior);
	ok = is_due(journal, &due, &r.super, err) &&
	     (!due || open_both(&r, path, offset, journal));
	if (ok && due && stack_is_ours(r.v, r.k.journal))
		ok = run(&r, journal);
	change_release(&r.last);
	change_release(&r.prior);
	stack_release(&r.stack);
	alloc_free(r.k.alloc);
	journal_close(r.k.journal);
	volume_close(r.v);
	return ok;
}
