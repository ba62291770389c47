/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_layout.c - layout score by size and by order of access; heat. */
#include <string.h>
#include "base/num.h"
#include "core/extent.h"
#include "core/metric.h"
#include "ui/names.h"
#include "ui/report.h"

/* --- layout --- */

#define CLASSES 8
/* Files of up to so many bytes; the last class takes the rest. */
static const uint64_t class_bytes[CLASSES] = {4096,    16384,	 65536,	    262144,
					      1048576, 16777216, 268435456, UINT64_MAX};
static const char *const class_name[CLASSES] = {"to 4 KiB",   "to 16 KiB", "to 64 KiB",
						"to 256 KiB", "to 1 MiB",  "to 16 MiB",
						"to 256 MiB", "larger"};

struct layout_figures {
	struct metrics total, class[CLASSES];
	double ideal_ms[CLASSES + 1]; /* the last: of all */
};

static bool count(struct report *r, inum_t ino, struct run_list *runs,
		  struct layout_figures *f)
{
	uint32_t bs = model_geom(r->m)->block_size, ideal;
	struct disk_walk w = {.disk = r->disk, .block_size = bs};
	struct metrics *to[2];
	uint64_t blocks;
	int c = 0;

	runs->n = 0;
	if (!model_runs(r->m, ino, runs))
		return false;
	blocks = extent_blocks(runs->v, runs->n);
	if (!blocks)
		return true;
	while (blocks * bs > class_bytes[c])
		c++;
	ideal = model_ideal(r->m, blocks);
	to[0] = &f->total;
	to[1] = &f->class[c];
	disk_read_file(&w, runs->v, runs->n);
	for (int i = 0; i < 2; i++) {
		double ms = to[i]->read_time_ms;

		metrics_count_file(to[i], runs->v, runs->n, ideal, bs, 1);
		to[i]->read_time_ms = ms + w.ms; /* of this disk, not of the default */
	}
	f->ideal_ms[c] += disk_ideal_ms(&w);
	f->ideal_ms[CLASSES] += disk_ideal_ms(&w);
	return true;
}

static bool count_all(struct report *r, struct layout_figures *f, struct err *err)
{
	struct inum_list all = {0};
	const struct inum_list *l = r->inos.v ? &r->inos : &all;
	struct run_list runs = {0};
	bool ok = r->inos.v || model_tree(r->m, 2, &all);

	memset(f, 0, sizeof(*f));
	for (size_t i = 0; ok && i < l->n; i++)
		ok = count(r, l->v[i], &runs, f);
	vec_release(&runs);
	vec_release(&all);
	return ok || err_nomem(err);
}

static const char *const order_name[] = {"readdir", "name", "inode"};

/* One walk for each order; false with err. Other inodes than the targets are left out. */
static bool walk_orders(struct report *r, inum_t dir, struct disk_walk w[3],
			struct err *err)
{
	bool ok = true;

	for (int o = 0; ok && o < 3; o++) {
		struct inum_list inos = {0};

		w[o] = (struct disk_walk){.disk = r->disk,
					  .block_size = model_geom(r->m)->block_size};
		ok = report_order(r, dir, (enum survey_order)o, &inos, err) &&
		     (disk_read_order(&w[o], r->m, inos.v, inos.n) || err_nomem(err));
		vec_release(&inos);
	}
	return ok;
}

static json_t *metrics_row(const struct metrics *m, double ideal_ms)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:f, s:f, s:f}", "files",
			 report_json_count(m->best), "blocks",
			 report_json_count(m->worst), "fragments",
			 report_json_count(m->fragments), "files_fragmented",
			 report_json_count(m->files_fragmented), "layout_score",
			 metrics_layout_score(m), "read_time_ms", m->read_time_ms,
			 "ideal_time_ms", ideal_ms);
}

static void layout_json(struct report *r, const struct layout_figures *f,
			const struct disk_walk *w)
{
	json_t *o = report_json_head(r), *list = json_array(), *orders = json_object();

	json_object_set_new(o, "disk", json_string(r->disk->name));
	json_object_update_new(o, metrics_row(&f->total, f->ideal_ms[CLASSES]));
	for (int c = 0; c < CLASSES; c++) {
		json_t *row = metrics_row(&f->class[c], f -> ideal_ms[c]);

		json_object_set_new(row, "size", json_string(class_name[c]));
		json_array_append_new(list, row);
	}
	json_object_set_new(o, "by_size", list);
	for (int i = 0; w && i < 3; i++)
		json_object_set_new(orders, order_name[i],
				    json_pack("{s:f, s:o, s:f}", "dynamic_layout_score",
					      disk_dynamic_score(&w[i]), "jumps",
					      report_json_count(w[i].jumps),
					      "read_time_ms", w[i].ms));
	json_object_set_new(o, "orders", orders);
	json_print(r->a, o);
}

static void layout_row(struct report *r, const char *name, const struct metrics *m,
		       double ideal_ms)
{
	app_print(r->a, "%-12s %10llu %12llu %10llu %9.3f %11.2f %11.2f\n", name,
		  (unsigned long long)m->best, (unsigned long long)m->worst,
		  (unsigned long long)m->fragments, 100 * metrics_layout_score(m),
		  m->read_time_ms / 1000, ideal_ms / 1000);
}

