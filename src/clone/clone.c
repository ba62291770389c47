/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clone.c - some threads, each of which takes the next piece in the order of the disk,
 * reads it and writes (or compares) it: while one reads, another writes.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <time.h>
#include "base/num.h"
#include "src/clone/clone_priv.h"

/* --- pieces --- */

/* The next piece from *at on: starts and ends with a used unit. False: there is none. */
static bool cut_piece(const struct source *s, uint64_t *at, struct piece *p)
{
	uint64_t unit = *at, most = PIECE_BYTES / s->unit;

	while (unit < s->units && !source_has(s, unit))
		unit = unit % 8 == 0 && !s->used[unit / 8] ? unit + 8 : unit + 1;
	if (unit >= s->units)
		return false;
	p->unit = unit;
	p->units = 1;
	for (uint64_t end = unit + 1; end < s->units && end - unit < most; end++)
		if (source_has(s, end))
			p->units = (uint32_t)(end + 1 - unit);
	*at = unit + p->units;
	return true;
}

/* Used units of the piece from *i on, with gaps of up to `join` units. */
static bool next_stretch(const struct source *s, const struct piece *p, uint32_t join,
			 uint32_t *i, uint32_t *n)
{
	uint32_t gap = 0;

	while (*i < p->units && !source_has(s, p->unit + *i))
		(*i)++;
	if (*i == p->units)
		return false;
	*n = 1;
	for (uint32_t end = *i + 1; end < p->units && gap <= join; end++) {
		if (source_has(s, p->unit + end)) {
			*n = end + 1 - *i;
			gap = 0;
		} else {
			gap++;
		}
	}
	return true;
}

static uint32_t used_units(const struct source *s, const struct piece *p)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < p->units; i++)
		n += source_has(s, p->unit + i);
	return n;
}

/* The next piece and its turn, with where it goes in an image. */
static bool take_piece(struct clone *c, struct piece *p)
{
	bool ok;

	pthread_mutex_lock(&c->lock);
	ok = !c->failed && !atomic_load(&c->stop) && cut_piece(&c->source, &c->at, p);
	if (ok) {
		p->turn = c->taken++;
		p->place = c->place;
		if (c->r.op == CLONE_IMAGE)
			c->place += (uint64_t)used_units(&c->source, p) * c->source.unit;
	}
	pthread_mutex_unlock(&c->lock);
	return ok;
}

/* --- reading --- */

static void note_read(struct clone *c, uint64_t unit, uint32_t n)
{
	uint32_t size = c->source.unit;

	pthread_mutex_lock(&c->lock);
	c->report.reads++;
	c->report.jumps += unit != c->read_end;
	c->read_end = unit + n;
	c->report.bytes_read += (uint64_t)n * size;
	pthread_mutex_unlock(&c->lock);
}

static bool read_piece(struct clone *c, const struct piece *p, struct err *err)
{
	struct source *s = &c->source;
	uint32_t i = 0, n, done = 0;

	for (; next_stretch(s, p, c->gap / s->unit, &i, &n); i += n) {
		memset(p->buf + (size_t)done * s->unit, 0, (size_t)(i - done) * s->unit);
		if (!s->read(s, (p->unit + i) * s->unit, (size_t)n * s->unit,
			     p->buf + (size_t)i * s->unit, err))
			return false;
		note_read(c, p->unit + i, n);
		done = i + n;
	}
	return true;
}

/* --- writing --- */

/* A pipe takes the pieces in their order. False: the copy has failed meanwhile. */
static bool await_turn(struct clone *c, const struct piece *p)
{
	bool ok;

	if (!c->sink.stream)
		return true;
	pthread_mutex_lock(&c->lock);
	while (c->written != p->turn && !c->failed && !atomic_load(&c->stop))
		pthread_cond_wait(&c->turn, &c->lock);
	ok = c->written == p->turn;
	pthread_mutex_unlock(&c->lock);
	return ok;
}

static void end_turn(struct clone *c, const struct piece *p)
{
	pthread_mutex_lock(&c->lock);
	c->written = p->turn + 1;
	pthread_cond_broadcast(&c->turn);
	pthread_mutex_unlock(&c->lock);
}

/* An image: the used clusters of the piece one behind the other, in as few writes as
 * there may be. */
static bool append_piece(struct clone *c, const struct piece *p, struct err *err)
{
	struct iovec v[GATHER_MAX];
	const struct source *s = &c->source;
	uint64_t at = p->place, bytes = 0;
	uint32_t i = 0, n;
	int k = 0;

	while (next_stretch(s, p, 0, &i, &n)) {
		v[k].iov_base = p->buf + (size_t)i * s->unit;
		v[k].iov_len = (size_t)n * s->unit;
		bytes += v[k++].iov_len;
		i += n;
		if (k < GATHER_MAX)
			continue;
		if (!sink_gather(&c->sink, v, k, at, err))
			return false;
		at += bytes;
		bytes = 0;
		k = 0;
	}
	return sink_gather(&c->sink, v, k, at, err);
}

