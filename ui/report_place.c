/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_place.c - the figures of AIX's place: of the volume, of directories, files and
 * block groups. */
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "ui/names.h"
#include "ui/report.h"

/* --- one set of figures --- */

json_t *report_place_json(const struct place *p)
{
	return json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:f, s:f, s:f, s:f}", "inodes",
		report_json_count(p->inodes), "fragments",
		report_json_count(p->fragments), "strict_runs",
		report_json_count(p->strict), "best", report_json_count(p->best), "worst",
		report_json_count(p->worst), "efficiency_arithmetic_percent",
		place_efficiency(p, PLACE_ARITHMETIC), "efficiency_geometric_percent",
		place_efficiency(p, PLACE_GEOMETRIC), "sequentiality_arithmetic_percent",
		place_sequentiality(p, PLACE_ARITHMETIC),
		"sequentiality_geometric_percent",
		place_sequentiality(p, PLACE_GEOMETRIC), "overall_percent",
		place_overall(p), "e4defrag_score", place_e4defrag(p));
}

static void line(struct report *r, const char *what, const struct place *all,
		 const struct place *used, uint64_t (*fn)(const struct place *))
{
	char x[NUM_TEXT_MAX], y[NUM_TEXT_MAX];

	app_print(r->a, "%-24s %14s", what, num_format_count(fn(all), x));
	if (used)
		app_print(r->a, " %14s", num_format_count(fn(used), y));
	app_print(r->a, "\n");
}

static uint64_t get_inodes(const struct place *p)
{
	return p->inodes;
}
static uint64_t get_fragments(const struct place *p)
{
	return p->fragments;
}
static uint64_t get_best(const struct place *p)
{
	return p->best;
}
static uint64_t get_worst(const struct place *p)
{
	return p->worst;
}
static uint64_t get_strict(const struct place *p)
{
	return p->strict;
}

static void real(struct report *r, const char *what, double all, bool two, double used)
{
	app_print(r->a, "%-24s %14.5f", what, all);
	if (two)
		app_print(r->a, " %14.5f", used);
	app_print(r->a, "\n");
}

static void place_text(struct report *r, const struct place *p, const struct place *used,
		       uint64_t days)
{
	const struct place none = {0}, *u = used ? used : &none;
	bool two = used != NULL;
	char x[NUM_TEXT_MAX], y[NUM_TEXT_MAX], head[40];

	report_title(r, "place");
	if (two) {
		snprintf(head, sizeof(head), "used in %llu days",
			 (unsigned long long)days);
		app_print(r->a, "%-24s %14s %14s\n", "", "all", head);
	}
	line(r, "inodes used", p, used, get_inodes);
	line(r, "fragments", p, used, get_fragments);
	line(r, "  best case", p, used, get_best);
	line(r, "  worst case", p, used, get_worst);
	line(r, "  own trees counted", p, used, get_strict);
	real(r, "space efficiency, math", place_efficiency(p, PLACE_ARITHMETIC), two,
	     place_efficiency(u, PLACE_ARITHMETIC));
	real(r, "space efficiency, geo", place_efficiency(p, PLACE_GEOMETRIC), two,
	     place_efficiency(u, PLACE_GEOMETRIC));
	real(r, "space sequential, math", place_sequentiality(p, PLACE_ARITHMETIC), two,
	     place_sequentiality(u, PLACE_ARITHMETIC));
	real(r, "space sequential, geo", place_sequentiality(p, PLACE_GEOMETRIC), two,
	     place_sequentiality(u, PLACE_GEOMETRIC));
	real(r, "overall", place_overall(p), two, place_overall(u));
	app_print(r->a, "overall is 100 at %s fragments and 0 at %s\n",
		  num_format_count(p->best, x), num_format_count(p->worst, y));
	app_print(r->a, "e4defrag would score %.0f (above 55: defragment)\n",
		  place_e4defrag(p));
}

/* --- used within D days --- */

static bool used_lately(struct report *r, uint64_t days, struct place *out,
			struct err *err)
{
	struct inum_list all = {0}, lately = {0};
	struct times_list times = {0};
	const struct inum_list *l = &r->inos;
	int64_t since = r->now - (int64_t)(days * 86400);
	bool ok = report_times(r, &times, err);

