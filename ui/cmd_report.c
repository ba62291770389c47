/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_report.c - figures of the volume, owners of blocks, blocks of files. */
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "ui/app_priv.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"
#include "ui/names.h"

/* --- what other commands print too --- */

void cmd_print_name(struct app *a, inum_t ino)
{
	struct str s = STR_INIT;
	const char *path;
	size_t len;

	path = names_get(a->names, ino, &len);
	if (path)
		str_add_safe(&s, path, len);
	else
		str_addf(&s, "<ino %u>", ino);
	app_print(a, "%s", s.buf);
	str_release(&s);
}

void cmd_print_flaws(struct app *a)
{
	const struct flaw_list *f = &a->flaws;

	if (!f->count)
		return;
	app_print(a, "flaws     %llu contradictions: viewing only; run: e2fsck -fn\n",
		  (unsigned long long)f->count);
	for (size_t i = 0; i < f->list.n && i < 10; i++)
		app_print(a, "          - %s\n", f->list.v[i].text);
}

static void change_line(struct app *a, const char *what, const char *before,
			const char *after)
{
	app_print(a, "%-20s %14s %14s\n", what, before, after);
}

static void change_count(struct app *a, const char *what, uint64_t before, uint64_t after)
{
	char x[NUM_TEXT_MAX], y[NUM_TEXT_MAX];

	change_line(a, what, num_format_count(before, x), num_format_count(after, y));
}

static void change_real(struct app *a, const char *what, double before, double after)
{
	char x[NUM_TEXT_MAX], y[NUM_TEXT_MAX];

	snprintf(x, sizeof(x), "%.2f", before);
	snprintf(y, sizeof(y), "%.2f", after);
	change_line(a, what, x, y);
}

void cmd_print_change(struct app *a, const struct metrics *b, const struct metrics *c)
{
	change_line(a, "", "before", "after");
	change_count(a, "fragments", b->fragments, c->fragments);
	change_count(a, "files in pieces", b->files_fragmented, c->files_fragmented);
	change_real(a, "fragmented %", metrics_percent_fragmented(b),
		    metrics_percent_fragmented(c));
	change_real(a, "layout score %", metrics_layout_score(b) * 100,
		    metrics_layout_score(c) * 100);
	change_real(a, "read all files, s", b->read_time_ms / 1000,
		    c->read_time_ms / 1000);
	change_count(a, "holes", b->free_runs, c->free_runs);
	change_count(a, "largest hole, blocks", b->largest_hole_blocks,
		     c->largest_hole_blocks);
}

/* --- analyze --- */

static void analyze_json(struct app *a)
{
	json_t *o = json_pack("{s:o}", "volume", json_volume(&a->volume));
	json_t *flaws = json_array();

	json_object_update_new(o, json_metrics(&a->metrics));
	for (size_t i = 0; i < a->flaws.list.n; i++)
		json_array_append_new(flaws, json_text(a->flaws.list.v[i].text));
	json_object_set_new(o, "flaw_count", json_integer((json_int_t)a->flaws.count));
	json_object_set_new(o, "flaws", flaws);
	json_print(a, o);
}

static void figure(struct app *a, const char *what, uint64_t n, const char *unit)
{
	char text[NUM_TEXT_MAX];

	app_print(a, "%-22s %14s%s%s\n", what, num_format_count(n, text),
		  unit[0] ? " " : "", unit);
}

static void analyze_text(struct app *a)
{
	const struct metrics *m = &a->metrics;
	char size[NUM_TEXT_MAX];
	struct str path = STR_INIT;

	str_add_safe(&path, a->volume.path, strlen(a->volume.path));
	app_print(a, "%s: %s %s, %u byte blocks, %s\n", path.buf, a->volume.type,
		  num_format_bytes(a->volume.blocks * a->volume.block_size, size),
		  a->volume.block_size, a->volume.state);
	str_release(&path);
	figure(a, "inodes used", m->inodes_used, "");
	figure(a, "files", m->files, "");
	figure(a, "directories", m->directories, "");
	figure(a, "fragments", m->fragments, "");
	figure(a, "  at best", m->best, "");
	figure(a, "  at worst", m->worst, "");
	figure(a, "files in pieces", m->files_fragmented, "");
	app_print(a, "%-22s %14.2f %%\n", "fragmented", metrics_percent_fragmented(m));
	app_print(a, "%-22s %14.2f %%\n", "layout score", metrics_layout_score(m) * 100);
	app_print(a, "%-22s %14.2f s (modelled disk)\n", "to read every file",
		  m->read_time_ms / 1000);
	figure(a, "free", m->free_blocks, "blocks");
	figure(a, "holes", m->free_runs, "");
	figure(a, "largest hole", m->largest_hole_blocks, "blocks");
	cmd_print_flaws(a);
}

