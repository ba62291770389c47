/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_scan_flaws.c - the scanner on damaged volumes: what is wrong is named, the volume is
 * not to be written, the rest is still shown.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#include "fs/scan.h"
#include "lab/demo.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define IMG image_path("f.img")

static void demo(const char *type)
{
	struct demo_options opt = {.seed = 4, .type = type};
	struct err err = ERR_INIT;

	assert_true(demo_make(IMG, &opt, true, &err));
}

/* A volume of 1 KiB blocks with a few files in a tree of their own. */
static void make(const char *options)
{
	fsimage_make(IMG, 8 << 20, "-b 1024 -N 256 -d '%s' %s", image_path("few"),
		     options);
}

static void make_few(void)
{
	assert_int_equal(
		image_run(
			"cd \"$TMPDIR\" && rm -rf few && mkdir -p few/dir/sub few/inl && "
			"cd few && : >dir/empty && head -c 200000 /dev/urandom >dir/one "
			"&& head -c 30000 /dev/urandom >dir/two && echo x >inl/a_name && "
			"for i in $(seq 60); do dd if=dir/one of=dir/pieces bs=4096 "
			"seek=$((i * 2)) count=1 conv=notrunc status=none; done && "
			"for i in 0 4 8; do dd if=dir/one of=dir/three bs=4096 seek=$i "
			"count=1 conv=notrunc status=none; done"),
		0);
}

/* Scans; a flaw must say `words`, and writing is forbidden. */
static void must_find(const char *words)
{
	struct volume *v = fsimage_open(IMG, false);
	struct flaw_list flaws = {0};
	struct model *m = fsimage_scan(v, &flaws);
	bool found = false;

	for (size_t i = 0; i < flaws.list.n; i++)
		found = found || strstr(flaws.list.v[i].text, words);
	if (!found)
		fail_msg("no flaw says \"%s\"; %llu, the first: %s", words,
			 (unsigned long long)flaws.count,
			 flaws.list.n ? flaws.list.v[0].text : "none");
	assert_false(volume_info(v)->write);
	assert_true(volume_info(v)->reasons.n > 0);
	model_free(m);
	vec_release(&flaws.list);
	volume_close(v);
}

static void flip(uint64_t at)
{
	uint8_t byte;

	fsimage_read(IMG, at, &byte, 1);
	byte ^= 0x10;
	fsimage_write(IMG, at, &byte, 1);
}

/* The number that a line of debugfs's answer holds where the pattern has \1. */
static uint64_t number(const char *request, const char *sed)
{
	uint64_t n = strtoull(image_ask("debugfs -R '%s' '%s' 2>/dev/null | sed -n '%s'",
					request, IMG, sed),
			      NULL, 10);

	assert_true(n > 0);
	return n;
}

static void debugfs(const char *request)
{
	assert_int_equal(image_run("debugfs -w -R '%s' '%s'", request, IMG), 0);
}

#define TREE_NODE "s/^(ETB0):\\([0-9]*\\).*/\\1/p"
#define IND_BLOCK "s/.*(IND):\\([0-9]*\\).*/\\1/p"
#define LAST	  "s/.* \\([0-9][0-9]*\\) *$/\\1/p"

/* --- one thing at a time --- */

static void test_checksums(void **state)
{
	(void)state;
	demo(NULL);
	flip(number("imap /var/log/syslog",
		    "s/.*located at block \\([0-9]*\\),.*/\\1/p") *
		     1024 +
	     300);
	must_find("checksum of inode");
	demo(NULL);
	flip(number("stat /var/lib/db/base.dat", TREE_NODE) * 1024 + 1000);
	must_find("checksum of tree node");
	demo(NULL);
	flip(number("blocks /var/spool/mail", LAST) * 1024 + 100);
	must_find("directory");
	demo(NULL);
	flip(number("stats", "s/.*block bitmap at \\([0-9]*\\).*/\\1/p") * 1024 + 512);
	must_find("bitmap");
}

