/* SPDX-License-Identifier: GPL-3.0-or-later */
/* age.c - see age.h: format, live, write. */
#include <string.h>
#include <unistd.h>
#include "base/num.h"
#include "src/lab/ground.h"
#include "src/lab/life.h"

const char *const age_call_names[AGE_CALLS] = {"create", "write", "close", "unlink"};

void age_report_init(struct age_report *r)
{
	memset(r, 0, sizeof(*r));
}

void age_report_release(struct age_report *r)
{
	vec_release(&r->rows);
}

bool age_check(const struct age_options *o, struct err *err)
{
	if (!o->writers || o->writers > 1000)
		err_set(err, ERR_USAGE, "1 to 1000 writers");
	else if (!o->dirs || o->dirs > 100000)
		err_set(err, ERR_USAGE, "1 to 100000 directories");
	else if (!o->size_min || o->size_min > o->size_max || o->size_max > 1ull << 40)
		err_set(err, ERR_USAGE, "file sizes are MIN-MAX, from 1 byte on");
	else if (o->piece < 512)
		err_set(err, ERR_USAGE, "a piece has at least 512 bytes");
	else if (!o->loops || o->loops > 10000)
		err_set(err, ERR_USAGE, "1 to 10000 loops");
	else if (o->fill < 1 || o->fill > 99)
		err_set(err, ERR_USAGE, "the target is 1 to 99 percent");
	else if (o->delete > 100 || o->grow + o->steady > 95)
		err_set(err, ERR_USAGE,
			"percentages end at 100, and at 95 for growing and deleting "
			"together");
	return !err_isset(err);
}

bool lab_make(const char *path, const struct age_options *o, bool force, struct err *err)
{
	struct build *b = ground_format(path, o, force, err);
	struct space space;

	if (!b)
		return false;
	if (!ground_space(b, &space, err)) {
		build_free(b);
		unlink(path);
		return false;
	}
	space_release(&space);
	return build_finish(b, err);
}

struct age_watcher {
	const struct age_options *o;
	uint64_t blocks;
};

/* "SHA-256  ./dir/name" a file. */
static void write_manifest(const struct world *w, uint8_t (*shas)[32], struct str *out)
{
	for (size_t i = 1; i < w->nodes.n; i++) {
		const struct world_node *n = &w->nodes.v[i];

		if (!n->live || n->is_dir)
			continue;
		for (int k = 0; k < 32; k++)
			str_addf(out, "%02x", shas[i][k]);
		str_addf(out, "  ./%s%s%s\n", n->parent ? w->nodes.v[n->parent].name : "",
			 n->parent ? "/" : "", n->name);
	}
}

static void pass_on(void *arg, const struct world_note *n)
{
	const struct age_watcher *w = arg;
	struct age_event e = {w->blocks, n->node, n->freed, false, n->range};

	w->o->watch(w->o->watch_arg, &e);
}

static void begin_watch(struct world *w, struct age_watcher *watcher)
{
	struct age_event e = {watcher->blocks, 0, true, true, {0, 0}};

	if (!watcher->o->watch)
		return;
	w->on_note = pass_on;
	w->note_arg = watcher;
	for (blkno_t at = w->space.first;
	     freemap_at_or_after(w->space.free, at, &e.range);
	     at = e.range.start + e.range.len)
		watcher->o->watch(watcher->o->watch_arg, &e);
}

static bool live_and_write(struct build *b, const struct age_options *o,
			   const struct policy_kind *kind, struct str *manifest,
			   struct age_report *out, struct err *err)
{
	struct age_watcher watcher = {o, 0};
	uint8_t(*shas)[32] = NULL;
	struct space space;
	struct world w;
	uint64_t t;
	bool ok;

	if (!ground_space(b, &space, err))
		return false;
	world_init(&w, &space, kind, o->seed, LAB_TIME);
	watcher.blocks = w.space.blocks;
	begin_watch(&w, &watcher);
	ok = life_run(&w, o, out, err);
	if (ok && manifest) {
		shas = calloc(w.nodes.n, sizeof(*shas));
		ok = shas != NULL || err_nomem(err);
	}
	t = num_now_ms();
	ok = ok && world_put(&w, b, shas, err);
	if (ok &&
	    ground_space(b, &space, err)) { /* with what the library took for maps */
		space_release(&w.space);
		w.space = space;
		life_count(&w, out);
		if (manifest)
			write_manifest(&w, shas, manifest);
	}
	out->write_ms = num_now_ms() - t;
	free(shas);
	world_release(&w);
	return ok && !err_isset(err);
}

bool age_make(const char *path, const struct age_options *o, bool force,
	      struct str *manifest, struct age_report *out, struct err *err)
{
	const struct policy_kind *kind = policy_find(o->policy, err);
	struct build *b;
	uint64_t t;
	bool ok;

	if (!kind || !age_check(o, err))
		return false;
	b = ground_format(path, o, force, err);
	if (!b)
		return false;
	ok = live_and_write(b, o, kind, manifest, out, err);
	t = num_now_ms();
	if (ok)
		ok = build_finish(b, err);
	else
		build_free(b);
	out->write_ms += num_now_ms() - t;
	if (!ok)
		unlink(path);
	return ok;
}
