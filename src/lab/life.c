/* SPDX-License-Identifier: GPL-3.0-or-later */
/* life.c - see life.h. Writers take turns; see age.h. */
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "src/lab/life.h"

struct writer {
	uint32_t node; /* its open file, or WORLD_NONE */
	uint64_t left; /* bytes still to be written to it */
};

struct life {
	struct world *w;
	const struct age_options *o;
	struct age_report *out;
	struct age_row row; /* of the loop that runs */
	uint64_t random, serial;
	VEC(uint32_t) dirs, files;
	VEC(struct writer) writers;
	uint32_t turn;
	bool full;
};

static uint64_t below(struct life *l, uint64_t n)
{
	return lab_random_below(&l->random, n ? n : 1);
}

static void count_call(struct life *l, enum age_call kind, uint64_t since)
{
	struct age_calls *c = &l->row.call[kind];
	uint64_t took = num_now_us() - since;

	if (!c->count || took < c->min)
		c->min = took;
	if (took > c->max)
		c->max = took;
	c->count++;
	c->total += took;
	l->out->operations++;
}

/* One line for whoever wants to live the same life elsewhere. */
static void trace(struct life *l, char op, uint32_t node, uint64_t bytes)
{
	const struct world_node *n = &l->w->nodes.v[node];
	struct str *t = l->o->trace;

	if (!t)
		return;
	str_addc(t, op);
	if (op == 'D')
		str_addf(t, " %s", n->name);
	else if (op != 'S')
		str_addf(t, " %s/%s", l->w->nodes.v[n->parent].name, n->name);
	if (op == 'A')
		str_addf(t, " %llu", (unsigned long long)bytes);
	str_addc(t, '\n');
}

/* Each power of two between the limits equally often, evenly inside it: integers only, so
 * that every machine draws the same. */
static uint64_t draw_size(struct life *l)
{
	uint64_t lo = l->o->size_min, hi = l->o->size_max, octaves = 0, from, to;

	while (lo << (octaves + 1) <= hi)
		octaves++;
	from = lo << below(l, octaves + 1);
	to = from * 2 - 1 < hi ? from * 2 - 1 : hi;
	return from + below(l, to - from + 1);
}

static bool make_dirs(struct life *l)
{
	char name[WORLD_NAME];

	for (uint32_t i = 0; i < l->o->dirs; i++) {
		uint32_t node;

		snprintf(name, sizeof(name), "dir%03u", i);
		node = world_create(l->w, 0, name, true);
		if (node == WORLD_NONE || !vec_push(&l->dirs, node))
			return false;
		trace(l, 'D', node, 0);
	}
	return true;
}

/* --- operations --- */

static void remove_file(struct life *l, size_t at)
{
	uint32_t node = l->files.v[at];
	uint64_t t = num_now_us();

	for (size_t i = 0; i < l->writers.n; i++)
		if (l->writers.v[i].node == node)
			l->writers.v[i].node = WORLD_NONE;
	trace(l, 'U', node, 0);
	world_delete(l->w, node);
	count_call(l, AGE_UNLINK, t);
	l->files.v[at] = l->files.v[--l->files.n];
}

static bool open_new(struct life *l, struct writer *me, uint32_t number)
{
	uint32_t dir = l->dirs.v[below(l, l->dirs.n)];
	uint64_t t = num_now_us();
	char name[WORLD_NAME];

	snprintf(name, sizeof(name), "f%07llu", (unsigned long long)l->serial++);
	me->node = world_create(l->w, dir, name, false);
	count_call(l, AGE_CREATE, t);
	if (me->node == WORLD_NONE || !vec_push(&l->files, me->node)) {
		l->full = true;
		return false;
	}
	trace(l, 'C', me->node, 0);
	l->w->nodes.v[me->node].writer = number;
	me->left = draw_size(l);
	l->row.count++;
	l->row.size += me->left;
	return true;
}

static void close_own(struct life *l, struct writer *me)
{
	uint64_t t = num_now_us();

	world_close(l->w, me->node);
	trace(l, 'X', me->node, 0);
	count_call(l, AGE_CLOSE, t);
	me->node = WORLD_NONE;
}

/* One writer appends a piece, or first finds itself something to write. */
static void take_turn(struct life *l)
{
	uint32_t number = l->turn++ % (uint32_t)l->writers.n;
	struct writer *me = &l->writers.v[number];
	uint64_t dice, t, piece;
	size_t waited;

	if (me->node == WORLD_NONE) {
		dice = below(l, 100);
		if (dice < l->o->steady && l->files.n) {
			remove_file(l, below(l, l->files.n));
			return;
		}
		if (dice < l->o->steady + l->o->grow && l->files.n) {
			me->node = l->files.v[below(l, l->files.n)];
			me->left = l->o->piece * (1 + below(l, 4));
		} else if (!open_new(l, me, number)) {
			return;
		}
	}
	piece = me->left < l->o->piece ? me->left : l->o->piece;
	t = num_now_us();
	waited = l->w->waiting.n;
	if (!world_append(l->w, me->node, piece))
		l->full = true;
	count_call(l, AGE_WRITE, t);
	trace(l, 'A', me->node, piece);
	if (waited && !l->w->waiting.n)
		trace(l, 'S', 0, 0);
	me->left -= piece;
	if (!me->left || l->full)
		close_own(l, me);
}

