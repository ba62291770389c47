/* SPDX-License-Identifier: GPL-3.0-or-later */
/* app.c - the state of the program: made, ended, and the small changes that keys share
 * with commands. What comes from the engine is in app_event.c. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/anim.h"
#include "ui/app_priv.h"
#include "ui/files.h"
#include "ui/fsck.h"
#include "ui/map_cell.h"
#include "ui/names.h"

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
	a->anim = anim_new();
	a->map_cache = map_cache_new();
	if (!a->names || !a->files || !a->anim || !a->map_cache) {
		err_nomem(err);
		app_release(a);
		return false;
	}
	a->animate = true;
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
	vec_clear(&a->files->list);
	a->files->total = 0;
	a->files->cursor = a->files->top = 0;
	vec_clear(&a->recent);
}

void app_drop_volume(struct app *a)
{
	app_drop_model(a);
	free_history(a);
	volume_info_release(&a->volume);
	volume_info_init(&a->volume);
	a->open = false;
	a->run_ended = false;
	a->selected = a->inspect_ino = 0;
	vec_clear(&a->tags);
	a->map.cursor = a->map.top = 0;
	a->map.blocks_per_cell = 0;
}

void app_release(struct app *a)
{
	engine_free(a->engine); /* first: a job may be reading the model */
	a->engine = NULL;
	fsck_free(a->fsck);
	for (size_t i = 0; i < a->held.n; i++)
		event_free(a->held.v[i]);
	vec_release(&a->held);
	if (a->names && a->map_cache && a->files)
		app_drop_volume(a);
	vec_release(&a->tags);
	vec_release(&a->recent);
	names_free(a->names);
	files_free(a->files);
	anim_free(a->anim);
	map_cache_free(a->map_cache);
	for (size_t i = 0; i < a->log.n; i++)
		free(a->log.v[i].text);
	vec_release(&a->log);
	volume_info_release(&a->volume);
	free(a->confirm_line);
	free(a->journal);
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

static void add_owner(struct app *a, const struct run *r, struct str *out)
{
	const char *path;
	size_t len;

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
	path = names_get(a->names, r->ino, &len);
	if (path && path[0] == '/') {
		str_addc(out, ' ');
		str_add_safe(out, path, len);
	}
}

static void add_fragment(struct app *a, blkno_t b, const struct run *r, struct str *out)
{
	struct fragment f;

	if (!model_fragment_at(a->model, b, &f))
		return;
	str_addf(out, " | fragment %u/%u, block %llu of %llu", f.index + 1, f.count,
		 (unsigned long long)(b >= f.phys ? b - f.phys + 1 : 1),
		 (unsigned long long)f.len);
	str_addf(out, " | logical %llu..%llu", (unsigned long long)f.lblk,
		 (unsigned long long)(f.lblk + f.len - 1));
	if (r->unwritten)
		str_add(out, ", unwritten");
	if (f.next != BLKNO_NONE)
		str_addf(out, " | next fragment %+lld", (long long)(f.next - b));
}

void app_readout(struct app *a, blkno_t block, struct str *out)
{
	const struct geom *g = a->model ? model_geom(a->model) : NULL;
	struct run r;

	if (!a->open)
		return;
	str_addf(out, "blk %llu", (unsigned long long)block);
	if (!g || block < g->first_block || block >= g->blocks)
		return;
	str_addf(out, " g%u+%llu", geom_group_of(g, block),
		 (unsigned long long)(block -
				      geom_group_start(g, geom_group_of(g, block))));
	model_at(a->model, block, &r);
	add_owner(a, &r, out);
	if (r.ino && owner_is_data(r.kind))
		add_fragment(a, block, &r, out);
}
