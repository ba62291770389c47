/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_extent.c - run arithmetic with figures worked out by hand. */
#include <string.h>
#include "base/vec.h"
#include "core/extent.h"
#include "tests/lib/test.h"

#define RUN(l, p, n)                                                                \
	{                                                                           \
		.lblk = (l), .phys = (p), .len = (n), .ino = 12, .kind = OWNER_FILE \
	}
#define TREE(p, n)                                                     \
	{                                                              \
		.phys = (p), .len = (n), .ino = 12, .kind = OWNER_TREE \
	}
#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_fragments(void **state)
{
	struct run holes[] = {RUN(0, 100, 5), RUN(50, 105, 5)};
	struct run back[] = {RUN(0, 100, 5), RUN(5, 90, 5)};
	struct run tree[] = {RUN(0, 100, 5), RUN(5, 107, 5), TREE(105, 1), TREE(106, 1)};
	struct run gap[] = {RUN(0, 100, 5), RUN(5, 107, 5), TREE(105, 1)};

	(void)state;
	assert_int_equal(extent_fragments(holes, 2), 1);
	assert_int_equal(extent_fragments(back, 2), 2);
	assert_int_equal(extent_fragments(tree, 4), 1);
	assert_int_equal(extent_fragments(gap, 3), 2);
	assert_int_equal(extent_jump_distance(back, 2), 15);
	assert_int_equal(extent_blocks(tree, 4), 10);
}

static void test_records_and_nodes(void **state)
{
	struct run big[] = {RUN(0, 1000, 32769), RUN(32769, 40000, 100)};
	struct run dry[] = {
		{.phys = 9, .len = 32768, .kind = OWNER_FILE, .unwritten = true}};

	(void)state;
	assert_int_equal(extent_records(big, 2), 3);
	assert_int_equal(extent_records(dry, 1), 2);
	assert_int_equal(extent_tree_blocks(4, 4096), 0);
	assert_int_equal(extent_tree_blocks(5, 4096), 1);
	assert_int_equal(extent_tree_blocks(4 * 340, 4096), 4);
	assert_int_equal(extent_tree_blocks(4 * 340 + 1, 4096),
			 6); /* 5 leaves and an index */
	assert_int_equal(extent_tree_blocks(84, 1024), 1);
	assert_int_equal(extent_tree_blocks(85, 1024), 2);
}

static void test_indirect_blocks(void **state)
{
	struct run direct[] = {RUN(0, 100, 12)};
	struct run one[] = {RUN(0, 100, 13)};
	struct run all[] = {RUN(0, 100, 12 + 256 + 256 * 256 + 1)};
	struct run sparse[] = {RUN(12 + 256, 100, 1), RUN(12 + 256 + 300, 200, 1)};

	(void)state;
	assert_int_equal(extent_indirect_blocks(direct, 1, 1024), 0);
	assert_int_equal(extent_indirect_blocks(one, 1, 1024), 1);
	/* 1 + (1 + 256) + (1 triple + 1 double + 1) */
	assert_int_equal(extent_indirect_blocks(all, 1, 1024), 261);
	assert_int_equal(extent_indirect_blocks(sparse, 2, 1024), 3);
}

static void test_merge(void **state)
{
	struct run r[] = {RUN(0, 100, 5), RUN(5, 105, 5), RUN(11, 110, 2),
			  RUN(13, 300, 1)};

	(void)state;
	assert_int_equal(extent_merge(r, 4), 3);
	assert_int_equal(r[0].len, 10);
}

static void test_apply(void **state)
{
	struct run before[] = {RUN(0, 100, 10), RUN(10, 200, 10), RUN(30, 300, 5),
			       TREE(50, 1)};
	struct run_list in = {before, COUNT(before), COUNT(before)}, out = {0};
	struct move moves[] = {
		{.ino = 12, .lblk = 5, .len = 5, .from = 105, .to = 500},
		{.ino = 12, .lblk = 10, .len = 10, .from = 200, .to = 505},
		{.ino = 12, .lblk = 32, .len = 2, .from = 302, .to = 515},
		{.ino = 12, .kind = MOVE_TREE, .len = 2, .to = 600, .from = BLKNO_NONE},
	};
	struct err err = ERR_INIT;

	(void)state;
	assert_true(extent_apply(&in, moves, COUNT(moves), &out, &err));
	assert_int_equal(out.n, 6);
	assert_int_equal(out.v[0].len, 5);
	assert_int_equal(out.v[1].phys, 500);
	assert_int_equal(out.v[1].len, 15);
	assert_int_equal(out.v[2].phys, 300);
	assert_int_equal(out.v[3].phys, 515);
	assert_int_equal(out.v[4].phys, 304);
	assert_int_equal(out.v[5].kind, OWNER_TREE);
	assert_int_equal(out.v[5].phys, 600);
	assert_int_equal(out.v[5].len, 2);
	moves[3].len = 0; /* no tree is needed any more */
	vec_clear(&out);
	assert_true(extent_apply(&in, moves, COUNT(moves), &out, &err));
	assert_int_equal(out.n, 5);
	vec_release(&out);
}

