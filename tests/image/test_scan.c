/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_scan.c - the scanner on real volumes: every block owned as debugfs says, counts as dumpe2fs says, the same
 * from any number of readers; and on damaged ones: what is wrong is named, and nothing crashes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/str.h"
#include "fs/build.h"
#include "fs/dirs.h"
#include "fs/scan.h"
#include "lab/demo.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define IMG image_path("s.img")

/* Feature sets: arguments for mke2fs, and the size in KiB. */
static const struct {
	const char *args;
	unsigned kib;
} kinds[] = {
	{"-t ext2 -b 1024", 8192},
	{"-t ext3 -b 4096", 32768},
	{"-t ext4 -b 1024", 16384},
	{"-t ext4 -b 4096", 65536},
	{"-t ext4 -b 4096 -O inline_data", 32768},
	{"-t ext4 -b 1024 -I 128 -O ^metadata_csum,uninit_bg", 16384},
	{"-t ext4 -b 1024 -O meta_bg,^resize_inode -g 1024", 16384},
	{"-t ext4 -b 4096 -O bigalloc -C 65536", 65536},
	{"-t ext4 -b 2048 -O sparse_super2,orphan_file,metadata_csum_seed,quota", 32768},
	{"-t ext4 -b 1024 -g 2048 -O ^flex_bg,mmp", 9001},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

/* Folders, links, a large and many small files, a hole, a long name. */
static void make_tree(void)
{
	assert_int_equal(image_run("cd \"$TMPDIR\" && rm -rf tree && mkdir -p tree/a/b "
				   "tree/many && cd tree && "
				   "head -c 700000 /dev/urandom >a/large && "
				   "for i in $(seq 1 150); do head -c $((i * 53)) "
				   "/dev/urandom >many/file$i; done && "
				   "ln -s short a/fast && ln -s $(printf 'x%%.0s' $(seq "
				   "1 90)) a/slow && ln a/large a/b/again && "
				   "truncate -s 300000 a/hole && printf end >>a/hole && "
				   "mkfifo a/pipe"),
			 0);
}

struct rig {
	struct volume *v;
	struct model *m;
	struct flaw_list flaws;
};

static void start(struct rig *r, int readers)
{
	struct volume_options opt = {0};
	struct err err = ERR_INIT;
	enum scan_state state;
	struct scan *s;

	memset(r, 0, sizeof(*r));
	r->v = volume_open(IMG, &opt, &err);
	if (!r->v)
		fail_msg("%s", err.msg);
	s = scan_new(r->v, readers, &err);
	while ((state = scan_step(s, &err)) == SCAN_MORE)
		;
	if (state != SCAN_DONE)
		fail_msg("%s", err.msg);
	r->m = scan_take(s, &r->flaws);
	scan_free(s);
}

static void stop(struct rig *r)
{
	model_free(r->m);
	vec_release(&r->flaws.list);
	volume_close(r->v);
}

static bool ask_owner(void *arg, const struct run *run)
{
	if (run->ino && run->phys % 3 == 0)
		str_addf(arg, " %llu", (unsigned long long)run->phys);
	return ((struct str *)arg)->len < 1500;
}

/* Owners of a few hundred blocks, as debugfs tells them. */
static void check_owners(struct rig *r)
{
	struct str cmd = STR_INIT;
	unsigned block;
	inum_t ino;
	int checked = 0;
	FILE *p;

	str_add(&cmd, "debugfs -R 'icheck");
	model_walk(r->m, 0, UINT64_MAX, ask_owner, &cmd);
	str_addf(&cmd, "' '%s' 2>/dev/null", IMG);
	p = popen(cmd.buf, "r");
	assert_non_null(p);
	while (fgets(cmd.buf, (int)cmd.cap, p)) {
		struct run run;

		if (sscanf(cmd.buf, "%u %u", &block, &ino) != 2)
			continue;
		model_at(r->m, block, &run);
		if (run.kind == OWNER_XATTR_SHARED || run.kind == OWNER_GDT_RESERVED)
			continue; /* debugfs names inode 7 for reserved descriptors */
		assert_int_equal(run.ino, ino);
		checked++;
	}
	pclose(p);
	str_release(&cmd);
	assert_true(checked > 10);
}

static bool no_unknown(void *arg, const struct run *run)
{
	(void)arg;
	assert_int_not_equal(run->kind, OWNER_UNKNOWN);
	return true;
}

/* Every inode with a name has a path that leads back to it. */
static void check_names(struct rig *r)
{
	int checked = 0;

	for (inum_t ino = model_next_inode(r->m, 10); ino;
	     ino = model_next_inode(r->m, ino)) {
		struct str path = STR_INIT;
		struct err err = ERR_INIT;
		struct file_info info;

		assert_true(model_file(r->m, ino, &info));
		if (!info.parent) { /* the orphan file, quota files: known to the superblock only */
			assert_true(info.inode.flags & INODE_SYSTEM);
			continue;
		}
		assert_true(dir_path(r->v, r->m, ino, &path, &err));
		assert_int_equal(dir_lookup(r->v, path.buf, &err), ino);
		str_release(&path);
		checked++;
	}
	assert_true(checked > 150);
}

struct pair {
	const struct model *other;
	uint64_t runs;
};

static bool same_in_other(void *arg, const struct run *a)
{
	struct pair *p = arg;
	struct run b;

	model_at(p->other, a->phys, &b);
	assert_int_equal(a->phys, b.phys);
	assert_int_equal(a->len, b.len);
	assert_int_equal(a->ino, b.ino);
	assert_int_equal(a->lblk, b.lblk);
	assert_int_equal(a->kind, b.kind);
	assert_int_equal(a->odd, b.odd);
	p->runs++;
	return true;
}

static void check_volume(void)
{
	struct rig one, many;
	struct model_stats stats;
	struct pair pair = {0};

	start(&one, 1);
	if (one.flaws.count)
		fail_msg("%s", one.flaws.list.v[0].text);
	model_stats(one.m, &stats);
	assert_int_equal(
		stats.free_blocks,
		atoll(image_ask(
			"dumpe2fs -h '%s' 2>/dev/null | sed -n 's/^Free blocks: *//p'",
			IMG)));
	model_walk(one.m, 0, UINT64_MAX, no_unknown, NULL);
	check_owners(&one);
	check_names(&one);
	start(&many, 5);
	pair.other = many.m;
	model_walk(one.m, 0, UINT64_MAX, same_in_other, &pair);
	assert_true(pair.runs > 100);
	stop(&many);
	stop(&one);
}

static void test_every_kind(void **state)
{
	(void)state;
	make_tree();
	for (size_t i = 0; i < KINDS; i++) {
		unlink(IMG);
		assert_int_equal(image_run("mke2fs -q -F %s -d \"$TMPDIR/tree\" '%s' %uk "
					   "2>/dev/null",
					   kinds[i].args, IMG, kinds[i].kib),
				 0);
		check_volume();
	}
}

static void test_fragmented_volumes(void **state)
{
	static const char *const types[] = {"ext2", "ext3", "ext4"};

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct demo_options opt = {.type = types[i], .seed = 3};
		struct err err = ERR_INIT;

		assert_true(demo_make(IMG, &opt, true, &err));
		check_volume();
	}
}

