/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sessrig.c - see sessrig.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "fs/build.h"
#include "journal/journal.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/sessrig.h"
#include "tests/lib/test.h"

#define BEFORE image_path("s.before")
#define LIST   image_path("s.list")

static struct sessrig *seen;

static int seen_write(int fd, const void *buf, size_t n, uint64_t at)
{
	seen->writes++;
	seen->bytes_written += n;
	seen->super_writes += at == 1024 && n == 1024;
	return file_write(fd, buf, n, at);
}

/* What is durable, the crash tests ask. */
static int no_wait(int fd)
{
	(void)fd;
	return 0;
}

/* --- the image --- */

struct layout {
	struct build *b;
	blkno_t next;
	uint32_t *blocks[SESS_FILES];
	size_t n[SESS_FILES], far;
};

static void give(struct layout *l, int file)
{
	while (build_is_used(l->b, l->next))
		l->next++;
	l->blocks[file][l->n[file]++] = (uint32_t)l->next;
	build_reserve(l->b, l->next++);
}

/* In turns: all come out in pieces. */
static void lay_out(struct layout *l)
{
	for (int turn = 0; turn < 300; turn++) {
		give(l, SESS_DEEP);
		if (turn < 30)
			give(l, SESS_SMALL);
		if (turn < 60) {
			l->n[SESS_HOLES] += turn % 7 == 0 ? 3 : 0;
			give(l, SESS_HOLES);
		}
		if (turn == 20 || turn == 40) {
			l->n[SESS_FAR] = turn == 20 ? 0 : l->far;
			give(l, SESS_FAR);
		}
		if (turn < 2 * SESS_TINIES)
			give(l, SESS_TINY + turn % SESS_TINIES);
	}
}

static void put_file(struct sessrig *r, struct layout *l, int i)
{
	struct build_node node = {.parent = BUILD_ROOT,
				  .blocks = l->blocks[i],
				  .block_count = l->n[i],
				  .size = l->n[i] * r->block_size - 9,
				  .mtime = 1700000000 + i,
				  .atime = 1700000100,
				  .content_seed = 100 + (uint64_t)i};
	struct err err = ERR_INIT;
	char name[16];

	snprintf(name, sizeof(name), "f%02d", i);
	node.name = name;
	r->ino[i] = build_file(l->b, &node, &err);
	if (!r->ino[i])
		fail_msg("%s", err.msg);
}

void sess_make(struct sessrig *r, const char *type, uint32_t block_size, uint64_t bytes,
	       const char *const *extra)
{
	struct build_options opt = {type,	bytes,	block_size, 7,
				    1700000000, "sess", extra};
	struct err err = ERR_INIT;
	struct layout l = {0};

	memset(r, 0, sizeof(*r));
	r->block_size = block_size;
	unlink(SESS_IMAGE);
	unlink(SESS_JOURNAL);
	l.b = build_new(SESS_IMAGE, &opt, &err);
	if (!l.b)
		fail_msg("%s", err.msg);
	for (int i = 0; i < SESS_FILES; i++)
		l.blocks[i] = calloc(i == SESS_FAR ? 70002 : 600, sizeof(uint32_t));
	l.far = block_size == 1024 ? 70000 : 2000;
	lay_out(&l);
	for (int i = 0; i < SESS_FILES; i++) {
		put_file(r, &l, i);
		free(l.blocks[i]);
	}
	if (!build_finish(l.b, &err))
		fail_msg("%s", err.msg);
	if (extra && image_run("dumpe2fs -h '%s' 2>/dev/null | grep -q 'features.*quota'",
			       SESS_IMAGE) == 0) /* the usage of all this */
		assert_in_range(image_run("e2fsck -fp '%s' >/dev/null", SESS_IMAGE), 0,
				1);
	sess_remember();
}

void sess_remember(void)
{
	assert_true(image_is_clean(SESS_IMAGE));
	assert_int_equal(
		image_run(
			"cp --sparse=always '%s' '%s' && tests/lib/manifest '%s' > '%s'",
			SESS_IMAGE, BEFORE, SESS_IMAGE, LIST),
		0);
}

/* --- sessions --- */

bool sess_try_open(struct sessrig *r, struct err *err)
{
	struct session_options opt = {.journal = SESS_JOURNAL};
	struct volume_options how = {.write = true};

	journal_calls.sync = no_wait;
	r->v = volume_open(SESS_IMAGE, &how, err);
	r->s = r->v ? session_open(r->v, &opt, NULL, err) : NULL;
	if (!r->s) {
		volume_close(r->v);
		r->v = NULL;
		return false;
	}
	r->bytes_written = r->super_writes = r->writes = 0;
	seen = r;
	io_calls.write = seen_write;
	io_calls.barrier = no_wait;
	return true;
}

void sess_open(struct sessrig *r)
{
	struct err err = ERR_INIT;

	if (!sess_try_open(r, &err))
		fail_msg("%s", err.msg);
	assert_true(session_action(r->s, "test", &err));
}

void sess_close(struct sessrig *r)
{
	struct err err = ERR_INIT;

	if (!session_close(r->s, &err))
		fail_msg("%s", err.msg);
	volume_close(r->v);
	r->s = NULL;
	r->v = NULL;
	assert_true(image_is_clean(SESS_IMAGE));
}