/* --- phases --- */

static bool goes_on(const struct life *l)
{
	return !l->full && (!l->o->operations || l->out->operations < l->o->operations);
}

static void fill(struct life *l)
{
	double target = l->o->fill / 100.0;

	while (goes_on(l) && world_fill(l->w) < target)
		take_turn(l);
}

static void delete_share(struct life *l)
{
	uint64_t n = l->files.n * l->o->delete / 100;

	for (uint64_t i = 0; i < n && goes_on(l); i++)
		remove_file(l, below(l, l->files.n));
}

static void churn(struct life *l)
{
	double target = l->o->fill / 100.0;

	for (uint64_t i = 0; i < l->o->churn && goes_on(l); i++) {
		if (world_fill(l->w) >= target && l->files.n)
			remove_file(l, below(l, l->files.n));
		else
			take_turn(l);
	}
}

static void end_writers(struct life *l)
{
	for (size_t i = 0; i < l->writers.n; i++)
		if (l->writers.v[i].node != WORLD_NONE)
			close_own(l, &l->writers.v[i]);
	world_sync(l->w);
	trace(l, 'S', 0, 0);
}

static void end_row(struct life *l, uint64_t since)
{
	uint64_t took = num_now_us() - since, in_calls = 0;
	struct age_row *r = &l->row;

	for (int i = 0; i < AGE_CALLS; i++)
		in_calls += r->call[i].total;
	r->overhead = took > in_calls ? took - in_calls : 0;
	r->use_percent = (uint32_t)(world_fill(l->w) * 100);
	r->size = r->count ? r->size / r->count : 0;
	r->files_per_second = took ? (double)r->count * 1e6 / (double)took : 0;
	vec_push(&l->out->rows, *r);
	memset(r, 0, sizeof(*r));
}

static void live(struct life *l)
{
	for (uint32_t i = 0; i < l->o->loops; i++) {
		uint64_t t = num_now_us();

		l->full = false;
		fill(l);
		if (i + 1 == l->o->loops) {
			churn(l);
			end_writers(l);
		}
		end_row(l, t);
		if (i + 1 < l->o->loops)
			delete_share(l);
	}
	l->out->full = l->full;
}

bool life_run(struct world *w, const struct age_options *o, struct age_report *out,
	      struct err *err)
{
	struct life l = {.w = w, .o = o, .out = out, .random = o->seed};
	uint64_t t = num_now_us();
	bool ok = true;

	for (uint32_t i = 0; ok && i < o->writers; i++)
		ok = vec_push(&l.writers, (struct writer){WORLD_NONE, 0});
	if (!ok) {
		err_nomem(err);
	} else if (!make_dirs(&l)) {
		err_set(err, ERR_NOSPACE,
			"%u directories do not fit; take a larger volume or --dirs",
			o->dirs);
		ok = false;
	} else {
		live(&l);
		life_count(w, out);
	}
	out->life_ms = (num_now_us() - t) / 1000;
	vec_release(&l.dirs);
	vec_release(&l.files);
	vec_release(&l.writers);
	return ok;
}

/* --- counting --- */

void life_count(const struct world *w, struct age_report *out)
{
	struct range hole;

	out->files = out->directories = out->bytes = out->extents = 0;
	out->fragmented = out->holes = out->free_blocks = out->largest_hole = 0;
	memset(out->hole, 0, sizeof(out->hole));
	for (size_t i = 1; i < w->nodes.n; i++) {
		const struct world_node *n = &w->nodes.v[i];

		if (!n->live)
			continue;
		if (n->is_dir) {
			out->directories++;
			continue;
		}
		out->files++;
		out->bytes += n->size;
		out->extents += n->pieces.n;
		out->fragmented += n->pieces.n > 1;
	}
	for (blkno_t at = w->space.first; freemap_at_or_after(w->space.free, at, &hole);
	     at = hole.start + hole.len) {
		int i = 63 - __builtin_clzll(hole.len);

		out->hole[i < AGE_HISTOGRAM ? i : AGE_HISTOGRAM - 1]++;
		out->holes++;
		out->free_blocks += hole.len;
		if (hole.len > out->largest_hole)
			out->largest_hole = hole.len;
	}
}
