/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pane_plan.c - the pending plan: what it costs, what it gains, move by move. */
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "ui/draw.h"
#include "ui/pane.h"

#define HEAD_ROWS   3 /* title, figures, column heads */
#define SLIM_COLS   76
#define REASON_COLS 34

/* Head rows of a view: in a low one the figures go first, then the column heads. */
static int head_rows(const struct view *v)
{
	return v->rows >= 6 ? HEAD_ROWS : v->rows >= 4 ? 2 : 1;
}

static int body_rows(const struct view *v)
{
	return v->rows > head_rows(v) ? v->rows - head_rows(v) : 0;
}

static int plan_lines(const struct plan *p)
{
	size_t n = p->moves.n + p->skips.n;

	return n > INT32_MAX ? INT32_MAX : (int)n;
}

static void draw_title(const struct app *a, const struct view *v)
{
	const struct plan *p = a->plan;
	struct style text = a->theme.styles[STYLE_UI_TEXT];
	struct str s = STR_INIT;
	char num[NUM_TEXT_MAX], more[NUM_TEXT_MAX];
	int col;

	col = view_text(v, 0, 1, a->theme.styles[STYLE_UI_TAB_ACTIVE], p->title);
	str_addf(&s, "  %s moves of", num_format_count(p->moves.n, num));
	str_addf(&s, " %s blk", num_format_count(p->data_blocks, num));
	str_addf(&s, " in %s file%s", num_format_count(p->files, num),
		 p->files == 1 ? "" : "s");
	str_addf(&s, ", reads %s, writes %s", num_format_bytes(p->price.bytes_read, num),
		 num_format_bytes(p->price.bytes_written, more));
	str_addf(&s, ", %llu barriers, about %s", (unsigned long long)p->price.barriers,
		 num_format_seconds((uint64_t)((p->price.run_ms + 999) / 1000), num));
	view_text(v, 0, col, text, s.buf);
	str_release(&s);
}

struct figure {
	const char *name;
	double gain; /* above 0: better than before */
	char text[80];
};

/* A figure that does not fit is left out: half a number would be another one. */
static int put_figure(const struct app *a, const struct view *v, int col,
		      const struct figure *f)
{
	int id = f->gain > 0   ? STYLE_UI_GOOD
		 : f->gain < 0 ? STYLE_UI_WARN
			       : STYLE_UI_TEXT;

	if (col + text_width(f->name) + 1 + text_width(f->text) > v->cols)
		return v->cols;
	col = view_textf(v, 1, col, a->theme.styles[STYLE_UI_DIM], "%s ", f->name);
	return view_text(v, 1, col, a->theme.styles[id], f->text) + 2;
}

static void draw_figures(const struct app *a, const struct view *v)
{
	const struct metrics *b = &a->plan->before, *c = &a->plan->after;
	const char *to = a->theme.utf8 ? "\u2192" : "->";
	char num[NUM_TEXT_MAX], more[NUM_TEXT_MAX];
	struct figure f[5] = {
		{"frag", metrics_percent_fragmented(b) - metrics_percent_fragmented(c),
		 ""},
		{"fragments", (double)b->fragments - (double)c->fragments, ""},
		{"score", metrics_layout_score(c) - metrics_layout_score(b), ""},
		{"read", b->read_time_ms - c->read_time_ms, ""},
		{"hole", (double)c->largest_hole_blocks - (double)b->largest_hole_blocks,
		 ""},
	};
	int col = 1;

	snprintf(f[0].text, sizeof(f[0].text), "%.1f %s %.1f%%",
		 metrics_percent_fragmented(b), to, metrics_percent_fragmented(c));
	snprintf(f[1].text, sizeof(f[1].text), "%s %s %s",
		 num_format_count(b->fragments, num), to,
		 num_format_count(c->fragments, more));
	snprintf(f[2].text, sizeof(f[2].text), "%.2f %s %.2f",
		 metrics_layout_score(b) * 100, to, metrics_layout_score(c) * 100);
	snprintf(f[3].text, sizeof(f[3].text), "%.1f %s %.1f s", b->read_time_ms / 1000,
		 to, c->read_time_ms / 1000);
	snprintf(f[4].text, sizeof(f[4].text), "%s %s %s",
		 num_format_count(b->largest_hole_blocks, num), to,
		 num_format_count(c->largest_hole_blocks, more));
	for (int i = 0; i < 5; i++)
		col = put_figure(a, v, col, &f[i]);
}

static void draw_heads(const struct app *a, const struct view *v, int row)
{
	struct style dim = a->theme.styles[STYLE_UI_DIM];

	view_field(v, row, 1, 6, 1, dim, "MOVE");
	view_field(v, row, 11, 6, 1, dim, "BLOCKS");
	view_field(v, row, 18, 10, 1, dim, "FROM");
	view_field(v, row, 32, 10, -1, dim, "TO");
	if (v->cols < SLIM_COLS) {
		view_text(v, row, 43, dim, "FILE");
		return;
	}
	view_field(v, row, 43, 4, 1, dim, "GAIN");
	view_text(v, row, 49, dim, "FILE");
	if (v->cols >= 110)
		view_text(v, row, v->cols - REASON_COLS - 1, dim, "REASON");
}

