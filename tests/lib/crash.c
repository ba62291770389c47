/* SPDX-License-Identifier: GPL-3.0-or-later */
/* crash.c - see crash.h: recording, building states, judging them. */
#include "tests/lib/crash.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/crc32c.h"
#include "base/file.h"
#include "base/vec.h"
#include "core/strategy.h"
#include "fs/build.h"
#include "fs/scan.h"
#include "fs/session.h"
#include "journal/journal.h"
#include "src/fs/change.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

#define IMAGE	image_path("crash.img")
#define JOURNAL image_path("crash.undo")

/* --- hooks --- */

static struct crash_log *recording;
static int calls, fail_call = -1, fail_errno;
static size_t volume_writes;
static bool whole_image, reads_fail, call_failed;

void crash_fail_reads(bool on)
{
	reads_fail = on;
}

void crash_keep_free(bool on)
{
	whole_image = on;
}

static int plain(int fd, const void *buf, size_t n, uint64_t at)
{
	return pwrite(fd, buf, n, (off_t)at) == (ssize_t)n ? 0 : errno;
}

static bool fails(void)
{
	if (fail_call < 0 || calls++ != fail_call)
		return false;
	call_failed = true;
	return true;
}

static void note(int file, bool barrier, const void *buf, size_t n, uint64_t at)
{
	struct crash_op op = {file, barrier, false, at, n, NULL};

	if (!recording)
		return;
	if (n) {
		op.data = malloc(n);
		memcpy(op.data, buf, n);
	}
	assert_true(vec_push(recording, op));
}

static int fail_barrier(int file)
{
	note(file, true, NULL, 0, 0);
	if (recording)
		recording->v[recording->n - 1].failed = true;
	return fail_errno;
}

static int volume_write(int fd, const void *buf, size_t n, uint64_t at)
{
	if (fails())
		return fail_errno;
	volume_writes++;
	note(0, false, buf, n, at);
	return plain(fd, buf, n, at);
}

static int volume_barrier(int fd)
{
	(void)fd; /* what is durable, the state builder decides */
	if (fails())
		return fail_barrier(0);
	note(0, true, NULL, 0, 0);
	return 0;
}

/* Counted only when asked for: there are many. */
static int volume_read(int fd, void *buf, size_t n, uint64_t at)
{
	if (reads_fail && fails())
		return fail_errno;
	return file_read(fd, buf, n, at);
}

static int journal_write(int fd, const void *buf, size_t n, uint64_t at)
{
	if (fails())
		return fail_errno;
	note(1, false, buf, n, at);
	return plain(fd, buf, n, at);
}

static int journal_flush(int fd)
{
	(void)fd;
	if (fails())
		return fail_barrier(1);
	note(1, true, NULL, 0, 0);
	return 0;
}

static void no_waiting(unsigned seconds)
{
	(void)seconds;
}

static void set_hooks(void)
{
	io_calls = (struct io_calls){volume_write, volume_barrier, volume_read};
	journal_calls.write = journal_write;
	journal_calls.sync = journal_flush;
	mmp_calls.wait = no_waiting;
}

void crash_record(struct crash_log *log)
{
	memset(log, 0, sizeof(*log));
	recording = log;
}

void crash_stop_recording(void)
{
	recording = NULL;
}

void crash_log_release(struct crash_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		free(log->v[i].data);
	vec_release(log);
}

/* --- files --- */

static uint8_t *load(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY);
	uint8_t *buf;

	*n = 0;
	if (fd < 0)
		return NULL;
	*n = (size_t)lseek(fd, 0, SEEK_END);
	buf = malloc(*n + 1);
	assert_int_equal(pread(fd, buf, *n, 0), *n);
	close(fd);
	return buf;
}

static void store(const char *path, const uint8_t *bytes, size_t n)
{
	int fd = open(path, O_WRONLY | O_CREAT, 0600);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, bytes, n, 0), n);
	assert_int_equal(ftruncate(fd, (off_t)n), 0);
	close(fd);
}

void crash_reset(const struct crash_rig *r)
{
	store(IMAGE, r->base, r->bytes);
	unlink(JOURNAL);
	if (r->journal_bytes)
		store(JOURNAL, r->journal, r->journal_bytes);
}

