/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan_crew.c - one pass: several threads read and parse units, one applies what they
 * found.
 *
 * Units are cut as readers ask for them, and their harvests are used again and again, so
 * that a pass needs no memory in proportion to what it reads.
 */
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "src/fs/scan_priv.h"

#define STEP_MS	       60 /* after that no more units are handed out */
#define UNREADABLE_MAX 1000

/* Larger reads of tables are not faster, and each reader has room for one; the small ones
 * are mostly single blocks. */
#define READ_LARGE (1u << 20)
#define READ_SMALL (256u << 10)

/* What takes no longer to be read over than a seek, or another request. */
#define GAP_ROTATIONAL (256u << 10)
#define GAP_FLASH      (64u << 10)

/* --- cutting --- */

uint32_t pass_unit_blocks(const struct scan *s, bool small)
{
	return (small ? READ_SMALL : READ_LARGE) / s->v->geom.block_size;
}

uint32_t todo_blocks(const struct scan *s, const struct todo *t)
{
	const struct geom *g = &s->v->geom;

	if (s->pass.work == scan_dirs)
		return t->count;
	if (s->pass.work == scan_table)
		return (uint32_t)(((uint64_t)t->count * g->inode_size + g->block_size -
				   1) /
				  g->block_size);
	return 1;
}

/* The next unit: items that lie close together; a long one is taken in pieces. */
static bool cut_unit(const struct scan *s, struct cursor *c, struct unit *u)
{
	const struct pass *p = &s->pass;

	if (c->item == p->items.n)
		return false;
	*u = (struct unit){.start = todo_block(&p->items.v[c->item]) + c->off,
			   .first = c->item};
	for (; c->item < p->items.n; c->item++, c->off = 0) {
		const struct todo *t = &p->items.v[c->item];
		blkno_t from = todo_block(t) + c->off;
		blkno_t end = todo_block(t) + todo_blocks(s, t);

		if (u->count && from > u->start + u->count + p->gap_blocks)
			break;
		if (end - u->start > p->unit_blocks) {
			if (u->count)
				break;
			u->count = p->unit_blocks;
			c->off += p->unit_blocks;
			u->last = c->item + 1;
			return true;
		}
		if (end > u->start + u->count)
			u->count = (uint32_t)(end - u->start);
	}
	u->last = c->item;
	return true;
}

/* --- beginning --- */

/* Each block once: it has one owner at most, and what a second one says of it would be
 * read in vain. */
static void drop_overlaps(struct scan *s)
{
	struct todo_list *l = &s->pass.items;
	inum_t owner = 0;
	blkno_t reach = 0;
	size_t kept = 0;

	for (size_t i = 0; i < l->n; i++) {
		struct todo t = l->v[i];
		blkno_t start = todo_block(&t), end = start + todo_blocks(s, &t);

		if (end <= reach || start < reach) {
			if (s->pass.work == scan_nodes)
				flaw_add(&s->flaws, start, t.ino,
					 "block %llu is a tree node of inode %u and of "
					 "inode %u",
					 (unsigned long long)start, owner, t.ino);
			if (end <= reach)
				continue;
			t.where += reach - start;
			t.count -= (uint32_t)(reach - start);
		}
		reach = end;
		owner = t.ino;
		l->v[kept++] = t;
	}
	l->n = kept;
}

static unsigned window_of(int readers)
{
	return (unsigned)(readers + readers / 2);
}

void pass_begin(struct scan *s, struct todo_list *items, scan_work_fn work, bool small)
{
	struct pass *p = &s->pass;
	struct cursor c = {0};
	struct unit u;

	vec_release(&p->items);
	*p = (struct pass){.items = *items,
			   .work = work,
			   .readers = small ? s->readers_small : s->readers,
			   .unit_blocks = pass_unit_blocks(s, small),
			   .window = window_of(small ? s->readers_small : s->readers),
			   .gap_blocks =
				   (s->v->info.rotational ? GAP_ROTATIONAL : GAP_FLASH) /
				   s->v->geom.block_size};
	*items = (struct todo_list){0};
	if (p->items.n)
		todo_sort(p->items.v, p->items.n);
	if (work != scan_xattrs) /* which many inodes may share */
		drop_overlaps(s);
	s->done = s->total = 0;
	while (cut_unit(s, &c, &u))
		s->total += (uint64_t)u.count * s->v->geom.block_size;
}

bool pass_is_over(const struct scan *s)
{
	return s->pass.at.item == s->pass.items.n;
}