/* To a device: what lies between the stretches must not keep what was there before. */
static bool zero_gap(struct clone *c, uint64_t from, uint64_t to, struct err *err)
{
	if (c->r.op != CLONE_RESTORE || !c->sink.device || from >= to)
		return true;
	return sink_zero(&c->sink, from, to - from, err);
}

/* Behind the piece: up to the next used unit. */
static uint64_t gap_after(const struct source *s, const struct piece *p)
{
	uint64_t at = p->unit + p->units;
	struct piece next;

	return cut_piece(s, &at, &next) ? next.unit * s->unit : s->bytes;
}

/* A raw copy: to its place. */
static bool place_piece(struct clone *c, const struct piece *p, struct err *err)
{
	const struct source *s = &c->source;
	uint64_t done = p->unit * s->unit;
	uint32_t i = 0, n;

	if (!p->turn && !zero_gap(c, 0, done, err))
		return false;
	for (; next_stretch(s, p, JOIN_BYTES / s->unit, &i, &n); i += n) {
		uint64_t at = (p->unit + i) * s->unit, size = (uint64_t)n * s->unit;

		if (c->sink.device && at + size > s->bytes)
			size = s->bytes - at; /* it may end there */
		if (!zero_gap(c, done, at, err) ||
		    !sink_write(&c->sink, p->buf + (size_t)i * s->unit, (size_t)size, at,
				err))
			return false;
		done = at + size;
	}
	return zero_gap(c, done, gap_after(s, p), err);
}

static bool put_piece(struct clone *c, struct piece *p, struct err *err)
{
	if (c->r.op == CLONE_COMPARE)
		return clone_compare_piece(c, p, err);
	return c->r.op == CLONE_IMAGE ? append_piece(c, p, err) : place_piece(c, p, err);
}

/* --- the threads --- */

static void fail(struct clone *c, const struct err *err)
{
	pthread_mutex_lock(&c->lock);
	if (!c->failed)
		c->err = *err; /* the first one counts */
	c->failed = true;
	pthread_cond_broadcast(&c->turn);
	pthread_mutex_unlock(&c->lock);
}

/* The last thread to go home finishes the copy. */
static void finish(struct clone *c)
{
	struct err err = ERR_INIT;
	uint64_t user, sys;

	if (!c->failed && atomic_load(&c->stop)) {
		err_set(&err, ERR_STOPPED, "stopped; there is no copy");
		fail(c, &err);
	} else if (!c->failed && c->r.op != CLONE_COMPARE &&
		   !sink_finish(&c->sink, c->r.op == CLONE_IMAGE ? 0 : c->source.bytes,
				&err)) {
		fail(c, &err);
	}
	num_cpu_ms(&user, &sys);
	c->report.real_ms = num_now_ms() - c->started_ms;
	c->report.user_ms = user - c->user_ms;
	c->report.sys_ms = sys - c->sys_ms;
	c->report.bytes_written = atomic_load(&c->sink.written);
	atomic_store(&c->over, true);
}

static void *work(void *arg)
{
	struct worker *w = arg;
	struct clone *c = w->clone;
	struct piece p = {.buf = w->buf, .spare = w->spare};
	struct err err = ERR_INIT;
	bool ok = true, last;

	while (ok && take_piece(c, &p)) {
		ok = read_piece(c, &p, &err);
		if (ok && !await_turn(c, &p))
			break;
		ok = ok && put_piece(c, &p, &err);
		if (!ok)
			fail(c, &err);
		end_turn(c, &p);
		atomic_fetch_add(&c->done, (uint64_t)p.units * c->source.unit);
	}
	pthread_mutex_lock(&c->lock);
	last = ++c->home == c->threads;
	pthread_mutex_unlock(&c->lock);
	if (last)
		finish(c);
	return NULL;
}

/* --- from outside --- */

/* The largest cluster that does not blow the image up by more than a thirtieth. Small ones
 * cost tables, and qemu wants the first of them below 32 MiB. */
static bool image_source(struct clone *c, struct err *err)
{
	struct source *s = &c->source;
	uint64_t wanted = 0;

	for (uint32_t unit = CLUSTER_MAX;; unit /= 2) {
		uint64_t used = 0;

		if (!source_cut(s, unit, err))
			return false;
		for (uint64_t i = 0; i < s->units; i++)
			used += source_has(s, i);
		if (!wanted)
			wanted = source_wanted(s);
		if (used * unit <= wanted + wanted / 30 || unit / 2 < UNIT_BYTES ||
		    unit / 2 < s->block || s->bytes / unit > 1u << 29)
			return true;
	}
}

