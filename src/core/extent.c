/* SPDX-License-Identifier: GPL-3.0-or-later */
/* extent.c - see extent.h. */
#include "core/extent.h"
#include "base/vec.h"

/* Data comes first: the number of data runs by bisection, since it is asked for each run
 * of files in 100,000 pieces. */
static size_t data_count(const struct run *runs, size_t n)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (owner_is_data(runs[mid].kind))
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Is [from, to) wholly made of the tree blocks in tree[0..n), sorted by place? */
static bool covered_by_tree(const struct run *tree, size_t n, blkno_t from, blkno_t to)
{
	size_t lo = 0, hi = n;

	while (lo < hi) { /* the first that ends after `from` */
		size_t mid = lo + (hi - lo) / 2;

		if (tree[mid].phys + tree[mid].len > from)
			hi = mid;
		else
			lo = mid + 1;
	}
	for (;
	     from < to && lo < n && tree[lo].kind == OWNER_TREE && tree[lo].phys <= from;
	     lo++)
		from = tree[lo].phys + tree[lo].len;
	return from >= to;
}

bool extent_starts_fragment(const struct run *runs, size_t n, size_t i)
{
	size_t data = data_count(runs, n);
	blkno_t end;

	if (i == 0)
		return true;
	end = runs[i - 1].phys + runs[i - 1].len;
	if (runs[i].phys == end)
		return false;
	return runs[i].phys < end ||
	       !covered_by_tree(runs + data, n - data, end, runs[i].phys);
}

uint32_t extent_fragments(const struct run *runs, size_t n)
{
	size_t data = data_count(runs, n);
	uint32_t count = 0;

	for (size_t i = 0; i < data; i++)
		count += extent_starts_fragment(runs, n, i);
	return count;
}

uint64_t extent_blocks(const struct run *runs, size_t n)
{
	uint64_t blocks = 0;

	n = data_count(runs, n);
	for (size_t i = 0; i < n; i++)
		blocks += runs[i].len;
	return blocks;
}

uint64_t extent_jump_distance(const struct run *runs, size_t n)
{
	uint64_t sum = 0;

	n = data_count(runs, n);
	for (size_t i = 1; i < n; i++) {
		blkno_t end = runs[i - 1].phys + runs[i - 1].len;

		sum += runs[i].phys > end ? runs[i].phys - end : end - runs[i].phys;
	}
	return sum;
}

static bool continues(const struct run *a, const struct run *b)
{
	bool data = owner_is_data(a->kind);

	return (data || a->kind == OWNER_TREE) && a->kind == b->kind &&
	       a->ino == b->ino && a->unwritten == b->unwritten &&
	       a->phys + a->len == b->phys &&
	       (!data || (uint64_t)a->lblk + a->len == b->lblk) &&
	       (uint64_t)a->len + b->len < 1u << 31;
}

size_t extent_merge(struct run *runs, size_t n)
{
	size_t out = 0;

	for (size_t i = 0; i < n; i++) {
		if (out && continues(&runs[out - 1], &runs[i]))
			runs[out - 1].len += runs[i].len;
		else
			runs[out++] = runs[i];
	}
	return out;
}

uint64_t extent_records(const struct run *runs, size_t n)
{
	uint64_t records = 0;

	n = data_count(runs, n);
	for (size_t i = 0; i < n;) {
		uint64_t len = runs[i].len;
		uint32_t max = runs[i].unwritten ? EXTENT_MAX_UNWRITTEN : EXTENT_MAX_LEN;
		size_t k = i + 1;

		for (; k < n && continues(&runs[k - 1], &runs[k]); k++)
			len += runs[k].len;
		records += (len + max - 1) / max;
		i = k;
	}
	return records;
}

uint32_t extent_tree_blocks(uint64_t records, uint32_t block_size)
{
	uint64_t per_node = (block_size - 12) / 12, total = 0;

	while (records > EXTENT_IN_INODE) {
		records = (records + per_node - 1) / per_node;
		total += records;
	}
	return (uint32_t)total;
}

