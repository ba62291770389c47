/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_hand.c - allocating by hand: clean after each step, taken back and done again byte
 * for byte, and only on images that the lab made. Oracles: e2fsck, debugfs, cmp.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "lab/age.h"
#include "lab/demo.h"
#include "lab/hand.h"
#include "lab/policy.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

static const char *img(void)
{
	return image_path("h.img");
}

static void new_image(const char *type, uint32_t block_size, uint64_t bytes)
{
	struct age_options o;
	struct err err = ERR_INIT;

	age_defaults(&o);
	o.size_min = o.size_max = 16384;
	o.type = type;
	o.block_size = block_size;
	o.bytes = bytes;
	assert_int_equal(image_run("rm -rf '%s.lab'", img()), 0);
	if (!lab_make(img(), &o, true, &err))
		fail_msg("%s", err.msg);
}

static bool step(enum lab_op_kind kind, const char *path, uint64_t bytes, uint64_t offset,
		 struct err *err)
{
	struct lab_target t = {path, bytes};
	struct lab_op op = {.kind = kind,
			    .targets = &t,
			    .n = 1,
			    .offset = offset,
			    .percent = (unsigned)bytes,
			    .text = path};
	struct lab_result r;
	bool ok;

	lab_result_init(&r);
	ok = lab_do(img(), &op, &r, err);
	lab_result_release(&r);
	return ok;
}

static void must(enum lab_op_kind kind, const char *path, uint64_t bytes, uint64_t offset)
{
	struct err err = ERR_INIT;

	if (!step(kind, path, bytes, offset, &err))
		fail_msg("%s: %s", path, err.msg);
	assert_true(image_is_clean(img()));
}

/* A way through all operations, saving the image after each. */
#define STEPS 10
static void live(void)
{
	static const struct {
		enum lab_op_kind kind;
		const char *path;
		uint64_t bytes, offset;
	} rows[STEPS] = {
		{LAB_MKDIR, "/d", 0, 0},	 {LAB_WRITE, "/d/a", 40960, 0},
		{LAB_WRITE, "/b", 100000, 0},	 {LAB_APPEND, "/d/a", 33333, 0},
		{LAB_PUNCH, "/b", 20000, 30000}, {LAB_FILL, "fill", 55, 0},
		{LAB_DELETE, "/d/a", 0, 0},	 {LAB_APPEND, "/b", 900000, 0},
		{LAB_TRUNCATE, "/b", 5000, 0},	 {LAB_DELETE, "/d", 0, 0},
	};

	for (int i = 0; i < STEPS; i++) {
		assert_int_equal(image_run("cp '%s' '%s.%d'", img(), img(), i), 0);
		must(rows[i].kind, rows[i].path, rows[i].bytes, rows[i].offset);
	}
	assert_int_equal(image_run("cp '%s' '%s.%d'", img(), img(), STEPS), 0);
}

static void is_as_after(int steps)
{
	char name[32];

	snprintf(name, sizeof(name), "h.img.%d", steps);
	assert_true(image_same(img(), image_path(name)));
}

static void test_there_and_back(void **state)
{
	static const char *const types[] = {"ext4", "ext3", "ext2"};

	(void)state;
	for (int t = 0; t < 3; t++) {
		struct err err = ERR_INIT;

		new_image(types[t], 1024u << t, 8 << 20);
		assert_true(lab_policy_set(img(), policy_kinds[t * 2]->name, &err));
		live();
		for (int i = STEPS; i-- > 0;) {
			assert_true(hand_undo(img(), NULL, NULL, &err));
			is_as_after(i);
		}
		assert_false(hand_undo(img(), NULL, NULL, &err));
		assert_int_equal(err.class, ERR_REFUSED);
		err_clear(&err);
		for (int i = 1; i <= STEPS; i++) {
			assert_true(hand_redo(img(), NULL, NULL, &err));
			is_as_after(i);
		}
		assert_false(hand_redo(img(), NULL, NULL, &err));
	}
}

/* A new step after an undo: what was undone cannot be redone. */
static void test_a_new_step_ends_redo(void **state)
{
	struct hand_steps s;
	struct err err = ERR_INIT;

	(void)state;
	new_image("ext4", 1024, 8 << 20);
	must(LAB_WRITE, "/a", 10000, 0);
	must(LAB_WRITE, "/b", 10000, 0);
	assert_true(hand_undo(img(), NULL, NULL, &err));
	must(LAB_WRITE, "/c", 10000, 0);
	assert_true(hand_steps_read(img(), &s, &err));
	assert_int_equal(s.list.n, 2);
	assert_string_equal(s.list.v[1].text, "/c");
	assert_true(s.fits);
	hand_steps_release(&s);
	assert_false(hand_redo(img(), NULL, NULL, &err));
}

