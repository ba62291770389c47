/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * queue.h - a bounded queue of pointers between two threads.
 *
 * Any number of threads may put and take. What is still inside when the queue is freed
 * goes through the given destructor. A queue may carry an eventfd that becomes
 * readable while something is inside, so that a poll loop can wait on it.
 */
#ifndef BASE_QUEUE_H
#define BASE_QUEUE_H

#include "base/types.h"

struct queue;

/* cap > 0 elements; drop (may be NULL) frees what is left at the end. with_fd: create
 * the eventfd. NULL: out of memory or of descriptors. */
struct queue *queue_new(size_t cap, void (*drop)(void *), bool with_fd);
void queue_free(struct queue *q);

/* Waits while full. False once the queue is closed: the item stays the caller's. */
bool queue_put(struct queue *q, void *item);
/* Never waits. False when full or closed. */
bool queue_try_put(struct queue *q, void *item);
/* Never waits. NULL when empty. */
void *queue_try_take(struct queue *q);
/* Waits up to ms milliseconds (-1: for ever); NULL on time-out or when closed and empty.
 */
void *queue_take(struct queue *q, int ms);
/* Wakes every waiter; later puts fail, takes drain what is left. */
void queue_close(struct queue *q);
/* The eventfd, or -1. Level-triggered: readable while the queue is not empty. */
int queue_fd(const struct queue *q);

#endif