static bool begin_source(struct clone *c, struct volume *v, struct err *err)
{
	const struct clone_request *r = &c->r;
	struct source *s = &c->source;

	if (r->op == CLONE_RESTORE)
		return source_of_file(s, r->source, err);
	if (r->op == CLONE_COMPARE && !source_of_file(&c->other, r->source, err))
		return false;
	if (!source_of_volume(s, v, r, err))
		return false;
	if (r->op == CLONE_IMAGE)
		return image_source(c, err);
	return source_cut(s, s->block > UNIT_BYTES ? s->block : UNIT_BYTES, err);
}

static void count_source(struct clone *c)
{
	const struct source *s = &c->source;
	struct piece p;

	c->report.op = c->r.op;
	c->report.volume_bytes = s->bytes;
	c->report.first_differ = UINT64_MAX;
	c->report.used_bytes = source_wanted(s);
	c->report.used_runs = source_runs(s);
	for (uint64_t at = 0; cut_piece(s, &at, &p);)
		c->total += (uint64_t)p.units * s->unit;
}

static bool start_workers(struct clone *c, int n, struct err *err)
{
	int rc = 0, started = 0;

	for (int i = 0; i < n; i++) {
		c->worker[i].clone = c;
		c->worker[i].buf = aligned_alloc(UNIT_BYTES, PIECE_BYTES);
		if (c->r.op == CLONE_COMPARE)
			c->worker[i].spare = aligned_alloc(UNIT_BYTES, PIECE_BYTES);
		if (!c->worker[i].buf ||
		    (c->r.op == CLONE_COMPARE && !c->worker[i].spare))
			return err_nomem(err);
	}
	pthread_mutex_lock(&c->lock); /* none goes home before all are counted */
	for (; started < n && !rc; started += !rc)
		rc = pthread_create(&c->worker[started].thread, NULL, work,
				    &c->worker[started]);
	c->threads = started;
	pthread_mutex_unlock(&c->lock);
	if (!started)
		err_set_errno(err, ERR_IO, rc, "cannot start a thread");
	return started > 0;
}

static bool begin(struct clone *c, struct volume *v, struct err *err)
{
	bool rotational = v && volume_info(v)->rotational;

	if (!begin_source(c, v, err))
		return false;
	if (c->r.op != CLONE_COMPARE) {
		c->has_sink = true;
		if (!sink_open(&c->sink, &c->r, v, c->source.bytes, err))
			return false;
	}
	count_source(c);
	probe_source(&c->source, rotational, &c->gap, &c->report.rate);
	if (c->r.op == CLONE_IMAGE && !qcow2_write_tables(&c->sink, &c->source, err))
		return false;
	c->place = c->sink.at;
	return start_workers(c, WORKERS_MAX, err);
}

struct clone *clone_start(struct volume *v, const struct clone_request *r,
			  struct err *err)
{
	struct clone *c = calloc(1, sizeof(*c));

	if (!c) {
		err_nomem(err);
		return NULL;
	}
	c->r = *r;
	c->read_end = UINT64_MAX;
	c->source.fd = c->source.direct_fd = c->other.fd = c->other.direct_fd = -1;
	c->sink.fd = -1;
	c->started_ms = num_now_ms();
	num_cpu_ms(&c->user_ms, &c->sys_ms);
	pthread_mutex_init(&c->lock, NULL);
	pthread_cond_init(&c->turn, NULL);
	if (begin(c, v, err))
		return c;
	clone_free(c);
	return NULL;
}

bool clone_wait(struct clone *c, int ms, struct err *err)
{
	struct timespec nap = {0, 2000000};
	uint64_t until = num_now_ms() + (uint64_t)ms;

	while (!atomic_load(&c->over)) {
		if (num_now_ms() >= until)
			return false;
		nanosleep(&nap, NULL);
	}
	if (c->failed && err)
		*err = c->err;
	return true;
}

void clone_progress(const struct clone *c, uint64_t *done, uint64_t *total)
{
	*done = atomic_load(&c->done);
	*total = c->total;
}

void clone_report(const struct clone *c, struct clone_report *out)
{
	*out = c->report;
}

void clone_free(struct clone *c)
{
	if (!c)
		return;
	atomic_store(&c->stop, true);
	pthread_mutex_lock(&c->lock);
	pthread_cond_broadcast(&c->turn);
	pthread_mutex_unlock(&c->lock);
	for (int i = 0; i < c->threads; i++)
		pthread_join(c->worker[i].thread, NULL);
	if (c->has_sink)
		sink_drop(&c->sink);
	source_release(&c->source);
	source_release(&c->other);
	for (int i = 0; i < WORKERS_MAX; i++) {
		free(c->worker[i].buf);
		free(c->worker[i].spare);
	}
	pthread_cond_destroy(&c->turn);
	pthread_mutex_destroy(&c->lock);
	free(c);
}