void crash_take(struct crash_rig *r)
{
	r->base = load(IMAGE, &r->bytes);
	r->journal = load(JOURNAL, &r->journal_bytes);
}

/* --- the volume --- */

struct filler {
	struct build *build;
	uint8_t *used;
	blkno_t next;
	uint64_t random;
};

static uint32_t rnd(struct filler *f, uint32_t n)
{
	uint64_t word;

	build_content(f->random++, 3, &word, sizeof(word));
	return (uint32_t)(word % n);
}

static uint32_t next_block(struct filler *f)
{
	while (f->used[f->next])
		f->next = (f->next + 1) % build_blocks(f->build);
	f->used[f->next] = 1;
	build_reserve(f->build, f->next);
	return (uint32_t)f->next++;
}

#define FILES	  18
#define LONG_FILE 0

/* Files grow in turns, a few blocks each, some with holes: all of them come out in
 * pieces. */
static void put_files(struct filler *f, const struct crash_volume *v, inum_t dir)
{
	uint32_t *blocks[FILES];
	size_t n[FILES] = {0}, want;

	for (int i = 0; i < FILES; i++)
		blocks[i] = calloc(4096, sizeof(uint32_t));
	for (uint32_t turn = 0; turn < v->pieces; turn++)
		for (int i = 0; i < FILES; i++) {
			want = i == LONG_FILE ? 1 + rnd(f, 2) : turn < 6 ? rnd(f, 5) : 0;
			if (want && rnd(f, 9) == 0)
				n[i] += 1 + rnd(f, 20); /* a hole */
			while (want-- && n[i] < 4000)
				blocks[i][n[i]++] = next_block(f);
			if (turn >= 6 && i == LONG_FILE && rnd(f, 2))
				next_block(f); /* leaked to nobody below: given back by
						  the reader's bitmap */
		}
	for (int i = 0; i < FILES; i++) {
		struct build_node node = {.parent = i % 2 ? dir : BUILD_ROOT,
					  .blocks = blocks[i],
					  .block_count = n[i],
					  .size = n[i] * v->block_size - 7,
					  .mtime = 1700000000 + i,
					  .atime = 1700000100,
					  .content_seed = f->random + (uint64_t)i};
		struct err err = ERR_INIT;
		char name[16];

		snprintf(name, sizeof(name), "file%02d", i);
		node.name = name;
		if (n[i] && !build_file(f->build, &node, &err))
			fail_msg("%s", err.msg);
		free(blocks[i]);
	}
}

static void put_all(const struct crash_volume *v, struct build *b, uint64_t seed)
{
	struct filler f = {.build = b, .random = seed * 1000};
	uint32_t dir_blocks[3];
	struct build_node node = {.parent = BUILD_ROOT,
				  .name = "dir",
				  .blocks = dir_blocks,
				  .block_count = 3,
				  .mtime = 1700000000};
	struct err err = ERR_INIT;
	inum_t dir;

	f.used = calloc(1, build_blocks(b));
	for (blkno_t i = 0; i < build_blocks(b); i++)
		f.used[i] = build_is_used(b, i);
	for (int i = 0; i < 3; i++) {
		dir_blocks[i] = next_block(&f);
		f.next += 5; /* the directory itself is in pieces */
	}
	dir = build_dir(b, &node, &err);
	if (!dir)
		fail_msg("%s", err.msg);
	put_files(&f, v, dir);
	free(f.used);
}

/* --- what is in it --- */

struct judge {
	struct volume *v;
	struct model *m;
	char reason[300];
};

/* Opens and scans; j->reason says what went wrong. */
static void judge_scan(struct judge *j, struct flaw_list *flaws)
{
	struct volume_options opt = {0};
	struct err err = ERR_INIT;
	enum scan_state state;
	struct scan *scan;

	j->v = volume_open(IMAGE, &opt, &err);
	if (!j->v) {
		snprintf(j->reason, sizeof(j->reason), "open: %.250s", err.msg);
		return;
	}
	scan = scan_new(j->v, 1, &err);
	while ((state = scan_step(scan, &err)) == SCAN_MORE)
		;
	if (state == SCAN_DONE)
		j->m = scan_take(scan, flaws);
	else
		snprintf(j->reason, sizeof(j->reason), "scan: %.250s", err.msg);
	scan_free(scan);
}

