/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench_scan.c - the measurements behind tests/bench/run:
 *   make IMG N    a volume of N files of 20 KB in 1024 directories, no contents; every
 *                 20th pair lies block by block between each other, in five pieces a file
 *   pieces IMG N  N files of 12 KB, each in three pieces, with contents
 *   scan IMG      the whole scan; prints time, bytes, runs, inodes, memory
 *   floor IMG     reads what a scan has to read, in order, O_DIRECT, one reader
 *   first IMG G   an empty volume of G GiB: milliseconds until the first map could be drawn
 *   small IMG N   N small files in pieces: defragmenting them, against copying as many
 *                 bytes in sequence
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>
#include "base/memory.h"
#include "base/vec.h"
#include "core/strategy.h"
#include "fs/build.h"
#include "fs/scan.h"
#include "fs/session.h"

static double now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e3 + (double)t.tv_nsec / 1e6;
}

static void die(const char *what, const struct err *err)
{
	fprintf(stderr, "bench: %s: %s\n", what, err ? err->msg : strerror(errno));
	exit(1);
}

static void drop_caches(void)
{
	int fd = open("/proc/sys/vm/drop_caches", O_WRONLY);

	sync();
	if (fd >= 0) {
		if (write(fd, "3", 1) != 1)
			perror("drop_caches");
		close(fd);
	}
}

static double peak_mb(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (double)u.ru_maxrss / 1e3;
}

/* --- volumes --- */

#define DIRS 1024u

struct maker {
	struct build *b;
	blkno_t next;
	struct err err;
};

static uint32_t next_block(struct maker *m)
{
	while (build_is_used(m->b, m->next))
		m->next++;
	build_reserve(m->b, m->next);
	return (uint32_t)m->next++;
}

static void make_dirs(struct maker *m, inum_t *dirs, uint32_t blocks)
{
	uint32_t *place = calloc(blocks, sizeof(*place));
	char name[32];

	for (uint32_t d = 0; d < DIRS; d++) {
		struct build_node node = {.parent = BUILD_ROOT,
					  .name = name,
					  .blocks = place,
					  .block_count = blocks};

		snprintf(name, sizeof(name), "dir%04u", d);
		for (uint32_t i = 0; i < blocks; i++)
			place[i] = next_block(m);
		dirs[d] = build_dir(m->b, &node, &m->err);
		if (!dirs[d])
			die(name, &m->err);
	}
	free(place);
}

/* One or two files with the next numbers. Of two, each block of one has a block of the
 * other behind it. */
static void make_files(struct maker *m, const inum_t *dirs, uint32_t f, uint32_t n,
		       uint32_t blocks, bool content)
{
	uint32_t place[2][16];

	for (uint32_t i = 0; i < blocks; i++)
		for (uint32_t s = 0; s < n; s++)
			place[s][i] = next_block(m);
	for (uint32_t s = 0; s < n; s++) {
		uint32_t group = place[s][0] / build_blocks_per_group(m->b);
		char name[32];
		struct build_node node = {
			.parent = dirs[(f + s) % DIRS],
			.name = name,
			.blocks = place[s],
			.block_count = blocks,
			.size = (uint64_t)blocks * 4096,
			.content_seed = f + s,
			.no_content = !content,
			.group = group,
		};

		snprintf(name, sizeof(name), "file%07u", f + s);
		if (!build_file(m->b, &node, &m->err))
			die(name, &m->err);
	}
}

