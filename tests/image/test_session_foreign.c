/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_session_foreign.c - undo after another program has had the volume. What only looked
 * costs nothing; what wrote is found, by the superblock or by the inode itself, named in words,
 * and nothing is written. Rows that mount need root and are passed over elsewhere.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/sessrig.h"
#include "tests/lib/test.h"

enum outcome {
	STILL,	/* undo goes on, byte for byte */
	GONE,	/* the journal no longer fits the volume, and is set aside */
	REFUSED /* of the batch with the changed inode */
};

static const struct row {
	const char *what; /* shell: $I the image, $M a folder to mount on */
	enum outcome outcome;
	const char *words; /* in what is said; NULL: anything */
	bool mounts;
} rows[] = {
	{"dumpe2fs $I; debugfs -R 'ls /' $I; tune2fs -l $I", STILL, NULL, false},
	{"e2fsck -fn $I", STILL, NULL, false},
	{"e2fsck -p $I", STILL, NULL, false},
	{"mount -o ro,noload $I $M && cat $M/f00 && umount $M", STILL, NULL, true},
	{"mount $I $M && umount $M", GONE, "mounted", true},
	{"mount $I $M && echo x >$M/new && umount $M", GONE, "written to", true},
	{"mount $I $M && rm $M/f00 && umount $M", GONE, "written to", true},
	{"mount $I $M && mv $M/f00 $M/other && umount $M", GONE, "written to", true},
	{"mount $I $M && rm $M/f00 && cp $M/f01 $M/f00 && umount $M", GONE, "written to",
	 true}, /* its inode is used again */
	{"e2fsck -fy $I", GONE, "checked by e2fsck", false},
	{"tune2fs -L other $I", GONE, "label", false},
	{"tune2fs -c 30 $I", GONE, "check intervals", false},
	{"tune2fs -m 1 $I", GONE, "reserve", false},
	{"tune2fs -O ^dir_index $I", GONE, "features", false},
	{"debugfs -w -R 'rm f00' $I", GONE, NULL, false},
	{"debugfs -w -R 'set_inode_field f00 mtime 1234' $I", REFUSED,
	 "size, times or flags", false},
	{"debugfs -w -R 'set_inode_field f00 size 100' $I", REFUSED,
	 "size, times or flags", false},
	{"debugfs -w -R 'set_inode_field f00 generation 99' $I", REFUSED,
	 "another file now", false},
	{"debugfs -w -R 'set_inode_field f00 links_count 0' $I", REFUSED,
	 "another file now", false},
	{"debugfs -w -R 'set_inode_field f00 blocks 8' $I", REFUSED, "number of blocks",
	 false},
	{"debugfs -w -R 'set_inode_field f00 block[3] 4' $I", REFUSED, "lie elsewhere",
	 false},
	{"debugfs -w -R 'clri f00' $I", REFUSED, "another file now", false},
};
#define ROWS (sizeof(rows) / sizeof(rows[0]))

static bool change(const struct row *r)
{
	return image_run("I='%s' M='%s'; mkdir -p $M; { %s; } >/dev/null", SESS_IMAGE,
			 image_path("mnt"), r->what) == 0;
}

static bool can_mount(void)
{
	static int can = -1;

	if (can < 0)
		can = geteuid() == 0 &&
		      image_run("I='%s' M='%s'; cp $I $I.try; mkdir -p $M; mount -o "
				"ro,noload $I.try $M && umount $M; rc=$?; rm -f $I.try; "
				"exit "
				"$rc",
				SESS_IMAGE, image_path("mnt")) == 0;
	return can;
}

/* f00 is moved first, f01 and a small one after it. */
static void move_three(struct sessrig *r)
{
	sess_make(r, "ext4", 1024, 8 << 20, NULL);
	sess_open(r);
	sess_move(r, r->ino[SESS_SMALL]);
	sess_move(r, r->ino[SESS_DEEP]);
	sess_move(r, r->ino[SESS_TINY]);
	sess_close(r);
}