static void test_what_another_changed(void **state)
{
	struct err err = ERR_INIT;
	struct hand_steps s;

	(void)state;
	new_image("ext4", 1024, 8 << 20);
	must(LAB_WRITE, "/a", 10000, 0);
	assert_int_equal(image_run("debugfs -w -R 'mkdir /other' '%s'", img()), 0);
	assert_false(hand_undo(img(), NULL, NULL, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	assert_non_null(strstr(err.msg, "something else"));
	must(LAB_WRITE, "/b", 10000, 0); /* begins anew */
	err_clear(&err);
	assert_true(hand_steps_read(img(), &s, &err));
	assert_int_equal(s.list.n, 1);
	hand_steps_release(&s);
}

/* Cut short after it was saved, at any point of writing: rolled back at the next open. A
 * step file that is not whole means that nothing was written. */
static void test_power_cut(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	new_image("ext4", 1024, 8 << 20);
	must(LAB_WRITE, "/a", 50000, 0);
	assert_int_equal(image_run("cp '%s' '%s.1'", img(), img()), 0);
	must(LAB_WRITE, "/b", 50000, 0);
	assert_int_equal(image_run("cp '%s' '%s.2'", img(), img()), 0);
	for (int cut = 0; cut < 4;
	     cut++) { /* so many quarters of the new bytes are there */
		assert_int_equal(
			image_run("cd '%s' && cp h.img.1 h.img && dd if=h.img.2 of=h.img "
				  "bs=1k count=%d conv=notrunc status=none && "
				  "cp h.img.lab/0002.step keep && "
				  "mv h.img.lab/0002.step h.img.lab/0002.going",
				  getenv("TMPDIR"), 400 * cut),
			0);
		build_free(hand_open(img(), &err));
		assert_int_equal(image_run("cmp '%s' '%s.1'", img(), img()), 0);
		assert_int_equal(image_run("mv '%s' '%s.lab/0002.step'",
					   image_path("keep"), img()),
				 0);
	}
	assert_int_equal(image_run("cd '%s' && cp h.img.2 h.img && head -c 900 "
				   "h.img.lab/0002.step >h.img.lab/0003.going",
				   getenv("TMPDIR")),
			 0);
	build_free(hand_open(img(), &err));
	assert_int_equal(image_run("cmp '%s' '%s.2'", img(), img()), 0);
	assert_int_not_equal(access(image_path("h.img.lab/0003.going"), F_OK), 0);
}

/* Contents: what was appended does not touch what was there; holes read as zeros. */
static void test_contents(void **state)
{
	(void)state;
	new_image("ext4", 1024, 8 << 20);
	must(LAB_WRITE, "/a", 5000, 0);
	assert_int_equal(
		image_run("debugfs -R 'dump /a %s' '%s'", image_path("one"), img()), 0);
	must(LAB_APPEND, "/a", 5000, 0);
	assert_int_equal(
		image_run("debugfs -R 'dump /a %s' '%s' && cmp -n 5000 '%s' '%s' && "
			  "[ $(stat -c %%s '%s') = 10000 ]",
			  image_path("two"), img(), image_path("one"), image_path("two"),
			  image_path("two")),
		0);
	must(LAB_PUNCH, "/a", 2048, 1024);
	assert_int_equal(image_run("debugfs -R 'dump /a %s' '%s' && "
				   "cmp -i 1024 -n 2048 '%s' /dev/zero && "
				   "cmp -i 3072 '%s' '%s'",
				   image_path("three"), img(), image_path("three"),
				   image_path("two"), image_path("three")),
			 0);
}

static void refused(enum lab_op_kind kind, const char *path, uint64_t bytes,
		    enum err_class class)
{
	struct err err = ERR_INIT;

	assert_int_equal(image_run("cp '%s' '%s.0'", img(), img()), 0);
	assert_false(step(kind, path, bytes, 0, &err));
	assert_int_equal(err.class, class);
	is_as_after(0);
}

static void test_refusals(void **state)
{
	struct demo_options demo = {.seed = 1};
	struct err err = ERR_INIT;

	(void)state;
	new_image("ext4", 1024, 8 << 20);
	must(LAB_MKDIR, "/d", 0, 0);
	must(LAB_WRITE, "/d/a", 1000, 0);
	refused(LAB_WRITE, "/d/a", 1000, ERR_REFUSED);	  /* exists */
	refused(LAB_WRITE, "/none/a", 1000, ERR_REFUSED); /* no such directory */
	refused(LAB_WRITE, "/d/a/b", 1000, ERR_REFUSED);  /* a file */
	refused(LAB_WRITE, "relative", 1000, ERR_USAGE);
	refused(LAB_WRITE, "/big", 1 << 30, ERR_NOSPACE);
	refused(LAB_APPEND, "/d", 1000, ERR_REFUSED);
	refused(LAB_TRUNCATE, "/d/a", 2000, ERR_REFUSED); /* longer than it is */
	refused(LAB_DELETE, "/d", 0, ERR_REFUSED);	  /* not empty */
	refused(LAB_DELETE, "/", 0, ERR_REFUSED);
	assert_true(demo_make(img(), &demo, true, &err)); /* not one of the lab's */
	refused(LAB_WRITE, "/a", 1000, ERR_REFUSED);
	assert_int_equal(image_run("tune2fs -L cdefrag-lab '%s'", img()), 0);
	refused(LAB_WRITE, "/a", 1000,
		ERR_REFUSED); /* the label alone does not make it */
	new_image("ext4", 1024, 8 << 20);
	assert_int_equal(image_run("debugfs -w -R 'set_super_value state 0' '%s'", img()),
			 0);
	refused(LAB_WRITE, "/a", 1000, ERR_REFUSED); /* not clean */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_a_new_step_ends_redo),
		cmocka_unit_test(test_what_another_changed),
		cmocka_unit_test(test_power_cut),
		cmocka_unit_test(test_contents),
		cmocka_unit_test(test_refusals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
