/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * batch.c - carrying out one change set. With session.c, ending.c and recover.c the only
 * code that writes to a volume in use.
 *
 * Invariants (D: destinations and new trees, S: sources and old trees of batch n), and
 * what keeps them
 *   I1  every durable reference points at valid content: barrier A before the switch
 *   I2  no block is durably referenced twice: D is free when the batch starts
 *   I3  a block is durably marked used before a reference to it is durable: the marks
 *       come before barrier A
 *   I4  a block is overwritten only if no durable reference to it exists: S is given away
 *       after barrier B
 *   I5  the intent is durable before anything that it describes is visible: it is synced
 *       before marks and switch
 *
 *   START -> intent durable -> copied, trees written, D marked, S(n-1) unmarked
 *         -> barrier A -> inodes switched -> barrier B
 *         -> DONE (S of this batch is free from here on, in memory)
 *
 * A crash before A: D unreferenced, at worst marked. Between A and B: each inode is old
 * or new, since the bytes that change lie in one sector. After B: S is marked, until the
 * next batch or the end of the session. Recovery knows D and S from the intent.
 * Tests that fail without them: I1 crash/session_crash every_kind_of_volume, negative
 * without_barrier_a; I2 image/session_refuse destinations, inode_twice,
 * fixed_metadata_is_no_destination; I3 and I4 the look at each crash state without its journal,
 * negative marks_after_the_switch and without_barrier_b; I5 negative without_journal_sync.
 */
#include <stdlib.h>
#include <string.h>
#include "src/fs/batch.h"
#include "src/fs/copy.h"
#include "src/fs/inuse.h"
#include "src/fs/keep.h"
#include "src/fs/verify.h"

/* Kept free in the journal besides the intent and the checksums of its batch: superblock
 * and last records, of this session and of a recovery. */
#define CLOSING_ROOM (64u << 10)

const char *batch_phase_name(enum batch_phase phase)
{
	static const char *const names[] = {"wait for other hosts",
					    "prepare",
					    "copy",
					    "mark",
					    "barrier",
					    "read back",
					    "switch"};

	return names[phase];
}

void batch_result_init(struct batch_result *r)
{
	memset(r, 0, sizeof(*r));
}

void batch_result_release(struct batch_result *r)
{
	vec_release(&r->moves);
}

/* In memory only: they may be given away from now on. */
static bool forget_freed(struct committer *k, struct err *err)
{
	for (size_t i = 0; i < k->freed.n; i++)
		if (!alloc_mark(k->alloc, k->freed.v[i].start,
				(uint32_t)k->freed.v[i].len, false, err))
			return false;
	vec_clear(&k->freed);
	return true;
}

/* --- checks, nothing written yet --- */

struct walker {
	struct committer *k;
	struct change *c;
	VEC(struct range) ranges;
	uint64_t *count;
	struct err *err;
};

/* Whatever a bitmap says: where metadata has its fixed place nothing is ever put. */
static bool want_movable(struct walker *w, blkno_t start, uint32_t len)
{
	const struct geom *g = &w->k->v->geom;
	size_t i = geom_fixed_after(g, start);

	if (i == g->fixed.n || g->fixed.v[i].start >= start + len)
		return true;
	err_set(w->err, ERR_REFUSED, "blocks %llu+%u are no free space: %s lies there",
		(unsigned long long)start, len, owner_name(g->fixed.v[i].kind));
	return false;
}

static bool want_free(void *arg, blkno_t start, uint32_t len)
{
	struct walker *w = arg;
	struct range r = {start, len};

	return alloc_is(w->k->alloc, start, len, false, w->err) &&
	       want_movable(w, start, len) &&
	       (vec_push(&w->ranges, r) || err_nomem(w->err)) &&
	       alloc_note_uninit(w->k->alloc, start, len, w->c, w->err);
}

