/* SPDX-License-Identifier: GPL-3.0-or-later */
/* past.c - see past.h. */
#include <string.h>
#include <unistd.h>
#include "fs/past.h"
#include "fs/session.h"
#include "src/fs/stack.h"

void past_release(struct past *p)
{
	for (size_t i = 0; i < p->batches.n; i++) {
		free(p->batches.v[i].on);
		free(p->batches.v[i].back);
	}
	vec_release(&p->batches);
}

/* The moves of a change, the caller's. */
static bool take_moves(const struct change *c, struct move **moves, size_t *n)
{
	struct batch_result r;
	bool ok;

	batch_result_init(&r);
	ok = change_to_moves(c, &r);
	if (ok) {
		*moves = r.moves.v;
		*n = r.moves.n;
		memset(&r.moves, 0, sizeof(r.moves));
	}
	batch_result_release(&r);
	return ok;
}

static bool add_batch(const struct volume *v, const struct journal *j,
		      const struct stack *s, const struct stack_batch *b,
		      struct past *out, struct err *err)
{
	struct past_batch batch = {.action = ""};
	struct change on, back;
	bool ok;

	change_init(&on);
	change_init(&back);
	ok = stack_load(v, j, b->first, NO_RECORD, &on, err) &&
	     change_reverse(v, &on, CHANGE_UNDO, &back) &&
	     take_moves(&on, &batch.on, &batch.on_count) &&
	     take_moves(&back, &batch.back, &batch.back_count) &&
	     vec_push(&out->batches, batch);
	if (ok && b->action && b->action <= s->actions.n)
		memcpy(out->batches.v[out->batches.n - 1].action,
		       s->actions.v[b->action - 1].name, sizeof(batch.action));
	if (!ok) {
		free(batch.on);
		free(batch.back);
		err_nomem(err); /* if nobody said anything else */
	}
	change_release(&on);
	change_release(&back);
	return ok;
}

static bool read_all(struct volume *v, const struct journal *j, struct past *out,
		     struct err *err)
{
	struct stack s;
	char why[200];
	bool ok;

	stack_init(&s);
	ok = stack_read(&s, j, err);
	if (ok && (!stack_is_ours(v, j) || s.open || !stack_fits(v, j, &s, why, err))) {
		err_set(err, ERR_REFUSED,
			s.open ? "a session is open; close and open the volume first"
			       : "the undo journal does not fit the volume any more");
		ok = false;
	}
	for (size_t i = 0; ok && i < s.batches.n; i++)
		if (!s.batches.v[i].undone)
			ok = add_batch(v, j, &s, &s.batches.v[i], out, err);
	stack_release(&s);
	return ok;
}

bool past_read(const char *path, const char *volume, uint64_t offset, struct past *out,
	       struct err *err)
{
	struct volume_options opt = {.offset = offset};
	struct journal *j;
	struct volume *v;
	bool ok = false;

	memset(out, 0, sizeof(*out));
	if (access(path, F_OK)) {
		err_set(err, ERR_REFUSED, "nothing was done to this volume yet");
		return false;
	}
	v = volume_open(volume, &opt, err);
	j = v ? journal_open(path, false, err) : NULL;
	if (j) {
		ok = read_all(v, j, out, err);
		journal_close(j);
	}
	volume_close(v);
	if (ok && !out->batches.n) {
		err_set(err, ERR_REFUSED, "nothing was done to this volume yet");
		ok = false;
	}
	if (!ok)
		past_release(out);
	return ok;
}