static void test_apply_refuses(void **state)
{
	struct run before[] = {RUN(0, 100, 10), RUN(20, 200, 10)};
	struct run_list in = {before, 2, 2}, out = {0};
	struct move bad[] = {
		{.ino = 12, .lblk = 5, .len = 5, .from = 106, .to = 500}, /* not there */
		{.ino = 12,
		 .lblk = 8,
		 .len = 5,
		 .from = 108,
		 .to = 500}, /* runs into a hole */
		{.ino = 12, .lblk = 12, .len = 1, .from = 112, .to = 500}, /* in a hole */
		{.ino = 12,
		 .lblk = 25,
		 .len = 50,
		 .from = 205,
		 .to = 500}, /* past the end */
	};

	(void)state;
	for (size_t i = 0; i < COUNT(bad); i++) {
		struct err err = ERR_INIT;

		assert_false(extent_apply(&in, &bad[i], 1, &out, &err));
		assert_int_equal(err.class, ERR_REFUSED);
		assert_int_equal(out.n, 0);
	}
	vec_release(&out);
}

/* --- against plain arrays, at random --- */

static uint32_t seed = 1;

static uint32_t rnd(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

#define SPACE 4000u

/* A random file: data runs with holes, then a tree block or two and an attribute block.
 */
static void make_file(struct run_list *runs)
{
	lblk_t lblk = rnd(3);
	blkno_t phys = 10 + rnd(50);
	uint32_t n = 1 + rnd(25);

	runs->n = 0;
	for (uint32_t i = 0; i < n; i++) {
		struct run r = RUN(lblk, phys, 1 + rnd(20));

		r.unwritten = rnd(5) == 0;
		assert_true(vec_push(runs, r));
		lblk += r.len + (rnd(3) ? 0 : rnd(9));
		phys += r.len + (rnd(3) ? 0 : rnd(30));
	}
	n = rnd(3);
	for (uint32_t i = 0; i < n; i++)
		assert_true(vec_push(runs, (struct run)TREE(SPACE - 10 + 3 * i, 1)));
	assert_true(vec_push(
		runs,
		(struct run){.phys = SPACE, .len = 1, .ino = 12, .kind = OWNER_XATTR}));
}

struct cell {
	blkno_t phys; /* 0: hole */
	bool unwritten;
};

/* Where each logical block is. */
static void spread(const struct run_list *runs, struct cell *cells)
{
	memset(cells, 0, SPACE * sizeof(*cells));
	for (size_t i = 0; i < runs->n && owner_is_data(runs->v[i].kind); i++)
		for (uint32_t k = 0; k < runs->v[i].len; k++) {
			struct cell *c = &cells[runs->v[i].lblk + k];

			assert_int_equal(c->phys, 0);
			c->phys = runs->v[i].phys + k;
			c->unwritten = runs->v[i].unwritten;
		}
}

/* Cuts some of the file out into moves, each as long as the blocks lie together; notes
 * them in cells. */
static size_t make_moves(struct cell *cells, struct move *moves, size_t most)
{
	blkno_t to = 2 * SPACE;
	size_t n = 0;

	for (lblk_t l = 0; l < SPACE - 1 && n < most; l++) {
		uint32_t len = 0, want = 1 + rnd(40);

		if (!cells[l].phys || rnd(4))
			continue;
		while (len < want && cells[l + len].phys == cells[l].phys + len)
			len++;
		moves[n++] = (struct move){.ino = 12,
					   .lblk = l,
					   .len = len,
					   .from = cells[l].phys,
					   .to = to};
		for (uint32_t k = 0; k < len; k++)
			cells[l + k].phys = to + k;
		to += len + rnd(2);
		l += len - 1;
	}
	return n;
}

static void check_rest(const struct run_list *before, const struct run_list *after,
		       bool rebuilt)
{
	uint64_t tree = 0, xattr = 0, old = 0;

	for (size_t i = 0; i < after->n; i++) {
		tree += after->v[i].kind == OWNER_TREE ? after->v[i].len : 0;
		xattr += after->v[i].kind == OWNER_XATTR;
		if (i && !owner_is_data(after->v[i - 1].kind))
			assert_true(!owner_is_data(after->v[i].kind) &&
				    after->v[i - 1].phys < after->v[i].phys);
	}
	for (size_t i = 0; i < before->n; i++)
		old += before->v[i].kind == OWNER_TREE ? before->v[i].len : 0;
	assert_int_equal(xattr, 1);
	assert_int_equal(tree, rebuilt ? 5 : old);
}

static void test_apply_equals_naive(void **state)
{
	static struct cell want[SPACE], got[SPACE];
	struct run_list runs = {0}, out = {0};
	struct move moves[50];

	(void)state;
	for (int turn = 0; turn < 2000; turn++) {
		struct err err = ERR_INIT;
		bool rebuilt = rnd(2);
		size_t n;

		make_file(&runs);
		spread(&runs, want);
		n = make_moves(want, moves, 40);
		if (rebuilt)
			moves[n++] = (struct move){.ino = 12,
						   .kind = MOVE_TREE,
						   .len = 5,
						   .from = BLKNO_NONE,
						   .to = 9 * SPACE};
		out.n = 0;
		if (!extent_apply(&runs, moves, n, &out, &err))
			fail_msg("turn %d: %s", turn, err.msg);
		spread(&out, got);
		for (uint32_t l = 0; l < SPACE; l++) {
			assert_int_equal(got[l].phys, want[l].phys);
			assert_int_equal(got[l].unwritten, want[l].unwritten);
		}
		check_rest(&runs, &out, rebuilt);
		assert_int_equal(extent_merge(out.v, out.n), out.n); /* nothing to join */
	}
	vec_release(&runs);
	vec_release(&out);
}

/* A list that is not as the moves say: refused, with whatever was in `out` kept. */
static void test_apply_keeps_out(void **state)
{
	static struct cell cells[SPACE];
	struct run_list runs = {0}, out = {0};
	struct move moves[50];
	size_t n = 0, refused = 0;

	(void)state;
	for (int turn = 0; turn < 500; turn++) {
		struct err err = ERR_INIT;

		make_file(&runs);
		spread(&runs, cells);
		n = make_moves(cells, moves, 40);
		if (!n)
			continue;
		moves[rnd((uint32_t)n)].from += 1 + rnd(3);
		out.n = 0;
		assert_true(vec_push(&out, runs.v[0]));
		assert_false(extent_apply(&runs, moves, n, &out, &err));
		assert_int_equal(err.class, ERR_REFUSED);
		assert_non_null(strstr(err.msg, "has changed since the plan was made"));
		assert_int_equal(out.n, 1);
		assert_memory_equal(out.v, runs.v, sizeof(*runs.v));
		refused++;
	}
	assert_true(refused > 300);
	vec_release(&runs);
	vec_release(&out);
}

/* Nodes of an indirect map, block by block. */
static uint32_t naive_indirect(const struct run_list *runs, uint32_t block_size)
{
	uint64_t p = block_size / 4, last[4] = {0}, id;
	uint32_t count = 0;

	for (size_t i = 0; i < runs->n && owner_is_data(runs->v[i].kind); i++)
		for (uint64_t l = runs->v[i].lblk; l < runs->v[i].lblk + runs->v[i].len;
		     l++) {
			uint64_t at = l - 12, deep = at - p, deepest = deep - p * p;

			if (l < 12)
				continue;
			id = 1 + at / p; /* a block of pointers to data */
			count += id != last[0];
			last[0] = id;
			if (at < p)
				continue;
			/* a block of pointers to those: the double indirect one, or one
			 * below the triple */
			id = deep < p * p ? 1 : 2 + deepest / (p * p);
			count += id != last[1];
			last[1] = id;
			if (deep < p * p)
				continue;
			count += last[2] == 0; /* the triple indirect block */
			last[2] = 1;
		}
	return count;
}

static void test_indirect_equals_naive(void **state)
{
	struct run_list runs = {0};

	(void)state;
	for (int turn = 0; turn < 300; turn++) {
		uint64_t lblk = rnd(300), n = 1 + rnd(40);

		runs.n = 0;
		for (uint64_t i = 0; i < n && lblk < 1 << 24; i++) {
			struct run r = RUN((lblk_t)lblk, 100 + lblk, 1 + rnd(600));

			assert_true(vec_push(&runs, r));
			lblk += r.len + rnd(rnd(2) ? 300 : 60000);
		}
		assert_int_equal(extent_indirect_blocks(runs.v, runs.n, 1024),
				 naive_indirect(&runs, 1024));
	}
	vec_release(&runs);
}

/* A tree of so many blocks holds so many records, and one block less does not. */
static void test_node_capacity(void **state)
{
	const uint32_t sizes[] = {1024, 2048, 4096, 8192, 16384, 32768, 65536};

	(void)state;
	for (size_t s = 0; s < COUNT(sizes); s++) {
		uint64_t per = (sizes[s] - 12 - 4) / 12;

		assert_int_equal((sizes[s] - 12) / 12, per); /* the tail costs nothing */
		assert_int_equal(extent_tree_blocks(0, sizes[s]), 0);
		assert_int_equal(extent_tree_blocks(per, sizes[s]), 1);
		assert_int_equal(extent_tree_blocks(per + 1, sizes[s]), 2);
		assert_int_equal(extent_tree_blocks(4 * per, sizes[s]), 4);
		assert_int_equal(extent_tree_blocks(4 * per + 1, sizes[s]), 5 + 1);
		assert_int_equal(extent_tree_blocks(4 * per * per, sizes[s]),
				 4 * per + 4);
		assert_int_equal(extent_tree_blocks(4 * per * per + 1, sizes[s]),
				 4 * per + 1 + 5 + 1);
	}
	assert_int_equal(extent_tree_blocks(120000, 4096), 353 + 2);
}

/* Every tree that the function calls possible is one: no level overfull, none larger than
 * what it points to, the inode holds the uppermost, and all sizes add up. The smallest is
 * always possible. */
static void test_tree_shapes(void **state)
{
	uint32_t possible = 0, n[EXTENT_DEPTH_MAX];

	(void)state;
	for (uint64_t records = 1; records < 40000; records += 1 + records / 3)
		for (uint32_t more = 0; more < 700; more += 1 + more / 2) {
			uint32_t least = extent_tree_blocks(records, 1024), sum = 0;
			uint32_t total = least + more;
			uint64_t blocks = records + more / 2;
			int depth = extent_tree_shape(records, blocks, total, 1024, n);

			if (!more)
				assert_true(depth >= 0);
			if (depth < 0)
				continue;
			possible++;
			for (int k = 0; k < depth; k++) {
				sum += n[k];
				assert_true(n[k] >= 1);
				if (k)
					assert_true(n[k] <= n[k - 1] &&
						    n[k] * 84ull >= n[k - 1]);
			}
			assert_int_equal(sum, total);
			if (!depth) {
				assert_true(records <= 4);
				continue;
			}
			assert_true(n[depth - 1] <= 4);
			assert_true(n[0] <= blocks && n[0] * 84ull >= records);
		}
	assert_true(possible > 100);
	assert_int_equal(extent_tree_shape(1, 500, 1, 4096, n), 1);
	assert_int_equal(extent_tree_shape(1, 500, 5, 4096, n), 2); /* 4 and 1 */
	assert_int_equal(n[0], 4);
	assert_int_equal(extent_tree_shape(1, 2, 3, 4096, n), 2); /* 2 and 1 */
	assert_int_equal(extent_tree_shape(5, 5, 0, 4096, n), -1);
	assert_int_equal(extent_tree_shape(1, 1, 9, 4096, n), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tree_shapes),
		cmocka_unit_test(test_fragments),
		cmocka_unit_test(test_records_and_nodes),
		cmocka_unit_test(test_indirect_blocks),
		cmocka_unit_test(test_merge),
		cmocka_unit_test(test_apply),
		cmocka_unit_test(test_apply_refuses),
		cmocka_unit_test(test_apply_equals_naive),
		cmocka_unit_test(test_apply_keeps_out),
		cmocka_unit_test(test_indirect_equals_naive),
		cmocka_unit_test(test_node_capacity),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
