/* SPDX-License-Identifier: GPL-3.0-or-later */
/* history_look.c - the files of one action, and whether all stand where they should. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fs/history.h"
#include "src/fs/history_priv.h"

bool history_open(struct history_source *h, const char *path, struct volume *v,
		  struct err *err)
{
	stack_init(&h->stack);
	h->v = v;
	h->journal = NULL;
	if (access(path, F_OK)) {
		err_set(err, ERR_REFUSED,
			"there is no undo journal %s: nothing was moved yet", path);
		return false;
	}
	h->journal = journal_open(path, false, err);
	if (!h->journal || !stack_read(&h->stack, h->journal, err))
		return false;
	if (stack_is_ours(v, h->journal))
		return true;
	err_set(err, ERR_REFUSED,
		"the undo journal %s belongs to another volume; name another with -z "
		"FILE",
		path);
	return false;
}

void history_close(struct history_source *h)
{
	stack_release(&h->stack);
	journal_close(h->journal);
}

/* --- one action --- */

static bool add_files(const struct history_source *h, const struct stack_batch *b,
		      struct history_files *out, struct err *err)
{
	struct change c;
	bool ok;

	change_init(&c);
	ok = stack_load(h->v, h->journal, b->first, NO_RECORD, &c, err);
	for (size_t i = 0; ok && i < c.inodes.n; i++) {
		const struct change_inode *in = &c.inodes.v[i];
		struct history_file f = {.batch = b->number,
					 .ino = in->ino,
					 .pieces = (uint32_t)in->copies.n,
					 .undone = b->undone};

		for (size_t k = 0; k < in->copies.n; k++)
			f.blocks += in->copies.v[k].len;
		if (in->copies.n) {
			f.from = in->copies.v[0].src;
			f.to = in->copies.v[0].dst;
		}
		ok = vec_push(out, f) || err_nomem(err);
	}
	change_release(&c);
	return ok;
}

/* Actions are counted as the list shows them: those that have batches. */
bool history_files(const char *journal, struct volume *v, uint32_t action,
		   struct history_files *out, struct err *err)
{
	struct history_source h;
	uint32_t number = 0;
	bool ok = history_open(&h, journal, v, err);

	for (size_t i = 0; ok && i < h.stack.batches.n; i++) {
		const struct stack_batch *b = &h.stack.batches.v[i];

		number += i == 0 || b->action != b[-1].action;
		if (number == action)
			ok = add_files(&h, b, out, err);
	}
	if (ok && (!action || action > number)) {
		err_set(err, ERR_USAGE, "the journal holds %u actions, there is no %u",
			number, action);
		ok = false;
	}
	history_close(&h);
	return ok;
}

/* --- verifying --- */

/* What an inode should look like, and how late in the order of undo that is known. */
struct expected {
	inum_t ino;
	uint32_t rank; /* the lowest counts */
	uint32_t generation;
	struct inode_core core;
};

struct expectations {
	struct expected *v;
	size_t n, cap;
};

static bool expect(const struct history_source *h, const struct stack_batch *b,
		   uint32_t rank, struct expectations *out, struct err *err)
{
	struct change c;
	bool ok;

	change_init(&c);
	ok = stack_load(h->v, h->journal, b->intent, b->done, &c, err);
	for (size_t i = 0; ok && i < c.inodes.n; i++) {
		const struct change_inode *in = &c.inodes.v[i];
		struct expected e = {in->ino, rank, in->generation, in->after};

		ok = vec_push(out, e) || err_nomem(err);
	}
	change_release(&c);
	return ok;
}

/* The last change that was carried out on each inode counts: of the batches that stand the
 * newest, of those that are undone the oldest. */
static bool expect_all(const struct history_source *h, struct expectations *out,
		       struct err *err)
{
	size_t n = h->stack.batches.n;

	for (size_t i = 0; i < n; i++) {
		const struct stack_batch *b = &h->stack.batches.v[i];
		uint32_t rank = (uint32_t)(b->undone ? i : n - i);

		if (!expect(h, b, b->undone ? rank : rank + (uint32_t)n, out, err))
			return false;
	}
	return true;
}

static int by_inode(const void *a, const void *b)
{
	const struct expected *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

static bool is_as_expected(struct volume *v, const struct expected *e,
			   struct ext2_inode_large *raw)
{
	struct inode_core core;

	if (!inode_read(v, e->ino, raw, NULL) || !raw->i_links_count)
		return false;
	core_get(v, raw, &core);
	return raw->i_generation == e->generation &&
	       memcmp(core.bytes, e->core.bytes, CORE_BYTES) == 0;
}

static bool compare(struct volume *v, struct expectations *all,
		    struct history_verdict *out, struct err *err)
{
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(v));

	if (!raw)
		return err_nomem(err);
	if (all->n)
		qsort(all->v, all->n, sizeof(*all->v), by_inode);
	for (size_t i = 0; i < all->n; i++) {
		if (i && all->v[i].ino == all->v[i - 1].ino)
			continue;
		out->inodes++;
		if (is_as_expected(v, &all->v[i], raw))
			continue;
		if (!out->changed++)
			out->first_changed = all->v[i].ino;
	}
	free(raw);
	return true;
}

bool history_verify(const char *journal, struct volume *v, struct history_verdict *out,
		    struct err *err)
{
	struct expectations all = {0};
	struct history_source h;
	bool ok;

	memset(out, 0, sizeof(*out));
	ok = history_open(&h, journal, v, err);
	if (ok && h.stack.open) {
		err_set(err, ERR_RECOVER,
			"a session was cut short; every record of its undo journal is "
			"right: open the volume with -w, it recovers");
		ok = false;
	}
	ok = ok && expect_all(&h, &all, err) && compare(v, &all, out, err);
	if (ok) {
		out->records = journal_count(h.journal);
		out->bytes = journal_bytes(h.journal);
		out->batches = (uint32_t)h.stack.batches.n;
		for (size_t i = 0; i < h.stack.batches.n; i++)
			out->undone += h.stack.batches.v[i].undone;
		out->fits = stack_fits(v, h.journal, &h.stack, out->why, err);
		ok = out->fits || !err_isset(err);
	}
	vec_release(&all);
	history_close(&h);
	return ok;
}
