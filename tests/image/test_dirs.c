/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_dirs.c - names: paths as debugfs ncheck and find print them, listings as ls prints
 * them, encrypted names as the kernel shows them, and directories that are damaged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fs/dirs.h"
#include "src/fs/dirent.h"
#include "src/fs/sha256.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define MIB (1024ull * 1024)

static const char *const kinds[] = {
	"-t ext2 -b 1024",
	"-t ext3 -b 1024 -I 128 -O ^filetype",
	"-t ext4 -b 1024",
	"-t ext4 -b 4096 -O inline_data",
	"-t ext4 -b 1024 -I 512 -O inline_data",
	"-t ext4 -b 1024 -O casefold,large_dir,^metadata_csum",
};

/* image_path() has room for eight: what is used in a loop keeps its own. */
static const char *own_path(const char *name)
{
	static char paths[8][512];
	int i = 0;

	while (paths[i][0] && strcmp(strrchr(paths[i], '/') + 1, name) != 0)
		i++;
	assert_true(i < 8);
	return paths[i][0] ? paths[i] : strcpy(paths[i], image_path(name));
}

/* A populated volume; with e2fsck -D its large directory becomes an htree. */
static void make(const char *img, const char *options)
{
	const char *dir = own_path("tree");

	fsimage_make(img, 24 * MIB, "%s -d '%s'", options, dir);
	(void)image_run("e2fsck -fyD '%s' || true", img);
}

/* --- paths --- */

struct asked {
	const inum_t *inos;
	size_t n, told;
	char **paths;
};

static void keep(void *arg, size_t i, const char *path, size_t len)
{
	struct asked *a = arg;

	assert_true(i < a->n && !a->paths[i]);
	a->paths[i] = strndup(path, len);
	a->told++;
}

static void free_asked(struct asked *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->paths[i]);
	free(a->paths);
}

/* All at once. */
static void ask(struct volume *v, const struct model *m, const inum_t *inos, size_t n,
		struct asked *a)
{
	struct err err = ERR_INIT;

