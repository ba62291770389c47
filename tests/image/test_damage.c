/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_damage.c - damaged volumes that open for writing: the scan names an inode or a block
 * and takes the permission away again; and volumes without checksums, on which every lie is
 * read: the answer is the same from any number of readers, and nothing that asks crashes.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fs/dirs.h"
#include "fs/scan.h"
#include "fs/session.h"
#include "lab/demo.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

static void make_demo(const char *img, const char *type)
{
	struct demo_options opt = {.seed = 4, .type = type};
	struct err err = ERR_INIT;

	if (!demo_make(img, &opt, true, &err))
		fail_msg("%s", err.msg);
}

/* NULL if the scan failed; then err says why. */
static struct model *scan_with(struct volume *v, int readers, struct flaw_list *flaws,
			       struct err *err)
{
	struct scan *s = scan_new(v, readers, err);
	struct model *m = NULL;
	enum scan_state state;

	assert_non_null(s);
	while ((state = scan_step(s, err)) == SCAN_MORE)
		;
	if (state == SCAN_DONE)
		m = scan_take(s, flaws);
	scan_free(s);
	return m;
}

/* --- what a flaw costs --- */

static bool is_named(const struct flaw_list *flaws, const char *words)
{
	bool found = false;

	for (size_t i = 0; i < flaws->list.n; i++) {
		const struct flaw *f = &flaws->list.v[i];

		if (f->block == BLKNO_NONE && f->ino == 0 && !strstr(f->text, "group"))
			fail_msg("names neither inode nor block: %s", f->text);
		found = found || strstr(f->text, words);
	}
	return found;
}