	if (ok && !r->inos.v) {
		ok = model_tree(r->m, 2, &all) || err_nomem(err);
		l = &all;
	}
	for (size_t i = 0; ok && i < l->n; i++)
		if (times_last_use(&times, l->v[i]) >= since)
			ok = vec_push(&lately, l->v[i]) || err_nomem(err);
	if (ok && lately.n)
		ok = place_total(r->m, lately.v, lately.n, out) || err_nomem(err);
	vec_release(&times);
	vec_release(&all);
	vec_release(&lately);
	return ok;
}

static bool volume_report(struct report *r, const char *days_text, struct err *err)
{
	struct place p, used = {0};
	uint64_t days = 0;
	json_t *o;

	if (days_text && (!num_parse_u64(days_text, &days) || days > 100000))
		return cmd_bad(r->c, -1, err, "--days: \"%s\" is no number of days",
			       days_text);
	if (!place_total(r->m, r->inos.v, r->inos.n, &p))
		return err_nomem(err);
	if (days_text && !used_lately(r, days, &used, err))
		return false;
	if (!r->a->json) {
		place_text(r, &p, days_text ? &used : NULL, days);
		return true;
	}
	o = report_json_head(r);
	json_object_update_new(o, report_place_json(&p));
	if (days_text) {
		json_object_set_new(o, "days", report_json_count(days));
		json_object_set_new(o, "used_lately", report_place_json(&used));
	}
	json_print(r->a, o);
	return true;
}

/* --- tables --- */

static void table_head(struct report *r, const char *what)
{
	app_print(r->a, "%9s %9s %9s %9s %9s  %s\n", "FILES", "FRAGMENTS", "EFFIC %",
		  "SEQ %", "OVERALL", what);
}

static void row_text(struct report *r, const struct place *p)
{
	app_print(r->a, "%9llu %9llu %9.3f %9.3f %9.3f  ", (unsigned long long)p->best,
		  (unsigned long long)p->fragments, place_efficiency(p, PLACE_ARITHMETIC),
		  place_sequentiality(p, PLACE_ARITHMETIC), place_overall(p));
}

static bool fetch_names(struct report *r, const struct place_table *t, size_t n,
			struct err *err)
{
	struct inum_list inos = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++)
		if (t->rows.v[i].key)
			ok = vec_push(&inos, (inum_t)t->rows.v[i].key) || err_nomem(err);
	ok = ok && names_fetch(r->a->names, r->a, inos.v, inos.n, err);
	vec_release(&inos);
	return ok;
}

static bool table_report(struct report *r, enum place_key by, struct err *err)
{
	struct place_table t;
	json_t *list = json_array(), *o;
	size_t n;
	bool ok = place_tabulate(r->m, r->inos.v, r->inos.n, by, &t) || err_nomem(err);

	n = ok && r->limit && r->limit < t.rows.n ? (size_t)r->limit : t.rows.n;
	ok = ok && (by == PLACE_BY_GROUP || fetch_names(r, &t, n, err));
	if (ok && !r->a->json)
		table_head(r, by == PLACE_BY_GROUP ? "GROUP" : "DIRECTORY");
	for (size_t i = 0; ok && i < n; i++) {
		const struct place_row *row = &t.rows.v[i];

		if (r->a->json) {
			o = report_place_json(&row->place);
			json_object_set_new(o,
					    by == PLACE_BY_GROUP ? "group" : "directory",
					    report_json_count(row->key));
			if (by == PLACE_BY_DIRECTORY)
				json_add_name(o, r->a, (inum_t)row->key);
			json_array_append_new(list, o);
			continue;
		}
		row_text(r, &row->place);
		if (by == PLACE_BY_GROUP)
			app_print(r->a, "g%llu", (unsigned long long)row->key);
		else
			cmd_print_name(r->a, (inum_t)row->key);
		app_print(r->a, "\n");
	}
	if (ok && r->a->json)
		json_print(r->a, list);
	else
		json_decref(list);
	place_table_release(&t);
	return ok;
}