/* --- damage --- */

static void demo(void)
{
	struct demo_options opt = {.seed = 4};
	struct err err = ERR_INIT;

	assert_true(demo_make(IMG, &opt, true, &err));
}

/* Scans; there must be flaws, the first of the wanted kind among them, and writing is forbidden. */
static void must_find(const char *words)
{
	struct rig r;
	bool found = false;

	start(&r, 2);
	assert_true(r.flaws.count > 0);
	for (size_t i = 0; i < r.flaws.list.n; i++)
		found = found || strstr(r.flaws.list.v[i].text, words);
	if (!found)
		fail_msg("no flaw says \"%s\", the first: %s", words,
			 r.flaws.list.v[0].text);
	assert_false(volume_info(r.v)->write);
	assert_true(volume_info(r.v)->reasons.n > 0);
	stop(&r);
}

static void flip(uint64_t at)
{
	int fd = open(IMG, O_RDWR);
	uint8_t byte;

	assert_int_equal(pread(fd, &byte, 1, (off_t)at), 1);
	byte ^= 0x10;
	assert_int_equal(pwrite(fd, &byte, 1, (off_t)at), 1);
	close(fd);
}

static uint64_t number(const char *request, const char *sed)
{
	return strtoull(image_ask("debugfs -R '%s' '%s' 2>/dev/null | sed -n '%s'",
				  request, IMG, sed),
			NULL, 10);
}

