/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_space.c - free space by size, and what keeps a volume from being shrunk. */
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "core/space.h"
#include "ui/names.h"
#include "ui/report.h"

/* --- free --- */

static double percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void free_json(struct report *r, const struct space *s)
{
	json_t *o = report_json_head(r), *list = json_array();

	for (unsigned i = 0; i < SPACE_CLASSES; i++)
		if (s->class[i].runs)
			json_array_append_new(
				list,
				json_pack("{s:o, s:o, s:o, s:f}", "from_blocks",
					  report_json_count(1ull << i), "runs",
					  report_json_count(s->class[i].runs), "blocks",
					  report_json_count(s->class[i].blocks),
					  "percent",
					  percent(s->class[i].blocks, s->free_blocks)));
	json_object_update_new(
		o, json_pack("{s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:o, s:f}",
			     "free_blocks", report_json_count(s->free_blocks),
			     "free_runs", report_json_count(s->runs), "shortest_blocks",
			     report_json_count(s->shortest), "longest_blocks",
			     report_json_count(s->longest), "average_blocks",
			     s->runs ? (double)s->free_blocks / (double)s->runs : 0.0,
			     "chunk_blocks", report_json_count(s->chunk_blocks), "chunks",
			     report_json_count(s->chunks), "chunks_free",
			     report_json_count(s->chunks_free), "at_least_blocks",
			     report_json_count(s->at_least), "at_least_percent",
			     percent(s->at_least_blocks, s->free_blocks)));
	json_object_set_new(o, "histogram", list);
	json_print(r->a, o);
}

static void free_text(struct report *r, const struct space *s)
{
	uint32_t bs = r->a->volume.block_size;
	char x[NUM_TEXT_MAX], y[NUM_TEXT_MAX], n[NUM_TEXT_MAX];

	report_title(r, "free space");
	app_print(r->a, "%8s to %-8s %12s %14s %8s\n", "FROM", "BELOW", "RUNS", "BLOCKS",
		  "%");
	for (unsigned i = 0; i < SPACE_CLASSES; i++) {
		if (!s->class[i].runs)
			continue;
		app_print(r->a, "%8s to %-8s %12llu %14s %8.2f\n",
			  num_format_bytes((uint64_t)bs << i, x),
			  num_format_bytes((uint64_t)bs << (i + 1), y),
			  (unsigned long long)s->class[i].runs,
			  num_format_count(s->class[i].blocks, n),
			  percent(s->class[i].blocks, s->free_blocks));
	}
	report_count(r, "free", s->free_blocks, "blocks");
	report_real(r, "  of the volume", percent(s->free_blocks, r->a->volume.blocks), 2,
		    "%");
	report_count(r, "runs", s->runs, "");
	report_count(r, "  shortest", s->shortest, "blocks");
	report_real(r, "  average",
		    s->runs ? (double)s->free_blocks / (double)s->runs : 0, 1, "blocks");
	report_count(r, "  longest", s->longest, "blocks");
	app_print(r->a, "%.2f %% of it lies in runs of at least %s\n",
		  percent(s->at_least_blocks, s->free_blocks),
		  num_format_bytes(s->at_least * bs, x));
	app_print(r->a, "%llu of %llu aligned chunks of %s are free (%.2f %%)\n",
		  (unsigned long long)s->chunks_free, (unsigned long long)s->chunks,
		  num_format_bytes(s->chunk_blocks * bs, x),
		  percent(s->chunks_free, s->chunks));
}

/* Bytes as blocks, at least one. */
static bool size_option(struct report *r, const char *name, uint64_t otherwise,
			uint64_t *blocks, struct err *err)
{
	uint64_t bytes = otherwise, bs = r->a->volume.block_size;
	const char *text;

	if (!cmd_option(r->c, name, &text, err))
		return false;
	if (text && (!num_parse_bytes(text, &bytes) || !bytes))
		return cmd_bad(r->c, -1, err, "%s: \"%s\" is no size", name, text);
	*blocks = bytes / bs ? bytes / bs : 1;
	return true;
}

