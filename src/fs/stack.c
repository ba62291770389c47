/* SPDX-License-Identifier: GPL-3.0-or-later */
/* stack.c - see stack.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/fs/stack.h"

void stack_init(struct stack *s)
{
	memset(s, 0, sizeof(*s));
	s->next_batch = 1;
	s->session = s->first_session = s->closing = s->last_intent = s->intent_before =
		NO_RECORD;
}

void stack_release(struct stack *s)
{
	vec_release(&s->batches);
	vec_release(&s->actions);
}

static struct stack_batch *find_batch(const struct stack *s, uint32_t number)
{
	for (size_t i = s->batches.n; i--;)
		if (s->batches.v[i].number == number)
			return &s->batches.v[i];
	return NULL;
}

/* A new batch ends what could have been redone. */
static void drop_undone(struct stack *s)
{
	while (s->batches.n && s->batches.v[s->batches.n - 1].undone)
		s->batches.n--;
}

struct stack_kept stack_kept_of(const struct stack *s, uint32_t batch)
{
	const struct stack_batch *b = find_batch(s, batch);

	return b ? b->kept : (struct stack_kept){0};
}

bool stack_note(struct stack *s, const struct change_head *head, struct stack_kept kept,
		size_t intent, size_t done)
{
	struct stack_batch *b = find_batch(s, head->batch);
	struct stack_batch fresh = {.number = head->batch,
				    .action = head->action,
				    .intent = intent,
				    .done = done,
				    .first = intent,
				    .kept = kept,
				    .moves = head->moves,
				    .blocks = head->blocks};

	if (head->way != CHANGE_FORWARD) {
		if (!b)
			return false;
		b->undone = head->way == CHANGE_UNDO;
		b->intent = intent;
		b->done = done;
		return true;
	}
	if (b)
		return false;
	drop_undone(s);
	s->next_batch = head->batch + 1;
	return vec_push(&s->batches, fresh);
}

/* --- reading --- */

static bool read_action(struct stack *s, const struct journal *j, size_t i,
			struct err *err)
{
	struct stack_action a = {.number = (uint32_t)s->actions.n + 1};
	uint8_t head[8 + sizeof(a.name)] = {0};
	size_t n = journal_read_head(j, i, head, sizeof(head) - 1, err);

	if (n < 8)
		return false;
	for (int k = 0; k < 8; k++)
		a.time |= (int64_t)((uint64_t)head[k] << 8 * k);
	snprintf(a.name, sizeof(a.name), "%s", (char *)head + 8);
	return vec_push(&s->actions, a) || err_nomem(err);
}

struct pending {
	struct change_head head;
	size_t intent, done;		   /* intent NO_RECORD: none */
	struct stack_kept kept, next_kept; /* of this intent; of the one to come */
};

/* An intent counts once something follows that shows it was carried out, or at the end.
 */
static bool settle(struct stack *s, struct pending *p)
{
	bool ok = p->intent == NO_RECORD ||
		  stack_note(s, &p->head, p->kept, p->intent, p->done);

	p->intent = p->done = NO_RECORD;
	return ok;
}

static bool read_intent(struct stack *s, const struct journal *j, size_t i,
			struct pending *p, struct err *err)
{
	uint8_t head[CHANGE_HEAD];
	size_t n = journal_read_head(j, i, head, sizeof(head), err);

	if (!n || !settle(s, p) || !change_peek(head, n, &p->head))
		return false;
	p->intent = i;
	p->kept = p->next_kept;
	p->next_kept = (struct stack_kept){0};
	s->intent_before = s->last_intent;
	s->kept_before = s->last_kept;
	s->last_intent = i;
	s->last_kept =
		p->head.way == CHANGE_FORWARD ? p->kept : stack_kept_of(s, p->head.batch);
	return true;
}

static bool read_kept(const struct journal *j, size_t i, struct stack_kept *row,
		      struct err *err)
{
	uint8_t part[4];

