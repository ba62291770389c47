/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_walk.c - what a checker must read, and what our own scan took. */
#include "base/num.h"
#include "core/checker.h"
#include "ui/app_priv.h"
#include "ui/report.h"

static double mb(const struct disk_walk *w)
{
	return (double)w->blocks * w->block_size / 1e6;
}

/* MB a second, as a share of what the disk does in a row. */
static double percent_of_rate(const struct disk_walk *w)
{
	return w->ms > 0 ? 100 * mb(w) * 1000 / w->ms / (w->disk->bytes_per_ms / 1e3) : 0;
}

static double saved(const struct checker *c, int p)
{
	return c->phase[p].ms - c->packed_ms[p];
}

/* What the scan that made this picture has really cost, phase by phase. */
struct walked {
	const struct scan_cost *cost; /* of r->a */
	struct read_report rate;      /* bytes 0: not measured */
};

static double rate_mb(const struct walked *w)
{
	return w->rate.real_ms ? (double)w->rate.bytes / 1e3 / (double)w->rate.real_ms
			       : 0;
}

static double cost_mb(const struct scan_cost *c)
{
	return c->real_us ? (double)c->bytes / (double)c->real_us : 0;
}

static double cost_share(const struct walked *w, const struct scan_cost *c)
{
	return rate_mb(w) > 0 ? 100 * cost_mb(c) / rate_mb(w) : 0;
}

static struct scan_cost cost_sum(const struct scan_cost *c)
{
	struct scan_cost sum = {0};

	for (int p = 0; p < SCAN_PHASES; p++) {
		sum.bytes += c[p].bytes;
		sum.real_us += c[p].real_us;
		sum.user_us += c[p].user_us;
		sum.sys_us += c[p].sys_us;
	}
	return sum;
}

static void cost_row(struct report *r, const struct walked *w, const char *name,
		     const struct scan_cost *c)
{
	app_print(r->a, "%-14s %9.3f %9.3f %9.3f %9.1f %9.1f", name,
		  (double)c->real_us / 1e6, (double)c->user_us / 1e6,
		  (double)c->sys_us / 1e6, (double)c->bytes / 1e6, cost_mb(c));
	if (w->rate.bytes)
		app_print(r->a, " %7.1f", cost_share(w, c));
	app_print(r->a, "\n");
}

static void cost_text(struct report *r, const struct walked *w)
{
	struct scan_cost sum = cost_sum(w->cost);
	char peak[NUM_TEXT_MAX];

	app_print(r->a,
		  "\nwhat the last scan took in fact\n%-14s %9s %9s %9s %9s %9s%s\n", "",
		  "REAL s", "USER s", "SYSTEM s", "MB READ", "MB/s",
		  w->rate.bytes ? "  % RATE" : "");
	for (enum scan_phase p = 0; p < SCAN_PHASES; p++)
		cost_row(r, w, scan_phase_name(p), &w->cost[p]);
	cost_row(r, w, "all", &sum);
	app_print(r->a, "memory at most %s", num_format_bytes(num_peak_bytes(), peak));
	if (w->rate.bytes)
		app_print(r->a, "; in a row this device reads %.1f MB/s (%.1f MB)\n",
			  rate_mb(w), (double)w->rate.bytes / 1e6);
	else
		app_print(r->a, "; --real measures what this device reads in a row\n");
}

static json_t *cost_json(const struct walked *w)
{
	json_t *list = json_array();

	for (enum scan_phase p = 0; p < SCAN_PHASES; p++) {
		const struct scan_cost *c = &w->cost[p];
		json_t *o = json_pack(
			"{s:s, s:f, s:f, s:f, s:o, s:f}", "phase", scan_phase_name(p),
			"real_ms", (double)c->real_us / 1e3, "user_ms",
			(double)c->user_us / 1e3, "sys_ms", (double)c->sys_us / 1e3,
			"bytes_read", report_json_count(c->bytes), "mb_per_second",
			cost_mb(c));

		if (w->rate.bytes)
			json_object_set_new(o, "percent_of_measured_rate",
					    json_real(cost_share(w, c)));
		json_array_append_new(list, o);
	}
	return list;
}