void sess_kill(struct sessrig *r)
{
	session_free(r->s);
	volume_close(r->v);
	r->s = NULL;
	r->v = NULL;
}

blkno_t sess_free_run(struct sessrig *r, uint32_t n, blkno_t from)
{
	const struct geom *g = volume_geom(r->v);
	struct flaw_list flaws = {0};
	uint8_t *used = volume_read_bitmap(r->v, &flaws, NULL);
	blkno_t b = from < g->first_block ? g->first_block : from;
	uint32_t have = 0;

	assert_non_null(used);
	for (; b < g->blocks && have < n; b++) {
		blkno_t i = b - g->first_block;

		have = used[i / 8] >> i % 8 & 1 ? 0 : have + 1;
	}
	free(used);
	vec_release(&flaws.list);
	assert_int_equal(have, n);
	return b - n;
}

/* Its data runs one behind the other; returns blocks. */
static uint32_t line_up(const struct run_list *runs, struct run_list *out)
{
	uint32_t n = 0;

	for (size_t i = 0; i < runs->n && owner_is_data(runs->v[i].kind); i++) {
		struct run run = runs->v[i];

		run.phys = 1 + n;
		n += run.len;
		assert_true(vec_push(out, run));
	}
	out->n = extent_merge(out->v, out->n);
	return n;
}

static void push_data(const struct run_list *runs, inum_t ino, blkno_t to,
		      struct sess_moves *out)
{
	for (size_t i = 0; i < runs->n && owner_is_data(runs->v[i].kind); i++) {
		struct move m = {.ino = ino,
				 .lblk = runs->v[i].lblk,
				 .len = runs->v[i].len,
				 .from = runs->v[i].phys,
				 .to = to};

		to += m.len;
		assert_true(vec_push(out, m));
	}
}

uint32_t sess_gather(struct sessrig *r, inum_t ino, blkno_t to, struct sess_moves *out)
{
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(r->v));
	struct run_list runs = {0}, after = {0};
	struct move m = {.ino = ino, .kind = MOVE_TREE, .from = BLKNO_NONE, .to = to};
	struct err err = ERR_INIT;
	uint32_t blocks, had = 0;

	if (!inode_read(r->v, ino, raw, &err) || !inode_map(r->v, ino, raw, &runs, &err))
		fail_msg("%s", err.msg);
	blocks = line_up(&runs, &after);
	for (size_t i = 0; i < runs.n; i++)
		had += runs.v[i].kind == OWNER_TREE ? runs.v[i].len : 0;
	m.len = extent_tree_planned(after.v, after.n, r->block_size,
				    !(raw->i_flags & EXT4_EXTENTS_FL),
				    r->v->geom.keep_trees, had);
	push_data(&runs, ino, to + m.len, out);
	if (had || m.len)
		assert_true(vec_push(out, m));
	free(raw);
	free(runs.v);
	free(after.v);
	return blocks + m.len;
}

void sess_move(struct sessrig *r, inum_t ino)
{
	struct sess_moves moves = {0};
	struct batch_result result;
	struct err err = ERR_INIT;
	blkno_t to = sess_free_run(r, sess_gather(r, ino, 0, &moves), 0);

	vec_clear(&moves);
	sess_gather(r, ino, to, &moves);
	batch_result_init(&result);
	if (!session_batch(r->s, moves.v, moves.n, &result, &err))
		fail_msg("%s", err.msg);
	batch_result_release(&result);
	vec_release(&moves);
}

uint32_t sess_back(struct sessrig *r, const char *steps)
{
	uint32_t copied = 0;

	for (; *steps; steps++) {
		struct batch_result result;
		struct err err = ERR_INIT;

		batch_result_init(&result);
		if (!(*steps == 'u' ? session_undo_batch(r->s, &result, &err)
				    : session_redo_batch(r->s, &result, &err)))
			fail_msg("%s", err.msg);
		copied += result.copied_blocks;
		batch_result_release(&result);
	}
	return copied;
}

/* --- judging --- */

void sess_assert_as_before(void)
{
	struct volume *was = fsimage_open(BEFORE, false);
	const struct geom *g = volume_geom(was);
	struct flaw_list flaws = {0};
	uint8_t *used = volume_read_bitmap(was, &flaws, NULL);
	size_t bytes = g->blocks * g->block_size;
	uint8_t *a = malloc(bytes), *b = malloc(bytes);

	assert_true(used && a && b);
	fsimage_read(BEFORE, 0, a, bytes);
	fsimage_read(SESS_IMAGE, 0, b, bytes);
	for (blkno_t i = 0; i < g->blocks - g->first_block; i++) {
		uint64_t at = (i + g->first_block) * g->block_size;

		if ((used[i / 8] >> i % 8 & 1) && memcmp(a + at, b + at, g->block_size))
			fail_msg("block %llu is not as it was",
				 (unsigned long long)(i + g->first_block));
	}
	free(a);
	free(b);
	free(used);
	vec_release(&flaws.list);
	volume_close(was);
}

void sess_assert_untouched(void)
{
	assert_true(image_same(SESS_IMAGE, BEFORE));
}

void sess_assert_contents(void)
{
	assert_int_equal(image_run("tests/lib/manifest '%s' > '%s' && diff '%s' '%s'",
				   SESS_IMAGE, image_path("s.now"), LIST,
				   image_path("s.now")),
			 0);
}