bool cmd_analyze(struct app *a, struct cmd_call *c, struct err *err)
{
	struct request r = {.kind = REQ_SCAN};

	if (!cmd_args(c, 0, 0, err) || !app_need_model(a, err))
		return false;
	if (c->force && (!app_submit(a, &r, "scan", err) || !app_finish(a, err)))
		return false;
	if (c->force && a->interactive)
		return true; /* the header shows the new figures */
	if (a->json)
		analyze_json(a);
	else
		analyze_text(a);
	return true;
}

/* --- owner --- */

struct owner_list {
	struct app *app;
	VEC(struct run) runs;
	VEC(inum_t) inos;
	bool oom;
};

static bool note_run(void *arg, const struct run *r)
{
	struct owner_list *l = arg;

	l->oom = !vec_push(&l->runs, *r) || (r->ino && !vec_push(&l->inos, r->ino));
	return !l->oom;
}

static void set_count(json_t *o, const char *key, bool known, uint64_t n)
{
	json_object_set_new(o, key, known ? json_integer((json_int_t)n) : json_null());
}

static json_t *owner_json(struct app *a, const struct run *r, bool many)
{
	const struct geom *g = model_geom(a->model);
	json_t *o = json_object();
	struct fragment f;
	bool data = model_fragment_at(a->model, r->phys, &f);

	set_count(o, "block", true, r->phys);
	if (many)
		set_count(o, "blocks", true, r->len);
	set_count(o, "group", true, geom_group_of(g, r->phys));
	json_object_set_new(o, "kind", json_string(owner_word(r->kind)));
	set_count(o, "inode", r->ino != 0, r->ino);
	json_add_name(o, a, r->ino);
	set_count(o, "fragment", data, data ? f.index + 1 : 0);
	set_count(o, "fragments", data, data ? f.count : 0);
	set_count(o, "logical", data, r->lblk);
	return o;
}

static void owner_line(struct app *a, const struct run *r)
{
	const struct geom *g = model_geom(a->model);
	struct fragment f;

	app_print(a, "%12llu %10u  g%-5u %-18s", (unsigned long long)r->phys, r->len,
		  geom_group_of(g, r->phys), owner_name(r->kind));
	if (r->ino) {
		app_print(a, " ino %-8u ", r->ino);
		cmd_print_name(a, r->ino);
		if (model_fragment_at(a->model, r->phys, &f))
			app_print(a, "  fragment %u/%u, logical %u", f.index + 1, f.count,
				  r->lblk);
	} else if (r->kind != OWNER_FREE && owner_is_fixed(r->kind)) {
		app_print(a, " of group %u", r->lblk);
	}
	app_print(a, "\n");
}

static void owner_many(struct app *a, const struct owner_list *l)
{
	json_t *list;

	if (a->json) {
		list = json_array();
		for (size_t i = 0; i < l->runs.n; i++)
			json_array_append_new(list, owner_json(a, &l->runs.v[i], true));
		json_print(a, list);
		return;
	}
	app_print(a, "%12s %10s  %-6s %s\n", "BLOCK", "BLOCKS", "GROUP", "OWNER");
	for (size_t i = 0; i < l->runs.n; i++)
		owner_line(a, &l->runs.v[i]);
}

static void owner_one(struct app *a, const struct run *r)
{
	struct str s = STR_INIT;

	if (a->json) {
		json_print(a, owner_json(a, r, false));
		return;
	}
	app_readout(a, r->phys, 0, &s);
	app_print(a, "%s\n", s.buf);
	str_release(&s);
}

