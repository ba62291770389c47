/* SPDX-License-Identifier: GPL-3.0-or-later */
/* recorder.c - recording what is on the screen; see replay.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "ui/cmd_priv.h"
#include "ui/files.h"
#include "ui/record.h"
#include "ui/replay.h"

struct recorder {
	struct recording rec;
	char *path;
	double clock;	/* seconds; of batch mode */
	uint64_t start; /* on a terminal */
};

void recorder_free(struct recorder *r)
{
	if (!r)
		return;
	record_release(&r->rec);
	free(r->path);
	free(r);
}

bool recorder_start(struct app *a, const char *path, int rows, int cols, struct err *err)
{
	const char *ending = strrchr(path, '.');
	struct recorder *r;

	if (!ending || (strcmp(ending, ".cast") && strcmp(ending, ".svg"))) {
		err_set(err, ERR_USAGE, "%s: a recording ends in .cast or .svg", path);
		return false;
	}
	if (a->recorder) {
		err_set(err, ERR_USAGE, "a recording runs; end it with: record stop");
		return false;
	}
	r = calloc(1, sizeof(*r));
	if (!r || !(r->path = strdup(path))) {
		free(r);
		return err_nomem(err);
	}
	record_init(&r->rec, rows, cols);
	r->start = num_now_ms();
	a->recorder = r;
	return true;
}

bool recorder_stop(struct app *a, struct str *said, struct err *err)
{
	struct recorder *r = a->recorder;
	bool ok;

	if (!r) {
		err_set(err, ERR_USAGE,
			"nothing is recorded; begin with: record FILE.cast");
		return false;
	}
	a->recorder = NULL;
	if (r->rec.frames.n)
		ok = record_write(&r->rec, r->path, err);
	else
		err_set(err, ERR_REFUSED, "nothing was shown; %s is not written",
			r->path);
	ok = !err_isset(err);
	if (ok)
		str_addf(said, "saved %s: %zu frames, %.1f s", r->path, r->rec.frames.n,
			 r->rec.frames.v[r->rec.frames.n - 1].time);
	recorder_free(r);
	return ok;
}

void recorder_frame(struct app *a, const struct canvas *c, double seconds)
{
	struct recorder *r = a->recorder;
	struct canvas mine;

	if (!r)
		return;
	if (c) {
		record_add(&r->rec, c, (double)(num_now_ms() - r->start) / 1000);
		return;
	}
	if ((!a->model && !a->replay) || !canvas_init(&mine, r->rec.rows, r->rec.cols))
		return;
	if (a->model && !a->files->list.n)
		files_refresh(a->files, a, NULL);
	cmd_draw(a, &mine);
	record_add(&r->rec, &mine, r->clock);
	r->clock += seconds;
	canvas_release(&mine);
}