static void walk_json(struct report *r, const struct checker *c,
		      const struct walked *real)
{
	json_t *o = report_json_head(r), *list = json_array();

	for (int p = 0; p < CHECKER_PHASES; p++) {
		const struct disk_walk *w = &c->phase[p];

		json_array_append_new(
			list,
			json_pack("{s:s, s:o, s:o, s:o, s:f, s:f, s:f}", "phase",
				  checker_phase_name[p], "blocks",
				  report_json_count(w->blocks), "jumps",
				  report_json_count(w->jumps), "distance_blocks",
				  report_json_count(w->distance), "read_time_ms", w->ms,
				  "packed_time_ms", c->packed_ms[p],
				  "percent_of_sequential_rate", percent_of_rate(w)));
	}
	json_object_set_new(o, "disk", json_string(r->disk->name));
	json_object_set_new(o, "phases", list);
	json_object_set_new(o, "untrimmed_table_blocks",
			    report_json_count(c->table_blocks));
	json_object_set_new(o, "untrimmed_table_time_ms", json_real(c->untrimmed_ms));
	json_object_set_new(o, "groups_skipped", report_json_count(c->groups_skipped));
	json_object_set_new(o, "scan", cost_json(real));
	json_object_set_new(o, "peak_memory_bytes", report_json_count(num_peak_bytes()));
	if (real->rate.bytes)
		json_object_set_new(o, "measured_mb_per_second",
				    json_real(rate_mb(real)));
	json_print(r->a, o);
}

static void walk_row(struct report *r, const char *name, const struct disk_walk *w)
{
	app_print(r->a, "%-14s %12llu %9.1f %9llu %14llu %10.2f %9.1f %7.1f\n", name,
		  (unsigned long long)w->blocks, mb(w), (unsigned long long)w->jumps,
		  (unsigned long long)w->distance, w->ms / 1000,
		  w->ms > 0 ? mb(w) * 1000 / w->ms : 0, percent_of_rate(w));
}

static void walk_text(struct report *r, const struct checker *c,
		      const struct walked *real)
{
	struct disk_walk sum = {.disk = r->disk,
				.block_size = model_geom(r->m)->block_size};

	report_title(r, "what a checker must read");
	app_print(r->a, "%-14s %12s %9s %9s %14s %10s %9s %7s\n", "", "BLOCKS", "MB",
		  "JUMPS", "DISTANCE", "SECONDS", "MB/s", "% RATE");
	for (int p = 0; p < CHECKER_PHASES; p++) {
		walk_row(r, checker_phase_name[p], &c->phase[p]);
		sum.blocks += c->phase[p].blocks;
		sum.jumps += c->phase[p].jumps;
		sum.distance += c->phase[p].distance;
		sum.ms += c->phase[p].ms;
	}
	walk_row(r, "all", &sum);
	app_print(r->a,
		  "packing the directories would save %.2f s, the map blocks %.2f s\n",
		  saved(c, CHECKER_DIRS) / 1000, saved(c, CHECKER_MAPS) / 1000);
	app_print(r->a,
		  "tables are read up to the last inode in use: %llu of %llu blocks, %u "
		  "groups not at all; all of them would take %.2f s\n",
		  (unsigned long long)c->phase[CHECKER_TABLES].blocks,
		  (unsigned long long)c->table_blocks, c->groups_skipped,
		  c->untrimmed_ms / 1000);
	app_print(r->a, "seconds of a modelled %s\n", r->disk->what);
	cost_text(r, real);
}

bool report_walk(struct report *r, struct err *err)
{
	struct walked w = {.cost = r->a->scan_costs};
	struct request rate = {.kind = REQ_RATE};
	bool real = cmd_flag(r->c, "--real");
	struct checker c;

	if (!cmd_args(r->c, 0, 0, err) || (real && !report_read(r, &rate, &w.rate, err)))
		return false;
	if (!checker_compute(r->m, r->disk, &c))
		return err_nomem(err);
	if (r->a->json)
		walk_json(r, &c, &w);
	else
		walk_text(r, &c, &w);
	return true;
}