/* "ok" done, ">>" being done, ".." to come; blank while the plan does not run. */
static const char *move_state(const struct app *a, size_t index)
{
	if (!draw_job_writes(a) || strcmp(a->progress.job, "run"))
		return "";
	if (index < a->progress.moves_done)
		return "ok";
	return index == a->progress.moves_done ? ">>" : "..";
}

static void draw_move(const struct app *a, const struct view *v, int row, size_t index)
{
	const struct move *m = &a->plan->moves.v[index];
	struct style text = a->theme.styles[STYLE_UI_TEXT];
	struct style dim = a->theme.styles[STYLE_UI_DIM];
	const char *state = move_state(a, index);
	bool slim = v->cols < SLIM_COLS;
	char num[32];

	if (!strcmp(state, ">>"))
		text = dim = a->theme.styles[STYLE_UI_WARN];
	else if (!strcmp(state, "ok"))
		text = dim;
	snprintf(num, sizeof(num), "#%zu", index + 1);
	view_field(v, row, 1, 6, 1, dim, num);
	view_text(v, row, 8, dim, state);
	snprintf(num, sizeof(num), "%u", m->len);
	view_field(v, row, 11, 6, 1, text, num);
	snprintf(num, sizeof(num), "%llu", (unsigned long long)m->from);
	view_field(v, row, 18, 10, 1, text, m->from == BLKNO_NONE ? "tree" : num);
	view_text(v, row, 29, dim, a->theme.utf8 ? " \u2192" : "->");
	snprintf(num, sizeof(num), "%llu", (unsigned long long)m->to);
	/* An inode that holds all its extents needs no tree. */
	view_text(v, row, 32, text, m->len > 0 ? num : "none");
	if (!slim && m->gain > 0) {
		snprintf(num, sizeof(num), "%u", m->gain);
		view_field(v, row, 43, 4, 1, text, num);
	}
	draw_name_field(a, v, row, slim ? 43 : 49, m->ino, text);
	if (v->cols >= 110)
		view_field(v, row, v->cols - REASON_COLS - 1, REASON_COLS + 1, 0, dim,
			   move_reason_text((enum move_reason)m->reason));
}

static void draw_skip(const struct app *a, const struct view *v, int row, size_t index)
{
	const struct skip *s = &a->plan->skips.v[index];
	struct style warn = a->theme.styles[STYLE_UI_WARN];
	char figure[40];
	int col;

	col = view_textf(v, row, 1, warn, "left as it is: %s",
			 skip_reason_text(s->reason));
	skip_figure_text(s, figure, sizeof(figure));
	if (figure[0])
		col = view_textf(v, row, col, warn, " (%s)", figure);
	col = view_textf(v, row, col, a->theme.styles[STYLE_UI_DIM], ", %u fragments  ",
			 s->fragments);
	draw_name_field(a, v, row, col, s->ino, a->theme.styles[STYLE_UI_TEXT]);
}

static void draw_none(const struct app *a, const struct view *v)
{
	struct style dim = a->theme.styles[STYLE_UI_DIM];

	view_text(v, 0, 1, dim, "no plan");
	if (!a->model)
		return;
	view_text(v, 1, 1, dim, "d plans the file at hand, D the tagged files;");
	view_text(v, 2, 1, dim, ":defrag PATH a directory with all in it, :defrag % all");
}

static void draw(struct app *a, const struct view *v)
{
	const struct plan *p = a->plan;
	int rows = body_rows(v), head = head_rows(v);

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	if (!p) {
		draw_none(a, v);
		return;
	}
	a->bottom_scroll = draw_scroll_clamp(a->bottom_scroll, rows, plan_lines(p));
	draw_title(a, v);
	if (head > 1)
		draw_figures(a, v);
	if (head > 2)
		draw_heads(a, v, 2);
	for (int row = 0; row < rows; row++) {
		size_t at = (size_t)(a->bottom_scroll + row);

		if (at < p->moves.n)
			draw_move(a, v, head + row, at);
		else if (at - p->moves.n < p->skips.n)
			draw_skip(a, v, head + row, at - p->moves.n);
	}
}

static bool key(struct app *a, int k, int count, const struct view *v)
{
	return a->plan && draw_scroll_key(k, count, body_rows(v), plan_lines(a->plan),
					  &a->bottom_scroll);
}

/* A click on a move shows where it comes from. */
static bool mouse(struct app *a, const struct mouse *m, const struct view *v)
{
	size_t at;

	if (!a->plan)
		return false;
	if (m->kind != MOUSE_PRESS)
		return draw_scroll_mouse(m->kind, body_rows(v), plan_lines(a->plan),
					 &a->bottom_scroll);
	if (m->row < head_rows(v))
		return false;
	at = (size_t)(a->bottom_scroll + m->row - head_rows(v));
	if (at >= a->plan->moves.n)
		return false;
	app_select(a, a->plan->moves.v[at].ino, true);
	return true;
}

const struct pane pane_plan = {"Plan", draw, key, mouse};