static void layout_text(struct report *r, const struct layout_figures *f,
			const struct disk_walk *w)
{
	report_title(r, "layout");
	app_print(r->a, "%-12s %10s %12s %10s %9s %11s %11s\n", "FILES", "NUMBER",
		  "BLOCKS", "FRAGMENTS", "SCORE %", "READ s", "IDEAL s");
	for (int c = 0; c < CLASSES; c++)
		if (f->class[c].best)
			layout_row(r, class_name[c], &f->class[c], f -> ideal_ms[c]);
	layout_row(r, "all", &f->total, f->ideal_ms[CLASSES]);
	if (w)
		app_print(r->a, "%-12s %34s %9s %11s\n", "IN ORDER OF", "JUMPS",
			  "DYNAMIC %", "READ s");
	for (int i = 0; w && i < 3; i++)
		app_print(r->a, "%-12s %34llu %9.3f %11.2f\n", order_name[i],
			  (unsigned long long)w[i].jumps, 100 * disk_dynamic_score(&w[i]),
			  w[i].ms / 1000);
	app_print(r->a, "seconds of a modelled %s\n", r->disk->what);
}

/* The one directory that the words name, 2 without words, 0: something else. */
static bool tree_of(struct report *r, inum_t *dir, struct err *err)
{
	struct inode_info info;

	*dir = r->c->argc ? 0 : 2;
	if (r->c->argc != 1 || r->c->argv[0][0] != '/')
		return true;
	*dir = cmd_lookup(r->a, r->c->argv[0], err);
	if (*dir && (!model_inode(r->m, *dir, &info) || info.type != INODE_DIR))
		*dir = 0;
	return !err_isset(err);
}

bool report_layout(struct report *r, struct err *err)
{
	struct layout_figures f;
	struct disk_walk w[3];
	inum_t dir;

	if (!cmd_args(r->c, 0, CMD_WORDS_MAX, err) || !tree_of(r, &dir, err) ||
	    !report_targets(r, err) || !count_all(r, &f, err) ||
	    (dir && !walk_orders(r, dir, w, err)))
		return false;
	if (r->a->json)
		layout_json(r, &f, dir ? w : NULL);
	else
		layout_text(r, &f, dir ? w : NULL);
	return true;
}

/* --- heat --- */

static json_t *heat_json(struct report *r, const struct heat_list *l, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++) {
		const struct heat_row *h = &l->v[i];
		json_t *o = json_pack(
			"{s:o, s:o, s:o, s:f, s:f, s:f}", "inode",
			report_json_count(h->ino), "files", report_json_count(h->files),
			"extra_jumps", report_json_count(h->jumps), "excess_ms",
			h->excess_ms, "age_days", h->age_days, "heat", h->heat);

		json_add_name(o, r->a, h->ino);
		json_array_append_new(list, o);
	}
	return list;
}

static void heat_text(struct report *r, const struct heat_list *l, size_t n,
		      const char *what)
{
	app_print(r->a, "%12s %11s %9s %9s  %s\n", "HEAT", "EXCESS ms", "JUMPS",
		  "DAYS AGO", what);
	for (size_t i = 0; i < n; i++) {
		const struct heat_row *h = &l->v[i];

		app_print(r->a, "%12.2f %11.2f %9llu %9.1f  ", h->heat, h->excess_ms,
			  (unsigned long long)h->jumps, h->age_days);
		if (h->ino)
			cmd_print_name(r->a, h->ino);
		else
			app_print(r->a, "(no directory)");
		app_print(r->a, "\n");
	}
}

static size_t rows_of(const struct report *r, size_t n)
{
	return r->limit && r->limit < n ? (size_t)r->limit : n;
}

static bool fetch(struct report *r, const struct heat_list *l, struct inum_list *inos,
		  struct err *err)
{
	for (size_t i = 0; i < rows_of(r, l->n); i++)
		if (l->v[i].ino && !vec_push(inos, l->v[i].ino))
			return err_nomem(err);
	return true;
}

static void print_heat(struct report *r, const struct heat_list *files,
		       const struct heat_list *dirs, double days)
{
	json_t *o;

	if (r->a->json) {
		o = report_json_head(r);
		json_object_set_new(o, "disk", json_string(r->disk->name));
		json_object_set_new(o, "half_life_days", json_real(days));
		json_object_set_new(o, "files_count", report_json_count(files->n));
		json_object_set_new(o, "files",
				    heat_json(r, files, rows_of(r, files->n)));
		json_object_set_new(o, "directories",
				    heat_json(r, dirs, rows_of(r, dirs->n)));
		json_print(r->a, o);
		return;
	}
	report_title(r, "heat");
	heat_text(r, files, rows_of(r, files->n), "FILE");
	heat_text(r, dirs, rows_of(r, dirs->n), "DIRECTORY (its files)");
	app_print(r->a,
		  "%zu files read slower than they could; heat halves every %g "
		  "days without use; %s\n",
		  files->n, days, r->disk->what);
}

bool report_heat(struct report *r, struct err *err)
{
	struct heat_options opt = {.disk = r->disk, .now = r->now};
	struct heat_list files = {0}, dirs = {0};
	struct times_list times = {0};
	struct inum_list inos = {0};
	uint64_t days = 0;
	const char *text;
	bool ok;

	if (!cmd_option(r->c, "--half-life", &text, err))
		return false;
	if (text && (!num_parse_u64(text, &days) || !days))
		return cmd_bad(r->c, -1, err, "--half-life: \"%s\" is no number of days",
			       text);
	opt.half_life_days = text ? (double)days : r->a->heat_days;
	ok = cmd_args(r->c, 0, CMD_WORDS_MAX, err) && report_targets(r, err) &&
	     report_times(r, &times, err) &&
	     (heat_compute(r->m, r->inos.v, r->inos.n, &times, &opt, &files, &dirs) ||
	      err_nomem(err)) &&
	     fetch(r, &files, &inos, err) && fetch(r, &dirs, &inos, err) &&
	     names_fetch(r->a->names, r->a, inos.v, inos.n, err);
	if (ok)
		print_heat(r, &files, &dirs, opt.half_life_days);
	vec_release(&files);
	vec_release(&dirs);
	vec_release(&times);
	vec_release(&inos);
	return ok;
}