/* Every `weave`-th pair of files lies between each other. */
static void make(const char *path, uint32_t files, uint32_t blocks, uint32_t weave,
		 bool content)
{
	struct build_options opt = {
		.type = "ext4", .block_size = 4096, .seed = 1, .time = 1700000000};
	struct maker m = {0};
	inum_t dirs[DIRS];

	opt.bytes =
		((uint64_t)files * (blocks * 4096 + 256 + 64) / 10 * 13 + (256u << 20)) &
		~((64ull << 20) - 1);
	unlink(path);
	m.b = build_new(path, &opt, &m.err);
	if (!m.b)
		die(path, &m.err);
	make_dirs(&m, dirs, files / DIRS / 100 + 2);
	for (uint32_t f = 0, pair = 0; f < files; f += 2, pair++) {
		if (pair % weave == 0 && f + 1 < files) {
			make_files(&m, dirs, f, 2, blocks, content);
			continue;
		}
		for (uint32_t i = f; i < f + 2 && i < files; i++)
			make_files(&m, dirs, i, 1, blocks, content);
	}
	if (!build_finish(m.b, &m.err))
		die(path, &m.err);
}

/* --- scanning --- */

static struct volume *open_volume(const char *path, bool write)
{
	struct volume_options opt = {.write = write};
	struct err err = ERR_INIT;
	struct volume *v = volume_open(path, &opt, &err);

	if (!v)
		die(path, &err);
	return v;
}

static struct model *scan_all(struct volume *v, uint64_t *bytes)
{
	struct flaw_list flaws = {0};
	struct err err = ERR_INIT;
	struct scan *s = scan_new(v, 0, &err);
	enum scan_state state;
	struct model *m;

	while ((state = scan_step(s, &err)) == SCAN_MORE)
		;
	if (state == SCAN_FAILED)
		die("scan", &err);
	*bytes = scan_bytes_read(s);
	m = scan_take(s, &flaws);
	if (flaws.count)
		die(flaws.list.v[0].text, NULL);
	scan_free(s);
	return m;
}

static void scan(const char *path)
{
	double t0 = now_ms();
	struct volume *v = open_volume(path, false);
	struct model_stats stats;
	uint64_t bytes;
	struct model *m = scan_all(v, &bytes);

	t0 = now_ms() - t0;
	model_stats(m, &stats);
	printf("%.3f s, %.1f MB read, %llu inodes, %llu runs, model %.1f MB, peak %.1f "
	       "MB\n",
	       t0 / 1e3, (double)bytes / 1e6, (unsigned long long)stats.inodes,
	       (unsigned long long)stats.runs, (double)stats.memory_bytes / 1e6,
	       peak_mb());
	model_free(m);
	volume_close(v);
}

/* --- the floor --- */

struct stretch {
	uint64_t at, len; /* bytes */
};

struct floor {
	VEC(struct stretch) list;
	uint32_t block_size;
};

static bool is_read(enum owner_kind kind)
{
	return kind == OWNER_TREE || kind == OWNER_DIR || kind == OWNER_XATTR ||
	       kind == OWNER_XATTR_SHARED || kind == OWNER_BLOCK_BITMAP;
}

static void floor_add(struct floor *f, blkno_t start, uint64_t blocks)
{
	struct stretch s = {start * f->block_size, blocks * f->block_size};

	if (!vec_push(&f->list, s))
		die("memory", NULL);
}

static bool add_if_read(void *arg, const struct run *r)
{
	if (is_read(r->kind))
		floor_add(arg, r->phys, r->len);
	return true;
}

/* Of each table the part up to the last inode in use. */
static void add_tables(struct floor *f, const struct model *m)
{
	const struct geom *g = model_geom(m);
	uint32_t *used = calloc(g->groups, sizeof(*used));

	for (inum_t i = 0; (i = model_next_inode(m, i));)
		used[geom_group_of_inode(g, i)] = (i - 1) % g->inodes_per_group + 1;
	for (size_t i = 0; i < g->fixed.n; i++) {
		const struct fixed *t = &g->fixed.v[i];

		if (t->kind == OWNER_INODE_TABLE && used[t->group])
			floor_add(f, t->start,
				  ((uint64_t)used[t->group] * g->inode_size +
				   g->block_size - 1) /
					  g->block_size);
	}
	free(used);
}