	if (journal_read_head(j, i, part, sizeof(part), err) != sizeof(part))
		return false;
	if (part[0] | part[1] | part[2] | part[3]) {
		row->n++;
		return row->n > 1 && row->first + row->n == i + 1;
	}
	*row = (struct stack_kept){i, 1};
	return true;
}

static void begin_session(struct stack *s, size_t i)
{
	s->open = true;
	s->session = i;
	s->last_kept = s->kept_before = (struct stack_kept){0};
	if (s->first_session == NO_RECORD)
		s->first_session = i;
	s->closing = s->last_intent = s->intent_before = NO_RECORD;
}

static bool read_record(struct stack *s, const struct journal *j, size_t i,
			struct pending *p, struct err *err)
{
	switch (journal_type_of(j, i)) {
	case JOURNAL_SESSION:
		p->next_kept = (struct stack_kept){0};
		begin_session(s, i);
		return true;
	case JOURNAL_ACTION:
		return read_action(s, j, i, err);
	case JOURNAL_INTENT:
		return read_intent(s, j, i, p, err);
	case JOURNAL_DONE:
		p->done = i;
		return p->intent != NO_RECORD;
	case JOURNAL_ABORT:
		p->intent = p->done = NO_RECORD;
		return true;
	case JOURNAL_KEPT:
		return read_kept(j, i, &p->next_kept, err);
	case JOURNAL_CLOSING:
		s->closing = i;
		return settle(s, p);
	case JOURNAL_CLOSED:
		s->open = false;
		return settle(s, p);
	}
	return false;
}

bool stack_read(struct stack *s, const struct journal *j, struct err *err)
{
	struct pending p = {.intent = NO_RECORD, .done = NO_RECORD};
	bool ok = true;

	for (size_t i = 0; ok && i < journal_count(j); i++)
		ok = read_record(s, j, i, &p, err);
	ok = ok && settle(s, &p);
	if (!ok)
		err_set(err, ERR_CORRUPT,
			"the records of the undo journal contradict each other; nothing "
			"was changed: move it away, and the volume is as it is, without "
			"undo");
	return ok;
}

/* --- asking --- */

size_t stack_next_undo(const struct stack *s)
{
	for (size_t i = s->batches.n; i--;)
		if (!s->batches.v[i].undone)
			return i;
	return NO_RECORD;
}

size_t stack_next_redo(const struct stack *s)
{
	for (size_t i = 0; i < s->batches.n; i++)
		if (s->batches.v[i].undone)
			return i;
	return NO_RECORD;
}

bool stack_all_undone(const struct stack *s)
{
	return stack_next_undo(s) == NO_RECORD;
}

bool stack_load(const struct volume *v, const struct journal *j, size_t intent,
		size_t done, struct change *out, struct err *err)
{
	size_t n;
	void *bytes = journal_read(j, intent, &n, err);
	bool ok = bytes && change_unpack(v, bytes, n, out, err);

	free(bytes);
	if (!ok || done == NO_RECORD)
		return ok;
	bytes = journal_read(j, done, &n, err);
	if (!bytes)
		return false;
	ok = change_unpack_sums(out, bytes, n);
	free(bytes);
	if (!ok)
		err_set(err, ERR_CORRUPT,
			"two records of the undo journal do not fit together");
	return ok;
}

bool stack_images(const struct journal *j, size_t record, uint8_t before[SUPER_BYTES],
		  uint8_t marked[SUPER_BYTES], struct err *err)
{
	uint8_t both[2 * SUPER_BYTES];
	size_t want = marked ? sizeof(both) : SUPER_BYTES;

	if (journal_read_head(j, record, both, want, err) != want) {
		err_set(err, ERR_CORRUPT, "a record of the undo journal is too short");
		return false;
	}
	memcpy(before, both, SUPER_BYTES);
	if (marked)
		memcpy(marked, both + SUPER_BYTES, SUPER_BYTES);
	return true;
}
