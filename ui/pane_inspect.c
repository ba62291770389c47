/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pane_inspect.c - one file: its figures and its fragments, the one under the cursor
 * marked. */
#include <stdio.h>
#include <stdlib.h>
#include "base/num.h"
#include "core/extent.h"
#include "ui/draw.h"
#include "ui/pane.h"

#define SLIM_COLS 60

struct piece {
	lblk_t lblk;
	blkno_t phys;
	uint64_t len; /* blocks on the volume, own tree blocks in between not counted */
	bool unwritten;
};
struct pieces {
	struct piece *v;
	size_t n, cap;
};

/* All that is shown of a file. */
struct facts {
	struct file_info info;
	struct run_list runs;
	struct pieces pieces;
	uint64_t unwritten; /* blocks */
	size_t current;	    /* piece under the map cursor, SIZE_MAX none */
};

/* End of the file's own tree blocks that lie at `end`: they do not break a fragment. */
static blkno_t skip_tree(const struct run_list *runs, size_t data, blkno_t end)
{
	for (size_t i = data; i < runs->n; i++)
		if (runs->v[i].phys == end)
			end += runs->v[i].len;
	return end;
}

static bool cut_pieces(struct facts *f)
{
	const struct run_list *runs = &f->runs;
	blkno_t end = BLKNO_NONE;
	size_t data = 0;

	while (data < runs->n && owner_is_data(runs->v[data].kind))
		data++;
	for (size_t i = 0; i < data; i++) {
		const struct run *r = &runs->v[i];
		struct piece *last = f->pieces.n ? &f->pieces.v[f->pieces.n - 1] : NULL;
		struct piece fresh = {r->lblk, r->phys, r->len, r->unwritten};

		f->unwritten += r->unwritten ? r->len : 0;
		if (last && r->phys != end)
			end = skip_tree(runs, data, end);
		if (last && r->phys == end) {
			last->len += r->len;
			last->unwritten = last->unwritten && r->unwritten;
		} else if (!vec_push(&f->pieces, fresh)) {
			return false;
		}
		end = r->phys + r->len;
	}
	return true;
}

static void facts_release(struct facts *f)
{
	vec_release(&f->runs);
	vec_release(&f->pieces);
}

static bool facts_of(struct facts *f, const struct app *a)
{
	struct fragment here;
	const struct geom *g;
	struct run at;

	*f = (struct facts){.current = SIZE_MAX};
	if (!a->model || a->selected == 0 || !model_file(a->model, a->selected, &f->info))
		return false;
	if (!model_runs(a->model, a->selected, &f->runs) || !cut_pieces(f)) {
		facts_release(f);
		return false;
	}
	g = model_geom(a->model);
	if (a->map.cursor < g->first_block || a->map.cursor >= g->blocks)
		return true;
	model_at(a->model, a->map.cursor, &at);
	if (at.ino == a->selected && model_fragment_at(a->model, a->map.cursor, &here))
		f->current = here.index;
	return true;
}

/* --- the figures above the list --- */

static const char *type_name(enum inode_type type)
{
	return type == INODE_DIR       ? "directory"
	       : type == INODE_SYMLINK ? "symbolic link"
	       : type == INODE_FILE    ? "file"
				       : "other";
}

static int put_fact(const struct app *a, const struct view *v, int row, int col,
		    const char *name, const char *value)
{
	col = view_textf(v, row, col, a->theme.styles[STYLE_UI_DIM], "%s ", name);
	return view_text(v, row, col, a->theme.styles[STYLE_UI_TEXT], value) + 2;
}

static double score_of(const struct app *a, const struct facts *f)
{
	struct metrics one = {0};

	metrics_count_file(&one, f->runs.v, f->runs.n, f->info.ideal,
			   model_geom(a->model)->block_size, 1);
	return metrics_layout_score(&one) * 100;
}

static void put_flags(const struct app *a, const struct view *v, int row, int col,
		      const struct facts *f)
{
	unsigned flags = f->info.inode.flags;
	struct style warn = a->theme.styles[STYLE_UI_WARN];

	if (flags & INODE_PINNED)
		col = view_text(v, row, col, warn, "pinned ");
	if (flags & INODE_INLINE)
		col = view_text(v, row, col, a->theme.styles[STYLE_UI_DIM],
				"data in the inode ");
	if (flags & INODE_INDIRECT)
		view_text(v, row, col, a->theme.styles[STYLE_UI_DIM], "indirect");
}

