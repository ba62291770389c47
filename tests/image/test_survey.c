/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_survey.c - times and orders against those who know: debugfs for the times, the
 * kernel (where we may mount) for the order in which find meets files, sort for names.
 */
#include "tests/lib/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fs/survey.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"

static void make(const char *name, const char *options)
{
	char *tree = strdup(image_path("tree"));

	if (access(tree, F_OK))
		fsimage_tree(tree);
	fsimage_make(image_path(name), 64u << 20, "-d %s %s", tree, options);
	free(tree);
}

static void test_times(void **state)
{
	struct times_list times = {0};
	struct err err = ERR_INIT;
	unsigned checked = 0;
	struct volume *v;
	struct model *m;

	(void)state;
	make("times.img", "-t ext4 -I 256");
	/* beyond 2038, and before 1970 */
	assert_int_equal(image_run("debugfs -w -R 'sif <12> mtime @4102444800' %s && "
				   "debugfs -w -R 'sif <12> mtime_extra 1' %s",
				   image_path("times.img"), image_path("times.img")),
			 0);
	v = fsimage_open(image_path("times.img"), false);
	m = fsimage_scan(v, NULL);
	assert_true(survey_times(v, m, &times, &err));
	for (inum_t ino = 11; (ino = model_next_inode(m, ino)) && checked < 40;) {
		const struct inode_times *t = times_find(&times, ino);
		const char *words = image_ask(
			"debugfs -R 'stat <%u>' %s 2>/dev/null | sed -n 's/^ *mtime: "
			"0x\\([0-9a-f]*\\).*/\\1/p'",
			ino, image_path("times.img"));

		assert_non_null(t);
		if (!words[0])
			continue;
		assert_int_equal((uint32_t)t->mtime, (uint32_t)strtoul(words, NULL, 16));
		checked++;
	}
	assert_true(checked > 20);
	assert_int_equal(times_find(&times, 12)->mtime, 4102444800ll);
	vec_release(&times);
	model_free(m);
	volume_close(v);
}

/* The list as a file, one number a line. */
static void save(const struct inum_list *l, const char *path)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	for (size_t i = 0; i < l->n; i++)
		fprintf(f, "%u\n", l->v[i]);
	fclose(f);
}

static void check_order(const char *name, enum survey_order order, const char *find)
{
	struct inum_list list = {0};
	struct err err = ERR_INIT;
	struct volume *v = fsimage_open(image_path(name), false);
	struct model *m = fsimage_scan(v, NULL);

	assert_true(survey_tree(v, m, 2, order, &list, &err));
	assert_true(list.n > 20);
	save(&list, image_path("ours"));
	assert_int_equal(image_run("mkdir -p %s && mount -o loop,ro %s %s",
				   image_path("mnt"), image_path(name),
				   image_path("mnt")),
			 0);
	/* a file with several names comes once */
	assert_int_equal(image_run("cd %s && (%s) | awk '!seen[$1]++ {print $1}' >%s",
				   image_path("mnt"), find, image_path("theirs")),
			 0);
	assert_int_equal(image_run("umount %s", image_path("mnt")), 0);
	assert_true(image_same(image_path("ours"), image_path("theirs")));
	vec_release(&list);
	model_free(m);
	volume_close(v);
}

static void test_orders(void **state)
{
	(void)state;
	if (geteuid() ||
	    image_run("mkdir -p %s && losetup -f >/dev/null", image_path("mnt")))
		skip();
	make("hashed.img", "-t ext4");
	check_order("hashed.img", ORDER_READDIR, "find . -printf '%i\n'");
	make("linear.img", "-t ext2 -O ^dir_index");
	check_order("linear.img", ORDER_READDIR, "find . -printf '%i\n'");
	/* '/' before all letters: a directory's own before its neighbours */
	check_order("hashed.img", ORDER_NAME,
		    "find . -printf '%i\t%p\\0' | tr '/' '\\001' | LC_ALL=C sort -z "
		    "-t '\t' -k2 | LC_ALL=C sed -z 's/\t.*//' | tr '\\0' '\\n'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_times),
					   cmocka_unit_test(test_orders)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
