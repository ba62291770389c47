/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_compare_runs.c - two runs side by side, from what --json wrote of them. */
#include <stdlib.h>
#include <string.h>
#include "ui/cmd_priv.h"
#include "ui/json.h"
#include "ui/text_file.h"

/* The last object of a file that is about a run, NULL with err. */
static json_t *read_run(const char *path, struct err *err)
{
	char *text = text_file_read(path, err), *line = text;
	json_t *found = NULL;

	while (text && *line) {
		size_t len = strcspn(line, "\n");
		json_t *o = json_loadb(line, len, 0, NULL);

		if (json_object_get(o, "bytes_written") && json_object_get(o, "after") &&
		    json_object_get(o, "elapsed_ms")) {
			json_decref(found);
			found = json_incref(o);
		}
		json_decref(o);
		line += len + (line[len] == '\n');
	}
	if (text && !found)
		err_set(err, ERR_USAGE,
			"%s holds no run; make it with: cdefrag --json -w -c 'defrag %%' "
			"-c 'run!' VOLUME >%s",
			path, path);
	free(text);
	return found;
}

/* A figure by its path, "after.fragments". */
static double figure(const json_t *o, const char *path)
{
	char key[64];

	while (o && *path) {
		size_t len = strcspn(path, ".");

		snprintf(key, sizeof(key), "%.*s", (int)len, path);
		o = json_object_get(o, key);
		path += len + (path[len] == '.');
	}
	return json_is_array(o) ? (double)json_array_size(o) : json_number_value(o);
}

static double removed(const json_t *o)
{
	return figure(o, "before.fragments") - figure(o, "after.fragments");
}

static double per_fragment(const json_t *o)
{
	return removed(o) > 0 ? figure(o, "bytes_written") / removed(o) : 0;
}

static double utilisation(const json_t *o)
{
	double used = figure(o, "after.worst");

	return used + figure(o, "after.free_blocks") > 0
		       ? 100 * used / (used + figure(o, "after.free_blocks"))
		       : 0;
}

static const struct {
	const char *what, *key, *path;
	double scale;
	double (*fn)(const json_t *o);
} rows[] = {
	{"read, GB", "gb_read", "bytes_read", 1e-9, NULL},
	{"written, GB", "gb_written", "bytes_written", 1e-9, NULL},
	{"run time, s", "run_s", "elapsed_ms", 1e-3, NULL},
	{"user time, s", "user_s", "user_ms", 1e-3, NULL},
	{"system time, s", "system_s", "sys_ms", 1e-3, NULL},
	{"barriers", "barriers", "barriers", 1, NULL},
	{"moves", "moves", "moves", 1, NULL},
	{"blocks moved", "blocks_moved", "blocks_moved", 1, NULL},
	{"evictions", "evictions", "evicted_files", 1, NULL},
	{"files skipped", "files_skipped", "skipped", 1, NULL},
	{"files examined", "files_examined", "before.best", 1, NULL},
	{"fragments before", "fragments_before", "before.fragments", 1, NULL},
	{"fragments after", "fragments_after", "after.fragments", 1, NULL},
	{"fragments removed", "fragments_removed", NULL, 1, removed},
	{"bytes per fragment removed", "bytes_per_fragment_removed", NULL, 1,
	 per_fragment},
	{"utilisation, %", "utilisation_percent", NULL, 1, utilisation},
	{"read every file, s", "read_every_file_s", "after.read_time_ms", 1e-3, NULL},
};

static double value(const json_t *o, size_t i)
{
	return rows[i].scale * (rows[i].fn ? rows[i].fn(o) : figure(o, rows[i].path));
}

static void print(struct app *a, const struct cmd_call *c, const json_t *x,
		  const json_t *y)
{
	json_t *all = json_object();

	if (!a->json)
		app_print(a, "%-28s %16.16s %16.16s %10s\n", "", c->argv[0], c->argv[1],
			  "RATIO");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double p = value(x, i), q = value(y, i);
		int digits = rows[i].scale == 1 && !rows[i].fn ? 0 : 3;

		json_object_set_new(all, rows[i].key, json_pack("[f, f]", p, q));
		if (a->json)
			continue;
		app_print(a, "%-28s %16.*f %16.*f", rows[i].what, digits, p, digits, q);
		if (p > 0)
			app_print(a, " %10.3f", q / p);
		app_print(a, "\n");
	}
	if (a->json)
		json_print(a, all);
	else
		json_decref(all);
}

bool cmd_compare_runs(struct app *a, struct cmd_call *c, struct err *err)
{
	json_t *x, *y;

	if (!cmd_args(c, 2, 2, err))
		return false;
	x = read_run(c->argv[0], err);
	y = x ? read_run(c->argv[1], err) : NULL;
	if (y)
		print(a, c, x, y);
	json_decref(x);
	json_decref(y);
	return y != NULL;
}