/* Blocks of one kind of node touched by logical blocks [first, last]: node i maps `span`
 * blocks from base + i * span. */
struct touched {
	uint64_t base, span, last; /* last node counted + 1 */
	uint32_t count;
};

static void touch(struct touched *t, uint64_t first, uint64_t last)
{
	uint64_t a, b;

	if (last < t->base)
		return;
	a = first < t->base ? 0 : (first - t->base) / t->span;
	b = (last - t->base) / t->span;
	if (a < t->last)
		a = t->last;
	if (a > b)
		return;
	t->count += (uint32_t)(b - a + 1);
	t->last = b + 1;
}

uint32_t extent_indirect_blocks(const struct run *runs, size_t n, uint32_t block_size)
{
	uint64_t p = block_size / 4, ind = 12 + p, dind = ind + p * p;
	struct touched leaf = {12, p, 0, 0}; /* every block of pointers to data */
	struct touched dtop = {
		ind, p * p, 0,
		0}; /* the double indirect block, then one per p*p below the triple */
	struct touched ttop = {dind, p * p * p, 0, 0};

	n = data_count(runs, n);
	for (size_t i = 0; i < n; i++) {
		uint64_t first = runs[i].lblk, last = first + runs[i].len - 1;

		touch(&leaf, first, last);
		touch(&dtop, first, last);
		touch(&ttop, first, last);
	}
	return leaf.count + dtop.count + ttop.count;
}

/* Fills nodes[from .. depth) with the fewest that can stand above those of the level
 * before. Returns the sum of all levels, 0 if the inode could not hold the uppermost. */
static uint64_t fill_levels(int from, int depth, uint64_t per_node,
			    uint32_t nodes[EXTENT_DEPTH_MAX])
{
	uint64_t sum = 0;

	for (int i = 0; i < depth; i++) {
		if (i >= from)
			nodes[i] = (uint32_t)((nodes[i - 1] + per_node - 1) / per_node);
		sum += nodes[i];
	}
	return nodes[depth - 1] <= EXTENT_IN_INODE ? sum : 0;
}

/* As many leaves as there is use for; what is left over goes to the level above them. */
static bool shape_at(int depth, uint64_t records, uint64_t blocks, uint32_t total,
		     uint64_t per_node, uint32_t nodes[EXTENT_DEPTH_MAX])
{
	uint64_t least = (records + per_node - 1) / per_node, leaves, sum = 0;

	if (total < (uint32_t)depth)
		return false;
	leaves = total - (uint32_t)depth + 1;
	if (leaves > blocks)
		leaves = blocks;
	for (; leaves && leaves >= least; leaves--) {
		nodes[0] = (uint32_t)leaves;
		sum = fill_levels(1, depth, per_node, nodes);
		if (sum && sum <= total)
			break;
	}
	if (!leaves || leaves < least)
		return false;
	if (sum == total)
		return true;
	if (depth < 2 || nodes[1] + (total - sum) > nodes[0])
		return false;
	nodes[1] += (uint32_t)(total - sum);
	return fill_levels(2, depth, per_node, nodes) == total;
}

int extent_tree_shape(uint64_t records, uint64_t blocks, uint32_t total,
		      uint32_t block_size, uint32_t nodes[EXTENT_DEPTH_MAX])
{
	uint64_t per_node = (block_size - 12) / 12;

	if (!total)
		return records <= EXTENT_IN_INODE ? 0 : -1;
	for (int depth = 1; depth <= EXTENT_DEPTH_MAX; depth++)
		if (shape_at(depth, records, blocks, total, per_node, nodes))
			return depth;
	return -1;
}

uint32_t extent_tree_planned(const struct run *runs, size_t n, uint32_t block_size,
			     bool indirect, bool keep, uint32_t had)
{
	uint32_t nodes[EXTENT_DEPTH_MAX];
	uint64_t records;
	uint32_t need;

	if (indirect) {
		need = extent_indirect_blocks(runs, n, block_size);
		return keep && need != had ? UINT32_MAX : need;
	}
	records = extent_records(runs, n);
	if (!keep)
		return extent_tree_blocks(records, block_size);
	return extent_tree_shape(records, extent_blocks(runs, n), had, block_size,
				 nodes) >= 0
		       ? had
		       : UINT32_MAX;
}