/* As judge_scan(), and the volume must be fit and without a contradiction. */
static bool judge_open(struct judge *j)
{
	struct flaw_list flaws = {0};
	bool fit;

	judge_scan(j, &flaws);
	fit = j->v && !j->reason[0];
	/* a contradiction makes it view-only too: then that is what is told */
	if (fit && flaws.count)
		snprintf(j->reason, sizeof(j->reason), "%llu flaws: %s",
			 (unsigned long long)flaws.count, flaws.list.v[0].text);
	else if (fit && j->v->info.reasons.n)
		snprintf(j->reason, sizeof(j->reason), "not fit: %s",
			 j->v->info.reasons.v[0].what);
	vec_release(&flaws.list);
	return !j->reason[0];
}

static void judge_close(struct judge *j)
{
	model_free(j->m);
	volume_close(j->v);
}

/* Of one inode: its contents by logical block, and all its bytes but those that a move
 * may change. */
static uint64_t sum_inode(struct judge *j, inum_t ino, struct ext2_inode_large *raw,
			  uint8_t *buf)
{
	struct inode_core none = {{0}};
	struct run_list runs = {0};
	struct err err = ERR_INIT;
	uint32_t crc = ~0u, meta;

	if (!inode_read(j->v, ino, raw, &err) || !model_runs(j->m, ino, &runs)) {
		snprintf(j->reason, sizeof(j->reason), "%.250s", err.msg);
		return 0;
	}
	for (size_t i = 0; i < runs.n; i++)
		for (uint32_t k = 0; owner_is_data(runs.v[i].kind) && k < runs.v[i].len;
		     k++) {
			lblk_t l = runs.v[i].lblk + k;

			assert_true(io_read(j->v, runs.v[i].phys + k, 1, buf, NULL));
			crc = crc32c(crc, &l, sizeof(l));
			crc = crc32c(crc, buf, j->v->geom.block_size);
		}
	free(runs.v);
	core_put(j->v, raw, &none);
	meta = crc32c(~0u, raw, j->v->geom.inode_size);
	return (uint64_t)crc << 32 | meta;
}

/* Sums of all inodes, or a comparison with them. */
static bool sum_all(struct judge *j, uint64_t *sums, bool compare)
{
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(j->v));
	uint8_t *buf = malloc(j->v->geom.block_size);

	for (inum_t ino = model_next_inode(j->m, 0); ino;
	     ino = model_next_inode(j->m, ino)) {
		uint64_t sum = sum_inode(j, ino, raw, buf);

		if (!compare)
			sums[ino] = sum;
		else if (sums[ino] != sum && !j->reason[0])
			snprintf(
				j->reason, sizeof(j->reason), "inode %u: %s changed", ino,
				sums[ino] >> 32 != sum >> 32 ? "contents" : "attributes");
	}
	free(raw);
	free(buf);
	return !j->reason[0];
}

/* The group descriptors' and the superblock's free blocks against the bitmap that the
 * model was held against. */
static bool counts_ok(struct judge *j)
{
	struct model_stats stats;
	uint64_t groups = 0;

	model_stats(j->m, &stats);
	for (group_t g = 0; g < j->v->geom.groups; g++)
		groups += ext2fs_bg_free_blocks_count(j->v->fs, g);
	if (groups != stats.free_blocks || j->v->info.free_blocks != stats.free_blocks)
		snprintf(j->reason, sizeof(j->reason),
			 "free blocks: %llu, groups say %llu, superblock %llu",
			 (unsigned long long)stats.free_blocks,
			 (unsigned long long)groups,
			 (unsigned long long)j->v->info.free_blocks);
	return !j->reason[0];
}