static void test_attribute_blocks(void **state)
{
	static const char acl[] = "s/.*File ACL: \\([0-9]*\\).*/\\1/p";
	static const char *const kinds[] = {"-t ext4", "-t ext4 -O ^metadata_csum",
					    "-t ext4 -O ^metadata_csum"};
	static const char *const words[] = {"checksum of attribute block",
					    "counts 18 users", "is not one"};
	static const int at[] = {600, 4, 0};

	(void)state;
	for (int i = 0; i < 3; i++) {
		make(kinds[i]);
		assert_int_equal(
			image_run("cd \"$TMPDIR\" && head -c 700 /dev/urandom >v "
				  "&& debugfs -w -R 'ea_set -f v /dir/one "
				  "user.v' '%s'",
				  IMG),
			0);
		/* 1 user becomes 17, and then one more */
		flip(number("stat /dir/one", acl) * 1024 + (uint64_t)at[i]);
		if (i == 1) {
			uint8_t users = 18;

			fsimage_write(IMG, number("stat /dir/one", acl) * 1024 + 4,
				      &users, 1);
		}
		must_find(words[i]);
	}
	make("-t ext4");
	debugfs("sif /dir/one file_acl 99999");
	must_find("attribute block of inode");
}

/* Gives the first entry of this name in a directory of one block another inode. */
static void patch_name(const char *dir, const char *name, inum_t ino)
{
	uint8_t block[1024], le[4];
	char request[100];
	uint64_t at, entry = 0;

	snprintf(request, sizeof(request), "blocks /%s", dir);
	at = number(request, "s/^\\([0-9]*\\).*/\\1/p") * 1024;
	fsimage_read(IMG, at, block, sizeof(block));
	for (size_t i = 8; i + strlen(name) <= sizeof(block) && !entry; i += 4)
		if (!memcmp(block + i, name, strlen(name)))
			entry = at + i - 8;
	assert_true(entry > 0);
	for (int i = 0; i < 4; i++)
		le[i] = (uint8_t)(ino >> 8 * i);
	fsimage_write(IMG, entry, le, 4);
}

static void test_names(void **state)
{
	(void)state;
	make("-t ext4");
	debugfs("clri /dir/empty");
	must_find("which is not in use");
	make("-t ext4 -O ^metadata_csum");
	patch_name("dir", "empty", 9999);
	must_find("which does not exist");
	make("-t ext4 -O inline_data,^metadata_csum -I 256");
	debugfs("sif /inl block[2] 0x00010003"); /* the length of its first entry */
	must_find("which lies in its inode");
}

static void test_maps(void **state)
{
	uint64_t block;
	uint8_t le[4];

	(void)state;
	make("-t ext4");
	debugfs("sif /dir/three block[6] 0"); /* logical start of the second extent */
	must_find("overlap or are out of order");
	make("-t ext4");
	debugfs("sif /dir/three block[4] 20"); /* length of the first: over the second */
	must_find("overlap or are out of order");
	make("-t ext4");
	debugfs("sif /dir/three block[4] 0");
	must_find("an extent is empty");
	make("-t ext4");
	debugfs("sif /dir/three block[5] 9000");
	must_find("outside the volume");
	make("-t ext4");
	debugfs("sif /dir/three block[1] 0x00060004");
	must_find("wrong depth");
	make("-t ext4");
	debugfs("sif /dir/three block[0] 0x0005F30A");
	must_find("holds more than fits");

	/* a leaf that reaches over where its index says that the next one starts */
	make("-t ext4 -O ^metadata_csum");
	block = number("stat /dir/pieces", TREE_NODE);
	le[0] = 200, le[1] = 0;
	fsimage_write(IMG, block * 1024 + 12 + 4, le, 2);
	must_find("overlap or are out of order");

	/* an indirect block that holds its own number: reading it would never end */
	make("-t ext2");
	block = number("stat /dir/two", IND_BLOCK);
	for (int i = 0; i < 4; i++)
		le[i] = (uint8_t)(block >> 8 * i);
	fsimage_write(IMG, block * 1024 + 8, le, 4);
	must_find("owner");
	make("-t ext2");
	debugfs("sif /dir/two block[DIND] 900");
	debugfs("sif /dir/one block[TIND] 900");
	must_find("a tree node of inode");
}

static void test_owners(void **state)
{
	char request[200];
	uint64_t block;

	(void)state;
	demo("ext2");
	block = number("blocks /var/log/syslog", "s/^\\([0-9]*\\) .*/\\1/p");
	snprintf(request, sizeof(request), "sif /var/log/auth.log block[0] %llu",
		 (unsigned long long)block);
	debugfs(request);
	must_find("owner");
	make("-t ext4");
	snprintf(request, sizeof(request), "freeb %llu 1",
		 (unsigned long long)number("blocks /dir/one", LAST));
	debugfs(request);
	must_find("marked free");
	make("-t ext4");
	debugfs("setb 8000 3");
	must_find("nobody owns them");
	make("-t ext4");
	debugfs("clri <2>");
	must_find("no root directory");
}

