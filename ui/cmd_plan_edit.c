/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_plan_edit.c - plan save, load, keep, first: what becomes of a plan by hand. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/plan_text.h"
#include "ui/app_priv.h"
#include "ui/cmd_plan.h"

bool plan_save(struct app *a, const char *path, struct err *err)
{
	struct str s = STR_INIT;
	FILE *f = NULL;
	bool ok = plan_write(a->plan, model_geom(a->model), a->volume.uuid_text, &s) ||
		  err_nomem(err);

	if (ok) {
		f = fopen(path, "we");
		ok = f && fwrite(s.buf, 1, s.len, f) == s.len;
		ok = f && !fclose(f) && ok;
		if (!ok)
			err_set_errno(err, ERR_IO, errno, "cannot write %s", path);
	}
	str_release(&s);
	if (ok)
		app_say(a, "%zu moves written to %s", a->plan->moves.n, path);
	return ok;
}

/* The whole of a text file; NULL with err. */
static char *read_all(const char *path, struct err *err)
{
	FILE *f = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	ssize_t n;

	if (!f) {
		err_set(err, ERR_USAGE, "%s: %s", path, strerror(errno));
		return NULL;
	}
	n = getdelim(&text, &size, '\0', f);
	fclose(f);
	if (n > 0)
		return text;
	free(text);
	err_set(err, ERR_USAGE, "%s: it is no plan of cdefrag", path);
	return NULL;
}

bool plan_load(struct app *a, const char *path, struct err *err)
{
	struct plan *p = calloc(1, sizeof(*p));
	char *text = p ? read_all(path, err) : NULL;
	bool ok = p || err_nomem(err);

	if (ok)
		plan_init(p);
	ok = ok && text &&
	     plan_read(text, model_geom(a->model), a->volume.uuid_text, p, err);
	free(text);
	if (ok && !plan_check(p, a->model, err)) {
		struct err why = *err;

		err_clear(err);
		err_set(err, why.class,
			"the volume is no longer as it was when the plan was made: "
			"%.150s",
			why.msg);
		ok = false;
	}
	if (!ok) {
		if (p)
			plan_release(p);
		free(p);
		return false;
	}
	app_drop_plan(a);
	a->plan = p;
	app_say(a, "%s: %zu moves, all possible as they stand", p->title, p->moves.n);
	if (a->interactive)
		app_show_tab(a, TAB_PLAN);
	return true;
}