void crash_make(struct crash_rig *r, const struct crash_volume *v, uint64_t seed)
{
	struct build_options opt = {v->type,	v->bytes, v->block_size, seed,
				    1700000000, "crash",  v->extra};
	struct judge j = {0};
	struct err err = ERR_INIT;
	struct build *b;

	memset(r, 0, sizeof(*r));
	unlink(IMAGE);
	unlink(JOURNAL);
	b = build_new(IMAGE, &opt, &err);
	if (!b)
		fail_msg("%s", err.msg);
	put_all(v, b, seed);
	if (!build_finish(b, &err))
		fail_msg("%s", err.msg);
	/* Frees what was leaked on purpose. Where there is quota, twice: it makes trees
	 * smaller after it has counted the usage. */
	for (int i = 0; i < (v->extra && strstr(v->extra[1], "quota") ? 2 : 1); i++)
		image_run("e2fsck -fy '%s' >/dev/null", IMAGE);
	assert_true(image_is_clean(IMAGE));
	set_hooks();
	if (!judge_open(&j))
		fail_msg("%s", j.reason);
	r->blocks = j.v->geom.blocks;
	r->first_block = j.v->geom.first_block;
	r->block_size = j.v->geom.block_size;
	r->inodes = j.v->geom.inodes;
	r->sums = calloc(r->inodes + 1, sizeof(*r->sums));
	r->used = volume_read_bitmap(j.v, NULL, &err);
	assert_true(sum_all(&j, r->sums, false));
	judge_close(&j);
	r->base = load(IMAGE, &r->bytes);
}

void crash_release(struct crash_rig *r)
{
	free(r->base);
	free(r->used);
	free(r->sums);
	free(r->journal);
}

/* --- a life --- */

static struct session *open_session(struct volume **v, struct err *err)
{
	struct session_options opt = {.journal = JOURNAL, .keep_free = whole_image};
	struct volume_options vopt = {.write = true};

	*v = volume_open(IMAGE, &vopt, err);
	return *v ? session_open(*v, &opt, NULL, err) : NULL;
}

/* NULL if something cannot be read. The caller frees it. */
static struct model *scanned(struct volume *v, struct err *err)
{
	struct scan *scan = scan_new(v, 1, err);
	struct flaw_list flaws = {0};
	struct model *m = NULL;
	enum scan_state state = SCAN_MORE;

	while (scan && state == SCAN_MORE)
		state = scan_step(scan, err);
	if (scan && state == SCAN_DONE)
		m = scan_take(scan, &flaws);
	scan_free(scan);
	return m;
}

/* At most so many batches. */
static bool run_plan(struct volume *v, struct session *s, int batches, struct err *err)
{
	struct strategy_options opt = {.batch_inodes = 5, .batch_bytes = 400 << 10};
	struct inum_list all = {0};
	struct plan plan;
	struct model *m = scanned(v, err);
	bool ok = true;

	if (!m)
		return false;
	plan_init(&plan);
	assert_true(model_tree(m, 2, &all));
	assert_true(strat_defrag(m, all.v, all.n, &opt, &plan, err));
	for (size_t i = 0, end; ok && i < plan.moves.n && batches--; i = end) {
		struct batch_result result;

		end = plan_batch_end(&plan, i);
		batch_result_init(&result);
		ok = session_batch(s, plan.moves.v + i, end - i, &result, err);
		batch_result_release(&result);
	}
	plan_release(&plan);
	free(all.v);
	model_free(m);
	return ok;
}

/* steps: 'u' undo, 'r' redo, one batch each. */
static bool go_back(struct session *s, const char *steps, struct err *err)
{
	bool ok = true;

	for (; ok && *steps; steps++) {
		struct batch_result result;

		batch_result_init(&result);
		ok = *steps == 'u' ? session_undo_batch(s, &result, err)
				   : session_redo_batch(s, &result, err);
		batch_result_release(&result);
	}
	return ok;
}

bool crash_life(int fail_at, int fail_with)
{
	struct err err = ERR_INIT;
	struct volume *v = NULL;
	struct session *s;
	bool ok;

	calls = 0;
	call_failed = false;
	fail_call = fail_at;
	fail_errno = fail_with;
	s = open_session(&v, &err);
	ok = s && session_action(s, "life", &err) && run_plan(v, s, -1, &err);
	if (s && err.class != ERR_IO)
		ok = session_close(s, &err) && ok;
	else
		session_free(s);
	volume_close(v);
	v = NULL;
	s = ok ? open_session(&v, &err) : NULL;
	ok = ok && s && go_back(s, "uur", &err);
	if (s && err.class != ERR_IO)
		ok = session_close(s, &err) && ok;
	else
		session_free(s);
	volume_close(v);
	fail_call = -1;
	return ok;
}

