/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app.c - the state of the program: made, ended, and the small changes that keys share
 * with commands. What comes from the engine is in app_event.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fs/iotrace.h"
#include "ui/after.h"
#include "ui/ages.h"
#include "ui/anim.h"
#include "ui/app_priv.h"
#include "ui/bind.h"
#include "ui/files.h"
#include "ui/fsck.h"
#include "ui/groups.h"
#include "ui/lesson.h"
#include "ui/map_cell.h"
#include "ui/names.h"
#include "ui/run_record.h"
#include "ui/replay.h"
#include "ui/place.h"
#include "ui/picker.h"
#include "ui/search.h"
#include "ui/tree.h"
#include "ui/watch.h"

bool app_init(struct app *a, unsigned engine_flags, struct err *err)
{
	memset(a, 0, sizeof(*a));
	theme_default(&a->theme, DEPTH_256, true);
	snprintf(a->theme_id, sizeof(a->theme_id), "default");
	volume_info_init(&a->volume);
	str_init(&a->out_buf);
	a->out = &a->out_buf;
	a->lower = FOCUS_FILES;
	a->names = names_new();
	a->files = files_new();
	a->tree = tree_new();
	a->anim = anim_new();
	a->map_cache = map_cache_new();
	a->groups = groups_new();
	if (!a->groups || !a->tree || !a->names || !a->files || !a->anim || !a->map_cache) {
		err_nomem(err);
		app_release(a);
		return false;
	}
	a->animate = true;
	a->heat_days = 30;
	a->mouse = true;
	anim_enable(a->anim, true);
	a->engine = engine_new(engine_flags, err);
	if (!a->engine)
		app_release(a);
	return a->engine != NULL;
}

static void free_overview(struct app *a)
{
	if (a->overview)
		free(a->overview->count);
	free(a->overview);
	a->overview = NULL;
}

static void free_history(struct app *a)
{
	if (a->history)
		history_release(a->history);
	free(a->history);
	a->history = NULL;
}

void app_drop_plan(struct app *a)
{
	after_drop(a);
	if (a->plan)
		plan_release(a->plan);
	free(a->plan);
	a->plan = NULL;
}

void app_drop_model(struct app *a)
{
	free_overview(a);
	app_drop_plan(a);
	model_free(a->model);
	a->model = NULL;
	memset(&a->metrics, 0, sizeof(a->metrics));
	vec_release(&a->flaws.list);
	memset(&a->flaws, 0, sizeof(a->flaws));
	names_clear(a->names);
	map_cache_invalidate(a->map_cache);
	files_clear(a->files);
	tree_clear(a->tree);
	groups_forget(a->groups);
	census_forget(&a->census);
	ages_forget(a);
	vec_clear(&a->recent);
	search_stop(a);
}

void app_drop_volume(struct app *a)
{
	app_drop_model(a);
	free_history(a);
	volume_info_release(&a->volume);
	volume_info_init(&a->volume);
	a->open = false;
	a->run_ended = false;
	run_record_drop(a);
	a->selected = a->inspect_ino = 0;
	vec_clear(&a->tags);
	a->map.cursor = a->map.top = 0;
	a->map.blocks_per_cell = 0;
	marks_clear(a);
	region_clear(a);
	a->map.pick.len = 0;
}

void app_release(struct app *a)
{
	uint64_t calls;

	engine_free(a->engine); /* first: a job may be reading the model */
	a->engine = NULL;
	fsck_free(a->fsck);
	for (size_t i = 0; i < a->held.n; i++)
		event_free(a->held.v[i]);
	vec_release(&a->held);
	if (a->names && a->map_cache && a->files && a->tree)
		app_drop_volume(a);
	vec_release(&a->tags);
	vec_release(&a->recent);
	names_free(a->names);
	files_free(a->files);
	tree_free(a->tree);
	watch_stop(a);
	picker_close(a);
	anim_free(a->anim);
	map_cache_free(a->map_cache);
	groups_free(a->groups);
	for (size_t i = 0; i < a->log.n; i++)
		free(a->log.v[i].text);
	vec_release(&a->log);
	volume_info_release(&a->volume);
	replay_free(a->replay);
	recorder_free(a->recorder);
	if (iotrace_running())
		iotrace_stop(&calls, NULL);
	lesson_free(a->lesson);
	bind_release(a);
	free(a->confirm_line);
	free(a->journal);
	run_record_drop(a);
	free(a->copied);
	free(a->rest);
	str_release(&a->out_buf);
}

/* --- selected, tagged --- */

void app_select(struct app *a, inum_t ino, bool jump)
{
	struct file_info info;

	a->selected = ino;
	if (!ino || !a->model)
		return;
	files_goto(a->files, ino);
	if (jump && model_file(a->model, ino, &info) && info.first != BLKNO_NONE)
		a->map.cursor = info.first;
}

