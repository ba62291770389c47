/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_features.c - one row for each feature bit that e2fsprogs knows, under the same name,
 * with a reason; none for bits that nobody knows. Oracle: libe2p, which dumpe2fs prints with,
 * and for has_snapshot ext2_fs.h.
 */
#include <dlfcn.h>
#include <ext2fs/ext2_fs.h>
#include <string.h>
#include "core/owner.h"
#include "fs/features.h"
#include "tests/lib/test.h"

typedef const char *(*name_fn)(int set, unsigned int mask);

static const struct feature *row_of(enum feature_set set, uint32_t mask)
{
	const struct feature *hit = NULL;

	for (size_t i = 0; i < feature_count(); i++) {
		const struct feature *f = feature_at(i);

		if (f->set != set || !(f->mask & mask))
			continue;
		if (hit)
			fail_msg("two rows for %s", f->name);
		hit = f;
	}
	return hit;
}

static void test_every_bit_has_a_row(void **state)
{
	void *lib = dlopen("libe2p.so.2", RTLD_NOW);
	name_fn name_of = NULL;
	int rows = 0;

	(void)state;
	assert_non_null(lib);
	*(void **)&name_of = dlsym(lib, "e2p_feature2string");
	assert_non_null(name_of);
	for (int set = 0; set < FEATURE_SETS; set++)
		for (int bit = 0; bit < 32; bit++) {
			const char *name = name_of(set, 1u << bit);
			bool known = strncmp(name, "FEATURE_", 8) != 0;
			const struct feature *f =
				row_of((enum feature_set)set, 1u << bit);

			if (known && !f)
				fail_msg("no row for %s", name);
			if (!known && f && f->mask != EXT4_FEATURE_RO_COMPAT_HAS_SNAPSHOT)
				fail_msg("nobody but us knows %s", f->name);
			if (known)
				assert_string_equal(f->name, name);
			rows += known;
		}
	assert_int_equal(rows + 1, feature_count());
	assert_true(rows > 40);
	dlclose(lib);
}

/* What stands in a message: what for, and no more than its field holds. */
static void test_every_row_has_a_reason(void **state)
{
	(void)state;
	for (size_t i = 0; i < feature_count(); i++) {
		const struct feature *f = feature_at(i);

		if (strlen(f->why) < 8 || strlen(f->why) > 79 || strlen(f->remedy) > 99)
			fail_msg("%s: \"%s\"", f->name, f->why);
		if (f->rule == FEATURE_MOVE)
			assert_string_equal(f->remedy, "");
	}
	for (int k = 0; k < OWNER_KINDS; k++)
		if (owner_is_fixed((enum owner_kind)k) !=
		    (strlen(owner_why_fixed((enum owner_kind)k)) > 8))
			fail_msg("%s", owner_name((enum owner_kind)k));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_bit_has_a_row),
		cmocka_unit_test(test_every_row_has_a_reason),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