	*a = (struct asked){.inos = inos, .n = n, .paths = calloc(n, sizeof(char *))};
	if (!dir_paths(v, m, inos, n, keep, a, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(a->told, n);
}

/* Every path leads back to its inode, and is the one name that debugfs's path walk knows. */
static void expect_paths(const char *img, struct volume *v, const struct asked *a)
{
	const char *script = image_path("script");
	FILE *f = fopen(script, "w"), *p;
	char cmd[1200], *line = NULL;
	size_t cap = 0, checked = 0, files = 0;

	for (size_t i = 0; i < a->n; i++) {
		struct err err = ERR_INIT;
		inum_t ino = dir_lookup(v, a->paths[i], &err);

		if (ino != a->inos[i])
			fail_msg("%s is inode %u, not %u: %s", a->paths[i], ino,
				 a->inos[i], err.msg);
		if (!strpbrk(a->paths[i], "\n\"") && ++files)
			fprintf(f, "imap \"%s\"\n", a->paths[i]);
	}
	fclose(f);
	snprintf(cmd, sizeof(cmd), "debugfs -f '%s' '%s' 2>/dev/null", script, img);
	p = popen(cmd, "r");
	for (size_t i = 0; getline(&line, &cap, p) > 0;) {
		unsigned ino;

		if (sscanf(line, "Inode %u", &ino) != 1)
			continue;
		while (strpbrk(a->paths[i], "\n\""))
			i++;
		assert_int_equal(ino, a->inos[i++]);
		checked++;
	}
	pclose(p);
	free(line);
	assert_int_equal(checked, files);
}

static void test_paths(void **state)
{
	const char *img = own_path("p.img");

	(void)state;
	fsimage_tree(image_path("tree"));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		VEC(inum_t) inos = VEC_INIT;
		struct asked a;
		struct volume *v;
		struct model *m;

		make(img, kinds[i]);
		v = fsimage_open(img, false);
		m = fsimage_scan(v, NULL);
		assert_true(vec_push(&inos, 2));
		for (inum_t ino = 10; (ino = model_next_inode(m, ino)) != 0;)
			if (model_parent(m, ino))
				assert_true(vec_push(&inos, ino));
		assert_true(inos.n > 420);
		ask(v, m, inos.v, inos.n, &a);
		assert_string_equal(a.paths[0], "/");
		expect_paths(img, v, &a);
		free_asked(&a);
		vec_release(&inos);
		model_free(m);
		volume_close(v);
	}
}

/* One by one, in any order, from an empty cache and a full one: the same. Twice the same
 * inode, several names of one inode, and some that have no name. */
static void test_single_paths(void **state)
{
	const char *img = image_path("s.img");
	struct err err = ERR_INIT;
	struct asked a;
	struct volume *v;
	struct model *m;
	inum_t inos[7];

	(void)state;
	fsimage_tree(image_path("tree"));
	make(img, "-t ext4 -b 1024");
	v = fsimage_open(img, false);
	m = fsimage_scan(v, NULL);
	inos[0] = inos[5] = dir_lookup(v, "/small", &err);
	inos[1] = dir_lookup(v, "/a/b/c/d/e/deep", &err);
	inos[2] = 8;
	inos[3] = 2;
	inos[4] = dir_lookup(v, "/large", &err);
	inos[6] = v->geom.inodes;
	assert_int_equal(inos[0], dir_lookup(v, "/hard", &err));
	ask(v, m, inos, 7, &a);
	assert_true(strcmp(a.paths[0], "/small") == 0 ||
		    strcmp(a.paths[0], "/hard") == 0);
	assert_string_equal(a.paths[0], a.paths[5]);
	assert_string_equal(a.paths[1], "/a/b/c/d/e/deep");
	assert_string_equal(a.paths[2], "<ino 8>");
	assert_string_equal(a.paths[3], "/");
	assert_string_equal(a.paths[4], "/large");
	for (int round = 0; round < 2; round++)
		for (size_t i = 0; i < 6; i++) {
			struct str path = STR_INIT;

			if (round == 0)
				dir_cache_drop(v);
			assert_true(dir_path(v, m, inos[i], &path, &err));
			assert_string_equal(path.buf, a.paths[i]);
			str_release(&path);
		}
	free_asked(&a);
	ask(v, m, inos, 0, &a);
	free_asked(&a);
	model_free(m);
	volume_close(v);
}

static void test_lookup(void **state)
{
	const char *img = image_path("l.img");
	static const char *const missing[] = {"/nothing",     "/a/nothing", "/small/x",
					      "/a/b/../copy", "/A",	    "/smal",
					      "/small2",      "relative"};
	struct err err = ERR_INIT;
	struct volume *v;

	(void)state;
	fsimage_tree(image_path("tree"));
	make(img, "-t ext4 -b 1024");
	v = fsimage_open(img, false);
	assert_int_equal(dir_lookup(v, "/", &err), 2);
	assert_int_equal(dir_lookup(v, "//a///b/", &err), dir_lookup(v, "/a/b", &err));
	for (size_t i = 0; i < sizeof(missing) / sizeof(missing[0]); i++) {
		assert_int_equal(dir_lookup(v, missing[i], &err), 0);
		assert_int_equal(err.class, ERR_USAGE);
		assert_non_null(strstr(err.msg, missing[i]));
		err_clear(&err);
	}
	volume_close(v);
}

/* --- listings --- */

struct listing {
	VEC(char) text; /* "name\0" each */
	size_t n, stop_after;
	enum inode_type type;
	bool known_types;
};

static bool add_name(void *arg, const char *name, size_t len, inum_t ino,
		     enum inode_type type)
{
	struct listing *l = arg;

