/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * report.h - what the reports share: whose figures, on which layout, how they are printed.
 *
 * A report is a row in report.c and a function in report_TOPIC.c. It prints text, or JSON
 * with stable keys (units in their names) when the app asks for it.
 */
#ifndef UI_REPORT_H
#define UI_REPORT_H

#include "core/disk.h"
#include "core/place.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"

struct report {
	struct app *a;
	struct cmd_call *c; /* words left after the report's name and the options below */
	const struct model *m;	 /* as it is, or as the plan would leave it */
	bool planned;		 /* --planned: the latter */
	struct inum_list inos;	 /* targets; inos.v NULL: the whole volume */
	uint64_t limit;		 /* --limit: rows of a table */
	const struct disk *disk; /* --disk */
	int64_t now;		 /* --now: seconds since 1970 */
};

typedef bool (*report_fn)(struct report *r, struct err *err);
bool report_place(struct report *r, struct err *err);
bool report_free(struct report *r, struct err *err);
bool report_layout(struct report *r, struct err *err);
bool report_heat(struct report *r, struct err *err);
bool report_pinned(struct report *r, struct err *err);
bool report_blockers(struct report *r, struct err *err);
bool report_walk(struct report *r, struct err *err);
bool report_readtest(struct report *r, struct err *err);
bool report_run(struct report *r, struct err *err);

/* The words that are left as targets; none: the whole volume (inos stays NULL). */
bool report_targets(struct report *r, struct err *err);
/* Questions to the volume that wait for their answer; ERR_REFUSED on a terminal while a
 * job runs. The caller frees what they fill in. */
bool report_times(struct report *r, struct times_list *out, struct err *err);
bool report_order(struct report *r, inum_t dir, enum survey_order order,
		  struct inum_list *out, struct err *err);

/* REQ_READ or REQ_RATE, answered. */
bool report_read(struct report *r, struct request *q, struct read_report *out,
		 struct err *err);

/* Lines of a table of figures: a name and up to two columns. */
void report_count(struct report *r, const char *what, uint64_t n, const char *unit);
void report_real(struct report *r, const char *what, double x, int digits,
		 const char *unit);
/* "before 12.5 s, after 6.2 s: 50.4 % less, 2.02 times" as three figures under a key. */
void report_json_times(json_t *o, const char *key, double before_ms, double after_ms);
json_t *report_json_count(uint64_t n);
/* {"volume", "planned"}: how each report begins. */
json_t *report_json_head(struct report *r);
json_t *report_place_json(const struct place *p);
/* The last run, which must have ended (run_record.h). */
json_t *run_record_json(const struct app *a);
void report_title(struct report *r, const char *what);

#endif