static void test_damage_is_named(void **state)
{
	uint64_t block;

	(void)state;
	demo();
	block = number("imap /var/log/syslog",
		       "s/.*located at block \\([0-9]*\\), offset 0x\\(.*\\)/\\1/p");
	assert_true(block > 0);
	flip(block * 1024 + 300);
	must_find("checksum of inode");

	demo();
	block = number("stat /var/lib/db/base.dat", "s/^(ETB0):\\([0-9]*\\).*/\\1/p");
	assert_true(block > 0);
	flip(block * 1024 + 40);
	must_find("checksum of tree node");

	demo();
	block = number("blocks /var/spool/mail", "s/^\\([0-9]*\\) .*/\\1/p");
	flip(block * 1024 + 100);
	must_find("directory");

	demo();
	block = number("stats", "s/.*block bitmap at \\([0-9]*\\).*/\\1/p");
	flip(block * 1024 + 512);
	must_find("bitmap");
}

static void test_block_claimed_twice(void **state)
{
	struct demo_options opt = {.seed = 4, .type = "ext2"};
	struct err err = ERR_INIT;
	uint64_t block;

	(void)state;
	assert_true(demo_make(IMG, &opt, true, &err));
	block = number("blocks /var/log/syslog", "s/^\\([0-9]*\\) .*/\\1/p");
	assert_int_equal(image_run("debugfs -w -R 'sif /var/log/auth.log block[0] %llu' "
				   "'%s' 2>/dev/null",
				   (unsigned long long)block, IMG),
			 0);
	must_find("owner");
}

/* Random bytes anywhere in the metadata: a clear refusal or flaws, or no harm; never a crash. */
static void test_random_damage(void **state)
{
	uint8_t *base;
	size_t n = 4 << 20;
	uint64_t random = 99;
	int fd, flawed = 0, refused = 0;

	(void)state;
	unlink(IMG);
	make_tree();
	assert_int_equal(image_run("mke2fs -q -F -t ext4 -b 1024 -O ^has_journal -N 256 "
				   "-d \"$TMPDIR/tree\" '%s' 4096k",
				   IMG),
			 0);
	base = malloc(n);
	fd = open(IMG, O_RDWR);
	assert_int_equal(pread(fd, base, n, 0), n);
	for (int round = 0; round < 250; round++) {
		struct volume_options opt = {0};
		struct err err = ERR_INIT;
		struct flaw_list flaws = {0};
		enum scan_state s;
		struct volume *v;

		assert_int_equal(pwrite(fd, base, n, 0), n);
		for (int k = 0; k < 12; k++) {
			uint64_t word[2];

			build_content(random++, 1, word, sizeof(word));
			/* the first 200 KiB hold superblock, descriptors, bitmaps and inodes */
			assert_int_equal(
				pwrite(fd, word, 1 + word[1] % 9,
				       (off_t)(word[0] % (k % 3 ? 200u << 10 : n - 16))),
				1 + word[1] % 9);
		}
		v = volume_open(IMG, &opt, &err);
		if (!v) {
			assert_true(err.msg[0] && err.class != ERR_BUG);
			refused++;
			continue;
		}
		{
			struct scan *scan = scan_new(v, 2, &err);

			while ((s = scan_step(scan, &err)) == SCAN_MORE)
				;
			if (s == SCAN_DONE) {
				struct model *m = scan_take(scan, &flaws);

				model_walk(m, 0, UINT64_MAX, same_in_other,
					   &(struct pair){.other = m});
				model_free(m);
			}
			scan_free(scan);
		}
		flawed += flaws.count > 0;
		vec_release(&flaws.list);
		volume_close(v);
	}
	assert_true(flawed > 100);
	print_message("# %d of 250 refused, %d with flaws\n", refused, flawed);
	close(fd);
	free(base);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_kind),
		cmocka_unit_test(test_fragmented_volumes),
		cmocka_unit_test(test_damage_is_named),
		cmocka_unit_test(test_block_claimed_twice),
		cmocka_unit_test(test_random_damage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
