/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_group_stat.c - figures of block groups against a count of single blocks. */
#include <stdlib.h>
#include <string.h>
#include "core/group_stat.h"
#include "tests/lib/randvol.h"
#include "tests/lib/test.h"

/* Counted block by block, by asking for each. */
static void count(const struct randvol *v, group_t group, struct group_stat *out)
{
	blkno_t start = geom_group_start(&v->geom, group);
	uint8_t *seen = calloc(v->geom.inodes + 1, 1); /* 1: here, 2: in pieces */
	struct run r, before = {0};
	uint32_t hole = 0;

	assert_non_null(seen);
	memset(out, 0, sizeof(*out));
	out->blocks = geom_group_len(&v->geom, group);
	for (blkno_t b = start; b < start + out->blocks; b++) {
		bool data;

		model_at(v->model, b, &r);
		assert_int_equal(r.kind != OWNER_FREE, v->used[b]);
		out->free += r.kind == OWNER_FREE;
		hole = r.kind == OWNER_FREE ? hole + 1 : 0;
		out->holes += hole == 1;
		out->largest = hole > out->largest ? hole : out->largest;
		out->meta += owner_is_fixed(r.kind);
		data = owner_is_data(r.kind) && !owner_is_fixed(r.kind);
		r.lblk += (lblk_t)(b - r.phys);
		if (data && (b == start || r.ino != before.ino || before.kind != r.kind ||
			     r.lblk != before.lblk + 1))
			out->fragments++;
		if (data)
			seen[r.ino] |= r.fragmented ? 3 : 1;
		before = r;
	}
	for (inum_t ino = 0; ino <= v->geom.inodes; ino++) {
		out->files += seen[ino] & 1;
		out->in_pieces += seen[ino] >> 1;
	}
	free(seen);
}

static void test_random_volumes(void **state)
{
	uint32_t pieces = 0;

	(void)state;
	for (uint32_t seed = 1; seed <= 20; seed++) {
		struct randvol_shape s = {
			seed,	       1 + seed % 7,	  400 + 37 * seed,
			5 + seed % 40, 20u << (seed % 4), 4 + seed % 13};
		struct randvol v;

		randvol_make(&v, &s);
		for (group_t i = 0; i < v.geom.groups; i++) {
			struct group_stat got, want;

			assert_true(group_stat(v.model, i, &got));
			count(&v, i, &want);
			assert_int_equal(got.blocks, want.blocks);
			assert_int_equal(got.free, want.free);
			assert_int_equal(got.meta, want.meta);
			assert_int_equal(got.holes, want.holes);
			assert_int_equal(got.largest, want.largest);
			assert_int_equal(got.files, want.files);
			assert_int_equal(got.in_pieces, want.in_pieces);
			assert_int_equal(got.fragments, want.fragments);
			pieces += got.in_pieces;
		}
		randvol_release(&v);
	}
	assert_true(pieces > 100);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_volumes)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
