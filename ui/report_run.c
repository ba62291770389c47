/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_run.c - `report run`: the last run in figures, before and after, as text, JSON
 * or a page with both maps. */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/num.h"
#include "ui/report.h"
#include "ui/run_record.h"

static const char *const order_name[] = {"readdir", "name", "inode"};

/* --- rows, for text and page alike --- */

struct row {
	char what[40], before[24], after[24], change[48];
};
struct rows {
	struct row v[80];
	size_t n;
};

static struct row *add(struct rows *t, const char *what)
{
	struct row *r = &t->v[t->n < 79 ? t->n++ : 79];

	memset(r, 0, sizeof(*r));
	snprintf(r->what, sizeof(r->what), "%s", what);
	return r;
}

static void add_count(struct rows *t, const char *what, uint64_t before, uint64_t after)
{
	struct row *r = add(t, what);
	char n[NUM_TEXT_MAX];

	snprintf(r->before, sizeof(r->before), "%.23s", num_format_count(before, n));
	snprintf(r->after, sizeof(r->after), "%.23s", num_format_count(after, n));
}

static void add_real(struct rows *t, const char *what, double before, double after)
{
	struct row *r = add(t, what);

	snprintf(r->before, sizeof(r->before), "%.4f", before);
	snprintf(r->after, sizeof(r->after), "%.4f", after);
}

/* Seconds, percent less and ratio, since sources mix the bases. */
static void add_time(struct rows *t, const char *what, double before, double after)
{
	struct row *r = add(t, what);

	snprintf(r->before, sizeof(r->before), "%.2f", before / 1000);
	snprintf(r->after, sizeof(r->after), "%.2f", after / 1000);
	if (before > 0 && after > 0)
		snprintf(r->change, sizeof(r->change), "%.1f %% %s, %.2f times",
			 100 * fabs(before - after) / before,
			 after <= before ? "less" : "more", before / after);
}

static void add_place(struct rows *t, const struct place *b, const struct place *a)
{
	add_count(t, "inodes used", b->inodes, a->inodes);
	add_count(t, "fragments", b->fragments, a->fragments);
	add_count(t, "  best case", b->best, a->best);
	add_count(t, "  worst case", b->worst, a->worst);
	add_real(t, "space efficiency, math %", place_efficiency(b, PLACE_ARITHMETIC),
		 place_efficiency(a, PLACE_ARITHMETIC));
	add_real(t, "space efficiency, geo %", place_efficiency(b, PLACE_GEOMETRIC),
		 place_efficiency(a, PLACE_GEOMETRIC));
	add_real(t, "space sequential, math %", place_sequentiality(b, PLACE_ARITHMETIC),
		 place_sequentiality(a, PLACE_ARITHMETIC));
	add_real(t, "space sequential, geo %", place_sequentiality(b, PLACE_GEOMETRIC),
		 place_sequentiality(a, PLACE_GEOMETRIC));
	add_real(t, "overall", place_overall(b), place_overall(a));
}

static void add_orders(struct rows *t, const struct run_record *r)
{
	char what[40];

	for (int o = 0; r->ordered && o < 3; o++) {
		snprintf(what, sizeof(what), "dynamic score, %s %%", order_name[o]);
		add_real(t, what, 100 * disk_dynamic_score(&r->before.order[o]),
			 100 * disk_dynamic_score(&r->after.order[o]));
	}
	for (int o = 0; r->ordered && o < 3; o++) {
		snprintf(what, sizeof(what), "read in %s order, s", order_name[o]);
		add_time(t, what, r->before.order[o].ms, r->after.order[o].ms);
	}
}

static void add_free(struct rows *t, const struct run_record *r, uint32_t bs)
{
	const struct space *b = &r->before.space, *a = &r->after.space;
	char what[40], x[NUM_TEXT_MAX], y[NUM_TEXT_MAX];

	add_count(t, "free blocks", b->free_blocks, a->free_blocks);
	add_count(t, "free runs", b->runs, a->runs);
	add_count(t, "  longest, blocks", b->longest, a->longest);
	for (unsigned i = 0; i < SPACE_CLASSES; i++) {
		if (!b->class[i].runs && !a->class[i].runs)
			continue;
		snprintf(what, sizeof(what), "  runs of %s to %s",
			 num_format_bytes((uint64_t)bs << i, x),
			 num_format_bytes((uint64_t)bs << (i + 1), y));
		add_count(t, what, b->class[i].runs, a->class[i].runs);
	}
}

static void fill(struct rows *t, const struct app *a)
{
	const struct run_record *r = a->record;

	t->n = 0;
	add_place(t, &r->before.place, &r->after.place);
	add_real(t, "layout score %", 100 * metrics_layout_score(&r->before.metrics),
		 100 * metrics_layout_score(&r->after.metrics));
	add_time(t, "read every file, s", r->before.metrics.read_time_ms,
		 r->after.metrics.read_time_ms);
	add_orders(t, r);
	add_free(t, r, a->volume.block_size);
}

