/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_lab_age.c - `lab age`: a volume that has been lived in, and its report. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "ui/cmd_lab.h"
#include "ui/lab_movie.h"

static void print_help(struct app *a)
{
	struct age_options o;

	age_defaults(&o);
	app_print(a,
		  "lab age IMAGE [OPTION...]\n"
		  "  --size 256M  --type ext4|ext3|ext2  --block 4k|2k|1k  --features "
		  "LIST\n"
		  "  --policy NAME      an allocator, see: lab policies\n"
		  "  --preset NAME      a way of life; the options below change it\n"
		  "  --writers N        that take turns\n"
		  "  --dirs N           directories\n"
		  "  --file-size 1K-64K sizes of files, each power of two equally often\n"
		  "  --piece 16K        bytes that a writer appends in a turn\n"
		  "  --grow PERCENT     of turns go on with an old file\n"
		  "  --steady PERCENT   of turns delete one\n"
		  "  --loops N          fill and delete so often\n"
		  "  --delete PERCENT   of files deleted between loops\n"
		  "  --fill PERCENT     how full\n"
		  "  --churn N          operations at that fullness, at the end\n"
		  "  --ops N            stop after so many operations\n"
		  "  --seed N           the same seed gives the same image\n"
		  "  --record FILE.cast what happened, as a moving picture (or .svg)\n"
		  "  --trace FILE       the operations, to be done again elsewhere\n"
		  "  --manifest FILE    SHA-256 sums, for: sha256sum -c\n"
		  "  --force            replace IMAGE\n"
		  "presets:\n");
	for (size_t i = 0; i < age_preset_count; i++)
		app_print(a, "  %-10s %s\n", age_presets[i].name, age_presets[i].title);
}

/* --- the report --- */

static void print_calls(struct app *a, const struct age_row *r)
{
	for (int i = 0; i < AGE_CALLS; i++) {
		const struct age_calls *k = &r->call[i];

		app_print(a, " %7llu %5llu %7llu", (unsigned long long)k->min,
			  (unsigned long long)(k->count ? k->total / k->count : 0),
			  (unsigned long long)k->max);
	}
	app_print(a, "\n");
}

/* fs_mark's columns: use, count, size, rate, overhead, then min/avg/max of each call in
 * microseconds. */
static void print_rows(struct app *a, const struct age_report *r)
{
	app_print(a, "FSUse%%  Count     Size  Files/sec App Overhead");
	for (int i = 0; i < AGE_CALLS; i++)
		app_print(a, "  %6s min/avg/max", age_call_names[i]);
	app_print(a, "\n");
	for (size_t i = 0; i < r->rows.n; i++) {
		const struct age_row *w = &r->rows.v[i];

		app_print(a, "%6u %6llu %8llu %10.1f %12llu", w->use_percent,
			  (unsigned long long)w->count, (unsigned long long)w->size,
			  w->files_per_second, (unsigned long long)w->overhead);
		print_calls(a, w);
	}
}

static void print_report(struct app *a, const char *path, const struct age_report *r)
{
	char size[NUM_TEXT_MAX];

	print_rows(a, r);
	app_print(a, "%s: %llu operations left %llu files (%s) in %llu directories%s\n",
		  path, (unsigned long long)r->operations, (unsigned long long)r->files,
		  num_format_bytes(r->bytes, size), (unsigned long long)r->directories,
		  r->full ? "; it ended because nothing fitted any more" : "");
	app_print(a, "%llu extents, %.3f a file; %llu files (%.1f%%) in more than one\n",
		  (unsigned long long)r->extents,
		  r->files ? (double)r->extents / (double)r->files : 0,
		  (unsigned long long)r->fragmented,
		  r->files ? 100.0 * (double)r->fragmented / (double)r->files : 0);
	app_print(a, "%llu free blocks in %llu holes, the largest %llu\n",
		  (unsigned long long)r->free_blocks, (unsigned long long)r->holes,
		  (unsigned long long)r->largest_hole);
	app_print(a, "lived in %llu ms, written in %llu ms\n",
		  (unsigned long long)r->life_ms, (unsigned long long)r->write_ms);
}

