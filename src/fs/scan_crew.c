/* SPDX-License-Identifier: GPL-3.0-or-later */
/* scan_crew.c - several threads read and parse units; one applies what they found. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "src/fs/scan_priv.h"

#define STEP_BYTES (48u << 20)
#define STEP_UNITS 256

void harvest_release(struct harvest *h)
{
	vec_release(&h->runs);
	vec_release(&h->inodes);
	vec_release(&h->nodes);
	vec_release(&h->xattrs);
	vec_release(&h->dirs);
	vec_release(&h->inline_dirs);
	vec_release(&h->parents);
	vec_release(&h->flaws.list);
}

/* --- layout --- */

bool crew_layout(struct scan *s, size_t n,
		 blkno_t (*block_of)(const struct scan *, size_t),
		 uint32_t (*len_of)(const struct scan *, size_t))
{
	uint32_t max = UNIT_BYTES / s->v->geom.block_size,
		 gap = GAP_BYTES / s->v->geom.block_size;

	s->unit_at = 0;
	vec_clear(&s->units);
	s->done = s->total = 0;
	for (size_t i = 0, end; i < n; i = end) {
		struct unit u = {
			.start = block_of(s, i), .count = len_of(s, i), .first = i};

		for (end = i + 1; end < n; end++) {
			blkno_t b = block_of(s, end), reach = u.start + u.count;
			uint32_t len = len_of(s, end);

			if (b > reach + gap || b + len - u.start > max)
				break;
			if (b + len > reach)
				u.count = (uint32_t)(b + len - u.start);
		}
		u.last = end;
		s->total += (uint64_t)u.count * s->v->geom.block_size;
		if (!vec_push(&s->units, u))
			return false;
	}
	return true;
}

/* --- working --- */

/* Readers take units in order and may run ahead; the stepping thread applies each as soon
 * as all before it are. */
struct crew {
	struct scan *s;
	struct harvest *harvest;
	bool *ready;
	size_t first, n;
	atomic_size_t next;
	pthread_mutex_t lock;
	pthread_cond_t some_ready;
};

static void work_unit(struct scan *s, const struct unit *u, uint8_t *buf,
		      struct harvest *h)
{
	struct err err = ERR_INIT;

	if (io_read_direct(s->v, u->start, u->count, buf, &err))
		s->work(s, u, buf, h);
	else
		flaw_add(&h->flaws, u->start, 0, "%.150s", err.msg);
}

static void *crew_work(void *arg)
{
	struct crew *c = arg;
	size_t bytes = 0, i;
	uint8_t *buf = NULL;

	while ((i = atomic_fetch_add(&c->next, 1)) < c->n) {
		const struct unit *u = &c->s->units.v[c->first + i];
		size_t need = (size_t)u->count * c->s->v->geom.block_size;

		if (need > bytes) {
			free(buf);
			bytes = need > UNIT_BYTES ? need : UNIT_BYTES;
			buf = aligned_alloc(4096, (bytes + 4095) & ~(size_t)4095);
		}
		if (buf)
			work_unit(c->s, u, buf, &c->harvest[i]);
		else
			c->harvest[i].oom = true;
		pthread_mutex_lock(&c->lock);
		c->ready[i] = true;
		pthread_cond_signal(&c->some_ready);
		pthread_mutex_unlock(&c->lock);
	}
	free(buf);
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

#define APPEND(to, from)                                                  \
	do {                                                              \
		if ((from)->n && !vec_reserve((to), (to)->n + (from)->n)) \
			return false;                                     \
		if ((from)->n)                                            \
			memcpy((to)->v + (to)->n, (from)->v,              \
			       (from)->n * sizeof(*(to)->v));             \
		(to)->n += (from)->n;                                     \
	} while (0)

static bool apply(struct scan *s, const struct harvest *h)
{
	if (h->oom)
		return false;
	for (size_t i = 0; i < h->inodes.n; i++)
		if (!model_set_inode(s->model, h->inodes.v[i].ino, &h->inodes.v[i].info))
			return false;
	for (size_t i = 0; i < h->runs.n; i++) {
		if (!model_add_run(s->model, &h->runs.v[i]))
			return false;
		overview_run(s, &h->runs.v[i]);
	}
	for (size_t i = 0; i < h->parents.n; i++)
		model_set_parent(s->model, h->parents.v[i].ino, h->parents.v[i].parent);
	APPEND(&s->next_nodes, &h->nodes);
	APPEND(&s->xattrs, &h->xattrs);
	APPEND(&s->dirs, &h->dirs);
	APPEND(&s->inline_dirs, &h->inline_dirs);
	merge_flaws(&s->flaws, &h->flaws);
	return true;
}

/* How many units from unit_at on make one step. */
static size_t step_units(const struct scan *s)
{
	uint64_t bytes = 0;
	size_t n = 0;

	while (s->unit_at + n < s->units.n && n < STEP_UNITS && bytes < STEP_BYTES)
		bytes += (uint64_t)s->units.v[s->unit_at + n++].count *
			 s->v->geom.block_size;
	return n;
}

static void wait_ready(struct crew *c, size_t i)
{
	pthread_mutex_lock(&c->lock);
	while (!c->ready[i])
		pthread_cond_wait(&c->some_ready, &c->lock);
	pthread_mutex_unlock(&c->lock);
}

/* Applies the units in order while the readers work on; without a single reader it is one
 * itself. */
static bool run_crew(struct crew *c)
{
	pthread_t reader[16];
	int readers = 0;
	bool ok = true;

	while (readers < c->s->readers && readers < 16 && (size_t)readers < c->n &&
	       !pthread_create(&reader[readers], NULL, crew_work, c))
		readers++;
	if (!readers)
		crew_work(c);
	for (size_t i = 0; i < c->n; i++) {
		wait_ready(c, i);
		ok = ok && apply(c->s, &c->harvest[i]);
		harvest_release(&c->harvest[i]);
		c->s->done += (uint64_t)c->s->units.v[c->first + i].count *
			      c->s->v->geom.block_size;
	}
	while (readers)
		pthread_join(reader[--readers], NULL);
	return ok;
}

bool crew_step(struct scan *s, struct err *err)
{
	struct crew c = {.s = s, .first = s->unit_at, .n = step_units(s)};
	bool ok;

	if (!c.n)
		return true;
	c.harvest = calloc(c.n, sizeof(*c.harvest));
	c.ready = calloc(c.n, sizeof(*c.ready));
	pthread_mutex_init(&c.lock, NULL);
	pthread_cond_init(&c.some_ready, NULL);
	ok = c.harvest && c.ready && run_crew(&c);
	pthread_cond_destroy(&c.some_ready);
	pthread_mutex_destroy(&c.lock);
	free(c.harvest);
	free(c.ready);
	s->unit_at += c.n;
	return ok || err_nomem(err);
}