bool crash_call_failed(void)
{
	return call_failed;
}

/* --- judging --- */

static char why[400];

const char *crash_recover(void)
{
	struct recover_report report;
	struct err err = ERR_INIT;

	if (recover_volume(IMAGE, 0, JOURNAL, &report, &err))
		return NULL;
	snprintf(why, sizeof(why), "recover: %.300s", err.msg);
	return why;
}

static const char *check_contents(const struct crash_rig *r, const char *when)
{
	struct judge j = {0};
	bool ok = judge_open(&j) && sum_all(&j, r->sums, true) && counts_ok(&j);

	judge_close(&j);
	if (ok)
		return NULL;
	snprintf(why, sizeof(why), "%s: %.300s", when, j.reason);
	return why;
}

/* Is it one that a lost journal may cost, and e2fsck -p puts right? */
static bool is_harmless(const struct flaw *f)
{
	return strstr(f->text, "nobody owns") ||
	       strstr(f->text, "checksum of the block bitmap");
}

const char *crash_check_raw(const struct crash_rig *r)
{
	struct flaw_list flaws = {.limit = 4096};
	struct judge j = {0};
	bool ok;

	judge_scan(&j, &flaws);
	for (size_t i = 0; i < flaws.list.n && !j.reason[0]; i++)
		if (!is_harmless(&flaws.list.v[i]))
			snprintf(j.reason, sizeof(j.reason), "%s", flaws.list.v[i].text);
	ok = !j.reason[0] && sum_all(&j, r->sums, true);
	vec_release(&flaws.list);
	judge_close(&j);
	if (ok)
		return NULL;
	snprintf(why, sizeof(why), "without the journal: %.300s", j.reason);
	return why;
}

const char *crash_undo(void)
{
	struct err err = ERR_INIT;
	struct volume *v = NULL;
	struct session *s = open_session(&v, &err);

	while (s && !err_isset(&err))
		go_back(s, "u", &err);
	if (s && err.class == ERR_REFUSED) { /* "nothing to undo" is the end */
		err_clear(&err);
		session_close(s, &err);
	} else {
		session_free(s);
	}
	volume_close(v);
	if (!err_isset(&err))
		return NULL;
	snprintf(why, sizeof(why), "undo: %.300s", err.msg);
	return why;
}

/* Undoes (or does again) until there is nothing left. */
static bool all_back(struct session *s, const char *step, struct err *err)
{
	while (go_back(s, step, err))
		;
	if (err->class != ERR_REFUSED)
		return false;
	err_clear(err);
	return true;
}

static bool do_step(struct volume *v, struct session *s, char step, struct err *err)
{
	const char one[] = {step == 'u' || step == 'U' ? 'u' : 'r', '\0'};

	if (step == 'd' || step == 'e' || step == 'k')
		return session_action(s, "step", err) &&
		       run_plan(v, s, step == 'd' ? -1 : 2, err);
	if (step == 'U' || step == 'R')
		return all_back(s, one, err);
	if (go_back(s, one, err) || err->class != ERR_REFUSED)
		return !err_isset(err);
	err_clear(err); /* nothing to undo is no failure here */
	return true;
}

const char *crash_step(char step)
{
	const char *bad = crash_recover();
	struct err err = ERR_INIT;
	struct volume *v = NULL;
	struct session *s;
	bool ok;

	if (bad)
		return bad;
	s = open_session(&v, &err);
	ok = s && do_step(v, s, step, &err);
	if (ok && step != 'k')
		ok = session_close(s, &err);
	else
		session_free(s);
	volume_close(v);
	if (ok)
		return NULL;
	snprintf(why, sizeof(why), "step %c: %.300s", step, err.msg);
	return why;
}

const char *crash_check_clean(const struct crash_rig *r)
{
	return check_contents(r, "after a step");
}

