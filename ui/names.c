/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * names.c - see names.h. A hash table of inode numbers (open addressing, at most two
 * thirds full) over one arena of paths.
 */
#include "ui/names.h"
#include <stdlib.h>
#include <string.h>

#define FLUSH_MAX  4096		/* names asked for at a time */
#define FETCH_MAX  65536	/* the same while somebody waits */
#define WANTED_MAX 65536	/* more are not remembered */
#define ARENA_MAX  (512u << 20) /* bytes; then all is forgotten */
#define NOT_YET	   UINT64_MAX	/* place of a path that is wanted */

struct entry {
	uint64_t place; /* in the arena */
	inum_t ino;	/* 0: empty */
	uint32_t len;
};

struct names {
	struct entry *table;
	size_t size; /* a power of two, or 0 */
	size_t used;
	struct str arena;
	VEC(inum_t) wanted;
	VEC(inum_t) sent;
	uint32_t ticket; /* of the request under way, 0 none */
};

struct names *names_new(void)
{
	struct names *n = calloc(1, sizeof(*n));

	if (n)
		str_init(&n->arena);
	return n;
}

void names_clear(struct names *n)
{
	free(n->table);
	n->table = NULL;
	n->size = n->used = 0;
	str_release(&n->arena);
	vec_release(&n->wanted);
}

void names_free(struct names *n)
{
	if (!n)
		return;
	names_clear(n);
	vec_release(&n->sent);
	free(n);
}

/* The entry of ino, or the empty one where it belongs. The table must not be full. */
static struct entry *find(const struct names *n, inum_t ino)
{
	size_t at = (size_t)(ino * 0x9E3779B97F4A7C15ull >> 20) & (n->size - 1);

	while (n->table[at].ino && n->table[at].ino != ino)
		at = (at + 1) & (n->size - 1);
	return &n->table[at];
}

static bool grow(struct names *n)
{
	struct names bigger = *n;

	if (n->used * 3 < n->size * 2)
		return true;
	bigger.size = n->size ? n->size * 2 : 1024;
	bigger.table = calloc(bigger.size, sizeof(*bigger.table));
	if (!bigger.table)
		return false;
	for (size_t i = 0; i < n->size; i++)
		if (n->table[i].ino)
			*find(&bigger, n->table[i].ino) = n->table[i];
	free(n->table);
	n->table = bigger.table;
	n->size = bigger.size;
	return true;
}

/* The entry of ino, new ones with place NOT_YET; NULL: out of memory. */
static struct entry *get_entry(struct names *n, inum_t ino)
{
	struct entry *e;

	if (!grow(n))
		return NULL;
	e = find(n, ino);
	if (!e->ino) {
		*e = (struct entry){NOT_YET, ino, 0};
		n->used++;
	}
	return e;
}

const char *names_get(struct names *n, inum_t ino, size_t *len)
{
	size_t used = n->used;
	struct entry *e = ino ? get_entry(n, ino) : NULL;

	if (e && e->place != NOT_YET) {
		*len = e->len;
		return n->arena.buf + e->place;
	}
	if (e && n->used > used && n->wanted.n < WANTED_MAX)
		(void)vec_push(&n->wanted, ino); /* without memory: asked another time */
	return NULL;
}

static bool is_known(const struct names *n, inum_t ino)
{
	const struct entry *e = n->size ? find(n, ino) : NULL;

	return e && e->ino && e->place != NOT_YET;
}

static void set_path(struct names *n, inum_t ino, const char *path, size_t len)
{
	struct entry *e = get_entry(n, ino);
	struct str none = STR_INIT;

	if (!e)
		return;
	if (!path) {
		str_addf(&none, "<ino %u>", ino);
		path = none.buf;
		len = none.len;
	}
	e->place = n->arena.len;
	e->len = (uint32_t)len;
	str_addn(&n->arena, path, len);
	str_addc(&n->arena, '\0');
	if (n->arena.oom)
		e->place = NOT_YET;
	str_release(&none);
}

bool names_busy(const struct names *n)
{
	return n->ticket != 0;
}

bool names_owns(const struct names *n, uint32_t ticket)
{
	return n->ticket != 0 && n->ticket == ticket;
}

void names_event(struct names *n, struct event *ev)
{
	if (ev->kind == EV_PATHS)
		for (size_t i = 0; i < ev->path_count && i < n->sent.n; i++)
			set_path(n, n->sent.v[i], ev->paths[i], ev->path_len[i]);
	if (ev->kind != EV_ENDED)
		return;
	n->ticket = 0;
	/* What failed is not asked for again and again. */
	for (size_t i = 0; err_isset(&ev->err) && i < n->sent.n; i++)
		if (!is_known(n, n->sent.v[i]))
			set_path(n, n->sent.v[i], NULL, 0);
	vec_clear(&n->sent);
}

/* While a volume comes or goes, nothing may be asked that needs the model. */
bool names_may_ask(const struct app *a)
{
	return a->model &&
	       (!a->job || (a->job_kind != REQ_OPEN && a->job_kind != REQ_SCAN &&
			    a->job_kind != REQ_CLOSE));
}

static bool send(struct names *n, struct app *a, struct err *err)
{
	struct request r = {.kind = REQ_PATHS, .model = a->model, .inos = n->sent.v};

	r.ino_count = n->sent.n;
	n->ticket = engine_submit(a->engine, &r, err);
	if (!n->ticket)
		vec_clear(&n->sent);
	return n->ticket != 0;
}

void names_flush(struct names *n, struct app *a)
{
	if (n->ticket || !names_may_ask(a))
		return;
	if (n->arena.len > ARENA_MAX)
		names_clear(n);
	while (n->wanted.n && n->sent.n < FLUSH_MAX) { /* the latest first */
		inum_t ino = n->wanted.v[--n->wanted.n];

		if (!is_known(n, ino) && !vec_push(&n->sent, ino))
			break;
	}
	if (n->sent.n)
		send(n, a, NULL);
}

size_t names_ask(struct names *n, struct app *a, const inum_t *inos, size_t count)
{
	size_t at = 0;

	if (n->ticket || !names_may_ask(a))
		return 0;
	for (; at < count && n->sent.n < NAMES_ASK_MAX; at++)
		if (inos[at] && !is_known(n, inos[at]) && !vec_push(&n->sent, inos[at]))
			break;
	if (n->sent.n && !send(n, a, NULL))
		return 0;
	return at;
}

bool names_settle(struct names *n, struct app *a, struct err *err)
{
	while (n->ticket)
		if (!app_wait(a, n->ticket, -1)) {
			err_set(err, ERR_BUG,
				"the engine left a request for names "
				"without an answer");
			return false;
		}
	return true;
}

bool names_fetch(struct names *n, struct app *a, const inum_t *inos, size_t count,
		 struct err *err)
{
	size_t at = 0;

	if (!names_may_ask(a)) {
		err_set(err, ERR_REFUSED,
			"names are not there before the volume is read");
		return false;
	}
	while (at < count) {
		if (!names_settle(n, a, err))
			return false;
		for (; at < count && n->sent.n < FETCH_MAX; at++)
			if (inos[at] && !is_known(n, inos[at]) &&
			    !vec_push(&n->sent, inos[at]))
				return err_nomem(err);
		if (n->sent.n && !send(n, a, err))
			return false;
	}
	return names_settle(n, a, err);
}
