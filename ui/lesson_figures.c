/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lesson_figures.c - what a lesson's `expect` can speak of. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/lesson.h"

static const char *const names[LESSON_FIGURES] = {
	"files",	"fragments", "pieces",	"holes",      "largest_hole",
	"average_hole", "free",	     "layout",	"read_ms",    "moved",
	"written",	"barriers",  "batches", "dir_groups",
};

/* Block groups that hold the first block of a directory which is not the root's. */
static double dir_groups(const struct model *m)
{
	const struct geom *g = model_geom(m);
	uint8_t *seen = calloc(g->groups, 1);
	unsigned n = 0;

	for (inum_t i = model_next_inode(m, g->first_inode); seen && i;
	     i = model_next_inode(m, i)) {
		struct file_info info;

		if (!model_file(m, i, &info) || info.inode.type != INODE_DIR ||
		    info.first == BLKNO_NONE)
			continue;
		n += !seen[geom_group_of(g, info.first)];
		seen[geom_group_of(g, info.first)] = 1;
	}
	free(seen);
	return n;
}

bool lesson_figures_now(struct app *a, struct lesson_figures *out, struct err *err)
{
	const struct run_summary *r = &a->last_run;
	const struct metrics *m = &a->metrics;

	if (!app_need_model(a, err))
		return false;
	*out = (struct lesson_figures){{
		(double)m->files,
		(double)m->fragments,
		(double)m->files_fragmented,
		(double)m->free_runs,
		(double)m->largest_hole_blocks,
		m->free_runs ? (double)m->free_blocks / (double)m->free_runs : 0,
		(double)m->free_blocks,
		100 * metrics_layout_score(m),
		m->read_time_ms,
		(double)r->blocks_moved,
		(double)r->bytes_written,
		(double)r->barriers,
		(double)r->batches,
		dir_groups(a->model),
	}};
	return true;
}

/* A number, a figure, or NAME.figure. */
static bool value(struct app *a, const struct lesson_notes *notes, const char *word,
		  double *out, struct err *err)
{
	const char *dot = strchr(word, '.');
	struct lesson_figures now;
	const struct lesson_figures *f = NULL;
	char *end;

	*out = strtod(word, &end);
	if (end != word && !*end)
		return true;
	if (!dot) {
		if (!lesson_figures_now(a, &now, err))
			return false;
		f = &now;
	}
	for (size_t i = 0; dot && i < notes->list.n; i++)
		if (strlen(notes->list.v[i].name) == (size_t)(dot - word) &&
		    !strncmp(notes->list.v[i].name, word, (size_t)(dot - word)))
			f = &notes->list.v[i].figures;
	for (size_t i = 0; f && i < LESSON_FIGURES; i++)
		if (!strcmp(names[i], dot ? dot + 1 : word)) {
			*out = f->v[i];
			return true;
		}
	err_set(err, ERR_USAGE, "\"%s\" is no number and no figure that was remembered",
		word);
	return false;
}

static bool holds(double x, const char *op, double y, bool *known)
{
	*known = true;
	if (!strcmp(op, "<"))
		return x < y;
	if (!strcmp(op, "<="))
		return x <= y;
	if (!strcmp(op, ">"))
		return x > y;
	if (!strcmp(op, ">="))
		return x >= y;
	if (!strcmp(op, "=="))
		return x == y;
	*known = false;
	return false;
}

bool lesson_expect(struct app *a, const struct lesson_notes *notes, const char *text,
		   struct str *said, struct err *err)
{
	char left[64], op[4], right[64], star[4] = "";
	double x, y, times = 1;
	int n = sscanf(text, "%63s %3s %63s %3s %lf", left, op, right, star, &times);
	bool known, ok;

	if (n != 3 && !(n == 5 && !strcmp(star, "*"))) {
		err_set(err, ERR_USAGE, "expect wants A OP B [* N], not \"%s\"", text);
		return false;
	}
	if (!value(a, notes, left, &x, err) || !value(a, notes, right, &y, err))
		return false;
	ok = holds(x, op, y * times, &known);
	str_addf(said, "%s (%.6g %s %.6g)", text, x, op, y * times);
	if (!known)
		err_set(err, ERR_USAGE, "\"%s\" is not < <= > >= ==", op);
	else if (!ok)
		err_set(err, ERR_REFUSED, "not as the lesson expects: %s", said->buf);
	return ok;
}
