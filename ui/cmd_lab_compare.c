/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_lab_compare.c - `lab compare`: allocators side by side. */
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "lab/compare.h"
#include "ui/cmd_lab.h"

#define MOST	 8
#define MAP_ROWS 12

static const char cell_glyph[] = {'.', '%', '=', '#'};

static void print_maps(struct app *a, const struct compare_result *r, size_t n, int width)
{
	for (size_t i = 0; i < n; i++)
		app_print(a, "%-*s%s", width, r[i].policy->name, i + 1 < n ? "  " : "\n");
	for (int row = 0; row < MAP_ROWS; row++)
		for (size_t i = 0; i < n; i++) {
			char line[256];
			int k = 0;

			for (; k < width; k++) {
				size_t at = (size_t)row * (size_t)width + (size_t)k;

				line[k] = at < r[i].cell_count
						  ? cell_glyph[r[i].cells[at]]
						  : ' ';
			}
			line[k] = '\0';
			app_print(a, "%s%s", line, i + 1 < n ? "  " : "\n");
		}
	app_print(a, ". free  %% metadata  = files in one piece  # files in pieces\n");
}

enum figure {
	FIG_FILES,
	FIG_PIECES,
	FIG_PERCENT,
	FIG_EXTENTS,
	FIG_SCORE,
	FIG_READ,
	FIG_HOLES,
	FIG_LARGEST,
	FIG_AVERAGE,
	FIGURES
};
static const char *const figure_names[FIGURES] = {
	"files",	  "files in pieces", "fragmented %",
	"extents a file", "layout score %",  "read all, s",
	"holes",	  "largest hole",    "average hole"};

static double figure(const struct compare_result *r, enum figure f)
{
	const struct metrics *m = &r->metrics;

	switch (f) {
	case FIG_FILES:
		return (double)r->report.files;
	case FIG_PIECES:
		return (double)r->report.fragmented;
	case FIG_PERCENT:
		return metrics_percent_fragmented(m);
	case FIG_EXTENTS:
		return r->report.files
			       ? (double)r->report.extents / (double)r->report.files
			       : 0;
	case FIG_SCORE:
		return 100 * metrics_layout_score(m);
	case FIG_READ:
		return m->read_time_ms / 1000;
	case FIG_HOLES:
		return (double)m->free_runs;
	case FIG_LARGEST:
		return (double)m->largest_hole_blocks;
	default:
		return m->free_runs ? (double)m->free_blocks / (double)m->free_runs : 0;
	}
}

static bool is_count(enum figure f)
{
	return f == FIG_FILES || f == FIG_PIECES || f == FIG_HOLES || f == FIG_LARGEST;
}

static void print_table(struct app *a, const struct compare_result *r, size_t n)
{
	app_print(a, "%-16s", "");
	for (size_t i = 0; i < n; i++)
		app_print(a, " %13s", r[i].policy->name);
	app_print(a, "\n");
	for (int f = 0; f < FIGURES; f++) {
		app_print(a, "%-16s", figure_names[f]);
		for (size_t i = 0; i < n; i++)
			app_print(a, " %13.*f", is_count((enum figure)f) ? 0 : 2,
				  figure(&r[i], (enum figure)f));
		app_print(a, "\n");
	}
}

static json_t *result_json(const struct compare_result *r)
{
	char *map = malloc(r->cell_count + 1);
	json_t *o;

	for (size_t i = 0; map && i < r->cell_count; i++)
		map[i] = cell_glyph[r->cells[i]];
	if (map)
		map[r->cell_count] = '\0';
	o = json_pack("{s:s, s:I, s:I, s:I, s:f, s:I, s:o, s:o, s:o}", "policy",
		      r->policy->name, "files", (json_int_t)r->report.files,
		      "files_in_pieces", (json_int_t)r->report.fragmented, "extents",
		      (json_int_t)r->report.extents, "extents_per_file",
		      figure(r, FIG_EXTENTS), "operations",
		      (json_int_t)r->report.operations, "holes_by_power_of_two",
		      lab_histogram(r->report.hole, AGE_HISTOGRAM), "metrics",
		      json_metrics(&r->metrics), "map", json_text(map ? map : ""));
	free(map);
	return o;
}

static void print(struct app *a, const struct compare_result *r, size_t n)
{
	int rows, cols, width;
	json_t *list;

	if (a->json) {
		list = json_array();
		for (size_t i = 0; i < n; i++)
			json_array_append_new(list, result_json(&r[i]));
		json_print(a, list);
		return;
	}
	cmd_screen_size(a, &rows, &cols);
	width = (cols - 2 * ((int)n - 1)) / (int)n;
	print_maps(a, r, n, width < 8 ? 8 : width > 60 ? 60 : width);
	print_table(a, r, n);
}

/* The aged images themselves, DIR/NAME.img. */
static bool keep(const char *dir, const struct age_options *o,
		 const struct policy_kind *const *kinds, size_t n, bool force,
		 struct err *err)
{
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		struct age_options mine = *o;
		struct str path = STR_INIT;
		struct age_report r;

		mine.policy = kinds[i]->name;
		str_addf(&path, "%s/%s.img", dir, kinds[i]->name);
		age_report_init(&r);
		ok = age_make(path.buf, &mine, force, NULL, &r, err);
		age_report_release(&r);
		str_release(&path);
	}
	return ok;
}

bool lab_compare_run(struct app *a, struct cmd_call *c, struct err *err)
{
	const struct policy_kind *kinds[MOST];
	struct compare_result results[MOST];
	bool force = cmd_flag(c, "--force"), ok;
	const char *dir, *tmp = getenv("TMPDIR");
	int rows, cols;
	struct age_options o;
	size_t n = 0;

	age_defaults(&o);
	o.bytes = 64 << 20;
	age_preset(&o, "mail", NULL);
	if (!lab_age_options(c, &o, err) || !cmd_option(c, "--keep", &dir, err) ||
	    !cmd_args(c, 1, MOST, err))
		return false;
	for (; n < (size_t)c->argc; n++) {
		kinds[n] = policy_find(c->argv[n], err);
		if (!kinds[n]) {
			c->bad = (int)n;
			return false;
		}
	}
	cmd_screen_size(a, &rows, &cols);
	cols = a->json ? 80 : (cols - 2 * ((int)n - 1)) / (int)n;
	cols = cols < 8 ? 8 : cols > 60 ? 60 : cols;
	ok = lab_compare(tmp ? tmp : "/var/tmp", &o, kinds, n, (size_t)cols * MAP_ROWS,
			 results, err);
	if (!ok)
		return false;
	print(a, results, n);
	for (size_t i = 0; i < n; i++)
		compare_result_release(&results[i]);
	return !dir || keep(dir, &o, kinds, n, force, err);
}