/* Draws what fits in `rows`; returns the rows used. */
static int draw_facts(const struct app *a, const struct view *v, const struct facts *f,
		      int rows)
{
	const struct file_info *i = &f->info;
	char text[64], num[NUM_TEXT_MAX];
	bool slim = v->cols < SLIM_COLS;
	int row = 0, col;

	snprintf(text, sizeof(text), "%u", a->selected);
	col = put_fact(a, v, row, 1, "ino", text);
	draw_name_field(a, v, row, col, a->selected,
			a->theme.styles[STYLE_UI_TAB_ACTIVE]);
	if (++row >= rows)
		return row;
	col = put_fact(a, v, row, 1, "size", num_format_bytes(i->inode.size, num));
	snprintf(text, sizeof(text), "%u (ideal %u)", i->fragments, i->ideal);
	col = put_fact(a, v, row, col, "fragments", text);
	if (slim && ++row >= rows)
		return row;
	snprintf(text, sizeof(text), "%s", num_format_count(i->blocks, num));
	col = put_fact(a, v, row, slim ? 1 : col, "blocks", text);
	snprintf(text, sizeof(text), "%u", i->map_blocks);
	col = put_fact(a, v, row, col, "tree", text);
	if (slim && f->unwritten == 0)
		put_flags(a, v, row, col, f);
	if (f->unwritten > 0) {
		num_format_count(f->unwritten, num);
		put_fact(a, v, row, col, "unwritten", num);
	}
	if (++row >= rows)
		return row;
	snprintf(text, sizeof(text), "%.1f", score_of(a, f));
	col = put_fact(a, v, row, 1, "score", text);
	snprintf(text, sizeof(text), "%.1f ms",
		 metrics_read_ms(f->runs.v, f->runs.n, model_geom(a->model)->block_size));
	col = put_fact(a, v, row, col, "read", text);
	if (!slim) {
		col = put_fact(a, v, row, col, "type", type_name(i->inode.type));
		put_flags(a, v, row, col, f);
	}
	return row + 1;
}

/* --- the list of fragments --- */

/* Figures give way to the list, but the name stays. */
static int facts_rows(const struct view *v)
{
	int all = v->cols < SLIM_COLS ? 4 : 3;

	return v->rows >= all + 4 ? all : v->rows >= 5 ? 2 : 1;
}

static int list_rows(const struct view *v)
{
	int rows = v->rows - facts_rows(v) - 1;

	return rows > 0 ? rows : 0;
}

static void sync_scroll(struct app *a, const struct facts *f, int rows)
{
	int current = (int)f->current;

	if (a->inspect_ino != a->selected) {
		a->inspect_ino = a->selected;
		a->inspect_scroll = 0;
		a->inspect_follow = true;
	}
	if (a->inspect_follow && f->current != SIZE_MAX && rows > 0) {
		if (current < a->inspect_scroll)
			a->inspect_scroll = current;
		if (current >= a->inspect_scroll + rows)
			a->inspect_scroll = current - rows / 2;
	}
	a->inspect_scroll = draw_scroll_clamp(a->inspect_scroll, rows, (int)f->pieces.n);
}

