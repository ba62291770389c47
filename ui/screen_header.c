/* SPDX-License-Identifier: GPL-3.0-or-later */
/* screen_header.c - the first line: what volume this is and how it fares. */
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "ui/draw.h"
#include "ui/screen_priv.h"

#define LONG_COLS 110 /* from here on in full words */

static void add_name(const struct app *a, struct str *s)
{
	const char *base = strrchr(a->volume.path, '/');

	base = base && base[1] ? base + 1 : a->volume.path;
	str_add_safe(s, base, strlen(base));
}

static uint64_t free_blocks(const struct app *a)
{
	return a->model ? a->metrics.free_blocks : a->volume.free_blocks;
}

static double used_percent(const struct app *a)
{
	return a->volume.blocks == 0
		       ? 0
		       : 100.0 * (double)(a->volume.blocks - free_blocks(a)) /
				 (double)a->volume.blocks;
}

static void add_block_size(struct str *s, uint32_t bytes, bool full)
{
	if (bytes >= 1024)
		str_addf(s, full ? " %uk blocks" : " %uk-blk", bytes / 1024);
	else
		str_addf(s, full ? " %u byte blocks" : " %u-blk", bytes);
}

/* Figures from the most to the least wanted: the right end is what gets cut. */
static void add_figures(const struct app *a, struct str *s, bool full)
{
	const struct volume_info *v = &a->volume;
	const char *gap = full ? "  " : " ";
	char num[NUM_TEXT_MAX];

	str_addf(s, "%s%s", gap, v->type);
	str_addf(s, "%s%s", gap, num_format_bytes(v->blocks * v->block_size, num));
	add_block_size(s, v->block_size, full);
	str_addf(s, "%s%u %s", gap, v->groups,
		 full ? (v->groups == 1 ? "group" : "groups") : "grp");
	str_addf(s, "  used %.0f%%", used_percent(a));
	if (!a->model)
		return;
	str_addf(s, "  frag %.1f%%", metrics_percent_fragmented(&a->metrics));
	if (full)
		str_addf(s, "  largest hole %s",
			 num_format_count(a->metrics.largest_hole_blocks, num));
}

static void add_state(const struct app *a, struct str *s, bool full)
{
	if (!a->open)
		return;
	str_addf(s, "[%s", a->volume.write ? "RW" : "RO");
	if (full && a->volume.state[0])
		str_addf(s, " %s", a->volume.state);
	if (a->flaws.count > 0)
		str_addf(s, ", %llu flaws", (unsigned long long)a->flaws.count);
	str_add(s, "]");
}

void screen_draw_header(const struct app *a, const struct view *v)
{
	struct style title = a->theme.styles[STYLE_UI_TITLE];
	struct style plain = title;
	bool full = v->cols >= LONG_COLS;
	struct str left = STR_INIT, state = STR_INIT, badge = STR_INIT;
	char num[NUM_TEXT_MAX];
	int right = v->cols, col;

	plain.attr &= (uint16_t)~ATTR_BOLD;
	view_fill(v, L' ', plain);
	if (a->plan)
		str_addf(&badge, full ? " PLAN:%s moves " : " PLAN:%s ",
			 num_format_count(a->plan->moves.n, num));
	right -= text_width(badge.buf);
	view_text(v, 0, right, a->theme.styles[STYLE_UI_PLAN_BADGE], badge.buf);
	add_state(a, &state, full);
	right -= text_width(state.buf) + 1;
	view_text(v, 0, right, a->theme.styles[STYLE_UI_TITLE_STATE], state.buf);
	if (a->volume.path[0])
		add_name(a, &left);
	else
		str_add(&left, "cdefrag");
	/* A long name leaves room for the figures. */
	col = 1 + text_width(left.buf);
	if (col > v->cols / 3)
		col = v->cols / 3;
	view_field(v, 0, 1, col - 1, -1, title, left.buf);
	str_clear(&left);
	if (a->volume.path[0])
		add_figures(a, &left, full);
	if (right - 1 > col)
		view_field(v, 0, col, right - 1 - col, 0, plain, left.buf);
	str_release(&left);
	str_release(&state);
	str_release(&badge);
}

/* What stands in the job line while no job runs: the plan, else the whole volume. */
void screen_draw_idle(const struct app *a, const struct view *v)
{
	struct style text = a->theme.styles[STYLE_UI_TEXT];
	struct style dim = a->theme.styles[STYLE_UI_DIM];
	const struct metrics *m = &a->metrics;
	char num[NUM_TEXT_MAX], more[NUM_TEXT_MAX];
	const char *to = a->theme.utf8 ? "\u2192" : "->";

	if (a->plan)
		view_textf(v, 0, 1, text,
			   "plan: %s moves, %s blk, frag %.1f%% %s %.1f%%; ! runs it",
			   num_format_count(a->plan->moves.n, num),
			   num_format_count(a->plan->data_blocks, more),
			   metrics_percent_fragmented(&a->plan->before), to,
			   metrics_percent_fragmented(&a->plan->after));
	else if (a->model)
		view_textf(v, 0, 1, dim,
			   "%s files, %llu fragmented, score %.1f, read %.1f s, %s holes",
			   num_format_count(m->files, num),
			   (unsigned long long)m->files_fragmented,
			   metrics_layout_score(m) * 100, m->read_time_ms / 1000,
			   num_format_count(m->free_runs, more));
}