static bool want_used(void *arg, blkno_t start, uint32_t len)
{
	struct walker *w = arg;

	return alloc_is(w->k->alloc, start, len, true, w->err);
}

static int by_start(const void *a, const void *b)
{
	const struct range *x = a, *y = b;

	return x->start < y->start ? -1 : x->start > y->start;
}

static bool want_apart(struct walker *w)
{
	if (w->ranges.n)
		qsort(w->ranges.v, w->ranges.n, sizeof(*w->ranges.v), by_start);
	for (size_t i = 1; i < w->ranges.n; i++)
		if (w->ranges.v[i - 1].start + w->ranges.v[i - 1].len >
		    w->ranges.v[i].start) {
			err_set(w->err, ERR_REFUSED,
				"two files are to be moved to block %llu; plan again",
				(unsigned long long)w->ranges.v[i].start);
			return false;
		}
	return true;
}

bool batch_check(struct committer *k, struct change *c, struct err *err)
{
	struct walker w = {.k = k, .c = c, .err = err};
	bool ok = forget_freed(k, err);

	for (size_t i = 0; ok && i < c->inodes.n; i++)
		ok = change_each_taken(&c->inodes.v[i], want_free, &w) &&
		     change_each_freed(&c->inodes.v[i], want_used, &w);
	ok = ok && want_apart(&w);
	vec_release(&w.ranges);
	return ok;
}

/* --- steps --- */

static void report(struct committer *k, enum batch_phase phase)
{
	if (k->progress)
		k->progress(k->arg, phase, 1, 1);
}

static bool write_intent(struct committer *k, const struct change *c,
			 struct batch_result *out, struct err *err)
{
	struct str packed = STR_INIT;
	bool ok = change_pack(k->v, c, &packed) || err_nomem(err);

	/* a checksum takes less than the copy that it is of */
	ok = ok && journal_reserve(k->journal, 2 * packed.len + CLOSING_ROOM, err) &&
	     journal_append(k->journal, JOURNAL_INTENT, packed.buf, packed.len, err) &&
	     journal_sync(k->journal, err);
	str_release(&packed);
	out->barriers++;
	return ok;
}

static int by_block(const void *a, const void *b)
{
	const struct change_node *x = a, *y = b;

	return x->block < y->block ? -1 : x->block > y->block;
}

static bool write_trees(struct committer *k, const struct change *c,
			struct batch_result *out, struct err *err)
{
	VEC(struct change_node) all = VEC_INIT;
	bool ok = true;

	for (size_t i = 0; ok && i < c->inodes.n; i++)
		for (size_t n = 0; ok && n < c->inodes.v[i].new_tree.n; n++)
			ok = vec_push(&all, c->inodes.v[i].new_tree.v[n]) ||
			     err_nomem(err);
	if (all.n)
		qsort(all.v, all.n, sizeof(*all.v), by_block);
	for (size_t i = 0; ok && i < all.n; i++)
		ok = io_write(k->v, all.v[i].block, 1, all.v[i].image, err);
	out->bytes_written += all.n * k->v->geom.block_size;
	vec_release(&all);
	return ok;
}

static bool mark_used(void *arg, blkno_t start, uint32_t len)
{
	struct walker *w = arg;

	return alloc_mark(w->k->alloc, start, len, true, w->err);
}

static bool mark(struct committer *k, struct change *c, struct err *err)
{
	struct walker w = {.k = k, .c = c, .err = err};

	for (size_t i = 0; i < c->inodes.n; i++)
		if (!change_each_taken(&c->inodes.v[i], mark_used, &w))
			return false;
	return alloc_flush(k->alloc, err);
}

static int by_number(const void *a, const void *b)
{
	const struct change_inode *const *x = a, *const *y = b;

	return (*x)->ino < (*y)->ino ? -1 : (*x)->ino > (*y)->ino;
}