static void undo_all(struct sessrig *r)
{
	sess_open(r);
	sess_back(r, "uuu");
	sess_close(r);
	sess_assert_as_before();
}

static void assert_has(const char *text, const char *words, const struct row *r)
{
	if (words && !strstr(text, words))
		fail_msg("%s: \"%s\" does not say \"%s\"", r->what, text, words);
}

/* Said beforehand; then the old journal is set aside, and the volume goes on without it. */
static void expect_gone(const struct row *row)
{
	struct session_options opt = {.journal = SESS_JOURNAL};
	struct volume *v = fsimage_open(SESS_IMAGE, true);
	struct err err = ERR_INIT;
	struct str note = STR_INIT;
	struct batch_result result;
	struct session *s;
	struct history h;

	history_init(&h);
	assert_true(history_read(SESS_JOURNAL, v, &h, &err));
	assert_false(h.fits);
	assert_has(h.why, row->words, row);
	history_release(&h);
	s = session_open(v, &opt, &note, &err);
	assert_non_null(s);
	assert_has(note.buf, row->words, row);
	batch_result_init(&result);
	assert_false(session_undo_batch(s, &result, &err));
	assert_has(err.msg, "nothing to undo", row);
	session_free(s);
	volume_close(v);
	str_release(&note);
	assert_int_equal(image_run("mv '%s.1' '%s'", SESS_JOURNAL, SESS_JOURNAL), 0);
}

/* The batches after it can still be undone. */
static void expect_refused(struct sessrig *r, const struct row *row)
{
	struct volume_options opt = {.write = true};
	struct session_options sopt = {.journal = SESS_JOURNAL};
	struct volume *v = volume_open(SESS_IMAGE, &opt, NULL);
	struct batch_result result;
	struct err err = ERR_INIT;
	struct session *s;

	(void)r;
	assert_non_null(v);
	s = session_open(v, &sopt, NULL, &err);
	assert_non_null(s);
	for (int i = 0; i < 3; i++) {
		batch_result_init(&result);
		if (session_undo_batch(s, &result, &err) != (i < 2))
			fail_msg("%s: batch %d: %s", row->what, 3 - i, err.msg);
		batch_result_release(&result);
	}
	assert_int_equal(err.class, ERR_REFUSED);
	assert_has(err.msg, row->words, row);
	err_clear(&err);
	assert_true(session_close(s, &err));
	volume_close(v);
}

static void test_rows(void **state)
{
	int done = 0;

	(void)state;
	for (size_t i = 0; i < ROWS; i++) {
		struct sessrig r;

		move_three(&r);
		if (rows[i].mounts && !can_mount())
			continue;
		if (!change(&rows[i]))
			fail_msg("cannot: %s", rows[i].what);
		done++;
		if (rows[i].outcome == STILL) {
			undo_all(&r);
			continue;
		}
		assert_int_equal(
			image_run("cp '%s' '%s'", SESS_IMAGE, image_path("changed.img")),
			0);
		if (rows[i].outcome == GONE) {
			expect_gone(&rows[i]);
			assert_true(image_same(SESS_IMAGE, image_path("changed.img")));
		} else {
			expect_refused(&r, &rows[i]);
		}
	}
	print_message("# %d of %zu changes tried\n", done, ROWS);
	assert_true(done >= 14);
}

/* Only its folder says that it has another name: it is the same file, where it was. */
static void test_new_name(void **state)
{
	struct sessrig r;

	(void)state;
	move_three(&r);
	assert_int_equal(image_run("debugfs -w -R 'ln f00 other' '%s' && debugfs -w -R "
				   "'unlink f00' '%s'",
				   SESS_IMAGE, SESS_IMAGE),
			 0);
	sess_open(&r);
	sess_back(&r, "uuu");
	sess_close(&r);
	assert_int_equal(
		image_run("debugfs -R 'stat other' '%s' | grep -q 'Type: regular'",
			  SESS_IMAGE),
		0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_new_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