static const char *check_bytes(const struct crash_rig *r)
{
	size_t n;
	uint8_t *now = load(IMAGE, &n);
	const char *bad = NULL;

	for (uint64_t i = 0; !bad && i < r->blocks - r->first_block; i++) {
		size_t at = (size_t)((i + r->first_block) * r->block_size);

		if ((whole_image || r->used[i / 8] >> i % 8 & 1) &&
		    memcmp(now + at, r->base + at, r->block_size)) {
			snprintf(why, sizeof(why),
				 "after undo block %llu is not as it was",
				 (unsigned long long)(i + r->first_block));
			bad = why;
		}
	}
	free(now);
	return bad;
}

const char *crash_check(const struct crash_rig *r, bool fsck)
{
	const char *bad = crash_recover();

	bad = bad ? bad : check_contents(r, "after recovery");
	if (!bad && fsck && !image_is_clean(IMAGE))
		bad = "e2fsck -fn finds something after recovery";
	if (!bad) {
		volume_writes = 0;
		bad = crash_recover();
		if (!bad && volume_writes)
			bad = "a second recovery writes";
	}
	bad = bad ? bad : crash_undo();
	bad = bad ? bad : check_contents(r, "after undo");
	return bad ? bad : check_bytes(r);
}

/* --- states --- */

static uint32_t dice(uint64_t *seed, uint32_t n)
{
	uint64_t word;

	build_content((*seed)++, 9, &word, sizeof(word));
	return (uint32_t)(word % n);
}

struct file_state {
	uint8_t *bytes;
	size_t n, cap;
};

static void put_bytes(struct file_state *f, const uint8_t *data, uint64_t at, size_t n)
{
	if (at + n > f->cap) {
		size_t cap = (size_t)(at + n) * 2;

		f->bytes = realloc(f->bytes, cap);
		memset(f->bytes + f->cap, 0, cap - f->cap);
		f->cap = cap;
	}
	memcpy(f->bytes + at, data, n);
	if (at + n > f->n)
		f->n = (size_t)(at + n);
}

static void put_torn(struct file_state *f, const struct crash_op *op, uint64_t *seed)
{
	for (size_t k = 0; k < op->n; k += 512)
		if (dice(seed, 2))
			put_bytes(f, op->data + k, op->at + k,
				  op->n - k < 512 ? op->n - k : 512);
}

/* Was the operation made durable before point k? The first barrier after it decides. */
static bool is_durable(const struct crash_log *log, size_t op, size_t k)
{
	for (size_t i = op + 1; i < k; i++)
		if (log->v[i].barrier && log->v[i].file == log->v[op].file)
			return !log->v[i].failed;
	return false;
}

bool crash_failed_barrier(const struct crash_log *log)
{
	for (size_t i = 0; i < log->n; i++)
		if (log->v[i].failed)
			return true;
	return false;
}

/* Under its name a new journal appears only once its header is durable. */
static bool journal_exists(const struct crash_rig *r, const struct crash_log *log,
			   size_t k)
{
	for (size_t i = 0; i < k; i++)
		if (log->v[i].file == 1 && log->v[i].barrier && !log->v[i].failed)
			return true;
	return r->journal_bytes > 0;
}

void crash_build(const struct crash_rig *r, const struct crash_log *log, size_t k,
		 enum crash_mode mode, uint64_t seed)
{
	struct file_state f[2] = {{0}};

	put_bytes(&f[0], r->base, 0, r->bytes);
	if (r->journal_bytes)
		put_bytes(&f[1], r->journal, 0, r->journal_bytes);
	for (size_t i = 0; i < k; i++) {
		const struct crash_op *op = &log->v[i];
		uint32_t luck;

		if (op->barrier)
			continue;
		luck = mode == CRASH_KILL || is_durable(log, i, k) ? 0
		       : mode == CRASH_LOSE			   ? 3
								   : dice(&seed, 4);
		if (luck < 2)
			put_bytes(&f[op->file], op->data, op->at, op->n);
		else if (luck == 2)
			put_torn(&f[op->file], op, &seed);
	}
	store(IMAGE, f[0].bytes, f[0].n);
	unlink(JOURNAL);
	if (journal_exists(r, log, k))
		store(JOURNAL, f[1].bytes, f[1].n);
	free(f[0].bytes);
	free(f[1].bytes);
}