bool batch_switch(struct volume *v, const struct change *c, bool back, uint64_t *bytes,
		  struct err *err)
{
	const struct change_inode **order =
		malloc((c->inodes.n ? c->inodes.n : 1) * sizeof(*order));
	uint8_t *buf = malloc(v->geom.block_size);
	bool ok = (order && buf) || err_nomem(err);

	for (size_t i = 0; ok && i < c->inodes.n; i++)
		order[i] = &c->inodes.v[i];
	if (ok && c->inodes.n)
		qsort(order, c->inodes.n, sizeof(const struct change_inode *), by_number);
	for (size_t i = 0; ok && i < c->inodes.n;) {
		blkno_t block, other;
		size_t offset;

		inode_locate(v, order[i]->ino, &block, &offset);
		ok = io_read(v, block, 1, buf, err);
		for (other = block; ok && other == block;) {
			core_put(v, (struct ext2_inode_large *)(buf + offset),
				 back ? &order[i]->before : &order[i]->after);
			if (++i == c->inodes.n)
				break;
			inode_locate(v, order[i]->ino, &other, &offset);
		}
		ok = ok && io_write(v, block, 1, buf, err);
		*bytes += v->geom.block_size;
	}
	free(order);
	free(buf);
	return ok;
}

static bool write_done(struct committer *k, const struct change *c, struct err *err)
{
	struct str sums = STR_INIT;
	bool ok = change_pack_sums(c, &sums) || err_nomem(err);

	ok = ok && journal_append(k->journal, JOURNAL_DONE, sums.buf, sums.len, err);
	str_release(&sums);
	return ok;
}

static bool note_freed(void *arg, blkno_t start, uint32_t len)
{
	struct committer *k = arg;
	struct range r = {start, len};

	return vec_push(&k->freed, r);
}

bool batch_settle(struct committer *k, struct err *err)
{
	return forget_freed(k, err) && alloc_flush(k->alloc, err);
}

/* Everything after the intent: an error here ends the session, whatever it was. */
static bool carry_out(struct committer *k, struct change *c, struct batch_result *out,
		      struct err *err)
{
	struct copy_totals copied;

	if (!copy_all(k->v, c, k->progress, k->arg, &copied, err))
		return false;
	out->bytes_read += copied.bytes_read;
	out->bytes_written += copied.bytes_written;
	out->copied_blocks += copied.blocks;
	if (!write_trees(k, c, out, err))
		return false;
	report(k, BATCH_MARK);
	if (!mark(k, c, err))
		return false;
	report(k, BATCH_BARRIER);
	if (!io_barrier(k->v, err)) /* A */
		return false;
	if (k->verify) {
		report(k, BATCH_VERIFY);
		if (!verify_written(k->v, c, &out->bytes_verified, err))
			return false;
	}
	/* Copying takes a while. Until here only free blocks were written. */
	if (!inuse_stays_ours(k->v, true, err))
		return false;
	report(k, BATCH_SWITCH);
	if (!batch_switch(k->v, c, false, &out->bytes_written, err))
		return false;
	report(k, BATCH_BARRIER);
	if (!io_barrier(k->v, err)) /* B */
		return false;
	out->barriers += 2;
	for (size_t i = 0; i < c->inodes.n; i++)
		if (!change_each_freed(&c->inodes.v[i], note_freed, k))
			return err_nomem(err);
	return write_done(k, c, err);
}

bool batch_commit(struct committer *k, struct change *c, struct batch_result *out,
		  struct err *err)
{
	struct err inner = ERR_INIT;

	report(k, BATCH_PREPARE);
	if (k->full && c->way == CHANGE_FORWARD && !keep_free(k, c, err))
		return false;
	if (!write_intent(k, c, out, err))
		return false;
	out->number = c->batch;
	if (carry_out(k, c, out, &inner))
		return true;
	if (inner.class == ERR_REFUSED || inner.class == ERR_NOSPACE)
		inner.class = ERR_IO; /* after the intent nothing is harmless */
	*err = inner;
	return false;
}