static uint64_t removed(const struct run_record *r)
{
	uint64_t b = r->before.place.fragments, a = r->after.place.fragments;

	return b > a ? b - a : 0;
}

static void cost_text(const struct app *a, struct str *out)
{
	const struct run_record *r = a->record;
	const struct run_summary *s = &r->summary;
	char x[NUM_TEXT_MAX], y[NUM_TEXT_MAX];

	str_addf(out, "real %.2f s, user %.2f s, system %.2f s; read %s, written %s\n",
		 (double)s->elapsed_ms / 1000, (double)r->user_ms / 1000,
		 (double)r->sys_ms / 1000, num_format_bytes(s->bytes_read, x),
		 num_format_bytes(s->bytes_written, y));
	str_addf(out,
		 "%llu moves of %llu blocks in %llu batches, %llu barriers; head-room %s "
		 "blocks",
		 (unsigned long long)s->moves, (unsigned long long)s->blocks_moved,
		 (unsigned long long)s->batches, (unsigned long long)s->barriers,
		 num_format_count(r->before.space.free_blocks, x));
	if (r->evicted_files)
		str_addf(out, "; %llu evictions of %llu blocks",
			 (unsigned long long)r->evicted_files,
			 (unsigned long long)r->evicted_blocks);
	if (removed(r))
		str_addf(out, "; %s written for each fragment removed",
			 num_format_bytes(s->bytes_written / removed(r), y));
	str_addc(out, '\n');
}

void run_record_print(struct app *a)
{
	struct str cost = STR_INIT;
	struct rows *t = malloc(sizeof(*t));

	if (!t || !a->record || !a->record->ended) {
		free(t);
		return;
	}
	fill(t, a);
	app_print(a, "%-30s %14s %14s\n", "", "before", "after");
	for (size_t i = 0; i < t->n; i++)
		app_print(a, "%-30s %14s %14s%s%s\n", t->v[i].what, t->v[i].before,
			  t->v[i].after, t->v[i].change[0] ? "  " : "", t->v[i].change);
	cost_text(a, &cost);
	app_print(a, "%s", cost.buf);
	str_release(&cost);
	free(t);
}

/* --- JSON --- */

static json_t *figures_json(const struct run_record *r, const struct run_figures *f)
{
	json_t *o = json_metrics(&f->metrics), *list = json_array(),
	       *orders = json_object();

	json_object_set_new(o, "place", report_place_json(&f->place));
	for (unsigned i = 0; i < SPACE_CLASSES; i++)
		if (f->space.class[i].runs)
			json_array_append_new(
				list,
				json_pack("{s:o, s:o, s:o}", "from_blocks",
					  report_json_count(1ull << i), "runs",
					  report_json_count(f->space.class[i].runs),
					  "blocks",
					  report_json_count(f->space.class[i].blocks)));
	for (int i = 0; r->ordered && i < 3; i++)
		json_object_set_new(orders, order_name[i],
				    json_pack("{s:f, s:o, s:f}", "dynamic_layout_score",
					      disk_dynamic_score(&f->order[i]), "jumps",
					      report_json_count(f->order[i].jumps),
					      "read_time_ms", f->order[i].ms));
	json_object_set_new(o, "free_histogram", list);
	json_object_set_new(o, "orders", orders);
	return o;
}

json_t *run_record_json(const struct app *a)
{
	const struct run_record *r = a->record;
	const struct run_summary *s = &r->summary;
	json_t *o = json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"job", r->job, "title", json_text(r->title), "moves",
		report_json_count(s->moves), "blocks_moved",
		report_json_count(s->blocks_moved), "bytes_read",
		report_json_count(s->bytes_read), "bytes_written",
		report_json_count(s->bytes_written), "batches",
		report_json_count(s->batches), "barriers", report_json_count(s->barriers),
		"elapsed_ms", report_json_count(s->elapsed_ms), "user_ms",
		report_json_count(r->user_ms), "sys_ms", report_json_count(r->sys_ms),
		"evicted_files", report_json_count(r->evicted_files), "evicted_blocks",
		report_json_count(r->evicted_blocks), "headroom_blocks",
		report_json_count(r->before.space.free_blocks));

	report_json_times(o, "read_every_file", r->before.metrics.read_time_ms,
			  r->after.metrics.read_time_ms);
	json_object_set_new(o, "before", figures_json(r, &r->before));
	json_object_set_new(o, "after", figures_json(r, &r->after));
	return o;
}

/* --- a page --- */

static void add_escaped(struct str *s, const char *text)
{
	for (; *text; text++) {
		if (*text == '<' || *text == '>' || *text == '&')
			str_addf(s, "&#%d;", *text);
		else
			str_addc(s, *text);
	}
}

