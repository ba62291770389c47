/* SPDX-License-Identifier: GPL-3.0-or-later */
/* watch.c - see watch.h. */
#include "ui/watch.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "base/num.h"
#include "ui/anim.h"
#include "ui/names.h"

/* Who owns a stretch; all stretches of a picture cover the volume without gaps. */
struct piece {
	blkno_t phys;
	uint32_t len;
	inum_t ino;
	lblk_t lblk;
	enum owner_kind kind;
};

struct watch {
	uint64_t interval, next; /* milliseconds; of num_now_ms */
	bool pending;		 /* a picture is being taken */
	VEC(struct piece) old;
	VEC(struct move) changed;
	struct watch_result last;
	bool has_last;
	/* what opening it anew would lose */
	struct map_state map;
	VEC(inum_t) tags;
	inum_t selected;
	bool oom;
};

void watch_stop(struct app *a)
{
	if (!a->watch)
		return;
	vec_release(&a->watch->old);
	vec_release(&a->watch->changed);
	vec_release(&a->watch->tags);
	free(a->watch);
	a->watch = NULL;
}

bool watch_start(struct app *a, uint64_t interval_ms, struct err *err)
{
	if (a->volume.write) {
		err_set(err, ERR_REFUSED,
			"this volume is open for writing: nobody else can change it; "
			"open it "
			"without -w to watch it");
		return false;
	}
	watch_stop(a);
	a->watch = calloc(1, sizeof(*a->watch));
	if (!a->watch)
		return err_nomem(err);
	a->watch->interval = interval_ms;
	a->watch->next = num_now_ms();
	return true;
}

/* --- taking a picture --- */

static bool note(void *arg, const struct run *r)
{
	struct watch *w = arg;
	struct piece p = {r->phys, r->len, r->ino, r->lblk, r->kind};

	if (!vec_push(&w->old, p))
		w->oom = true;
	return !w->oom;
}

static void walk(const struct app *a, bool (*fn)(void *, const struct run *), void *arg)
{
	const struct geom *g = model_geom(a->model);

	model_walk(a->model, g->first_block, g->blocks - g->first_block, fn, arg);
}

static bool save(struct app *a)
{
	struct watch *w = a->watch;

	vec_clear(&w->old);
	vec_clear(&w->tags);
	w->oom = false;
	walk(a, note, w);
	w->map = a->map;
	w->selected = a->selected;
	for (size_t i = 0; !w->oom && i < a->tags.n; i++)
		w->oom = !vec_push(&w->tags, a->tags.v[i]);
	return !w->oom;
}

/* The volume is opened anew: nothing that was read before is trusted. */
static bool begin(struct app *a, struct err *err)
{
	struct watch *w = a->watch;
	uint64_t offset = a->volume.offset;
	char path[sizeof(a->volume.path)];

	if (!save(a))
		return err_nomem(err);
	snprintf(path, sizeof(path), "%s", a->volume.path);
	w->last.synced = volume_sync(path);
	w->pending = true;
	return app_open(a, path, offset, false, err);
}

/* --- comparing --- */

struct compare {
	struct watch *w;
	size_t at; /* piece of the old picture */
	uint64_t blocks;
};

static bool same(const struct piece *p, const struct run *r, blkno_t b)
{
	return p->ino == r->ino && p->kind == r->kind &&
	       (!owner_is_data(r->kind) ||
		p->lblk + (b - p->phys) == r->lblk + (b - r->phys));
}

static void add_change(struct compare *c, blkno_t start, uint32_t len, inum_t ino)
{
	struct move m = {.ino = ino, .len = len, .from = BLKNO_NONE, .to = start};
	struct move *last =
		c->w->changed.n ? &c->w->changed.v[c->w->changed.n - 1] : NULL;

	c->blocks += len;
	if (last && last->to + last->len == start && last->ino == ino)
		last->len += len;
	else if (!vec_push(&c->w->changed, m))
		c->w->oom = true;
}

static bool compare_run(void *arg, const struct run *r)
{
	struct compare *c = arg;
	blkno_t at = r->phys, end = r->phys + r->len;

	while (at < end && c->at < c->w->old.n) {
		const struct piece *p = &c->w->old.v[c->at];
		blkno_t to = p->phys + p->len < end ? p->phys + p->len : end;

		if (to > at && !same(p, r, at))
			add_change(c, at, (uint32_t)(to - at), r->ino);
		if (p->phys + p->len <= to)
			c->at++;
		if (to > at)
			at = to;
	}
	return true;
}

static void restore(struct app *a)
{
	struct watch *w = a->watch;
	struct inode_info info;

	if (w->map.cursor < model_geom(a->model)->blocks)
		a->map = w->map;
	for (size_t i = 0; i < w->tags.n; i++)
		if (model_inode(a->model, w->tags.v[i], &info))
			app_tag(a, w->tags.v[i], true);
	if (model_inode(a->model, w->selected, &info))
		a->selected = w->selected;
}

static void say(struct app *a)
{
	const struct watch *w = a->watch;
	time_t taken = (time_t)w->last.time;
	char when[32] = "?", num[NUM_TEXT_MAX];
	struct tm tm;

	if (localtime_r(&taken, &tm))
		strftime(when, sizeof(when), "%H:%M:%S", &tm);
	app_say(a, "watching, every %llu s: as of %s%s, %s blocks have changed",
		(unsigned long long)(w->interval + 999) / 1000, when,
		w->last.synced ? "" : " (not mounted here)",
		num_format_count(w->last.blocks, num));
}

void watch_model(struct app *a)
{
	struct watch *w = a->watch;
	struct compare c = {.w = w};

	if (!w || !w->pending)
		return;
	w->pending = false;
	w->next = num_now_ms() + w->interval;
	restore(a);
	vec_clear(&w->changed);
	walk(a, compare_run, &c);
	w->last.time = (int64_t)time(NULL);
	w->last.blocks = c.blocks;
	w->last.ranges = w->changed.n;
	w->has_last = true;
	if (!a->interactive)
		return;
	anim_moves(a->anim, w->changed.v, w->changed.n, num_now_ms());
	say(a);
}

bool watch_last(const struct app *a, struct watch_result *out)
{
	if (!a->watch || !a->watch->has_last)
		return false;
	*out = a->watch->last;
	return true;
}

/* --- when --- */

bool watch_round(struct app *a, struct err *err)
{
	return begin(a, err) && app_finish(a, err) && app_need_model(a, err);
}

static bool idle(const struct app *a)
{
	return a->model && !a->job && !names_busy(a->names) && !a->confirm_line;
}

int watch_wait(const struct app *a)
{
	uint64_t now = num_now_ms();

	if (!a->watch || a->watch->pending || !idle(a))
		return -1;
	return a->watch->next > now ? (int)(a->watch->next - now) : 0;
}

bool watch_step(struct app *a)
{
	struct err err = ERR_INIT;

	if (watch_wait(a) != 0)
		return false;
	if (!begin(a, &err)) {
		watch_stop(a);
		app_fail(a, &err);
	}
	return true;
}