/* It opens for writing; after the scan it may not be written, and no session begins. */
static void expect_forbidden(const char *img, const char *words)
{
	struct session_options opt = {.journal = image_path("d.undo")};
	const char *copy = image_path("d.copy");
	struct flaw_list flaws = {0};
	struct err err = ERR_INIT;
	struct volume *v;
	struct model *m;

	assert_int_equal(image_run("cp --sparse=always '%s' '%s'", img, copy), 0);
	v = fsimage_open(img, true);
	assert_true(volume_info(v)->write);
	m = scan_with(v, 2, &flaws, &err);
	if (!m)
		fail_msg("%s", err.msg);
	if (!is_named(&flaws, words))
		fail_msg("no flaw of %llu says \"%s\"; the first: %s",
			 (unsigned long long)flaws.count, words,
			 flaws.count ? flaws.list.v[0].text : "none");
	assert_false(volume_info(v)->write);
	assert_int_equal(volume_info(v)->reasons.n, 1);
	assert_non_null(strstr(volume_info(v)->reasons.v[0].what, "contradicts itself"));
	assert_non_null(strstr(volume_info(v)->reasons.v[0].remedy, "e2fsck"));
	assert_null(session_open(v, &opt, NULL, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	assert_int_not_equal(access(opt.journal, F_OK), 0);
	model_free(m);
	vec_release(&flaws.list);
	volume_close(v);
	assert_true(image_same(img, copy));
}

static uint64_t number(const char *img, const char *request, const char *sed)
{
	uint64_t n = strtoull(image_ask("debugfs -R '%s' '%s' 2>/dev/null | sed -n '%s'",
					request, img, sed),
			      NULL, 10);

	assert_true(n > 0);
	return n;
}

static const char first_number[] = "s/^\\([0-9]*\\) .*/\\1/p";

/* Damage by debugfs, which makes every checksum right again: only the scan can tell. %llu:
 * the first block of /var/log/syslog. In an extent root of depth 0 word 5 is the first
 * physical block, in one of depth 1 word 4 is the first node. */
static const struct {
	const char *type, *request, *words;
} lies[] = {
	{"ext2", "sif /var/log/auth.log block[0] %llu", "has two owners"},
	{"ext4", "sif /lost+found block[5] %llu", "has two owners"},
	{"ext2", "sif /var/log/auth.log block[0] 2", "has two owners"},
	{"ext4", "sif /lost+found block[5] 2", "has two owners"},
	{"ext2", "sif /var/log/auth.log block[0] 99999999", "outside the volume"},
	{"ext4", "sif /lost+found block[5] 99999999", "outside the volume"},
	{"ext4", "sif /var/log/auth.log block[0] 4711", "inode "},
	{"ext4", "sif /var/log/auth.log block[4] %llu", "node"},
	{"ext4", "freeb %llu", "is marked free"},
	{"ext2", "freeb %llu", "is marked free"},
	{"ext4", "clri /var/log/auth.log", "nobody owns them"},
	{"ext2", "clri /var/log/auth.log", "nobody owns them"},
};

static void test_lies(void **state)
{
	char img[512], clean[2][512];

	(void)state;
	snprintf(img, sizeof(img), "%s", image_path("d.img"));
	for (int i = 0; i < 2; i++) {
		snprintf(clean[i], sizeof(clean[i]), "%s",
			 image_path(i ? "ext4.img" : "ext2.img"));
		make_demo(clean[i], i ? "ext4" : "ext2");
	}
	for (size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		const char *from = clean[lies[i].type[3] == '4'];
		uint64_t block = number(from, "blocks /var/log/syslog", first_number);
		char number_text[24], request[100];
		const char *hole = strstr(lies[i].request, "%llu");

		snprintf(number_text, sizeof(number_text), "%llu",
			 (unsigned long long)block);
		snprintf(request, sizeof(request), "%.*s%s",
			 hole ? (int)(hole - lies[i].request) : 90, lies[i].request,
			 hole ? number_text : "");
		assert_int_equal(image_run("cp --sparse=always '%s' '%s' && "
					   "debugfs -w -R '%s' '%s' 2>/dev/null",
					   from, img, request, img),
				 0);
		expect_forbidden(img, lies[i].words);
	}
}

/* One bit: only its checksum can tell. */
static const struct {
	const char *request, *sed;
	uint64_t at;
	const char *words;
} bits[] = {
	{"imap /var/log/syslog", "s/.*located at block \\([0-9]*\\), .*/\\1/p", 300,
	 "checksum of inode"},
	{"stat /var/lib/db/base.dat", "s/^(ETB0):\\([0-9]*\\).*/\\1/p", 40,
	 "checksum of tree node"},
	{"blocks /var/spool/mail", "s/.* \\([0-9][0-9]*\\) *$/\\1/p", 100, "directory"},
	{"stats", "s/.*block bitmap at \\([0-9]*\\).*/\\1/p", 512, "bitmap"},
};

static void test_bits(void **state)
{
	char img[512];

	(void)state;
	snprintf(img, sizeof(img), "%s", image_path("d.img"));
	make_demo(img, "ext4");
	for (size_t i = 0; i < sizeof(bits) / sizeof(bits[0]); i++) {
		uint64_t at =
			number(img, bits[i].request, bits[i].sed) * 1024 + bits[i].at;
		uint8_t byte, flipped;

		fsimage_read(img, at, &byte, 1);
		flipped = byte ^ 0x10;
		fsimage_write(img, at, &flipped, 1);
		expect_forbidden(img, bits[i].words);
		fsimage_write(img, at, &byte, 1);
	}
	assert_true(image_is_clean(img));
}

/* --- random lies --- */

#define ROUNDS 50 /* on each of two volumes */

static uint32_t rnd;

static uint32_t random_below(uint32_t n)
{
	rnd = rnd * 1664525 + 1013904223;
	return (rnd >> 8) % n;
}

/* Stretches of bytes that the scan believes. */
struct target {
	uint64_t at;
	uint32_t len;
};
struct targets {
	struct target *v;
	size_t n, cap;
};

struct find {
	struct targets inodes, maps, dirs, bitmaps;
};

static bool add_run(void *arg, const struct run *r)
{
	struct find *f = arg;
	struct target t = {r->phys * 1024, r->len * 1024};
	bool ok = true;

	if (r->kind == OWNER_TREE)
		ok = vec_push(&f->maps, t);
	else if (r->kind == OWNER_DIR)
		ok = vec_push(&f->dirs, t);
	else if (r->kind == OWNER_BLOCK_BITMAP)
		ok = vec_push(&f->bitmaps, t);
	assert_true(ok);
	return true;
}

static void find_targets(const char *img, struct find *f)
{
	struct volume *v = fsimage_open(img, false);
	struct model *m = fsimage_scan(v, NULL);

	memset(f, 0, sizeof(*f));
	model_walk(m, 0, UINT64_MAX, add_run, f);
	for (inum_t ino = 0; (ino = model_next_inode(m, ino)) != 0;) {
		struct target t = {0, 128};
		size_t offset;

		inode_locate(v, ino, &t.at, &offset);
		t.at = t.at * 1024 + offset;
		assert_true(vec_push(&f->inodes, t));
	}
	model_free(m);
	volume_close(v);
	assert_true(f->inodes.n > 100 && f->maps.n > 10 && f->dirs.n > 5 &&
		    f->bitmaps.n > 0);
}

struct change {
	uint64_t at;
	uint8_t before[4];
};

/* 1 to 4 bytes become random, extreme, or those of another place of the same sort. */
static void damage(const char *img, const struct find *f, struct change *c)
{
	static const uint8_t extremes[2][4] = {{0}, {0xFF, 0xFF, 0xFF, 0xFF}};
	const struct targets *sorts[] = {&f->inodes, &f->inodes, &f->maps,
					 &f->maps,   &f->dirs,	 &f->bitmaps};
	const struct targets *sort = sorts[random_below(6)];
	const struct target *t = &sort->v[random_below((uint32_t)sort->n)];
	const struct target *other = &sort->v[random_below((uint32_t)sort->n)];
	uint32_t offset = random_below(t->len / 4) * 4, how = random_below(4);
	uint8_t bytes[4];

	c->at = t->at + offset;
	fsimage_read(img, c->at, c->before, 4);
	memcpy(bytes, c->before, 4);
	if (how == 0)
		bytes[random_below(4)] = (uint8_t)random_below(256);
	else if (how == 1)
		memcpy(bytes, extremes[random_below(2)], 4);
	else if (how == 2)
		fsimage_read(img, other->at + offset % other->len, bytes, 4);
	else
		for (int i = 0; i < 4; i++)
			bytes[i] = (uint8_t)random_below(256);
	fsimage_write(img, c->at, bytes, 4);
}

static bool same_in_other(void *arg, const struct run *a)
{
	struct run b;

	model_at(arg, a->phys, &b);
	assert_int_equal(a->phys, b.phys);
	assert_int_equal(a->len, b.len);
	assert_int_equal(a->ino, b.ino);
	assert_int_equal(a->lblk, b.lblk);
	assert_int_equal(a->kind, b.kind);
	return true;
}

static bool count_name(void *arg, const char *name, size_t len, inum_t ino,
		       enum inode_type type)
{
	(void)name;
	(void)ino;
	(void)type;
	assert_true(len > 0 && len <= 255);
	return ++*(size_t *)arg < 1000000;
}

/* All that list, inspector and planner ask of a volume, flawed or not. */
static void ask_everything(struct volume *v, const struct model *m)
{
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(v));
	struct run_list runs = {0};

	for (inum_t ino = 0; (ino = model_next_inode(m, ino)) != 0;) {
		struct err errs[4] = {ERR_INIT, ERR_INIT, ERR_INIT, ERR_INIT};
		struct str path = STR_INIT;
		struct file_info info;
		size_t names = 0;

		assert_true(model_file(m, ino, &info));
		runs.n = 0;
		assert_true(model_runs(m, ino, &runs));
		for (size_t i = 0; i < runs.n; i++)
			assert_true(runs.v[i].phys + runs.v[i].len <= v->geom.blocks);
		runs.n = 0;
		if (inode_read(v, ino, raw, &errs[0]))
			(void)inode_map(v, ino, raw, &runs, &errs[1]);
		if (info.inode.type == INODE_DIR)
			(void)dir_list(v, ino, count_name, &names, &errs[2]);
		(void)dir_path(v, m, ino, &path, &errs[3]);
		for (int i = 0; i < 4; i++)
			assert_int_not_equal(errs[i].class, ERR_BUG);
		str_release(&path);
	}
	vec_release(&runs);
	free(raw);
}

/* One reader and four see the same. Returns whether there were flaws. */
static bool look_at(const char *img)
{
	struct volume *v = fsimage_open(img, true);
	struct flaw_list one = {0}, four = {0};
	struct err err = ERR_INIT;
	struct model *a = scan_with(v, 1, &one, &err), *b;

	if (!a)
		fail_msg("%s", err.msg);
	assert_int_equal(volume_info(v)->write, one.count == 0);
	b = scan_with(v, 4, &four, &err);
	if (!b)
		fail_msg("%s", err.msg);
	assert_int_equal(one.count, four.count);
	assert_int_equal(one.list.n, four.list.n);
	for (size_t i = 0; i < one.list.n; i++)
		assert_string_equal(one.list.v[i].text, four.list.v[i].text);
	model_walk(a, 0, UINT64_MAX, same_in_other, b);
	model_walk(b, 0, UINT64_MAX, same_in_other, a);
	ask_everything(v, b);
	model_free(a);
	model_free(b);
	vec_release(&one.list);
	vec_release(&four.list);
	volume_close(v);
	return one.count > 0;
}

/* Without checksums: every byte is believed until it contradicts another. */
static void random_lies(const char *type, const char *more)
{
	char img[512];
	struct find f;
	int flawed = 0;

	snprintf(img, sizeof(img), "%s", image_path("d.img"));
	make_demo(img, type);
	assert_int_equal(image_run("%s '%s'", more, img), 0);
	find_targets(img, &f);
	rnd = 7;
	for (int round = 0; round < ROUNDS; round++) {
		struct change changes[6];
		int n = 1 + (int)random_below(6);

		for (int i = 0; i < n; i++)
			damage(img, &f, &changes[i]);
		flawed += look_at(img);
		while (n--)
			fsimage_write(img, changes[n].at, changes[n].before, 4);
	}
	assert_false(look_at(img));
	print_message("# %s: %d of %d with flaws\n", type, flawed, ROUNDS);
	assert_true(flawed > ROUNDS / 3 && flawed < ROUNDS);
	vec_release(&f.inodes);
	vec_release(&f.maps);
	vec_release(&f.dirs);
	vec_release(&f.bitmaps);
}

static void test_random_extents(void **state)
{
	(void)state;
	random_lies("ext4", "tune2fs -O ^metadata_csum");
}

static void test_random_indirect(void **state)
{
	(void)state;
	random_lies("ext2", "test -s");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lies),
		cmocka_unit_test(test_bits),
		cmocka_unit_test(test_random_extents),
		cmocka_unit_test(test_random_indirect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
