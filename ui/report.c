/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report.c - `report NAME`: the table of reports, and what they share. */
#include "ui/report.h"
#include <string.h>
#include <time.h>
#include "base/num.h"
#include "core/predict.h"
#include "ui/app_priv.h"

static const struct {
	const char *name;
	report_fn fn;
	const char *what;
} reports[] = {
	{"place", report_place,
	 "fragments, space efficiency and sequentiality as AIX's place prints them"},
	{"free", report_free, "free space by size of its runs"},
	{"layout", report_layout, "layout score, by size of files and in three orders"},
	{"heat", report_heat, "what is read slowly and used lately"},
	{"pinned", report_pinned, "files that are never moved, and why"},
	{"blockers", report_blockers, "what keeps the volume from being shrunk"},
	{"walk", report_walk,
	 "what a checker must read, what packing it would save, what the scan took; "
	 "--real: "
	 "in shares of this disk's rate"},
	{"readtest", report_readtest,
	 "all files of a tree in readdir, name and inode order; --real: of this disk "
	 "too"},
	{"run", report_run,
	 "the last run before and after; --html FILE: a page with both maps"},
};
#define REPORTS (sizeof(reports) / sizeof(reports[0]))

/* --- questions --- */

static struct event *ask(struct report *r, struct request *q, struct err *err)
{
	struct app *a = r->a;

	if (a->job) {
		err_set(err, ERR_REFUSED, "%s is running; stop it with: stop",
			a->job_name);
		return NULL;
	}
	q->model = a->model;
	return app_query(a, q, -1, err);
}

bool report_times(struct report *r, struct times_list *out, struct err *err)
{
	struct request q = {.kind = REQ_TIMES};
	struct event *ev = ask(r, &q, err);

	if (!ev)
		return false;
	*out = ev->times;
	ev->times = (struct times_list){0};
	event_free(ev);
	return true;
}

bool report_order(struct report *r, inum_t dir, enum survey_order order,
		  struct inum_list *out, struct err *err)
{
	struct request q = {
		.kind = REQ_ORDER, .inos = &dir, .ino_count = 1, .count = order};
	struct event *ev = ask(r, &q, err);

	if (!ev)
		return false;
	*out = ev->order;
	ev->order = (struct inum_list){0};
	event_free(ev);
	return true;
}

bool report_targets(struct report *r, struct err *err)
{
	return !r->c->argc || cmd_targets(r->a, r->c, "%", &r->inos, err);
}

/* --- printing --- */

void report_count(struct report *r, const char *what, uint64_t n, const char *unit)
{
	char text[NUM_TEXT_MAX];

	app_print(r->a, "%-28s %16s%s%s\n", what, num_format_count(n, text),
		  unit[0] ? " " : "", unit);
}

void report_real(struct report *r, const char *what, double x, int digits,
		 const char *unit)
{
	app_print(r->a, "%-28s %16.*f%s%s\n", what, digits, x, unit[0] ? " " : "", unit);
}

json_t *report_json_count(uint64_t n)
{
	return json_integer((json_int_t)n);
}

void report_json_times(json_t *o, const char *key, double before_ms, double after_ms)
{
	json_object_set_new(
		o, key,
		json_pack("{s:f, s:f, s:f, s:f}", "before_ms", before_ms, "after_ms",
			  after_ms, "percent_less",
			  before_ms > 0 ? 100 * (before_ms - after_ms) / before_ms : 0.0,
			  "ratio", after_ms > 0 ? before_ms / after_ms : 0.0));
}

json_t *report_json_head(struct report *r)
{
	return json_pack("{s:o, s:b}", "volume", json_volume(&r->a->volume), "planned",
			 r->planned);
}

void report_title(struct report *r, const char *what)
{
	const struct volume_info *v = &r->a->volume;
	char size[NUM_TEXT_MAX];
	struct str path = STR_INIT;

	str_add_safe(&path, v->path, strlen(v->path));
	app_print(r->a, "%s of %s%s: %s %s, %u byte blocks\n", what, path.buf,
		  r->planned ? " after the plan" : "", v->type,
		  num_format_bytes(v->blocks * v->block_size, size), v->block_size);
	str_release(&path);
}

/* --- the command --- */

static bool take_options(struct report *r, struct err *err)
{
	const char *limit, *disk, *now;
	uint64_t n;

	r->planned = cmd_flag(r->c, "--planned");
	if (!cmd_option(r->c, "--limit", &limit, err) ||
	    !cmd_option(r->c, "--disk", &disk, err) ||
	    !cmd_option(r->c, "--now", &now, err))
		return false;
	if (limit && !num_parse_u64(limit, &r->limit))
		return cmd_bad(r->c, -1, err, "--limit: \"%s\" is not a number", limit);
	r->disk = disk ? disk_find(disk) : disk_now();
	if (!r->disk)
		return cmd_bad(r->c, -1, err,
			       "there is no disk \"%s\"; one of: hdd, ssd, nvme, sd",
			       disk);
	r->now = (int64_t)time(NULL);
	if (now && !num_parse_u64(now, &n))
		return cmd_bad(r->c, -1, err, "--now: \"%s\" is no number of seconds",
			       now);
	if (now)
		r->now = (int64_t)n;
	return true;
}

static void list_reports(struct app *a)
{
	json_t *list = json_array();

	for (size_t i = 0; i < REPORTS; i++) {
		json_array_append_new(list,
				      json_pack("{s:s, s:s}", "report", reports[i].name,
						"what", reports[i].what));
		if (!a->json)
			app_print(a, "report %-10s %s\n", reports[i].name,
				  reports[i].what);
	}
	if (a->json)
		json_print(a, list);
	else
		json_decref(list);
}

static report_fn find_report(struct cmd_call *c, struct err *err)
{
	const char *word = c->argv[0];
	report_fn found = NULL;
	int hits = 0;

	for (size_t i = 0; i < REPORTS; i++)
		if (!strncmp(reports[i].name, word, strlen(word))) {
			found = reports[i].fn;
			hits++;
		}
	if (hits != 1) {
		cmd_bad(c, 0, err, "there is no report \"%s\"; see: report", word);
		return NULL;
	}
	for (int i = 1; i < c->argc; i++) {
		c->argv[i - 1] = c->argv[i];
		c->at[i - 1] = c->at[i];
	}
	c->argc--;
	return found;
}

static bool run_report(struct app *a, struct cmd_call *c, report_fn fn, struct err *err)
{
	struct report r = {.a = a, .c = c, .limit = 10};
	struct model *predicted = NULL;
	bool ok;

	if (!take_options(&r, err) || !app_need_model(a, err))
		return false;
	r.m = a->model;
	if (r.planned && !a->plan) {
		err_set(err, ERR_USAGE, "there is no plan; make one with: defrag TARGET");
		return false;
	}
	if (r.planned && !(predicted = model_predict(a->model, a->plan, err)))
		return false;
	if (predicted)
		r.m = predicted;
	ok = fn(&r, err);
	model_free(predicted);
	vec_release(&r.inos);
	return ok;
}

bool cmd_report(struct app *a, struct cmd_call *c, struct err *err)
{
	report_fn fn;

	if (!c->argc) {
		list_reports(a);
		return true;
	}
	fn = find_report(c, err);
	return fn && run_report(a, c, fn, err);
}

bool cmd_readtest(struct app *a, struct cmd_call *c, struct err *err)
{
	return run_report(a, c, report_readtest, err);
}
