/* SPDX-License-Identifier: GPL-3.0-or-later */
/* replay.c - see replay.h. */
#include "ui/replay.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "fs/past.h"
#include "ui/app_priv.h"
#include "ui/pane.h"
#include "ui/record.h"
#include "ui/safety.h"

#define ESC	 0x1b
#define STEP_SEC 0.15

struct replay {
	bool cast;
	struct recording rec;
	struct past past;
	size_t at;
	bool playing;
	unsigned ms;
	uint64_t next;
};

void replay_free(struct replay *r)
{
	if (!r)
		return;
	record_release(&r->rec);
	past_release(&r->past);
	free(r);
}

size_t replay_at(const struct replay *r)
{
	return r->at;
}

size_t replay_last(const struct replay *r)
{
	return r->cast ? r->rec.frames.n - 1 : r->past.batches.n;
}

bool replay_is_cast(const struct replay *r)
{
	return r->cast;
}

bool replay_start_journal(struct app *a, struct err *err)
{
	struct replay *r;
	struct str path = STR_INIT;
	bool ok;

	if (!replay_end(a, err) || !app_need_sound(a, err))
		return false;
	if (a->job) {
		err_set(err, ERR_REFUSED, "%s is running; stop it with: stop",
			a->job_name);
		return false;
	}
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_nomem(err);
	ok = safety_journal(a, &path, err) &&
	     past_read(path.buf, a->volume.path, a->volume.offset, &r->past, err);
	str_release(&path);
	if (!ok) {
		replay_free(r);
		return false;
	}
	r->at = replay_last(r);
	a->replay = r;
	return true;
}

bool replay_start_cast(struct app *a, const char *path, struct err *err)
{
	struct replay *r;

	if (!replay_end(a, err))
		return false;
	r = calloc(1, sizeof(*r));
	if (!r)
		return err_nomem(err);
	r->cast = true;
	if (!record_read(&r->rec, path, err)) {
		free(r);
		return false;
	}
	a->replay = r;
	return true;
}

/* The figures of free space are not kept up to date by moves. */
static bool count_free(struct app *a, struct err *err)
{
	struct freemap *f = freemap_new(a->model);

	if (!f)
		return err_nomem(err);
	metrics_set_free(&a->metrics, f);
	freemap_free(f);
	return true;
}

bool replay_go(struct app *a, size_t to, struct err *err)
{
	struct replay *r = a->replay;

	while (!r->cast && r->at != to) {
		bool on = r->at < to;
		const struct past_batch *b = &r->past.batches.v[on ? r->at : r->at - 1];

		if (!app_apply_past(a, on ? b->on : b->back,
				    on ? b->on_count : b->back_count, err))
			return false;
		r->at += on ? 1 : (size_t)-1;
	}
	r->at = to;
	return r->cast || count_free(a, err);
}

bool replay_end(struct app *a, struct err *err)
{
	struct replay *r = a->replay;

	if (!r)
		return true;
	if (!r->cast && !replay_go(a, replay_last(r), err))
		return false;
	a->replay = NULL;
	replay_free(r);
	return true;
}

void replay_text(const struct replay *r, struct str *out)
{
	if (r->cast) {
		str_addf(out, "frame %zu of %zu, %.1f s", r->at + 1, r->rec.frames.n,
			 r->rec.frames.v[r->at].time);
		return;
	}
	str_addf(out, "batch %zu of %zu", r->at, r->past.batches.n);
	if (r->at) {
		str_add(out, ": ");
		str_add_safe(out, r->past.batches.v[r->at - 1].action,
			     strlen(r->past.batches.v[r->at - 1].action));
	} else {
		str_add(out, ": before it all");
	}
}

double replay_seconds(const struct replay *r, size_t at)
{
	if (!r->cast || !at || at > replay_last(r))
		return STEP_SEC;
	return r->rec.frames.v[at].time - r->rec.frames.v[at - 1].time;
}

bool replay_convert(const struct replay *r, const char *path, struct err *err)
{
	return record_write(&r->rec, path, err);
}

/* --- on a terminal --- */

void replay_play(struct app *a, unsigned ms)
{
	struct replay *r = a->replay;
	struct err err = ERR_INIT;

	if (r->at == replay_last(r) && !replay_go(a, 0, &err))
		app_fail(a, &err);
	r->playing = true;
	r->ms = ms;
	r->next = num_now_ms() + ms;
}

int replay_due(const struct app *a, uint64_t now)
{
	const struct replay *r = a->replay;

	if (!r || !r->playing)
		return -1;
	return r->next > now ? (int)(r->next - now) : 0;
}

void replay_tick(struct app *a, uint64_t now)
{
	struct replay *r = a->replay;
	struct err err = ERR_INIT;

	if (!r || !r->playing || now < r->next)
		return;
	if (r->at == replay_last(r)) {
		r->playing = false;
		return;
	}
	if (!replay_go(a, r->at + 1, &err)) {
		app_fail(a, &err);
		r->playing = false;
	}
	/* a recording at its own pace, but no pause longer than two seconds */
	r->next = now + r->ms;
	if (r->cast && r->at < replay_last(r)) {
		double s = replay_seconds(r, r->at + 1);

		r->next = now + (uint64_t)((s > 2 ? 2 : s) * r->ms * 1000 / 150);
	}
}

static void step(struct app *a, size_t to)
{
	struct err err = ERR_INIT;

	a->replay->playing = false;
	if (!replay_go(a, to, &err))
		app_fail(a, &err);
}

bool replay_key(struct app *a, int key)
{
	struct replay *r = a->replay;
	struct err err = ERR_INIT;
	size_t last;

	if (!r)
		return false;
	last = replay_last(r);
	if (key == KEY_UI_RIGHT || key == KEY_UI_DOWN || key == 'l')
		step(a, r->at < last ? r->at + 1 : last);
	else if (key == KEY_UI_LEFT || key == KEY_UI_UP || key == 'h')
		step(a, r->at ? r->at - 1 : 0);
	else if (key == KEY_UI_HOME)
		step(a, 0);
	else if (key == KEY_UI_END)
		step(a, last);
	else if (key == ' ' && r->playing)
		r->playing = false;
	else if (key == ' ')
		replay_play(a, 150);
	else if (key == ESC || key == 'q') {
		if (!replay_end(a, &err))
			app_fail(a, &err);
	} else
		return r->cast && key != ':'; /* a recording covers the screen */
	return true;
}

void replay_draw(const struct app *a, struct canvas *c)
{
	const struct replay *r = a->replay;
	struct style style = a->theme.styles[STYLE_UI_POPUP];
	struct view all = canvas_view(c), line;
	struct str s = STR_INIT;

	if (!r)
		return;
	if (r->cast) {
		const struct canvas *f = &r->rec.frames.v[r->at].canvas;

		view_fill(&all, L' ', a->theme.styles[STYLE_UI_TEXT]);
		for (int row = 0; row < f->rows && row < c->rows; row++)
			memcpy(c->cells + (size_t)row * (size_t)c->cols,
			       f->cells + (size_t)row * (size_t)f->cols,
			       (size_t)(f->cols < c->cols ? f->cols : c->cols) *
				       sizeof(struct cell));
	}
	line = view_part(&all, c->rows - 1, 0, 1, c->cols);
	view_fill(&line, L' ', style);
	str_addf(&s, "%s  ", r->playing ? ">" : "=");
	replay_text(r, &s);
	str_add(&s, "   arrows step, Home, End, Space plays, Esc ends");
	view_text(&line, 0, 1, style, s.buf);
	str_release(&s);
}
