/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pane_jobs.c - the running job, the totals of the last one, and the last moves. */
#include <stdio.h>
#include "base/num.h"
#include "ui/draw.h"
#include "ui/pane.h"

#define HEAD_ROWS 3

/* First the job with its bar, then its figures. */
static void draw_running(const struct app *a, const struct view *v)
{
	const struct progress *p = &a->progress;
	struct style text = a->theme.styles[STYLE_UI_TEXT];
	struct str s = STR_INIT;
	char num[NUM_TEXT_MAX], more[NUM_TEXT_MAX];
	int width = v->cols - 10;

	if (a->job_name[0])
		str_addf(&s, "%s  ", a->job_name);
	if (p->phase[0])
		str_addf(&s, "phase %s  ", p->phase);
	if (p->batch > 0)
		str_addf(&s, "batch %u  ", p->batch);
	if (p->moves_total > 0)
		str_addf(&s, "move %s of %s", num_format_count(p->moves_done, num),
			 num_format_count(p->moves_total, more));
	view_text(v, 0, 1, a->theme.styles[STYLE_UI_TAB_ACTIVE], s.buf);
	draw_bar(a, v, 1, 1, width, draw_job_share(a));
	view_textf(v, 1, width + 2, text, "%5.1f%%", draw_job_share(a) * 100);
	str_clear(&s);
	if (p->total > 0)
		str_addf(&s, "%s of %s", num_format_bytes(p->done, num),
			 num_format_bytes(p->total, more));
	if (p->bytes_per_second > 0)
		str_addf(&s, "   %s/s", num_format_bytes(p->bytes_per_second, num));
	if (p->eta_ms > 0)
		str_addf(&s, "   eta %s",
			 num_format_seconds((p->eta_ms + 999) / 1000, num));
	str_addf(&s, "%s^C stops at the next safe point", s.len ? "   " : "");
	view_text(v, 2, 1, text, s.buf);
	str_release(&s);
}

static void draw_last(const struct app *a, const struct view *v)
{
	const struct run_summary *r = &a->last_run;
	struct style text = a->theme.styles[STYLE_UI_TEXT];
	char num[NUM_TEXT_MAX], more[NUM_TEXT_MAX], third[NUM_TEXT_MAX];

	if (!a->run_ended) {
		view_text(v, 0, 1, a->theme.styles[STYLE_UI_DIM], "no job is running");
		return;
	}
	view_textf(v, 0, 1, a->theme.styles[STYLE_UI_GOOD],
		   "last run: %s moves, %s blk in %s", num_format_count(r->moves, num),
		   num_format_count(r->blocks_moved, more),
		   num_format_seconds((r->elapsed_ms + 999) / 1000, third));
	view_textf(v, 1, 1, text, "read %s, wrote %s, %llu batch%s, %llu barriers",
		   num_format_bytes(r->bytes_read, num),
		   num_format_bytes(r->bytes_written, more),
		   (unsigned long long)r->batches, r->batches == 1 ? "" : "es",
		   (unsigned long long)r->barriers);
	view_textf(v, 2, 1, text, "frag %.1f%% %s %.1f%%, fragments %s %s %s",
		   metrics_percent_fragmented(&a->before_run),
		   a->theme.utf8 ? "\u2192" : "->",
		   metrics_percent_fragmented(&a->metrics),
		   num_format_count(a->before_run.fragments, num),
		   a->theme.utf8 ? "\u2192" : "->",
		   num_format_count(a->metrics.fragments, more));
}

static void draw_move(const struct app *a, const struct view *v, int row,
		      const struct move *m)
{
	struct style text = a->theme.styles[STYLE_UI_TEXT];
	struct style dim = a->theme.styles[STYLE_UI_DIM];
	char num[32];

	view_textf(v, row, 1, dim, "%s", a->theme.utf8 ? "\u2713" : "ok");
	snprintf(num, sizeof(num), "%u blk", m->len);
	view_field(v, row, 4, 10, 1, text, num);
	snprintf(num, sizeof(num), "%llu", (unsigned long long)m->from);
	view_field(v, row, 15, 10, 1, text, m->from == BLKNO_NONE ? "tree" : num);
	view_text(v, row, 26, dim, a->theme.utf8 ? " \u2192" : "->");
	snprintf(num, sizeof(num), "%llu", (unsigned long long)m->to);
	view_text(v, row, 29, text, m->len > 0 ? num : "none");
	draw_name_field(a, v, row, 41, m->ino, text);
}

/* Below the head the strips of a job that writes, then the moves. */
static int strip_rows(const struct app *a, const struct view *v)
{
	int room = v->rows - HEAD_ROWS;

	if (a->job == 0 || !draw_job_writes(a) || room < 1)
		return 0;
	return room < STRIP_COUNT ? room : STRIP_COUNT;
}

static int body_rows(const struct app *a, const struct view *v)
{
	int rows = v->rows - HEAD_ROWS - strip_rows(a, v);

	return rows > 0 ? rows : 0;
}

static void draw(struct app *a, const struct view *v)
{
	int n = (int)a->recent.n;

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	if (a->job != 0)
		draw_running(a, v);
	else
		draw_last(a, v);
	for (int i = 0; i < strip_rows(a, v); i++)
		strips_draw(a, v, HEAD_ROWS + i, (enum strip)i);
	a->bottom_scroll = draw_scroll_clamp(a->bottom_scroll, body_rows(a, v), n);
	/* The newest on top. */
	for (int row = 0; row < body_rows(a, v); row++) {
		int at = n - 1 - a->bottom_scroll - row;

		if (at < 0)
			break;
		draw_move(a, v, HEAD_ROWS + strip_rows(a, v) + row, &a->recent.v[at]);
	}
}

static bool key(struct app *a, int k, int count, const struct view *v)
{
	return draw_scroll_key(k, count, body_rows(a, v), (int)a->recent.n,
			       &a->bottom_scroll);
}

static bool mouse(struct app *a, const struct mouse *m, const struct view *v)
{
	return draw_scroll_mouse(m->kind, body_rows(a, v), (int)a->recent.n,
				 &a->bottom_scroll);
}

const struct pane pane_jobs = {"Jobs", draw, key, mouse};
