/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_readtest.c - all files of a tree read in some order: modelled, and for real. */
#include <string.h>
#include "ui/app_priv.h"
#include "ui/report.h"

bool report_read(struct report *r, struct request *q, struct read_report *out,
		 struct err *err)
{
	struct event *ev;

	q->model = r->a->model;
	ev = app_query(r->a, q, -1, err);
	if (!ev)
		return false;
	*out = ev->read;
	event_free(ev);
	return true;
}

static const char *const order_name[] = {"readdir", "name", "inode"};

struct read_result {
	struct disk_walk model;
	struct read_report real; /* bytes 0: not asked for */
};

static bool read_real(struct report *r, const struct inum_list *inos,
		      struct read_report *out, struct err *err)
{
	struct request q = {.kind = REQ_READ, .inos = inos->v, .ino_count = inos->n};

	return report_read(r, &q, out, err);
}

static bool read_one(struct report *r, inum_t dir, int order, bool real,
		     struct read_result *out, struct err *err)
{
	struct inum_list inos = {0};
	bool ok;

	memset(out, 0, sizeof(*out));
	out->model = (struct disk_walk){.disk = r->disk,
					.block_size = model_geom(r->m)->block_size};
	ok = report_order(r, dir, (enum survey_order)order, &inos, err) &&
	     (disk_read_order(&out->model, r->m, inos.v, inos.n) || err_nomem(err)) &&
	     (!real || read_real(r, &inos, &out->real, err));
	vec_release(&inos);
	return ok;
}

static json_t *read_json(const struct read_result *x, const char *order)
{
	const struct disk_walk *w = &x->model;
	json_t *o = json_pack("{s:s, s:o, s:o, s:o, s:f, s:f, s:f}", "order", order,
			      "blocks", report_json_count(w->blocks), "jumps",
			      report_json_count(w->jumps), "distance_blocks",
			      report_json_count(w->distance), "dynamic_layout_score",
			      disk_dynamic_score(w), "read_time_ms", w->ms,
			      "ideal_time_ms", disk_ideal_ms(w));

	if (x->real.bytes)
		json_object_set_new(
			o, "real",
			json_pack("{s:o, s:o, s:o, s:o, s:o}", "bytes_read",
				  report_json_count(x->real.bytes), "reads",
				  report_json_count(x->real.reads), "real_ms",
				  report_json_count(x->real.real_ms), "user_ms",
				  report_json_count(x->real.user_ms), "sys_ms",
				  report_json_count(x->real.sys_ms)));
	return o;
}

static void read_text(struct report *r, const struct read_result *x, const char *order)
{
	const struct disk_walk *w = &x->model;

	app_print(r->a, "%-10s %12llu %10llu %14llu %10.3f %10.2f %10.2f", order,
		  (unsigned long long)w->blocks, (unsigned long long)w->jumps,
		  (unsigned long long)w->distance, 100 * disk_dynamic_score(w),
		  w->ms / 1000, disk_ideal_ms(w) / 1000);
	if (x->real.bytes)
		app_print(r->a, "  real %.2f user %.2f system %.2f s, %.1f MB/s",
			  (double)x->real.real_ms / 1000, (double)x->real.user_ms / 1000,
			  (double)x->real.sys_ms / 1000,
			  x->real.real_ms
				  ? (double)x->real.bytes / 1e3 / (double)x->real.real_ms
				  : 0.0);
	app_print(r->a, "\n");
}

static bool directory_of(struct report *r, inum_t *dir, struct err *err)
{
	struct inode_info info;

	*dir = 2;
	if (!r->c->argc)
		return true;
	*dir = cmd_lookup(r->a, r->c->argv[0], err);
	if (!*dir)
		return false;
	if (model_inode(r->m, *dir, &info) && info.type == INODE_DIR)
		return true;
	return cmd_bad(r->c, 0, err, "%s is not a directory", r->c->argv[0]);
}

bool report_readtest(struct report *r, struct err *err)
{
	bool real = cmd_flag(r->c, "--real");
	json_t *list;
	const char *only;
	struct read_result x;
	inum_t dir;
	int from = 0, to = 3;

	if (!cmd_option(r->c, "--order", &only, err) || !cmd_args(r->c, 0, 1, err) ||
	    !directory_of(r, &dir, err))
		return false;
	for (int o = 0; only && o < 3; o++)
		if (!strcmp(only, order_name[o]))
			from = o, to = o + 1;
	if (only && to - from != 1)
		return cmd_bad(r->c, -1, err,
			       "--order is readdir, name or inode, not \"%s\"", only);
	if (real && r->planned)
		return cmd_bad(r->c, -1, err, "what is only planned cannot be read");
	list = json_array();
	if (!r->a->json) {
		report_title(r, "reading all files");
		app_print(r->a, "%-10s %12s %10s %14s %10s %10s %10s\n", "ORDER",
			  "BLOCKS", "JUMPS", "DISTANCE", "DYNAMIC %", "SECONDS",
			  "IDEAL s");
	}
	for (int o = from; o < to; o++) {
		if (!read_one(r, dir, o, real, &x, err)) {
			json_decref(list);
			return false;
		}
		if (r->a->json)
			json_array_append_new(list, read_json(&x, order_name[o]));
		else
			read_text(r, &x, order_name[o]);
	}
	if (r->a->json) {
		json_print(r->a, list);
	} else {
		json_decref(list);
		app_print(r->a, "seconds of a modelled %s\n", r->disk->what);
	}
	return true;
}
