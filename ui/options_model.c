/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * options_model.c - the modelled disk that everything is priced for, and how long a use
 * is remembered. A figure changed by hand makes the disk "own".
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "core/disk.h"
#include "ui/app_priv.h"
#include "ui/options.h"
#include "ui/tree.h"

#define OWN "own"

/* What was priced for another disk is priced again, or goes. */
static bool choose(struct app *a, const struct disk *d, struct err *err)
{
	if (a->job) { /* the worker counts with it */
		err_set(err, ERR_REFUSED, "%s is running; stop it with: stop",
			a->job_name);
		return false;
	}
	disk_choose(d);
	if (a->plan) {
		app_drop_plan(a);
		app_say(a, "the plan is gone: it was priced for another disk");
	}
	if (a->model)
		metrics_compute(a->model, &a->metrics);
	tree_forget(a->tree);
	return true;
}

const char *options_get_disk(const struct app *a)
{
	(void)a;
	return disk_now()->name;
}

bool options_set_disk(struct app *a, const char *value, struct err *err)
{
	struct disk own = *disk_now();

	if (disk_find(value))
		return choose(a, disk_find(value), err);
	own.name = OWN;
	return choose(a, &own, err);
}

static bool number(const char *value, double least, double most, const char *what,
		   double *out, struct err *err)
{
	char *end;

	*out = strtod(value, &end);
	if (*value && !*end && isfinite(*out) && *out >= least && *out <= most)
		return true;
	err_set(err, ERR_USAGE, "\"%s\" is no %s from %g to %g", value, what, least,
		most);
	return false;
}

static bool change(struct app *a, struct disk own, struct err *err)
{
	own.name = OWN;
	own.what = "disk of your own figures: see set model";
	return choose(a, &own, err);
}

/* One buffer: set prints one value at a time. */
static char text[32];

const char *options_get_jump(const struct app *a)
{
	(void)a;
	snprintf(text, sizeof(text), "%g", disk_now()->jump_ms);
	return text;
}

bool options_set_jump(struct app *a, const char *value, struct err *err)
{
	struct disk own = *disk_now();

	return number(value, 0, 1000, "time in ms", &own.jump_ms, err) &&
	       change(a, own, err);
}

const char *options_get_rate(const struct app *a)
{
	(void)a;
	snprintf(text, sizeof(text), "%g", disk_now()->bytes_per_ms / 1e3);
	return text;
}

bool options_set_rate(struct app *a, const char *value, struct err *err)
{
	struct disk own = *disk_now();
	double mb;

	if (!number(value, 0.1, 100000, "rate in MB/s", &mb, err))
		return false;
	own.bytes_per_ms = mb * 1e3;
	return change(a, own, err);
}

const char *options_get_gap(const struct app *a)
{
	(void)a;
	snprintf(text, sizeof(text), "%lluK",
		 (unsigned long long)disk_now()->read_over_bytes >> 10);
	return text;
}

bool options_set_gap(struct app *a, const char *value, struct err *err)
{
	struct disk own = *disk_now();

	if (!num_parse_bytes(value, &own.read_over_bytes) ||
	    own.read_over_bytes > 1u << 30) {
		err_set(err, ERR_USAGE, "\"%s\" is no size up to 1G", value);
		return false;
	}
	return change(a, own, err);
}

const char *options_get_heat_days(const struct app *a)
{
	snprintf(text, sizeof(text), "%g", a->heat_days);
	return text;
}

bool options_set_heat_days(struct app *a, const char *value, struct err *err)
{
	if (!number(value, 0.01, 100000, "number of days", &a->heat_days, err))
		return false;
	tree_forget(a->tree);
	return true;
}
