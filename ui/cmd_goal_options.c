/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_goal_options.c - the options that goals share: policies, and the order of files. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "ui/cmd_goal.h"
#include "ui/cmd_priv.h"

/* "90s", "10m", "1h" as milliseconds; false: no time. */
static bool parse_time(const char *word, double *ms)
{
	static const struct {
		char unit;
		double ms;
	} units[] = {{'s', 1e3}, {'m', 60e3}, {'h', 3600e3}};
	char *end;
	double n = strtod(word, &end);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (end != word && end[0] == units[i].unit && !end[1] && n > 0) {
			*ms = n * units[i].ms;
			return true;
		}
	return false;
}

bool goal_budget(struct cmd_call *c, struct goal_request *g, struct err *err)
{
	const char *value;

	if (!cmd_option(c, "--budget", &value, err))
		return false;
	if (!value || parse_time(value, &g->budget_ms) ||
	    (num_parse_bytes(value, &g->budget_bytes) && g->budget_bytes))
		return true;
	return cmd_bad(
		c, -1, err,
		"--budget is an amount to write, as 512M, or a time, as 90s or 10m");
}

/* The policies of goals that are about files. */
bool goal_policies(struct cmd_call *c, struct goal_request *g, struct err *err)
{
	const char *gain, *limit;
	uint64_t n;
	char *end;

	if (!goal_budget(c, g, err) || !cmd_option(c, "--min-gain", &gain, err) ||
	    !cmd_option(c, "--limit", &limit, err))
		return false;
	if (gain) {
		g->min_gain = strtod(gain, &end);
		if (end == gain || *end || g->min_gain <= 0)
			return cmd_bad(c, -1, err,
				       "--min-gain is milliseconds saved for a MiB "
				       "written, as 25");
	}
	if (limit) {
		if (!num_parse_u64(limit, &n) || !n || n > UINT32_MAX)
			return cmd_bad(c, -1, err, "--limit is a number of files");
		g->limit = (uint32_t)n;
	}
	return true;
}

/* Paths, one a line, from a file or the standard input; those that are not on the volume
 * are counted and passed over, as a trace names others too. */
bool goal_list(struct app *a, const char *name, struct inum_list *out, struct err *err)
{
	FILE *f = strcmp(name, "-") ? fopen(name, "re") : a->interactive ? NULL : stdin;
	size_t size = 0, missing = 0;
	char *line = NULL;
	bool ok = true;
	ssize_t n;

	if (!f) {
		err_set(err, ERR_USAGE, "%s: %s", name,
			strcmp(name, "-") ? strerror(errno)
					  : "no standard input here; name a file");
		return false;
	}
	while (ok && (n = getline(&line, &size, f)) >= 0) {
		struct err local = ERR_INIT;
		inum_t ino = 0;

		if (n && line[n - 1] == '\n')
			line[--n] = '\0';
		if (!n)
			continue;
		if (line[0] == '/')
			ino = cmd_lookup(a, line, &local);
		missing += !ino;
		ok = !ino || vec_push(out, ino) || err_nomem(err);
	}
	free(line);
	if (f != stdin)
		fclose(f);
	if (ok && missing)
		app_log(a, false, "%s: %zu paths are not on this volume", name, missing);
	if (ok && !out->n)
		err_set(err, ERR_USAGE, "%s names no file of this volume", name);
	return ok && out->n;
}

static const struct {
	const char *word;
	enum goal_order order;
} orders[] = {
	{"readdir", GOAL_ORDER_READDIR}, {"name", GOAL_ORDER_NAME},
	{"inode", GOAL_ORDER_INODE},	 {"size", GOAL_ORDER_SIZE},
	{"mtime", GOAL_ORDER_MTIME},	 {"atime", GOAL_ORDER_ATIME},
};

/* *list: the FILE of list=FILE, or NULL. */
bool goal_order_option(struct cmd_call *c, struct goal_request *g, const char **list,
		       struct err *err)
{
	const char *value;

	*list = NULL;
	g->order = GOAL_ORDER_READDIR;
	if (!cmd_option(c, "--order", &value, err))
		return false;
	if (!value)
		return true;
	if (!strncmp(value, "list=", 5) && value[5]) {
		*list = value + 5;
		g->order = GOAL_ORDER_GIVEN;
		return true;
	}
	for (size_t i = 0; i < sizeof(orders) / sizeof(orders[0]); i++)
		if (!strcmp(value, orders[i].word)) {
			g->order = orders[i].order;
			return true;
		}
	return cmd_bad(c, -1, err,
		       "--order is readdir, name, inode, size, mtime, atime or "
		       "list=FILE, not \"%s\"",
		       value);
}
