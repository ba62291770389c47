/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_iotrace.c - `iotrace`: real I/O written down, and its figures and picture. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "base/num.h"
#include "fs/iotrace.h"
#include "ui/cmd_priv.h"
#include "ui/io_svg.h"
#include "ui/json.h"
#include "ui/shot.h"

static bool read_trace(const char *path, struct io_picture *out, struct err *err)
{
	struct err inner = ERR_INIT;
	struct stat st;
	FILE *f;
	bool ok;

	if (stat(path, &st) || (!S_ISREG(st.st_mode) && (errno = EINVAL)) ||
	    !(f = fopen(path, "re"))) {
		err_set_errno(err, ERR_USAGE, errno, "cannot read %s", path);
		return false;
	}
	ok = io_trace_read(&out->trace, f, &inner);
	fclose(f);
	if (!ok) {
		err_set(err, inner.class, "%s: %s", path, inner.msg);
		return false;
	}
	out->name = path;
	io_trace_figures(&out->trace, &out->figures);
	return true;
}

static double per_second(double n, const struct io_figures *f)
{
	return f->seconds > 0 ? n / f->seconds : 0;
}

/* The table of figures: text and JSON print the same ones. */
static const struct {
	const char *what, *key;
	int digits;
} rows[] = {
	{"seconds", "seconds", 3},
	{"  with a call under way", "busy_seconds", 3},
	{"reads", "reads", 0},
	{"writes", "writes", 0},
	{"barriers", "barriers", 0},
	{"bytes read", "bytes_read", 0},
	{"bytes written", "bytes_written", 0},
	{"seeks", "seeks", 0},
	{"seeks a second", "seeks_per_second", 1},
	{"mean distance, bytes", "mean_distance_bytes", 0},
	{"MB a second", "mb_per_second", 1},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static void figures(const struct io_figures *f, double v[ROWS])
{
	double bytes = (double)(f->bytes[IO_READ] + f->bytes[IO_WRITE]);
	double all[ROWS] = {
		f->seconds,
		f->busy,
		(double)f->count[IO_READ],
		(double)f->count[IO_WRITE],
		(double)f->count[IO_BARRIER],
		(double)f->bytes[IO_READ],
		(double)f->bytes[IO_WRITE],
		(double)f->seeks,
		per_second((double)f->seeks, f),
		f->seeks ? (double)f->distance / (double)f->seeks : 0,
		per_second(bytes / 1e6, f),
	};

	memcpy(v, all, sizeof(all));
}

static void print_text(struct app *a, const double v[2][ROWS], size_t n)
{
	for (size_t i = 0; i < ROWS; i++) {
		app_print(a, "%-26s", rows[i].what);
		for (size_t k = 0; k < n; k++)
			app_print(a, " %16.*f", rows[i].digits, v[k][i]);
		if (n == 2 && v[0][i] > 0)
			app_print(a, " %9.2f times", v[1][i] / v[0][i]);
		app_print(a, "\n");
	}
}

static void print_json(struct app *a, const struct io_picture *p, const double v[2][ROWS],
		       size_t n)
{
	json_t *list = json_array();

	for (size_t k = 0; k < n; k++) {
		json_t *o = json_pack("{s:o}", "trace", json_text(p[k].name));

		for (size_t i = 0; i < ROWS; i++)
			json_object_set_new(o, rows[i].key,
					    rows[i].digits
						    ? json_real(v[k][i])
						    : json_integer((json_int_t)v[k][i]));
		json_array_append_new(list, o);
	}
	json_print(a, list);
}

static bool draw(const struct io_picture *p, size_t n, const char *path, struct err *err)
{
	size_t len = strlen(path);
	struct str s = STR_INIT;
	bool ok;

	if (len < 5 || strcmp(path + len - 4, ".svg")) {
		err_set(err, ERR_USAGE, "%s: a picture is called FILE.svg", path);
		return false;
	}
	io_svg(p, n, &s);
	ok = s.oom ? err_nomem(err) : shot_write_file(path, &s, err);
	str_release(&s);
	return ok;
}

static bool show(struct app *a, struct cmd_call *c, const char *svg, struct err *err)
{
	struct io_picture p[2] = {0};
	double v[2][ROWS];
	size_t n = (size_t)c->argc - 1;
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		ok = read_trace(c->argv[i + 1], &p[i], err);
		figures(&p[i].figures, v[i]);
	}
	ok = ok && (!svg || draw(p, n, svg, err));
	if (ok && a->json)
		print_json(a, p, v, n);
	else if (ok)
		print_text(a, v, n);
	for (size_t i = 0; i < n; i++)
		io_trace_release(&p[i].trace);
	return ok;
}

bool cmd_iotrace(struct app *a, struct cmd_call *c, struct err *err)
{
	const char *svg;
	uint64_t calls;

	if (!cmd_option(c, "--svg", &svg, err) || !cmd_args(c, 1, 3, err))
		return false;
	if (!strcmp(c->argv[0], "show"))
		return cmd_args(c, 2, 3, err) && show(a, c, svg, err);
	if (svg)
		return cmd_bad(c, -1, err, "--svg goes with: iotrace show FILE");
	if (!cmd_args(c, 1, 1, err))
		return false;
	if (strcmp(c->argv[0], "stop"))
		return iotrace_start(c->argv[0], err);
	if (!iotrace_stop(&calls, err))
		return false;
	app_say(a, "%llu calls traced", (unsigned long long)calls);
	return true;
}