bool report_free(struct report *r, struct err *err)
{
	uint64_t chunk, least;
	struct space s;

	if (!size_option(r, "--chunk", 1u << 20, &chunk, err) ||
	    !size_option(r, "--least", 1u << 20, &least, err) ||
	    !cmd_args(r->c, 0, 0, err))
		return false;
	space_compute(r->m, chunk, least, &s);
	if (r->a->json)
		free_json(r, &s);
	else
		free_text(r, &s);
	return true;
}

/* --- blockers --- */

/* Who owns the tail: inodes by the blocks that they have at or above `from`. */
struct tail_row {
	inum_t ino;
	enum owner_kind kind;
	uint64_t blocks;
	blkno_t last;
};
struct tail {
	VEC(struct tail_row) rows;
	bool oom;
};

static bool note_tail(void *arg, const struct run *run)
{
	struct tail *t = arg;
	struct tail_row *last = t->rows.n ? &t->rows.v[t->rows.n - 1] : NULL;
	struct tail_row row = {run->ino, run->kind, run->len, run->phys + run->len - 1};

	if (run->kind == OWNER_FREE || !run->ino)
		return true;
	if (last && last->ino == run->ino && last->kind == run->kind) {
		last->blocks += run->len;
		last->last = row.last;
	} else {
		t->oom |= !vec_push(&t->rows, row);
	}
	return !t->oom;
}

static int by_owner(const void *a, const void *b)
{
	const struct tail_row *x = a, *y = b;

	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return (x->kind > y->kind) - (x->kind < y->kind);
}

static int by_place(const void *a, const void *b)
{
	const struct tail_row *x = a, *y = b;

	return x->last > y->last ? -1 : x->last < y->last;
}

static void sum_tail(struct tail *t)
{
	size_t kept = 0;

	if (!t->rows.n)
		return;
	qsort(t->rows.v, t->rows.n, sizeof(*t->rows.v), by_owner);
	for (size_t i = 1; i < t->rows.n; i++) {
		struct tail_row *to = &t->rows.v[kept], *from = &t->rows.v[i];

		if (by_owner(to, from)) {
			t->rows.v[++kept] = *from;
			continue;
		}
		to->blocks += from->blocks;
		to->last = from->last > to->last ? from->last : to->last;
	}
	t->rows.n = kept + 1;
	qsort(t->rows.v, t->rows.n, sizeof(*t->rows.v), by_place);
}

static bool is_pinned(const struct model *m, inum_t ino)
{
	struct inode_info info;

	return !model_inode(m, ino, &info) ||
	       (info.flags & (INODE_PINNED | INODE_SYSTEM));
}

static json_t *tail_json(struct report *r, const struct tail_row *row)
{
	json_t *o = json_pack("{s:o, s:s, s:o, s:o, s:b}", "inode",
			      report_json_count(row->ino), "kind", owner_word(row->kind),
			      "blocks", report_json_count(row->blocks), "last_block",
			      report_json_count(row->last), "movable",
			      blockers_can_move(row->kind, is_pinned(r->m, row->ino)));

	json_add_name(o, r->a, row->ino);
	return o;
}

static json_t *block_json(blkno_t b)
{
	return b == BLKNO_NONE ? json_null() : report_json_count(b);
}

static void blockers_json(struct report *r, const struct blockers *b,
			  const struct tail *t, size_t n)
{
	json_t *o = report_json_head(r), *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, tail_json(r, &t->rows.v[i]));
	json_object_update_new(
		o,
		json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:s, s:o, s:o}",
			  "minimum_now_blocks", report_json_count(b->now),
			  "minimum_packed_blocks", report_json_count(b->packed),
			  "minimum_renumbered_blocks", report_json_count(b->renumbered),
			  "last_movable_block", block_json(b->last_movable),
			  "last_movable_inode", report_json_count(b->last_movable_ino),
			  "last_fixed_block", block_json(b->last_fixed),
			  "last_fixed_inode", report_json_count(b->last_fixed_ino),
			  "last_fixed_kind", owner_word(b->last_fixed_kind), "last_inode",
			  report_json_count(b->last_inode), "movable_tail_blocks",
			  report_json_count(b->movable_tail)));
	json_object_set_new(o, "tail", list);
	json_print(r->a, o);
}