static json_t *row_json(const struct age_row *w)
{
	json_t *o =
		json_pack("{s:i, s:I, s:I, s:f, s:I}", "use_percent", (int)w->use_percent,
			  "count", (json_int_t)w->count, "size_bytes",
			  (json_int_t)w->size, "files_per_second", w->files_per_second,
			  "overhead_us", (json_int_t)w->overhead);

	for (int i = 0; i < AGE_CALLS; i++) {
		const struct age_calls *k = &w->call[i];

		json_object_set_new(
			o, age_call_names[i],
			json_pack("{s:I, s:I, s:f, s:I}", "count", (json_int_t)k->count,
				  "min_us", (json_int_t)k->min, "avg_us",
				  k->count ? (double)k->total / (double)k->count : 0.0,
				  "max_us", (json_int_t)k->max));
	}
	return o;
}

static void report_json(struct app *a, const char *path, const struct age_report *r)
{
	json_t *rows = json_array(), *o;

	for (size_t i = 0; i < r->rows.n; i++)
		json_array_append_new(rows, row_json(&r->rows.v[i]));
	o = json_pack("{s:o, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:b, s:I, "
		      "s:I, s:o}",
		      "path", json_text(path), "operations", (json_int_t)r->operations,
		      "files", (json_int_t)r->files, "directories",
		      (json_int_t)r->directories, "bytes", (json_int_t)r->bytes,
		      "extents", (json_int_t)r->extents, "files_fragmented",
		      (json_int_t)r->fragmented, "free_runs", (json_int_t)r->holes,
		      "free_blocks", (json_int_t)r->free_blocks, "largest_hole_blocks",
		      (json_int_t)r->largest_hole, "holes_by_power_of_two",
		      lab_histogram(r->hole, AGE_HISTOGRAM), "full", r->full, "life_ms",
		      (json_int_t)r->life_ms, "write_ms", (json_int_t)r->write_ms,
		      "loops", rows);
	json_print(a, o);
}

static bool save(const char *path, const struct str *text, struct err *err)
{
	FILE *f = text->oom ? NULL : fopen(path, "we");
	bool ok = f && fwrite(text->buf, 1, text->len, f) == text->len;

	if (text->oom)
		return err_nomem(err);
	if (f && fclose(f))
		ok = false;
	if (!ok)
		err_set_errno(err, ERR_IO, errno, "cannot write %s", path);
	return ok;
}

static bool save_movie(struct lab_movie *m, const char *path, struct err *err)
{
	lab_movie_end(m);
	if (!m->failed)
		return record_write(&m->rec, path, err);
	err_set(err, ERR_REFUSED,
		"%s could not be recorded: more than %u blocks, or no memory; the image "
		"is made",
		path, LAB_MOVIE_BLOCKS);
	return false;
}

bool lab_age(struct app *a, struct cmd_call *c, struct err *err)
{
	bool force = cmd_flag(c, "--force"), ok;
	struct str manifest = STR_INIT;
	const char *manifest_path, *trace_path, *movie_path;
	struct lab_movie movie;
	struct str trace = STR_INIT;
	struct age_report report;
	struct age_options o;
	char title[100];

	if (!c->argc && !force) {
		print_help(a);
		return true;
	}
	age_defaults(&o);
	if (!lab_age_options(c, &o, err) ||
	    !cmd_option(c, "--manifest", &manifest_path, err) ||
	    !cmd_option(c, "--trace", &trace_path, err) ||
	    !cmd_option(c, "--record", &movie_path, err) || !cmd_args(c, 1, 1, err))
		return false;
	o.trace = trace_path ? &trace : NULL;
	snprintf(title, sizeof(title), "%s: allocator %s", c->argv[0], o.policy);
	lab_movie_init(&movie, 30, 100, title);
	if (movie_path) {
		o.watch = lab_movie_watch;
		o.watch_arg = &movie;
	}
	age_report_init(&report);
	ok = age_make(c->argv[0], &o, force, manifest_path ? &manifest : NULL, &report,
		      err) &&
	     (!manifest_path || save(manifest_path, &manifest, err)) &&
	     (!trace_path || save(trace_path, &trace, err)) &&
	     (!movie_path || save_movie(&movie, movie_path, err));
	if (ok && a->json)
		report_json(a, c->argv[0], &report);
	else if (ok)
		print_report(a, c->argv[0], &report);
	age_report_release(&report);
	str_release(&manifest);
	str_release(&trace);
	lab_movie_release(&movie);
	return ok;
}