static void harvest_release(struct harvest *h)
{
	vec_release(&h->runs);
	vec_release(&h->inodes);
	vec_release(&h->nodes);
	vec_release(&h->xattrs);
	vec_release(&h->dirs);
	vec_release(&h->parents);
	vec_release(&h->flaws.list);
}

static void harvest_clear(struct harvest *h)
{
	vec_clear(&h->runs);
	vec_clear(&h->inodes);
	vec_clear(&h->nodes);
	vec_clear(&h->xattrs);
	vec_clear(&h->dirs);
	vec_clear(&h->parents);
	vec_clear(&h->flaws.list);
	h->flaws.count = 0;
}

void pass_release(struct scan *s)
{
	vec_release(&s->pass.items);
	s->pass.at.item = 0;
	for (int i = 0; i < READERS_MAX; i++) {
		free(s->buffer[i]);
		s->buffer[i] = NULL;
		s->buffer_bytes[i] = 0;
	}
	for (int i = 0; i < WINDOW_MAX; i++) {
		harvest_release(&s->slot[i].harvest);
		memset(&s->slot[i].harvest, 0, sizeof(s->slot[i].harvest));
	}
}

/* --- working --- */

struct crew {
	struct scan *s;
	pthread_mutex_t lock; /* of all below, pass.at and the slots that are not ready */
	pthread_cond_t ready, room;
	size_t taken, applied; /* units; slot [unit % window] */
	int running;
	bool stop;
};

struct reader {
	struct crew *crew;
	int index;
	pthread_t thread;
};

/* Block by block, after a large read has failed: what cannot be read counts as zeros. */
static void read_what_can(struct scan *s, const struct unit *u, uint8_t *buf,
			  struct harvest *h)
{
	uint32_t bs = s->v->geom.block_size;

	for (uint32_t i = 0; i < u->count; i++) {
		uint8_t *at = buf + (size_t)i * bs;
		struct err err = ERR_INIT;

		if (__atomic_load_n(&s->unreadable, __ATOMIC_RELAXED) < UNREADABLE_MAX &&
		    io_read(s->v, u->start + i, 1, at, &err))
			continue;
		memset(at, 0, bs);
		__atomic_fetch_add(&s->unreadable, 1, __ATOMIC_RELAXED);
		flaw_add(&h->flaws, u->start + i, 0, "%.150s",
			 err.msg[0] ? err.msg : "too many blocks cannot be read");
	}
}

static void work_unit(struct scan *s, struct slot *slot, int reader)
{
	const struct unit *u = &slot->unit;
	size_t bytes = (size_t)s->pass.unit_blocks * s->v->geom.block_size;

	if (s->buffer_bytes[reader] < bytes) {
		free(s->buffer[reader]);
		s->buffer[reader] = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
		s->buffer_bytes[reader] = s->buffer[reader] ? bytes : 0;
	}
	if (!s->buffer[reader]) {
		slot->harvest.oom = true;
		return;
	}
	if (!io_read_direct(s->v, u->start, u->count, s->buffer[reader], NULL))
		read_what_can(s, u, s->buffer[reader], &slot->harvest);
	s->pass.work(s, u, s->buffer[reader], &slot->harvest);
}

/* The next unit in a free slot, NULL if there is none for this step. The lock is held. */
static struct slot *take_unit(struct crew *c)
{
	struct slot *slot;

	while (!c->stop && c->taken - c->applied == c->s->pass.window)
		pthread_cond_wait(&c->room, &c->lock);
	slot = &c->s->slot[c->taken % c->s->pass.window];
	if (c->stop || !cut_unit(c->s, &c->s->pass.at, &slot->unit))
		return NULL;
	c->taken++;
	slot->ready = false;
	return slot;
}

static void *reader_work(void *arg)
{
	struct reader *r = arg;
	struct crew *c = r->crew;
	struct slot *slot;

	pthread_mutex_lock(&c->lock);
	while ((slot = take_unit(c))) {
		pthread_mutex_unlock(&c->lock);
		work_unit(c->s, slot, r->index);
		pthread_mutex_lock(&c->lock);
		slot->ready = true;
		pthread_cond_signal(&c->ready);
	}
	c->running--;
	pthread_cond_signal(&c->ready);
	pthread_mutex_unlock(&c->lock);
	return NULL;
}

/* --- applying --- */

static void merge_flaws(struct flaw_list *to, const struct flaw_list *from)
{
	for (size_t i = 0; i < from->list.n; i++)
		flaw_add(to, from->list.v[i].block, from->list.v[i].ino, "%s",
			 from->list.v[i].text);
	to->count += from->count - from->list.n;
}

