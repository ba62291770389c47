/* SPDX-License-Identifier: GPL-3.0-or-later */
/* history.c - a journal seen from outside: what was done, and does it still fit the
 * volume? */
#include <string.h>
#include <unistd.h>
#include "fs/session.h"
#include "src/fs/stack.h"

bool stack_fits(struct volume *v, const struct journal *j, const struct stack *s,
		char *why, struct err *err)
{
	uint8_t ours[SUPER_BYTES], now[SUPER_BYTES];

	if (s->closing == NO_RECORD && s->session == NO_RECORD)
		return true; /* nothing was ever done */
	if (s->closing == NO_RECORD) {
		if (why)
			strcpy(why, "its last session did not end");
		return false;
	}
	if (!stack_images(j, s->closing, ours, NULL, err) || !io_read_super(v, now, err))
		return false;
	if (memcmp(ours, now, SUPER_BYTES) == 0)
		return true;
	if (why)
		super_explain(ours, now, why, 200);
	return false;
}

bool stack_is_ours(const struct volume *v, const struct journal *j)
{
	const struct journal_ident *id = journal_ident(j);

	return memcmp(id->uuid, v->info.uuid, 16) == 0 &&
	       id->block_size == v->geom.block_size;
}

void history_init(struct history *h)
{
	memset(h, 0, sizeof(*h));
}

void history_release(struct history *h)
{
	vec_release(&h->actions);
}

static bool list_actions(const struct stack *s, struct history *out)
{
	for (size_t i = 0; i < s->batches.n; i++) {
		const struct stack_batch *b = &s->batches.v[i];
		struct history_action *a;

		if (i == 0 || b->action != b[-1].action) {
			struct history_action fresh = {.full = true};

			if (b->action && b->action <= s->actions.n) {
				memcpy(fresh.name, s->actions.v[b->action - 1].name,
				       sizeof(fresh.name));
				fresh.time = s->actions.v[b->action - 1].time;
			}
			if (!vec_push(&out->actions, fresh))
				return false;
		}
		a = &out->actions.v[out->actions.n - 1];
		a->batches++;
		a->undone += b->undone;
		a->full = a->full && b->kept.n;
		a->moves += b->moves;
		a->blocks += b->blocks;
	}
	return true;
}

bool history_read(const char *path, struct volume *v, struct history *out,
		  struct err *err)
{
	struct journal *j;
	struct stack s;
	bool ok;

	out->fits = true;
	if (access(path, F_OK))
		return true;
	j = journal_open(path, false, err);
	if (!j)
		return false;
	stack_init(&s);
	ok = stack_read(&s, j, err) && (list_actions(&s, out) || err_nomem(err));
	out->bytes = journal_bytes(j);
	out->open = s.open;
	out->fits = false;
	if (ok && !v)
		strcpy(out->why, "no volume is open");
	else if (ok && !stack_is_ours(v, j))
		strcpy(out->why, "the undo journal belongs to another volume");
	else if (ok && s.open)
		strcpy(out->why,
		       "its last session was cut short; open it with -w: it recovers");
	else if (ok)
		ok = (out->fits = stack_fits(v, j, &s, out->why, err)) || !err_isset(err);
	stack_release(&s);
	journal_close(j);
	return ok;
}
