/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_age.c - the ager: every way of life leaves a clean volume, the same from the same
 * seed, with the contents that its manifest says. Oracles: e2fsck, debugfs, sha256sum. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lab/age.h"
#include "lab/policy.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

static void make(const char *path, const struct age_options *o, struct str *manifest,
		 struct age_report *r)
{
	struct age_report mine;
	struct err err = ERR_INIT;

	age_report_init(&mine);
	if (!age_make(path, o, true, manifest, r ? r : &mine, &err))
		fail_msg("%s", err.msg);
	age_report_release(&mine);
}

static void test_every_preset_is_clean(void **state)
{
	(void)state;
	for (size_t i = 0; i < age_preset_count; i++) {
		struct age_options o;

		age_defaults(&o);
		assert_true(age_preset(&o, age_presets[i].name, NULL));
		o.bytes = 96 << 20;
		make(image_path("a.img"), &o, NULL, NULL);
		assert_true(image_is_clean(image_path("a.img")));
	}
}

static void test_every_type_and_policy_is_clean(void **state)
{
	static const char *const types[] = {"ext2", "ext3", "ext4"};

	(void)state;
	for (size_t i = 0; policy_kinds[i]; i++) {
		struct age_options o;
		struct age_report r;

		age_defaults(&o);
		age_preset(&o, "mail", NULL);
		o.bytes = 24 << 20;
		o.type = types[i % 3];
		o.block_size = 1024u << i % 3;
		o.policy = policy_kinds[i]->name;
		o.fill = 92;
		age_report_init(&r);
		make(image_path("a.img"), &o, NULL, &r);
		assert_true(image_is_clean(image_path("a.img")));
		assert_true(r.files > 100 && r.extents >= r.files);
		assert_int_equal(r.free_blocks > 0, 1);
		age_report_release(&r);
	}
}

/* A directory of thousands of names is long, and its blocks hold them all. */
static void test_large_directory(void **state)
{
	struct age_options o;
	struct age_report r;

	(void)state;
	age_defaults(&o);
	o.bytes = 64 << 20;
	o.dirs = 1;
	o.size_min = 100;
	o.size_max = 1000;
	o.loops = 3;
	o.delete = 60;
	o.operations = 30000;
	age_report_init(&r);
	make(image_path("a.img"), &o, NULL, &r);
	assert_true(image_is_clean(image_path("a.img")));
	assert_int_equal(atoi(image_ask("debugfs -R 'ls -p /dir000' '%s' 2>/dev/null | "
					"grep -c /f",
					image_path("a.img"))),
			 (int)r.files);
	age_report_release(&r);
}

static void test_same_seed_same_bytes(void **state)
{
	struct age_options o;

	(void)state;
	age_defaults(&o);
	age_preset(&o, "logs", NULL);
	o.bytes = 32 << 20;
	make(image_path("a.img"), &o, NULL, NULL);
	make(image_path("b.img"), &o, NULL, NULL);
	assert_true(image_same(image_path("a.img"), image_path("b.img")));
	o.seed = 2;
	make(image_path("b.img"), &o, NULL, NULL);
	assert_int_not_equal(system("cmp -s \"$TMPDIR/a.img\" \"$TMPDIR/b.img\""), 0);
}

static void test_manifest(void **state)
{
	struct str manifest = STR_INIT;
	struct age_options o;
	FILE *f;

	(void)state;
	for (int i = 0; i < 2; i++) {
		age_defaults(&o);
		age_preset(&o, i ? "database" : "mail", NULL);
		o.bytes = 32 << 20;
		o.type = i ? "ext2" : "ext4";
		str_clear(&manifest);
		make(image_path("a.img"), &o, &manifest, NULL);
		f = fopen(image_path("sums"), "w");
		assert_non_null(f);
		fwrite(manifest.buf, 1, manifest.len, f);
		fclose(f);
		assert_int_equal(
			image_run("cd '%s' && rm -rf d && mkdir d && "
				  "debugfs -R 'rdump / d' a.img >log 2>&1 && "
				  "cd d && sha256sum --quiet -c ../sums && "
				  "[ $(find . -type f | wc -l) = $(wc -l <../sums) ]",
				  getenv("TMPDIR")),
			0);
	}
	str_release(&manifest);
}

/* What a policy does shows: writers that take turns tear files apart under next fit, but
 * not where allocation is delayed. */
static void test_policies_differ(void **state)
{
	uint64_t extents[2];

	(void)state;
	for (int i = 0; i < 2; i++) {
		struct age_options o;
		struct age_report r;

		age_defaults(&o);
		age_preset(&o, "logs", NULL);
		o.bytes = 32 << 20;
		o.policy = i ? "ext4" : "next";
		age_report_init(&r);
		make(image_path("a.img"), &o, NULL, &r);
		extents[i] = r.extents / r.files;
		age_report_release(&r);
	}
	assert_true(extents[0] > 4 * extents[1]);
}

static void refused(const struct age_options *o, bool force, enum err_class class)
{
	struct err err = ERR_INIT;
	struct age_report r;

	age_report_init(&r);
	assert_false(age_make(image_path("no.img"), o, force, NULL, &r, &err));
	assert_int_equal(err.class, class);
	assert_true(err.msg[0] != '\0');
	age_report_release(&r);
}

static void test_refusals(void **state)
{
	struct age_options o, bad;

	(void)state;
	age_defaults(&o);
	o.bytes = 8 << 20;
	o.dirs = 4;
	bad = o, bad.policy = "fist", refused(&bad, false, ERR_USAGE);
	bad = o, bad.type = "xfs", refused(&bad, false, ERR_USAGE);
	bad = o, bad.block_size = 512, refused(&bad, false, ERR_USAGE);
	bad = o, bad.writers = 0, refused(&bad, false, ERR_USAGE);
	bad = o, bad.size_min = bad.size_max + 1, refused(&bad, false, ERR_USAGE);
	bad = o, bad.fill = 100, refused(&bad, false, ERR_USAGE);
	bad = o, bad.features = "nonsense", refused(&bad, false, ERR_REFUSED);
	bad = o, bad.features = "bigalloc", refused(&bad, false, ERR_REFUSED);
	bad = o, bad.dirs = 99999, refused(&bad, false, ERR_NOSPACE);
	assert_int_not_equal(access(image_path("no.img"), F_OK), 0); /* nothing left */
	assert_int_equal(image_run("echo keep > '%s'", image_path("no.img")), 0);
	refused(&o, false, ERR_REFUSED);
	assert_string_equal(image_ask("cat '%s'", image_path("no.img")), "keep");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_preset_is_clean),
		cmocka_unit_test(test_every_type_and_policy_is_clean),
		cmocka_unit_test(test_large_directory),
		cmocka_unit_test(test_same_seed_same_bytes),
		cmocka_unit_test(test_manifest),
		cmocka_unit_test(test_policies_differ),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