static int by_place(const void *a, const void *b)
{
	const struct stretch *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* Reads the stretches in order, over gaps of up to 128 KiB, one request after the other. */
static uint64_t floor_read(const struct floor *f, const char *path)
{
	size_t most = 4u << 20;
	void *buf = aligned_alloc(4096, most);
	int fd = open(path, O_RDONLY | O_DIRECT);
	uint64_t bytes = 0;

	for (size_t i = 0, k; i < f->list.n; i = k) {
		uint64_t at = f->list.v[i].at, end = at;

		for (k = i; k < f->list.n && f->list.v[k].at <= end + (128u << 10); k++)
			if (f->list.v[k].at + f->list.v[k].len > end)
				end = f->list.v[k].at + f->list.v[k].len;
		for (uint64_t n; at < end; at += n, bytes += n) {
			n = end - at < most ? end - at : most;
			if (pread(fd, buf, n, (off_t)at) != (ssize_t)n)
				die(path, NULL);
		}
	}
	close(fd);
	free(buf);
	return bytes;
}

/* All that a scan has to read, found by one; then the page cache is dropped, and only the
 * reading timed. */
static void floor_of(const char *path)
{
	struct volume *v = open_volume(path, false);
	struct floor f = {.block_size = volume_geom(v)->block_size};
	uint64_t bytes;
	struct model *m = scan_all(v, &bytes);
	double t0;

	model_walk(m, 0, UINT64_MAX, add_if_read, &f);
	add_tables(&f, m);
	model_free(m);
	volume_close(v);
	if (f.list.n)
		qsort(f.list.v, f.list.n, sizeof(*f.list.v), by_place);
	drop_caches();
	t0 = now_ms();
	bytes = floor_read(&f, path);
	printf("%.3f s, %.1f MB in %zu stretches\n", (now_ms() - t0) / 1e3,
	       (double)bytes / 1e6, f.list.n);
	vec_release(&f.list);
}

static void first(const char *path, unsigned gib)
{
	char cmd[600];
	struct err err = ERR_INIT;
	struct volume *v;
	struct scan *s;
	double t0, t1;

	snprintf(cmd, sizeof(cmd),
		 "rm -f '%s'; mke2fs -q -F -t ext4 -E lazy_itable_init=1,nodiscard '%s' "
		 "%uG",
		 path, path, gib);
	if (system(cmd))
		die("mke2fs", NULL);
	drop_caches();
	t0 = now_ms();
	v = open_volume(path, false);
	s = scan_new(v, 0, &err);
	if (scan_step(s, &err) == SCAN_FAILED || !scan_overview(s)->cells)
		die("scan", &err);
	t1 = now_ms();
	printf("%u GiB: %.0f ms, peak %.1f MB (must %u, aim %u ms)\n", gib, t1 - t0,
	       peak_mb(), gib > 100 ? 500 : 100, gib > 100 ? 300 : 50);
	scan_free(s);
	volume_close(v);
	unlink(path);
}

/* --- moving --- */

static struct plan plan_all(struct volume *v)
{
	struct inum_list all = {0};
	struct err err = ERR_INIT;
	struct plan plan;
	uint64_t bytes;
	struct model *m = scan_all(v, &bytes);

	plan_init(&plan);
	if (!model_tree(m, 2, &all) || !strat_defrag(m, all.v, all.n, NULL, &plan, &err))
		die("plan", &err);
	free(all.v);
	model_free(m);
	return plan;
}

static double run_plan(struct volume *v, const struct plan *plan, const char *journal,
		       uint64_t *bytes)
{
	struct session_options opt = {.journal = journal};
	struct err err = ERR_INIT;
	struct session *s;
	double t0 = now_ms();

	s = session_open(v, &opt, NULL, &err);
	if (!s)
		die("session", &err);
	for (size_t i = 0, end; i < plan->moves.n; i = end) {
		struct batch_result r;

		end = plan_batch_end(plan, i);
		batch_result_init(&r);
		if (!session_batch(s, plan->moves.v + i, end - i, &r, &err))
			die("batch", &err);
		*bytes += r.bytes_read;
		batch_result_release(&r);
	}
	if (!session_close(s, &err))
		die("close", &err);
	return now_ms() - t0;
}

/* Read, write and one fdatasync for each 128 MiB, from one half of a file to the other.
 */
static double copy_in_order(const char *path, uint64_t bytes)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
	size_t step = 8u << 20;
	char *buf = malloc(step);
	uint64_t half = (bytes + step - 1) / step * step;
	double t0;

	memset(buf, 'x', step);
	for (uint64_t at = 0; at < half; at += step)
		if (pwrite(fd, buf, step, (off_t)at) < 0)
			die(path, NULL);
	fdatasync(fd);
	drop_caches();
	t0 = now_ms();
	for (uint64_t at = 0; at < half; at += step) {
		if (pread(fd, buf, step, (off_t)at) < 0 ||
		    pwrite(fd, buf, step, (off_t)(half + at)) < 0)
			die(path, NULL);
		if (at % (128u << 20) == 0)
			fdatasync(fd);
	}
	fdatasync(fd);
	t0 = now_ms() - t0;
	close(fd);
	unlink(path);
	free(buf);
	return t0;
}