/* --- applying moves --- */

static bool changed(struct err *err, const struct move *m)
{
	err_set(err, ERR_REFUSED,
		"inode %u has changed since the plan was made: its block %u is not at "
		"%llu; plan "
		"again",
		m->ino, m->lblk, (unsigned long long)m->from);
	return false;
}

static bool push_piece(struct run_list *out, const struct run *r, uint32_t skip,
		       uint32_t len, blkno_t phys)
{
	struct run piece = *r;

	piece.lblk += skip;
	piece.len = len;
	piece.phys = phys;
	return len == 0 || vec_push(out, piece);
}

/* Moves what is due of one data run; *m and *done advance over the moves. */
static bool apply_to_run(const struct run *r, const struct move **m,
			 const struct move *end, uint32_t *done, struct run_list *out,
			 struct err *err)
{
	uint32_t at = 0;

	while (at < r->len) {
		const struct move *mv = *m;
		uint64_t from_l, take;

		if (mv == end || mv->kind != MOVE_DATA ||
		    (uint64_t)mv->lblk + *done >= (uint64_t)r->lblk + r->len)
			return push_piece(out, r, at, r->len - at, r->phys + at) ||
			       err_nomem(err);
		from_l = (uint64_t)mv->lblk + *done;
		if (from_l < (uint64_t)r->lblk + at)
			return changed(err, mv); /* unmapped, or moved twice */
		if (!push_piece(out, r, at, (uint32_t)(from_l - r->lblk - at),
				r->phys + at))
			return err_nomem(err);
		at = (uint32_t)(from_l - r->lblk);
		if (r->phys + at != mv->from + *done)
			return changed(err, mv);
		take = mv->len - *done < r->len - at ? mv->len - *done : r->len - at;
		if (!push_piece(out, r, at, (uint32_t)take, mv->to + *done))
			return err_nomem(err);
		at += (uint32_t)take;
		*done += (uint32_t)take;
		if (*done == mv->len) {
			++*m;
			*done = 0;
		}
	}
	return true;
}

static int by_place(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return x->phys < y->phys ? -1 : x->phys > y->phys;
}

/* Tree and xattr blocks: the old ones, or the new tree if the moves bring one. */
static bool apply_to_rest(const struct run_list *runs, size_t data, const struct move *m,
			  const struct move *end, struct run_list *out)
{
	bool rebuilt = m < end;
	size_t first = out->n;

	for (size_t i = data; i < runs->n; i++)
		if (!(rebuilt && runs->v[i].kind == OWNER_TREE) &&
		    !vec_push(out, runs->v[i]))
			return false;
	for (; m < end; m++) {
		struct run tree = {
			.phys = m->to, .len = m->len, .ino = m->ino, .kind = OWNER_TREE};

		if (m->len && !vec_push(out, tree))
			return false;
	}
	if (out->n > first)
		qsort(out->v + first, out->n - first, sizeof(*out->v), by_place);
	return true;
}

bool extent_apply(const struct run_list *runs, const struct move *moves, size_t n,
		  struct run_list *out, struct err *err)
{
	const struct move *m = moves, *end = moves + n;
	size_t data = data_count(runs->v, runs->n), start = out->n;
	uint32_t done = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < data; i++)
		ok = apply_to_run(&runs->v[i], &m, end, &done, out, err);
	if (ok && m < end && m->kind == MOVE_DATA)
		ok = changed(err, m);
	if (ok && !apply_to_rest(runs, data, m, end, out))
		ok = err_nomem(err);
	if (!ok) {
		out->n = start;
		return false;
	}
	out->n = start + extent_merge(out->v + start, out->n - start);
	return true;
}