static bool append(struct todo_list *to, const struct todo_list *from)
{
	if (!from->n)
		return true;
	if (!vec_reserve(to, to->n + from->n))
		return false;
	memcpy(to->v + to->n, from->v, from->n * sizeof(*to->v));
	to->n += from->n;
	return true;
}

static bool apply_run(struct scan *s, const struct run *r)
{
	const struct geom *g = &s->v->geom;
	uint64_t room = g->blocks - g->first_block - s->claimed;

	if (r->len > room) {
		flaw_add(&s->flaws, r->phys, r->ino,
			 "inode %u maps more blocks than are left in the volume", r->ino);
		return true;
	}
	s->claimed += r->len;
	overview_run(s, r);
	return model_add_run(s->model, r);
}

void pass_parent(struct scan *s, const struct parent_pair *p)
{
	struct inode_info info;

	if (model_inode(s->model, p->ino, &info))
		model_set_parent(s->model, p->ino, p->parent);
	else
		flaw_add(&s->flaws, BLKNO_NONE, p->parent,
			 "a name in directory %u belongs to inode %u, which is not in "
			 "use",
			 p->parent, p->ino);
}

static bool keep_parents(struct scan *s, const struct parent_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (!vec_push(&s->inline_parents, l->v[i]))
			return false;
	return true;
}

static bool apply(struct scan *s, const struct harvest *h)
{
	if (h->oom)
		return false;
	for (size_t i = 0; i < h->inodes.n; i++)
		if (!model_set_inode(s->model, h->inodes.v[i].ino, &h->inodes.v[i].info))
			return false;
	for (size_t i = 0; i < h->runs.n; i++)
		if (!apply_run(s, &h->runs.v[i]))
			return false;
	merge_flaws(&s->flaws, &h->flaws);
	if (s->phase == SCAN_DIRS)
		for (size_t i = 0; i < h->parents.n; i++)
			pass_parent(s, &h->parents.v[i]);
	else if (!keep_parents(s, &h->parents))
		return false;
	return append(&s->nodes, &h->nodes) && append(&s->xattrs, &h->xattrs) &&
	       append(&s->dirs, &h->dirs);
}

static bool finish_unit(struct scan *s, struct slot *slot)
{
	bool ok = apply(s, &slot->harvest);

	harvest_clear(&slot->harvest);
	s->done += (uint64_t)slot->unit.count * s->v->geom.block_size;
	return ok;
}

/* Applies units in order while the readers work on, until they have gone home. The lock is
 * held. */
static bool apply_all(struct crew *c, uint64_t end_ms)
{
	bool ok = true;

	for (;;) {
		struct slot *slot = &c->s->slot[c->applied % c->s->pass.window];

		if (c->applied == c->taken || !slot->ready) {
			if (c->applied == c->taken && !c->running)
				return ok;
			pthread_cond_wait(&c->ready, &c->lock);
			continue;
		}
		pthread_mutex_unlock(&c->lock);
		ok = ok && finish_unit(c->s, slot);
		pthread_mutex_lock(&c->lock);
		c->applied++;
		c->stop = !ok || c->stop || num_now_ms() >= end_ms;
		pthread_cond_broadcast(&c->room);
	}
}

/* No thread could be had: reads and applies by turns. */
static bool work_alone(struct scan *s, uint64_t end_ms)
{
	struct slot *slot = &s->slot[0];
	bool ok = true;

	while (ok && num_now_ms() < end_ms && cut_unit(s, &s->pass.at, &slot->unit)) {
		work_unit(s, slot, 0);
		ok = finish_unit(s, slot);
	}
	return ok;
}

bool pass_step(struct scan *s, struct err *err)
{
	struct crew c = {.s = s};
	struct reader reader[READERS_MAX];
	uint64_t end_ms = num_now_ms() + STEP_MS;
	int readers = 0;
	bool ok;

	pthread_mutex_init(&c.lock, NULL);
	pthread_cond_init(&c.ready, NULL);
	pthread_cond_init(&c.room, NULL);
	pthread_mutex_lock(&c.lock);
	for (; readers < s->pass.readers; readers++, c.running++) {
		reader[readers] = (struct reader){.crew = &c, .index = readers};
		if (pthread_create(&reader[readers].thread, NULL, reader_work,
				   &reader[readers]))
			break;
	}
	ok = readers ? apply_all(&c, end_ms) : work_alone(s, end_ms);
	pthread_mutex_unlock(&c.lock);
	while (readers)
		pthread_join(reader[--readers].thread, NULL);
	pthread_cond_destroy(&c.room);
	pthread_cond_destroy(&c.ready);
	pthread_mutex_destroy(&c.lock);
	return ok || err_nomem(err);
}