static void draw_pieces(const struct app *a, const struct view *v, const struct facts *f,
			int row)
{
	struct style head = a->theme.styles[STYLE_UI_DIM];
	int wide = v->cols >= SLIM_COLS ? 14 : 10;

	view_field(v, row, 2, 5, 1, head, "#");
	view_field(v, row, 8, wide, 1, head, "logical");
	view_field(v, row, 9 + wide, wide, 1, head, "physical");
	view_field(v, row, 10 + 2 * wide, 6, 1, head, "len");
	for (int i = 0; i < list_rows(v); i++) {
		size_t at = (size_t)(a->inspect_scroll + i);
		struct style style = a->theme.styles[STYLE_UI_TEXT];
		const struct piece *p;
		char text[32];

		if (at >= f->pieces.n)
			break;
		p = &f->pieces.v[at];
		if (at == f->current) {
			struct view line = view_part(v, row + 1 + i, 0, 1, v->cols);

			style = a->theme.styles[STYLE_UI_SELECTED];
			view_fill(&line, L' ', style);
			view_put(v, row + 1 + i, 1, L'>', style);
		}
		snprintf(text, sizeof(text), "%zu", at + 1);
		view_field(v, row + 1 + i, 2, 5, 1, style, text);
		snprintf(text, sizeof(text), "%u", p->lblk);
		view_field(v, row + 1 + i, 8, wide, 1, style, text);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)p->phys);
		view_field(v, row + 1 + i, 9 + wide, wide, 1, style, text);
		snprintf(text, sizeof(text), "%llu", (unsigned long long)p->len);
		view_field(v, row + 1 + i, 10 + 2 * wide, 6, 1, style, text);
		if (p->unwritten)
			view_text(v, row + 1 + i, 17 + 2 * wide, head, "unwritten");
	}
}

/* Nothing selected: what lies under the cursor. */
static void draw_owner(const struct app *a, const struct view *v)
{
	struct style dim = a->theme.styles[STYLE_UI_DIM];
	const struct geom *g;
	struct run r;

	if (!a->model) {
		view_text(v, 0, 1, dim,
			  a->open ? "owners come with the scan" : "no volume is open");
		return;
	}
	view_text(v, 0, 1, dim, "no file is selected");
	view_text(v, 1, 1, dim, "Enter or a double click selects one");
	g = model_geom(a->model);
	if (a->map.cursor < g->first_block || a->map.cursor >= g->blocks)
		return;
	model_at(a->model, a->map.cursor, &r);
	view_textf(v, 3, 1, dim, "under the cursor: %s", owner_name(r.kind));
	view_textf(v, 4, 1, dim, "blocks %llu..%llu", (unsigned long long)r.phys,
		   (unsigned long long)(r.phys + r.len - 1));
	if (r.ino != 0)
		draw_name_field(a, v, 5, 1, r.ino, dim);
}

static void draw(struct app *a, const struct view *v)
{
	struct facts f;
	int rows;

	view_fill(v, L' ', a->theme.styles[STYLE_UI_TEXT]);
	if (!facts_of(&f, a)) {
		draw_owner(a, v);
		return;
	}
	sync_scroll(a, &f, list_rows(v));
	rows = draw_facts(a, v, &f, facts_rows(v));
	if (f.pieces.n > 0)
		draw_pieces(a, v, &f, rows);
	else if (v->rows > rows)
		view_text(v, rows, 1, a->theme.styles[STYLE_UI_DIM],
			  "owns no blocks of data");
	facts_release(&f);
}

/* Where all list keys and the wheel end. */
static bool scroll(struct app *a, int key, int count, int wheel, const struct view *v)
{
	struct facts f;
	bool took;

	if (!facts_of(&f, a))
		return false;
	sync_scroll(a, &f, list_rows(v));
	took = wheel >= 0 ? draw_scroll_mouse(wheel, list_rows(v), (int)f.pieces.n,
					      &a->inspect_scroll)
			  : draw_scroll_key(key, count, list_rows(v), (int)f.pieces.n,
					    &a->inspect_scroll);
	if (took)
		a->inspect_follow = false;
	facts_release(&f);
	return took;
}

static bool key(struct app *a, int k, int count, const struct view *v)
{
	return scroll(a, k, count, -1, v);
}

/* A click on a fragment puts the map cursor on it. */
static bool mouse(struct app *a, const struct mouse *m, const struct view *v)
{
	struct facts f;
	size_t at;

	if (m->kind == MOUSE_UP || m->kind == MOUSE_DOWN)
		return scroll(a, 0, 0, m->kind, v);
	if (m->kind != MOUSE_PRESS || m->row <= facts_rows(v) || !facts_of(&f, a))
		return false;
	at = (size_t)(a->inspect_scroll + m->row - facts_rows(v) - 1);
	if (at < f.pieces.n)
		a->map.cursor = f.pieces.v[at].phys;
	facts_release(&f);
	return true;
}

const struct pane pane_inspect = {"Inspect", draw, key, mouse};
