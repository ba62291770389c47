/* SPDX-License-Identifier: GPL-3.0-or-later */
/* queue.c - see queue.h. A ring under one mutex; the eventfd holds 1 while the ring is
 * not empty. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>
#include "base/queue.h"

struct queue {
	pthread_mutex_t lock;
	pthread_cond_t not_full, not_empty;
	void (*drop)(void *);
	int fd;
	bool closed;
	size_t cap, first, count;
	void *ring[];
};

struct queue *queue_new(size_t cap, void (*drop)(void *), bool with_fd)
{
	struct queue *q = calloc(1, sizeof(*q) + cap * sizeof(void *));
	pthread_condattr_t attr;

	if (!q)
		return NULL;
	q->cap = cap;
	q->drop = drop;
	q->fd = with_fd ? eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) : -1;
	if (with_fd && q->fd < 0) {
		free(q);
		return NULL;
	}
	pthread_mutex_init(&q->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&q->not_full, &attr);
	pthread_cond_init(&q->not_empty, &attr);
	pthread_condattr_destroy(&attr);
	return q;
}

void queue_free(struct queue *q)
{
	if (!q)
		return;
	for (size_t i = 0; q->drop && i < q->count; i++)
		q->drop(q->ring[(q->first + i) % q->cap]);
	if (q->fd >= 0)
		close(q->fd);
	pthread_cond_destroy(&q->not_full);
	pthread_cond_destroy(&q->not_empty);
	pthread_mutex_destroy(&q->lock);
	free(q);
}

/* Called with the lock held, after count changed between 0 and 1. */
static void signal_fd(struct queue *q)
{
	uint64_t n = 1;

	if (q->fd < 0)
		return;
	if (q->count ? write(q->fd, &n, sizeof(n)) < 0 : read(q->fd, &n, sizeof(n)) < 0)
		return; /* EAGAIN: it already says so */
}

static bool put_locked(struct queue *q, void *item)
{
	if (q->closed || q->count == q->cap)
		return false;
	q->ring[(q->first + q->count++) % q->cap] = item;
	if (q->count == 1)
		signal_fd(q);
	pthread_cond_signal(&q->not_empty);
	return true;
}

static void *take_locked(struct queue *q)
{
	void *item;

	if (!q->count)
		return NULL;
	item = q->ring[q->first];
	q->first = (q->first + 1) % q->cap;
	if (--q->count == 0)
		signal_fd(q);
	pthread_cond_signal(&q->not_full);
	return item;
}

bool queue_put(struct queue *q, void *item)
{
	bool ok;

	pthread_mutex_lock(&q->lock);
	while (q->count == q->cap && !q->closed)
		pthread_cond_wait(&q->not_full, &q->lock);
	ok = put_locked(q, item);
	pthread_mutex_unlock(&q->lock);
	return ok;
}

bool queue_try_put(struct queue *q, void *item)
{
	bool ok;

	pthread_mutex_lock(&q->lock);
	ok = put_locked(q, item);
	pthread_mutex_unlock(&q->lock);
	return ok;
}

void *queue_try_take(struct queue *q)
{
	void *item;

	pthread_mutex_lock(&q->lock);
	item = take_locked(q);
	pthread_mutex_unlock(&q->lock);
	return item;
}

static struct timespec deadline_in(int ms)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += ms / 1000;
	t.tv_nsec += (long)(ms % 1000) * 1000000;
	if (t.tv_nsec >= 1000000000) {
		t.tv_sec++;
		t.tv_nsec -= 1000000000;
	}
	return t;
}

void *queue_take(struct queue *q, int ms)
{
	struct timespec until = deadline_in(ms < 0 ? 0 : ms);
	void *item;
	int rc = 0;

	pthread_mutex_lock(&q->lock);
	while (!q->count && !q->closed && rc != ETIMEDOUT)
		rc = ms < 0 ? pthread_cond_wait(&q->not_empty, &q->lock)
			    : pthread_cond_timedwait(&q->not_empty, &q->lock, &until);
	item = take_locked(q);
	pthread_mutex_unlock(&q->lock);
	return item;
}

void queue_close(struct queue *q)
{
	pthread_mutex_lock(&q->lock);
	q->closed = true;
	pthread_cond_broadcast(&q->not_full);
	pthread_cond_broadcast(&q->not_empty);
	pthread_mutex_unlock(&q->lock);
}

int queue_fd(const struct queue *q)
{
	return q->fd;
}