static void add_map(struct str *s, const char *caption, const uint8_t *cell)
{
	static const char *const color[RECORD_CLASSES] = {"#e8e8e8", "#8f8f8f", "#7b5fb0",
							  "#3f8f78", "#d9552b"};
	int w = 9, h = 9;

	str_addf(s,
		 "<figure><figcaption>%s</figcaption><svg viewBox=\"0 0 %d %d\" "
		 "role=\"img\" aria-label=\"block map %s\">\n",
		 caption, RECORD_COLS * w, RECORD_ROWS * h, caption);
	for (int i = 0, n; i < RECORD_CELLS; i += n) { /* equal neighbours as one bar */
		for (n = 1; (i + n) % RECORD_COLS && cell[i + n] == cell[i];)
			n++;
		str_addf(s,
			 "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" "
			 "fill=\"%s\"/>\n",
			 i % RECORD_COLS * w, i / RECORD_COLS * h, n * w - 1, h - 1,
			 color[cell[i]]);
	}
	str_add(s, "</svg></figure>\n");
}

static void add_table(struct str *s, const struct app *a)
{
	struct rows *t = malloc(sizeof(*t));

	if (!t) {
		s->oom = true;
		return;
	}
	fill(t, a);
	str_add(s, "<table><tr><th></th><th>before</th><th>after</th><th></th></tr>\n");
	for (size_t i = 0; i < t->n; i++)
		str_addf(s, "<tr><td>%s</td><td>%s</td><td>%s</td><td>%s</td></tr>\n",
			 t->v[i].what, t->v[i].before, t->v[i].after, t->v[i].change);
	str_add(s, "</table>\n");
	free(t);
}

static void page(struct app *a, struct str *s)
{
	const struct run_record *r = a->record;
	struct str text = STR_INIT;

	str_add(s,
		"<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">\n<title>");
	str_add_safe(&text, a->volume.path, strlen(a->volume.path));
	str_addf(&text, ": %s", r->title);
	add_escaped(s, text.buf);
	str_add(s,
		"</title>\n<style>body{font:15px/1.4 "
		"sans-serif;max-width:64em;margin:2em "
		"auto;padding:0 1em;color:#222;background:#fff}"
		"table{border-collapse:collapse}td,th{padding:.1em .8em;text-align:right;"
		"font-variant-numeric:tabular-nums}td:first-child{text-align:left;"
		"white-space:pre}tr:nth-child(even){background:#f4f4f4}"
		"figure{margin:1em 0}svg{width:100%;height:auto}"
		"i{display:inline-block;width:.9em;height:.9em;margin:0 .3em 0 1em}"
		"</style>\n<h1>");
	add_escaped(s, text.buf);
	str_add(s, "</h1>\n<p>");
	str_clear(&text);
	cost_text(a, &text);
	add_escaped(s, text.buf);
	str_add(s, "</p>\n<p><i style=\"background:#d9552b\"></i>files in pieces"
		   "<i style=\"background:#3f8f78\"></i>files in one piece"
		   "<i style=\"background:#7b5fb0\"></i>directories"
		   "<i style=\"background:#8f8f8f\"></i>metadata, journal"
		   "<i style=\"background:#e8e8e8\"></i>free</p>\n");
	add_map(s, "before", r->before.cell);
	add_map(s, "after", r->after.cell);
	add_table(s, a);
	str_add(s, "</html>\n");
	str_release(&text);
}

bool run_record_html(struct app *a, const char *path, struct err *err)
{
	struct str s = STR_INIT;
	size_t done = 0;
	int fd, rc = 0;

	page(a, &s);
	fd = s.oom ? -1 : open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	if (fd < 0) {
		if (s.oom)
			err_nomem(err);
		else
			err_set_errno(err, ERR_REFUSED, errno,
				      "cannot make %s (nothing is written over)", path);
		str_release(&s);
		return false;
	}
	while (!rc && done < s.len) {
		ssize_t n = write(fd, s.buf + done, s.len - done);

		if (n > 0)
			done += (size_t)n;
		else if (errno != EINTR)
			rc = errno;
	}
	if (close(fd) && !rc)
		rc = errno;
	str_release(&s);
	if (rc)
		err_set_errno(err, ERR_IO, rc, "cannot write %s", path);
	return rc == 0;
}

bool report_run(struct report *r, struct err *err)
{
	const char *html;

	if (!cmd_option(r->c, "--html", &html, err) || !cmd_args(r->c, 0, 0, err))
		return false;
	if (!r->a->record || !r->a->record->ended) {
		err_set(err, ERR_USAGE,
			"nothing has been run yet; make a plan, then: run! ; report run");
		return false;
	}
	if (html) {
		if (!run_record_html(r->a, html, err))
			return false;
		app_say(r->a, "written: %s", html);
		return true;
	}
	if (r->a->json) {
		json_print(r->a, run_record_json(r->a));
		return true;
	}
	app_print(r->a, "%s on %s\n", r->a->record->title, r->a->volume.path);
	run_record_print(r->a);
	return true;
}