/* What one turn of `small` took, milliseconds. */
struct turn {
	double run, copy;
	uint64_t files, bytes;
};

static struct turn small_turn(const char *path, uint32_t files)
{
	char journal[600], other[600];
	struct turn t = {0};
	struct volume *v;
	struct plan plan;

	snprintf(journal, sizeof(journal), "%s.undo", path);
	snprintf(other, sizeof(other), "%s.copy", path);
	make(path, files, 3, 1, true);
	unlink(journal);
	v = open_volume(path, true);
	plan = plan_all(v);
	t.files = plan.files;
	drop_caches();
	t.run = run_plan(v, &plan, journal, &t.bytes);
	t.copy = copy_in_order(other, t.bytes);
	plan_release(&plan);
	volume_close(v);
	unlink(path);
	unlink(journal);
	return t;
}

static int by_ratio(const void *a, const void *b)
{
	const struct turn *x = a, *y = b;
	double d = x->run * y->copy - y->run * x->copy;

	return d < 0 ? -1 : d > 0;
}

#define TURNS 5

/* The first turn on a host that gives out disk space on first use pays for that: the
 * median of five is told. */
static void small(const char *path, uint32_t files)
{
	struct turn turns[TURNS];
	const struct turn *t = &turns[TURNS / 2];

	for (int i = 0; i < TURNS; i++)
		turns[i] = small_turn(path, files);
	qsort(turns, TURNS, sizeof(*turns), by_ratio);
	printf("%llu files, %.0f MB moved: %.2f s; copied in sequence %.2f s; ratio "
	       "%.2f, "
	       "the middle of %.2f to %.2f (must 2.0)\n",
	       (unsigned long long)t->files, (double)t->bytes / 1e6, t->run / 1e3,
	       t->copy / 1e3, t->run / t->copy, turns[0].run / turns[0].copy,
	       turns[TURNS - 1].run / turns[TURNS - 1].copy);
}

int main(int argc, char **argv)
{
	const char *verb = argc > 2 ? argv[1] : "";
	uint32_t n = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 0;

	memory_setup();
	if (!strcmp(verb, "make") && n)
		make(argv[2], n, 5, 20, false);
	else if (!strcmp(verb, "pieces") && n)
		make(argv[2], n, 3, 1, true);
	else if (!strcmp(verb, "scan"))
		scan(argv[2]);
	else if (!strcmp(verb, "floor"))
		floor_of(argv[2]);
	else if (!strcmp(verb, "first") && n)
		first(argv[2], n);
	else if (!strcmp(verb, "small") && n)
		small(argv[2], n);
	else {
		fprintf(stderr,
			"usage: bench_scan make|pieces|scan|floor|first|small IMAGE [N]\n");
		return 2;
	}
	return 0;
}