/* --- files --- */

struct file_row {
	inum_t ino;
	struct place_file f;
};

static int by_pieces(const void *a, const void *b)
{
	const struct file_row *x = a, *y = b;

	if (x->f.fragments != y->f.fragments)
		return x->f.fragments > y->f.fragments ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static json_t *file_json(struct report *r, const struct file_row *f)
{
	json_t *o = json_pack("{s:o, s:o, s:o, s:o, s:o, s:f, s:f}", "inode",
			      report_json_count(f->ino), "blocks",
			      report_json_count(f->f.blocks), "span_blocks",
			      report_json_count(f->f.span), "fragments",
			      report_json_count(f->f.fragments), "strict_runs",
			      report_json_count(f->f.strict), "efficiency_percent",
			      place_file_efficiency(&f->f), "sequentiality_percent",
			      place_file_sequentiality(&f->f));

	json_add_name(o, r->a, f->ino);
	return o;
}

static bool print_files(struct report *r, struct file_row *v, size_t n, struct err *err)
{
	struct inum_list inos = {0};
	json_t *list = json_array();
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++)
		ok = vec_push(&inos, v[i].ino) || err_nomem(err);
	ok = ok && names_fetch(r->a->names, r->a, inos.v, inos.n, err);
	if (ok && !r->a->json)
		app_print(r->a, "%10s %10s %9s %9s %9s  %s\n", "BLOCKS", "SPAN",
			  "FRAGMENTS", "EFFIC %", "SEQ %", "FILE");
	for (size_t i = 0; ok && i < n; i++) {
		if (r->a->json) {
			json_array_append_new(list, file_json(r, &v[i]));
			continue;
		}
		app_print(r->a, "%10llu %10llu %9u %9.3f %9.3f  ",
			  (unsigned long long)v[i].f.blocks,
			  (unsigned long long)v[i].f.span, v[i].f.fragments,
			  place_file_efficiency(&v[i].f),
			  place_file_sequentiality(&v[i].f));
		cmd_print_name(r->a, v[i].ino);
		app_print(r->a, "\n");
	}
	vec_release(&inos);
	if (ok && r->a->json)
		json_print(r->a, list);
	else
		json_decref(list);
	return ok;
}

static bool file_report(struct report *r, struct err *err)
{
	VEC(struct file_row) rows = VEC_INIT;
	struct inum_list all = {0};
	const struct inum_list *l = r->inos.v ? &r->inos : &all;
	struct run_list runs = {0};
	struct file_row row;
	bool ok = r->inos.v || model_tree(r->m, 2, &all);

	for (size_t i = 0; ok && i < l->n; i++) {
		runs.n = 0;
		row.ino = l->v[i];
		ok = model_runs(r->m, row.ino, &runs);
		if (ok && place_of_file(runs.v, runs.n, &row.f))
			ok = vec_push(&rows, row);
	}
	if (!ok)
		err_nomem(err);
	if (ok && rows.n)
		qsort(rows.v, rows.n, sizeof(*rows.v), by_pieces);
	ok = ok && print_files(r, rows.v,
			       r->limit && r->limit < rows.n ? r->limit : rows.n, err);
	vec_release(&runs);
	vec_release(&rows);
	vec_release(&all);
	return ok;
}

bool report_place(struct report *r, struct err *err)
{
	const char *by, *days;

	if (!cmd_option(r->c, "--by", &by, err) ||
	    !cmd_option(r->c, "--days", &days, err) ||
	    !cmd_args(r->c, 0, CMD_WORDS_MAX, err) || !report_targets(r, err))
		return false;
	if (by && days)
		return cmd_bad(r->c, -1, err, "--days is for the volume, without --by");
	if (!by)
		return volume_report(r, days, err);
	if (!strcmp(by, "dir"))
		return table_report(r, PLACE_BY_DIRECTORY, err);
	if (!strcmp(by, "group"))
		return table_report(r, PLACE_BY_GROUP, err);
	if (!strcmp(by, "file"))
		return file_report(r, err);
	return cmd_bad(r->c, -1, err, "--by is dir, file or group, not \"%s\"", by);
}