	assert_true(ino != 0);
	for (size_t i = 0; i < len; i++)
		assert_true(vec_push(&l->text, name[i]));
	assert_true(vec_push(&l->text, '\0'));
	l->type = type;
	l->known_types = (l->n == 0 || l->known_types) && type != INODE_NONE;
	return ++l->n != l->stop_after;
}

static bool holds(const struct listing *l, const char *name)
{
	const char *p = l->text.v;

	for (size_t i = 0; i < l->n; i++, p += strlen(p) + 1)
		if (strcmp(p, name) == 0)
			return true;
	return false;
}

static void test_listings(void **state)
{
	const char *img = own_path("t.img");

	(void)state;
	fsimage_tree(image_path("tree"));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		struct listing many = {0}, root = {0}, few = {.stop_after = 7}, odd = {0};
		struct err err = ERR_INIT;
		struct volume *v;

		make(img, kinds[i]);
		v = fsimage_open(img, false);
		assert_true(
			dir_list(v, dir_lookup(v, "/many", &err), add_name, &many, &err));
		assert_int_equal(many.n, 400);
		assert_true(holds(&many, "a_name_that_takes_some_room_1"));
		assert_true(holds(&many, "a_name_that_takes_some_room_400"));
		assert_int_equal(many.known_types, !strstr(kinds[i], "^filetype"));
		assert_true(dir_list(v, 2, add_name, &root, &err));
		assert_int_equal(root.n, 11);
		assert_true(holds(&root, "lost+found") && holds(&root, "long") &&
			    !holds(&root, ".."));
		assert_true(
			dir_list(v, dir_lookup(v, "/many", &err), add_name, &few, &err));
		assert_int_equal(few.n, 7);
		assert_true(dir_list(v, dir_lookup(v, "/odd names", &err), add_name, &odd,
				     &err));
		assert_int_equal(odd.n, 3);
		assert_true(holds(&odd, "\377\001\nx") && holds(&odd, "quote\"s'"));
		assert_false(
			dir_list(v, dir_lookup(v, "/small", &err), add_name, &odd, &err));
		assert_int_equal(err.class, ERR_USAGE);
		vec_release(&many.text);
		vec_release(&root.text);
		vec_release(&few.text);
		vec_release(&odd.text);
		volume_close(v);
	}
}

/* --- encrypted names --- */

