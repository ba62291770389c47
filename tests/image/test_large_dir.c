/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_large_dir.c - a directory with an index of two thousand names, and space that was
 * allocated ahead. Oracles: debugfs ls and ex.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fs/dirs.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define MIB   (1024ull * 1024)
#define NAMES 2000

/* 2000 names of 1 to 255 bytes; e2fsck -D builds the index. */
static void make_large(const char *img, const char *options)
{
	assert_int_equal(
		image_run(
			"cd \"$TMPDIR\" && rm -rf big && mkdir -p big/dir && cd big/dir "
			"&& awk 'BEGIN { for (i = 1; i <= %d; i++) { s = i; "
			"for (k = 0; k < i %% 250; k++) s = s \"x\"; print s } }' | "
			"xargs touch",
			NAMES),
		0);
	fsimage_make(img, 32 * MIB, "%s -N 4096 -d '%s'", options, image_path("big"));
	assert_int_equal(image_run("e2fsck -fyD '%s' >/dev/null 2>&1; [ $? -le 1 ]", img),
			 0);
	assert_true(
		atoi(image_ask("debugfs -R 'htree_dump /dir' '%s' 2>/dev/null | grep -c "
			       "'^Entry #'",
			       img)) > 20);
}

static bool count_name(void *arg, const char *name, size_t len, inum_t ino,
		       enum inode_type type)
{
	assert_true(len > 0 && len <= 255 && !memchr(name, 0, len));
	assert_true(ino > 10);
	assert_int_equal(type, INODE_FILE);
	++*(size_t *)arg;
	return true;
}

/* Each name of debugfs: the path that its inode has, and back by lookup. */
static void compare_names(const char *img, struct volume *v, const struct model *m)
{
	struct err err = ERR_INIT;
	char cmd[600], line[400];
	size_t compared = 0;
	FILE *p;

	snprintf(cmd, sizeof(cmd), "debugfs -R 'ls -p /dir' '%s' 2>/dev/null", img);
	p = popen(cmd, "r");
	assert_non_null(p);
	while (fgets(line, sizeof(line), p)) {
		char name[300], path[320];
		struct str back = STR_INIT;
		unsigned ino;

		if (sscanf(line, "/%u/%*[^/]/%*[^/]/%*[^/]/%299[^/]", &ino, name) != 2 ||
		    name[0] == '.')
			continue;
		snprintf(path, sizeof(path), "/dir/%s", name);
		if (compared % 5 == 0) /* each reads the directory anew */
			assert_int_equal(dir_lookup(v, path, &err), ino);
		assert_true(dir_path(v, m, ino, &back, &err));
		assert_string_equal(back.buf, path);
		str_release(&back);
		compared++;
	}
	pclose(p);
	assert_int_equal(compared, NAMES);
}

static void test_index(void **state)
{
	static const char *const kinds[] = {"-t ext3 -b 1024", "-t ext4 -b 1024",
					    "-t ext4 -b 4096"};
	char img[512];

	(void)state;
	snprintf(img, sizeof(img), "%s", image_path("l.img"));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct err err = ERR_INIT;
		size_t names = 0;
		struct volume *v;
		struct model *m;

		make_large(img, kinds[i]);
		v = fsimage_open(img, true);
		m = fsimage_scan(v, NULL);
		assert_true(dir_list(v, dir_lookup(v, "/dir", &err), count_name, &names,
				     &err));
		assert_int_equal(names, NAMES);
		assert_int_equal(dir_lookup(v, "/dir/nobody", &err), 0);
		compare_names(img, v, m);
		model_free(m);
		volume_close(v);
	}
}

/* " 0/ 0   1/  2   14 -   15 60090 - 60091      2 Uninit": the same run in both maps. */
static size_t compare_extents(const char *img, const struct run_list *runs,
			      const char *name)
{
	char cmd[600], line[200];
	size_t n = 0, unwritten = 0;
	FILE *p;

	snprintf(cmd, sizeof(cmd), "debugfs -R 'ex /%s' '%s' 2>/dev/null", name, img);
	p = popen(cmd, "r");
	assert_non_null(p);
	while (fgets(line, sizeof(line), p)) {
		unsigned depth, of, lblk, end;
		unsigned long long phys;
		bool uninit = strstr(line, "Uninit");

		if (sscanf(line, " %u/%u %*u/%*u %u - %u %llu -", &depth, &of, &lblk,
			   &end, &phys) != 5 ||
		    depth != of)
			continue;
		while (n < runs->n && runs->v[n].kind != OWNER_FILE)
			n++;
		assert_true(n < runs->n);
		assert_int_equal(runs->v[n].lblk, lblk);
		assert_int_equal(runs->v[n].len, end - lblk + 1);
		assert_int_equal(runs->v[n].phys, phys);
		assert_int_equal(runs->v[n].unwritten, uninit);
		unwritten += uninit;
		n++;
	}
	pclose(p);
	for (size_t i = n; i < runs->n; i++)
		assert_int_not_equal(runs->v[i].kind, OWNER_FILE);
	return unwritten;
}

static size_t count_unwritten(const struct run_list *runs)
{
	size_t n = 0;

	for (size_t i = 0; i < runs->n; i++)
		n += runs->v[i].unwritten;
	return n;
}

static void test_allocated_ahead(void **state)
{
	char img[512];
	struct run_list read = {0}, scanned = {0};
	struct err err = ERR_INIT;
	struct ext2_inode_large *raw;
	struct volume *v;
	struct model *m;
	inum_t ino;

	(void)state;
	snprintf(img, sizeof(img), "%s", image_path("a.img"));
	fsimage_tree(image_path("tree"));
	fsimage_make(img, 24 * MIB, "-t ext4 -b 1024 -d '%s'", image_path("tree"));
	assert_int_equal(
		image_run("printf 'fallocate holes 100 180\\nfallocate holes 600 690\\n"
			  "fallocate large 700 900\\n' | debugfs -w -f - '%s'",
			  img),
		0);
	v = fsimage_open(img, true);
	m = fsimage_scan(v, NULL);
	raw = calloc(1, INODE_BUF(v));
	for (int i = 0; i < 2; i++) {
		const char *name = i ? "/large" : "/holes";

		read.n = scanned.n = 0;
		ino = dir_lookup(v, name, &err);
		assert_true(inode_read(v, ino, raw, &err));
		assert_true(inode_map(v, ino, raw, &read, &err));
		assert_true(compare_extents(img, &read, name + 1) >= 1);
		assert_true(model_runs(m, ino, &scanned));
		assert_true(count_unwritten(&scanned) >= count_unwritten(&read));
	}
	vec_release(&read);
	vec_release(&scanned);
	free(raw);
	model_free(m);
	volume_close(v);
	assert_true(image_is_clean(img));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_index),
		cmocka_unit_test(test_allocated_ahead),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
