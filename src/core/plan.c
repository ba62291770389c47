/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.c - see plan.h: words, batches, price, dropping. The check is in plan_check.c. */
#include <stdio.h>
#include <string.h>
#include "core/disk.h"
#include "core/plan.h"

/* The model of the price: the disk of disk.h; a barrier waits for its cache. */
#define BARRIER_MS 20.0
/* Journal, volume before the switch, volume after it. */
#define BARRIERS_A_BATCH 3u

const char *move_reason_text(enum move_reason reason)
{
	static const char *const text[REASON_COUNT] = {
		[REASON_JOIN] = "joins fragments",
		[REASON_TREE] = "the mapping tree follows its data",
		[REASON_PLACE] = "asked for this place",
		[REASON_SLIDE] = "closes a gap",
		[REASON_ROOM] = "makes room",
		[REASON_STAGE] = "out of the way for now",
		[REASON_GROWTH] = "to where it has room to grow",
		[REASON_UNDO] = "undo",
		[REASON_REDO] = "redo",
	};

	return reason < REASON_COUNT ? text[reason] : "unknown";
}

const char *skip_reason_text(enum skip_reason reason)
{
	static const char *const text[SKIP_COUNT] = {
		[SKIP_PINNED] = "immutable, append-only or system",
		[SKIP_NO_HOLE] = "no room for it in one piece",
		[SKIP_UNSUPPORTED] = "mapped in a way that cannot be moved",
		[SKIP_GAIN] = "gain below the floor",
		[SKIP_PLACE] = "its place could not be cleared",
		[SKIP_GROWTH] = "no room for it to grow",
		[SKIP_BUDGET] = "the budget is used up",
	};

	return reason < SKIP_COUNT ? text[reason] : "unknown";
}

void skip_figure_text(const struct skip *s, char *buf, size_t size)
{
	unsigned long long figure = s->figure;

	buf[0] = '\0';
	if (s->reason == SKIP_NO_HOLE || s->reason == SKIP_GROWTH)
		snprintf(buf, size, "needs %llu blocks", figure);
	else if (s->reason == SKIP_GAIN)
		snprintf(buf, size, "%.1f ms a MiB", (double)figure / 1000);
	else if (s->reason == SKIP_PLACE)
		snprintf(buf, size, "block %llu", figure);
}

void plan_init(struct plan *p)
{
	memset(p, 0, sizeof(*p));
}

void plan_release(struct plan *p)
{
	vec_release(&p->moves);
	vec_release(&p->skips);
}

size_t plan_batch_end(const struct plan *p, size_t i)
{
	size_t end = i;

	while (end < p->moves.n && p->moves.v[end].batch == p->moves.v[i].batch)
		end++;
	return end;
}

static int by_number(const void *a, const void *b)
{
	inum_t x = *(const inum_t *)a, y = *(const inum_t *)b;

	return x < y ? -1 : x > y;
}

/* Different inodes among the moves; UINT64_MAX: no memory to count them. */
static uint64_t count_inodes(const struct plan *p)
{
	inum_t *ino = malloc((p->moves.n + 1) * sizeof(*ino));
	uint64_t count = 0;
	size_t n = 0;

	if (!ino)
		return UINT64_MAX;
	for (size_t i = 0; i < p->moves.n; i++)
		if (i == 0 || p->moves.v[i].ino != p->moves.v[i - 1].ino)
			ino[n++] = p->moves.v[i].ino;
	qsort(ino, n, sizeof(*ino), by_number);
	for (size_t i = 0; i < n; i++)
		count += i == 0 || ino[i] != ino[i - 1];
	free(ino);
	return count;
}

double plan_move_ms(const struct move *m, uint32_t block_size)
{
	double bytes = (double)m->len * block_size;

	if (m->kind == MOVE_DATA)
		bytes *= 2; /* read, and written */
	return bytes / disk_now()->bytes_per_ms + (m->len ? disk_now()->jump_ms : 0);
}

double plan_batch_ms(void)
{
	return BARRIERS_A_BATCH * BARRIER_MS;
}

void plan_price(struct plan *p, uint32_t block_size)
{
	struct price *c = &p->price;
	uint64_t tree = 0, pieces = 0;

	*c = (struct price){0};
	p->data_blocks = 0;
	for (size_t i = 0; i < p->moves.n; i++) {
		const struct move *m = &p->moves.v[i];

		c->batches += i == 0 || m->batch != p->moves.v[i - 1].batch;
		pieces += m->len > 0;
		if (m->kind == MOVE_DATA)
			p->data_blocks += m->len;
		else
			tree += m->len;
	}
	p->files = count_inodes(p);
	c->bytes_read = p->data_blocks * block_size;
	c->bytes_written = (p->data_blocks + tree) * block_size;
	c->barriers = c->batches * BARRIERS_A_BATCH;
	c->run_ms =
		(double)(c->bytes_read + c->bytes_written) / disk_now()->bytes_per_ms +
		(double)pieces * disk_now()->jump_ms + (double)c->barriers * BARRIER_MS;
}

bool plan_drop_inode(struct plan *p, const struct model *m, inum_t ino, struct err *err)
{
	struct plan rest = *p;
	struct err why = ERR_INIT;

	rest.moves.v = malloc((p->moves.n + 1) * sizeof(*rest.moves.v));
	if (!rest.moves.v)
		return err_nomem(err);
	rest.moves.n = 0;
	rest.moves.cap = p->moves.n + 1;
	for (size_t i = 0; i < p->moves.n; i++)
		if (p->moves.v[i].ino != ino)
			rest.moves.v[rest.moves.n++] = p->moves.v[i];
	plan_price(&rest, model_geom(m)->block_size);
	if (!plan_check(&rest, m, &why)) {
		free(rest.moves.v);
		err_set(err, why.class,
			"inode %u has to move, or later moves have no room: %s", ino,
			why.msg);
		return false;
	}
	free(p->moves.v);
	*p = rest;
	return true;
}