static void test_sha256(void **state)
{
	static const struct {
		const char *text, *hex;
	} rows[] = {
		/* the examples of FIPS 180-2 */
		{"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
		{"abc",
		 "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
		{"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
		 "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
	};
	const char *file = image_path("bytes");
	uint8_t sum[SHA256_BYTES], bytes[320];
	char hex[65];

	(void)state;
	for (size_t i = 0; i < 3 + 300; i += i < 3 ? 1 : 13) {
		const char *want = i < 3 ? rows[i].hex : NULL;

		for (size_t k = 0; k < i; k++)
			bytes[k] = (uint8_t)(k * 7 + i);
		if (i >= 3) {
			FILE *f = fopen(file, "w");

			fwrite(bytes, 1, i, f);
			fclose(f);
			want = image_ask("sha256sum '%s' | cut -c1-64", file);
		}
		sha256(i < 3 ? (const void *)rows[i].text : bytes,
		       i < 3 ? strlen(rows[i].text) : i, sum);
		for (int k = 0; k < SHA256_BYTES; k++)
			snprintf(hex + 2 * k, 3, "%02x", sum[k]);
		assert_string_equal(hex, want);
	}
}

static char loop[64];

static int detach(void **state)
{
	(void)state;
	if (loop[0])
		image_run("umount %s 2>/dev/null; losetup -d %s", loop, loop);
	loop[0] = '\0';
	return 0;
}

static bool mount_image(const char *img, const char *options, const char *dir)
{
	detach(NULL);
	snprintf(loop, sizeof(loop), "%s",
		 image_ask("losetup -f --show '%s' 2>/dev/null", img));
	return loop[0] && system("true") == 0 &&
	       image_run("mkdir -p '%s'; mount -o %s %s '%s' 2>/dev/null", dir, options,
			 loop, dir) == 0;
}

/* Names of `dir` as `ls` prints them now. */
static void expect_like_ls(struct volume *v, const char *path, const char *mounted)
{
	struct listing ours = {0};
	struct err err = ERR_INIT;
	char cmd[1200], line[600];
	inum_t dir = dir_lookup(v, path, &err);
	size_t n = 0;
	FILE *p;

	if (!dir || !dir_list(v, dir, add_name, &ours, &err))
		fail_msg("%s", err.msg);
	snprintf(cmd, sizeof(cmd), "ls -AU '%s'", mounted);
	p = popen(cmd, "r");
	while (fgets(line, sizeof(line), p)) {
		line[strcspn(line, "\n")] = '\0';
		if (!holds(&ours, line))
			fail_msg("%s lacks %s", path, line);
		n++;
	}
	pclose(p);
	assert_int_equal(n, ours.n);
	assert_true(n > 0);
	vec_release(&ours.text);
}

/* The kernel encrypts below a new directory of a volume mounted this way, and without the
 * option, so without the key, shows what an outsider sees. */
static void compare_encrypted(const char *options)
{
	static const char script[] =
		"cd '%s' && mkdir enc && cd enc && for i in 1 2 3; do echo $i > name_$i; "
		"done && "
		"mkdir sub && : > sub/$(printf 'n%%.0s' $(seq 120)) && "
		": > sub/$(printf 'm%%.0s' $(seq 255)) && : > sub/$(printf 'o%%.0s' "
		"$(seq 150)) && "
		"mkdir many && for i in $(seq 500); do : > many/some_longer_name_$i; "
		"done";
	const char *img = own_path("e.img"), *dir = own_path("mnt");
	struct err err = ERR_INIT;
	char sub[600], line[512];
	struct volume *v;

	fsimage_make(img, 24 * MIB, "-t ext4 -b 1024 -O encrypt%s", options);
	if (!mount_image(img, "test_dummy_encryption=v2", dir))
		skip();
	assert_int_equal(image_run(script, dir), 0);
	assert_int_equal(image_run("umount '%s'", dir), 0);
	assert_true(mount_image(img, "ro", dir));
	v = fsimage_open(img, false);
	snprintf(line, sizeof(line), "%s",
		 image_ask("ls -d '%s'/* | grep -v lost+found", dir));
	/* its own name may be in an encrypted directory as well, or not */
	snprintf(sub, sizeof(sub), "/%s", strrchr(line, '/') + 1);
	expect_like_ls(v, sub, line);
	for (int i = 1; i <= 2; i++) { /* its two directories */
		const char *name = image_ask(
			"cd '%s' && find . -mindepth 1 -type d | sed -n %dp", line, i);
		char path[1200], mounted[1200];

		assert_true(name[0] != '\0');
		snprintf(path, sizeof(path), "%s/%s", sub, name + 2);
		snprintf(mounted, sizeof(mounted), "%s/%s", line, name + 2);
		expect_like_ls(v, path, mounted);
	}
	assert_int_not_equal(dir_lookup(v, sub, &err), 0);
	volume_close(v);
}

/* With hashes in the names, and in linear directories without. */
static void test_encrypted(void **state)
{
	(void)state;
	compare_encrypted("");
	compare_encrypted(",^dir_index");
}

/* --- damage --- */

static bool count_entry(void *arg, const struct dirent_view *e)
{
	size_t *n = arg;

	assert_true(e->ino != 0 && e->len > 0 && e->len < 256 && e->room >= e->len);
	++*n;
	return true;
}

static void put_entry(uint8_t *p, uint32_t ino, uint32_t rec, uint32_t len,
		      const char *name)
{
	memcpy(p, &ino, 4);
	memcpy(p + 4, &rec, 2);
	p[6] = (uint8_t)len;
	p[7] = EXT2_FT_REG_FILE;
	memcpy(p + 8, name, strlen(name));
}

static void test_bad_blocks(void **state)
{
	const char *img = image_path("b.img");
	uint8_t *block;
	struct volume *v;
	uint32_t rnd = 5;
	size_t n = 0, good = 0;

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4 -b 1024");
	v = fsimage_open(img, false);
	block = malloc(1024); /* exactly: a reader past its end is seen by ASan */
	memset(block, 0, 1024);
	assert_false(dirent_each(v, block, count_entry, &n)); /* rec_len 0 */
	put_entry(block, 12, 1024, 5, "hello");
	assert_true(dirent_each(v, block, count_entry, &n));
	assert_int_equal(n, 1);
	put_entry(block, 12, 16, 9, "too long");
	assert_false(dirent_each(v, block, count_entry, &n));
	put_entry(block, 12, 2048, 5, "hello");
	assert_false(dirent_each(v, block, count_entry, &n));
	put_entry(block, 12, 18, 5, "hello");
	assert_false(dirent_each(v, block, count_entry, &n));
	put_entry(block, 12, 1016, 5,
		  "hello"); /* 8 bytes are left: an entry without a name */
	put_entry(block + 1016, 0, 8, 0, "");
	n = 0;
	assert_true(dirent_each(v, block, count_entry, &n));
	put_entry(block, 12, 1020, 5, "hello"); /* 4 bytes are none */
	assert_false(dirent_each(v, block, count_entry, &n));
	for (int round = 0; round < 20000; round++) {
		for (int i = 0; i < 1024; i++) {
			rnd = rnd * 1664525 + 1013904223;
			block[i] = (uint8_t)(rnd >> 24);
			if (i % 16 == 4 &&
			    rnd >> 28) /* mostly a chain of small entries */
				block[i] = 16;
			else if (i % 16 == 5)
				block[i] = 0;
			else if (i % 16 == 6)
				block[i] = (uint8_t)(rnd >> 28);
		}
		good += dirent_each(v, block, count_entry, &n);
	}
	assert_true(n > 1000 && good < 20000);
	free(block);
	volume_close(v);
}

/* Names that would be taken for paths are not told; a directory with a broken block is an
 * error to list, and its files are nameless, not lost. */
static void test_bad_directories(void **state)
{
	const char *img = image_path("d.img");
	struct flaw_list flaws = {0};
	struct listing l = {0};
	struct err err = ERR_INIT;
	struct run_list runs = {0};
	struct ext2_inode_large *raw;
	struct str path = STR_INIT;
	struct volume *v;
	struct model *m;
	uint8_t block[1024];
	inum_t deep;
	uint64_t at;

	(void)state;
	fsimage_tree(image_path("tree"));
	fsimage_make(img, 24 * MIB, "-t ext4 -b 1024 -O ^metadata_csum -d '%s'",
		     image_path("tree"));
	v = fsimage_open(img, false);
	raw = calloc(1, INODE_BUF(v));
	deep = dir_lookup(v, "/a/b/c/d/e/deep", &err);
	assert_true(inode_read(v, dir_lookup(v, "/a/b/c/d/e", &err), raw, &err));
	assert_true(inode_map(v, 12, raw, &runs, &err));
	at = runs.v[0].phys * 1024;
	fsimage_read(img, at, block, 1024);
	assert_memory_equal(block + 24 + 8, "deep", 4);
	block[24 + 8 + 1] = '/';
	fsimage_write(img, at, block, 1024);
	m = fsimage_scan(v, &flaws);
	assert_true(dir_list(v, dir_lookup(v, "/a/b/c/d/e", &err), add_name, &l, &err));
	assert_int_equal(l.n, 0);
	assert_true(dir_path(v, m, deep, &path, &err));
	assert_true(strncmp(path.buf, "<ino ", 5) == 0);

	block[24 + 8 + 1] = 'e';
	block[24 + 4] = 3;
	fsimage_write(img, at, block, 1024);
	assert_false(dir_list(v, dir_lookup(v, "/a/b/c/d/e", &err), add_name, &l, &err));
	assert_int_equal(err.class, ERR_CORRUPT);
	assert_non_null(strstr(err.msg, "e2fsck -fn"));
	err_clear(&err);
	str_clear(&path);
	assert_true(dir_path(v, m, deep, &path, &err));
	assert_true(strncmp(path.buf, "<ino ", 5) == 0);
	str_release(&path);
	vec_release(&runs);
	vec_release(&flaws.list);
	vec_release(&l.text);
	free(raw);
	model_free(m);
	volume_close(v);
}

/* Parents that go round in a circle, as a damaged volume may have them. */
static void test_loop_of_parents(void **state)
{
	const char *img = image_path("o.img");
	struct err err = ERR_INIT;
	struct str path = STR_INIT;
	struct flaw_list flaws = {0};
	struct inode_info dir = {.type = INODE_DIR};
	struct volume *v;
	struct model *m;

	(void)state;
	fsimage_make(img, 8 * MIB, "-t ext4 -b 1024");
	v = fsimage_open(img, false);
	m = model_new(volume_geom(v), &err);
	for (inum_t i = 20; i < 23; i++)
		assert_true(model_set_inode(m, i, &dir));
	for (inum_t i = 20; i < 23; i++)
		model_set_parent(m, i, i == 22 ? 20 : i + 1);
	assert_true(model_seal(m, NULL, 1, &flaws, &err));
	assert_true(dir_path(v, m, 20, &path, &err));
	assert_string_equal(path.buf, "<ino 20>");
	str_release(&path);
	vec_release(&flaws.list);
	model_free(m);
	volume_close(v);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_single_paths),
		cmocka_unit_test(test_lookup),
		cmocka_unit_test(test_listings),
		cmocka_unit_test(test_sha256),
		cmocka_unit_test_teardown(test_encrypted, detach),
		cmocka_unit_test(test_bad_blocks),
		cmocka_unit_test(test_bad_directories),
		cmocka_unit_test(test_loop_of_parents),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