/* Index of the first tag that is not below ino. */
static size_t tag_place(const struct app *a, inum_t ino)
{
	size_t lo = 0, hi = a->tags.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (a->tags.v[mid] < ino)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool app_is_tagged(const struct app *a, inum_t ino)
{
	size_t at = tag_place(a, ino);

	return at < a->tags.n && a->tags.v[at] == ino;
}

bool app_tag(struct app *a, inum_t ino, bool on)
{
	size_t at = tag_place(a, ino);
	bool is = at < a->tags.n && a->tags.v[at] == ino;
	inum_t *v;

	if (is == on)
		return true;
	if (on && !vec_reserve(&a->tags, a->tags.n + 1))
		return false;
	v = a->tags.v;
	if (on) {
		memmove(v + at + 1, v + at, (a->tags.n - at) * sizeof(*v));
		v[at] = ino;
		a->tags.n++;
	} else {
		a->tags.n--;
		memmove(v + at, v + at + 1, (a->tags.n - at) * sizeof(*v));
	}
	return true;
}

/* --- the readout line --- */

/* Appends a path, at most `room` bytes of it (0: all), its end rather than its start. */
static void add_path(struct app *a, inum_t ino, size_t room, struct str *out)
{
	struct str safe = STR_INIT;
	size_t len, cut;
	const char *path = names_get(a->names, ino, &len);

	if (!path || path[0] != '/')
		return;
	str_add_safe(&safe, path, len);
	cut = room && safe.len > room ? safe.len - room + 1 : 0;
	while (cut && cut < safe.len && ((unsigned char)safe.buf[cut] & 0xC0) == 0x80)
		cut++;
	str_addf(out, " %s%s", cut ? "~" : "", safe.buf + cut);
	str_release(&safe);
}

static void add_owner(struct app *a, const struct run *r, size_t room, struct str *out)
{
	if (!r->ino) {
		str_addf(out, " | %s", owner_name(r->kind));
		if (owner_is_fixed(r->kind) && r->kind != OWNER_BAD)
			str_addf(out, " of group %u", r->lblk);
		else if (r->kind == OWNER_FREE)
			str_addf(out, ", hole of %u from %llu on", r->len,
				 (unsigned long long)r->phys);
		return;
	}
	if (r->kind != OWNER_FILE)
		str_addf(out, " | %s of ino %u", owner_name(r->kind), r->ino);
	else
		str_addf(out, " | ino %u", r->ino);
	add_path(a, r->ino, room, out);
}

static void add_fragment(struct app *a, blkno_t b, const struct run *r, bool brief,
			 struct str *out)
{
	unsigned long long at, last;
	struct fragment f;

	if (!model_fragment_at(a->model, b, &f))
		return;
	at = b >= f.phys ? b - f.phys : 0;
	last = f.lblk + f.len - 1;
	if (brief)
		str_addf(out, " | frag %u/%u +%llu/%llu | L %llu..%llu", f.index + 1,
			 f.count, at, (unsigned long long)f.len,
			 (unsigned long long)f.lblk, last);
	else
		str_addf(out,
			 " | fragment %u/%u, block %llu of %llu | logical %llu..%llu",
			 f.index + 1, f.count, at + 1, (unsigned long long)f.len,
			 (unsigned long long)f.lblk, last);
	if (r->unwritten)
		str_add(out, ", unwritten");
	if (f.next != BLKNO_NONE)
		str_addf(out, " | next %s%+lld", brief ? "" : "fragment ",
			 (long long)(f.next - b));
}

/* What the plan will make of the block, where that is something else. */
static void add_planned(struct app *a, blkno_t block, const struct run *now,
			struct str *out)
{
	const struct forecast *after = after_get(a);
	struct run r;

	if (!after)
		return;
	forecast_at(after, block, &r);
	if (r.ino == now->ino && r.kind == now->kind &&
	    (!owner_is_data(r.kind) || r.lblk + (lblk_t)(block - r.phys) ==
					       now->lblk + (lblk_t)(block - now->phys)))
		return;
	if (!r.ino)
		str_addf(out, " | then %s", owner_name(r.kind));
	else if (owner_is_data(r.kind))
		str_addf(out, " | then ino %u, logical %llu", r.ino,
			 (unsigned long long)r.lblk + (block - r.phys));
	else
		str_addf(out, " | then %s of ino %u", owner_name(r.kind), r.ino);
}

static void make_readout(struct app *a, blkno_t block, bool brief, size_t room,
			 struct str *out)
{
	const struct geom *g = a->model ? model_geom(a->model) : NULL;
	struct run r;

	str_addf(out, "blk %llu", (unsigned long long)block);
	if (!g || block < g->first_block || block >= g->blocks)
		return;
	str_addf(out, " g%u+%llu", geom_group_of(g, block),
		 (unsigned long long)(block -
				      geom_group_start(g, geom_group_of(g, block))));
	model_at(a->model, block, &r);
	add_owner(a, &r, room, out);
	if (r.ino && owner_is_data(r.kind))
		add_fragment(a, block, &r, brief, out);
	if (a->map.after || a->map.split || a->map.color == COLOR_BY_PLAN)
		add_planned(a, block, &r, out);
}

static bool owner_path_len(struct app *a, blkno_t block, size_t *len)
{
	const struct geom *g = a->model ? model_geom(a->model) : NULL;
	struct run r;

	if (!g || block < g->first_block || block >= g->blocks)
		return false;
	model_at(a->model, block, &r);
	return r.ino && names_get(a->names, r.ino, len);
}

void app_readout(struct app *a, blkno_t block, int cols, struct str *out)
{
	size_t start = out->len, room = 0;

	if (!a->open)
		return;
	make_readout(a, block, false, 0, out);
	/* Too long: in fewer words, then with less of the path. */
	for (int i = 0; i < 2 && cols && text_width(out->buf + start) > cols; i++) {
		size_t excess = (size_t)(text_width(out->buf + start) - cols), len = 0;

		if (i && owner_path_len(a, block, &len))
			room = len > excess + 8 ? len - excess : 8;
		out->len = start;
		make_readout(a, block, true, room, out);
	}
}