static void size_line(struct report *r, const char *what, blkno_t blocks)
{
	char n[NUM_TEXT_MAX], size[NUM_TEXT_MAX];

	app_print(r->a, "%-34s %14s blocks %8s %7.2f %%\n", what,
		  num_format_count(blocks, n),
		  num_format_bytes(blocks * r->a->volume.block_size, size),
		  percent(blocks, r->a->volume.blocks));
}

static void last_line(struct report *r, const char *what, blkno_t at, const char *kind,
		      inum_t ino)
{
	if (at == BLKNO_NONE) {
		app_print(r->a, "%-34s %14s\n", what, "none");
		return;
	}
	app_print(r->a, "%-34s %14llu %s ", what, (unsigned long long)at, kind);
	if (ino)
		cmd_print_name(r->a, ino);
	app_print(r->a, "\n");
}

static void blockers_text(struct report *r, const struct blockers *b,
			  const struct tail *t, size_t n)
{
	report_title(r, "blockers of a shrink");
	size_line(r, "size", r->a->volume.blocks);
	size_line(r, "could be shrunk to now", b->now);
	size_line(r, "after moving what can be moved", b->packed);
	size_line(r, "and renumbering inodes (resize2fs)", b->renumbered);
	last_line(r, "last movable block", b->last_movable, "of", b->last_movable_ino);
	last_line(r, "last fixed block", b->last_fixed, owner_name(b->last_fixed_kind),
		  b->last_fixed_ino);
	report_count(r, "last inode in use", b->last_inode, "");
	report_count(r, "to be moved down", b->movable_tail, "blocks");
	if (n)
		app_print(r->a, "%12s %10s  %-9s %s\n", "LAST BLOCK", "BLOCKS", "",
			  "IN THE TAIL");
	for (size_t i = 0; i < n; i++) {
		const struct tail_row *row = &t->rows.v[i];

		app_print(r->a, "%12llu %10llu  %-9s ", (unsigned long long)row->last,
			  (unsigned long long)row->blocks,
			  blockers_can_move(row->kind, is_pinned(r->m, row->ino))
				  ? "moves"
				  : "stays");
		cmd_print_name(r->a, row->ino);
		app_print(r->a, ", %s\n", owner_name(row->kind));
	}
}

static bool fetch_names(struct report *r, const struct blockers *b, const struct tail *t,
			size_t n, struct err *err)
{
	struct inum_list inos = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++)
		ok = vec_push(&inos, t->rows.v[i].ino);
	if (b->last_fixed_ino)
		ok = ok && vec_push(&inos, b->last_fixed_ino);
	if (b->last_movable_ino)
		ok = ok && vec_push(&inos, b->last_movable_ino);
	ok = (ok || err_nomem(err)) &&
	     names_fetch(r->a->names, r->a, inos.v, inos.n, err);
	vec_release(&inos);
	return ok;
}

bool report_blockers(struct report *r, struct err *err)
{
	const struct geom *g = model_geom(r->m);
	struct tail t = {0};
	struct blockers b;
	size_t n;
	bool ok;

	if (!cmd_args(r->c, 0, 0, err))
		return false;
	blockers_compute(r->m, &b);
	if (b.packed < g->blocks)
		model_walk(r->m, b.packed, g->blocks - b.packed, note_tail, &t);
	sum_tail(&t);
	n = r->limit && r->limit < t.rows.n ? (size_t)r->limit : t.rows.n;
	ok = (!t.oom || err_nomem(err)) && fetch_names(r, &b, &t, n, err);
	if (ok && r->a->json)
		blockers_json(r, &b, &t, n);
	else if (ok)
		blockers_text(r, &b, &t, n);
	vec_release(&t.rows);
	return ok;
}