bool cmd_owner(struct app *a, struct cmd_call *c, struct err *err)
{
	struct owner_list l = {.app = a};
	struct range r;
	bool ok;

	if (!cmd_args(c, 1, 1, err) || !app_need_model(a, err))
		return false;
	if (!strcmp(c->argv[0], "."))
		r = (struct range){a->map.cursor, 1};
	else if (!cmd_range(a, c->argv[0], &r, err))
		return cmd_bad(c, 0, err, "\"%s\" is no block and no range", c->argv[0]);
	model_walk(a->model, r.start, r.len, note_run, &l);
	ok = !l.oom || err_nomem(err);
	if (ok)
		ok = names_fetch(a->names, a, l.inos.v, l.inos.n, err);
	if (ok && r.len == 1 && l.runs.n == 1)
		owner_one(a, &l.runs.v[0]);
	else if (ok)
		owner_many(a, &l);
	vec_release(&l.runs);
	vec_release(&l.inos);
	return ok;
}

/* --- blocks --- */

static json_t *extent_json(const struct run *r, uint32_t fragment)
{
	if (!owner_is_data(r->kind))
		return json_pack("{s:s, s:I, s:I}", "kind", owner_word(r->kind),
				 "first_block", (json_int_t)r->phys, "blocks",
				 (json_int_t)r->len);
	return json_pack("{s:s, s:I, s:I, s:I, s:I, s:b}", "kind", owner_word(r->kind),
			 "logical", (json_int_t)r->lblk, "first_block",
			 (json_int_t)r->phys, "blocks", (json_int_t)r->len, "fragment",
			 (json_int_t)fragment, "unwritten", r->unwritten);
}

static void blocks_json(struct app *a, inum_t ino, const struct run_list *runs)
{
	json_t *o = json_file(a, ino), *list = json_array();
	uint32_t fragment = 0;

	for (size_t i = 0; i < runs->n; i++) {
		if (owner_is_data(runs->v[i].kind) &&
		    extent_starts_fragment(runs->v, runs->n, i))
			fragment++;
		json_array_append_new(list, extent_json(&runs->v[i], fragment));
	}
	json_object_set_new(o, "extents", list);
	json_print(a, o);
}

static void blocks_text(struct app *a, inum_t ino, const struct run_list *runs)
{
	const struct geom *g = model_geom(a->model);
	struct file_info f;
	uint32_t fragment = 0;

	if (!model_file(a->model, ino, &f))
		return;
	app_print(a, "ino %u ", ino);
	cmd_print_name(a, ino);
	app_print(a, ": %llu blocks, %u fragments, ideal %u\n",
		  (unsigned long long)f.blocks, f.fragments, f.ideal);
	app_print(a, "%10s %10s %12s %10s %6s  %s\n", "FRAGMENT", "LOGICAL", "BLOCK",
		  "BLOCKS", "GROUP", "KIND");
	for (size_t i = 0; i < runs->n; i++) {
		const struct run *r = &runs->v[i];
		bool data = owner_is_data(r->kind);

		fragment += data && extent_starts_fragment(runs->v, runs->n, i);
		if (data)
			app_print(a, "%10u %10u", fragment, r->lblk);
		else
			app_print(a, "%10s %10s", "-", "-");
		app_print(a, " %12llu %10u %6u  %s%s\n", (unsigned long long)r->phys,
			  r->len, geom_group_of(g, r->phys), owner_name(r->kind),
			  r->unwritten ? ", unwritten" : "");
	}
}

/* Runs end at group boundaries in the model; here they do not. */
static size_t join(struct run_list *runs)
{
	size_t data = 0, kept;

	while (data < runs->n && owner_is_data(runs->v[data].kind))
		data++;
	kept = extent_merge(runs->v, data);
	memmove(runs->v + kept, runs->v + data, (runs->n - data) * sizeof(*runs->v));
	return kept + runs->n - data;
}

bool cmd_blocks(struct app *a, struct cmd_call *c, struct err *err)
{
	struct run_list runs = {0};
	inum_t ino;
	bool ok;

	if (!cmd_args(c, 0, 2, err) || !app_need_model(a, err) ||
	    !cmd_inode(a, c, &ino, err) || !names_fetch(a->names, a, &ino, 1, err))
		return false;
	ok = model_runs(a->model, ino, &runs) || err_nomem(err);
	if (ok && runs.n)
		runs.n = join(&runs);
	if (ok && a->json)
		blocks_json(a, ino, &runs);
	else if (ok)
		blocks_text(a, ino, &runs);
	vec_release(&runs);
	return ok;
}