/* --- less than the whole --- */

/* A descriptor whose checksum is wrong is not believed that its inodes are unused. */
static void test_descriptor_not_trusted(void **state)
{
	struct model_stats before, after;
	struct flaw_list flaws = {0};
	struct volume *v;
	struct model *m;
	uint8_t unused[2] = {256 & 0xFF, 256 >> 8};

	(void)state;
	make("-t ext4");
	v = fsimage_open(IMG, false);
	m = fsimage_scan(v, NULL);
	model_stats(m, &before);
	model_free(m);
	volume_close(v);
	fsimage_write(IMG, 2 * 1024 + offsetof(struct ext4_group_desc, bg_itable_unused),
		      unused, 2);
	v = fsimage_open(IMG, false);
	m = fsimage_scan(v, &flaws);
	model_stats(m, &after);
	assert_int_equal(after.inodes, before.inodes);
	assert_false(volume_info(v)->write);
	model_free(m);
	vec_release(&flaws.list);
	volume_close(v);
}

/* The file ends before some blocks: they are named, what can be read is shown. */
static void test_unreadable(void **state)
{
	struct flaw_list flaws = {0};
	struct volume *v;
	struct model *m;
	inum_t seen = 0, dir;
	bool named = false;

	(void)state;
	make("-t ext4 -O ^has_journal");
	assert_int_equal(
		image_run("cd \"$TMPDIR\" && head -c 3500000 /dev/zero >fill && "
			  "{ echo write fill fill; echo mkdir late; for i in "
			  "$(seq 6); do echo write v late/$i; done; } >cmd && echo "
			  "v >v && debugfs -w -f cmd '%s'",
			  IMG),
		0);
	dir = (inum_t)number("stat /late", "s/^Inode: \\([0-9]*\\).*/\\1/p");
	assert_int_equal(
		truncate(IMG,
			 (off_t)number("blocks /late", "s/^\\([0-9]*\\).*/\\1/p") * 1024),
		0);
	v = fsimage_open(IMG, false);
	m = fsimage_scan(v, &flaws);
	for (size_t i = 0; i < flaws.list.n; i++)
		named = named || strstr(flaws.list.v[i].text, "cannot read block");
	assert_true(named);
	for (inum_t ino = 0; (ino = model_next_inode(m, ino));) {
		seen += model_parent(m, ino) != 0;
		assert_int_not_equal(model_parent(m, ino), dir);
	}
	assert_true(seen > 8); /* the other directories are there */
	model_free(m);
	vec_release(&flaws.list);
	volume_close(v);
}

/* No thread to be had: the scan goes on alone. */
static void test_without_threads(void **state)
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	(void)state;
	skip();
#else
	struct volume *v;
	struct rlimit old, tight;
	struct err err = ERR_INIT;
	struct flaw_list flaws = {0};
	enum scan_state s = SCAN_MORE;
	struct scan *scan;
	long pages;
	FILE *f;

	(void)state;
	make("-t ext4");
	v = fsimage_open(IMG, false);
	scan = scan_new(v, 0, &err);
	f = fopen("/proc/self/statm", "r");
	assert_int_equal(fscanf(f, "%ld", &pages), 1);
	fclose(f);
	getrlimit(RLIMIT_AS, &old);
	tight = old; /* less than the stack of a thread */
	tight.rlim_cur = (rlim_t)pages * (rlim_t)sysconf(_SC_PAGESIZE) + (6u << 20);
	assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
	while (s == SCAN_MORE)
		s = scan_step(scan, &err);
	setrlimit(RLIMIT_AS, &old);
	if (s != SCAN_DONE)
		fail_msg("%s", err.msg);
	model_free(scan_take(scan, &flaws));
	assert_int_equal(flaws.count, 0);
	scan_free(scan);
	volume_close(v);
#endif
}

static int setup(void **state)
{
	(void)state;
	make_few();
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_checksums),
		cmocka_unit_test(test_attribute_blocks),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_maps),
		cmocka_unit_test(test_owners),
		cmocka_unit_test(test_descriptor_not_trusted),
		cmocka_unit_test(test_unreadable),
		cmocka_unit_test(test_without_threads),
	};

	return cmocka_run_group_tests(tests, setup, NULL);
}
