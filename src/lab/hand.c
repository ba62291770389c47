/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hand.c - see lab/hand.h. */
#include "lab/hand.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "lab/policy.h"
#include "src/lab/ground.h"

#define LINES_MAX 24 /* reasons told in full */

struct hand {
	struct build *b;
	struct space space;
	struct policy policy;
	struct lab_result *out;
	struct err *err;
	unsigned lines;
	uint32_t serial;
};

/* A file that grows. */
struct grown {
	const char *path;
	struct hand_file f;
	uint64_t want; /* bytes still to come */
	uint64_t size; /* bytes with all that was asked for so far */
};

void lab_result_init(struct lab_result *r)
{
	memset(r, 0, sizeof(*r));
	str_init(&r->said);
}

void lab_result_release(struct lab_result *r)
{
	vec_release(&r->taken);
	vec_release(&r->freed);
	str_release(&r->said);
}

/* --- the allocator's memory --- */

static bool memory_path(const char *image, bool make, struct str *out, struct err *err)
{
	if (!hand_folder(image, make, out, err))
		return false;
	str_add(out, "/policy");
	return true;
}

/* "NAME ROVER RANDOM" */
static bool load_policy(const char *image, char name[32], unsigned long long state[2],
			struct err *err)
{
	struct str path = STR_INIT;
	FILE *f;

	strcpy(name, "ext4");
	state[0] = state[1] = 0;
	if (!memory_path(image, false, &path, err))
		return false;
	f = fopen(path.buf, "re");
	str_release(&path);
	if (!f)
		return true;
	if (fscanf(f, "%31s %llu %llu", name, &state[0], &state[1]) < 1)
		strcpy(name, "ext4");
	fclose(f);
	return true;
}

static bool save_policy(const char *image, const char *name, uint64_t rover,
			uint64_t random, struct err *err)
{
	struct str path = STR_INIT;
	FILE *f = NULL;
	bool ok = memory_path(image, true, &path, err);

	if (ok)
		f = fopen(path.buf, "we");
	if (f)
		fprintf(f, "%s %llu %llu\n", name, (unsigned long long)rover,
			(unsigned long long)random);
	if (ok && (!f || fclose(f))) {
		err_set_errno(err, ERR_IO, errno, "cannot write %s", path.buf);
		ok = false;
	}
	str_release(&path);
	return ok;
}

bool lab_policy_get(const char *image, struct str *name, struct err *err)
{
	unsigned long long state[2];
	char word[32];

	if (!load_policy(image, word, state, err))
		return false;
	str_add(name, word);
	return true;
}

bool lab_policy_set(const char *image, const char *name, struct err *err)
{
	return hand_is_lab(image, err) && policy_find(name, err) &&
	       save_policy(image, name, 0, 0, err);
}

/* The library's own blocks come out of the same space. */
static blkno_t pick_block(void *arg, blkno_t goal)
{
	struct hand *h = arg;
	struct range r;

	if (!freemap_first(h->space.free, goal, 1, &r) &&
	    !freemap_first(h->space.free, h->space.first, 1, &r)) {
		policy_flush(&h->policy); /* set aside, but wanted now */
		if (!freemap_first(h->space.free, h->space.first, 1, &r))
			return BLKNO_NONE;
	}
	r.len = 1;
	if (!space_take(&h->space, r) || !vec_push(&h->out->taken, r))
		return BLKNO_NONE;
	return r.start;
}

static void give_block(void *arg, blkno_t block)
{
	struct hand *h = arg;

	space_give(&h->space, (struct range){block, 1});
}

/* --- growing --- */

static bool say(struct hand *h, const char *path, lblk_t lblk,
		const struct policy_answer *a)
{
	h->lines++;
	if (h->lines > LINES_MAX)
		return true;
	str_add_safe(&h->out->said, path, strlen(path));
	str_addf(&h->out->said, ": blocks %u to %llu at %llu: %s\n", lblk,
		 (unsigned long long)(lblk + a->got.len - 1),
		 (unsigned long long)a->got.start, a->why);
	return !h->out->said.oom || err_nomem(h->err);
}

static bool place(struct hand *h, struct grown *g, uint64_t want_blocks, bool closed)
{
	while (g->f.blocks < want_blocks) {
		struct policy_want w = {.file = g->f.ino,
					.lblk = (lblk_t)g->f.blocks,
					.len = (uint32_t)(want_blocks - g->f.blocks),
					.behind = g->f.last,
					.group = g->f.group,
					.size = want_blocks,
					.closed = closed};
		struct policy_answer a;

		if (!policy_place(&h->policy, &w, &a)) {
			err_set(h->err, ERR_NOSPACE, "the volume is full");
			return false;
		}
		if (!hand_map(h->b, g->f.ino, w.lblk, a.got, h->err) ||
		    !say(h, g->path, w.lblk, &a))
			return false;
		if (!vec_push(&h->out->taken, a.got))
			return err_nomem(h->err);
		g->f.blocks += a.got.len;
		g->f.last = a.got.start + a.got.len - 1;
	}
	return true;
}

static uint64_t blocks_of(const struct hand *h, uint64_t bytes)
{
	return (bytes + h->space.block_size - 1) / h->space.block_size;
}

/* Turn by turn until every file has what it wants. With delayed allocation the blocks are
 * chosen at the end, file by file. */
static bool grow_all(struct hand *h, struct grown *g, size_t n, uint64_t piece)
{
	bool delayed = h->policy.kind->delayed, more = true;
	uint64_t need = 0;

	for (size_t i = 0; i < n; i++)
		need += blocks_of(h, g[i].size + g[i].want) - g[i].f.blocks;
	if (need > freemap_blocks(h->space.free)) {
		err_set(h->err, ERR_NOSPACE, "%llu blocks are wanted, %llu are free",
			(unsigned long long)need,
			(unsigned long long)freemap_blocks(h->space.free));
		return false;
	}
	while (more) {
		more = false;
		for (size_t i = 0; i < n; i++) {
			uint64_t part = piece && piece < g[i].want && !delayed
						? piece
						: g[i].want;

			g[i].size += part;
			g[i].want -= part;
			if (!place(h, &g[i], blocks_of(h, g[i].size), delayed))
				return false;
			more = more || g[i].want;
		}
	}
	for (size_t i = 0; i < n; i++)
		if (!hand_fill(h->b, g[i].f.ino, g[i].f.size, g[i].size, h->err))
			return false;
	return true;
}

static bool open_target(struct hand *h, const struct lab_target *t, bool fresh,
			struct grown *g)
{
	struct build_node node = {.group = 0};
	struct hand_file dir;
	char name[256];
	group_t group;

	*g = (struct grown){.path = t->path, .want = t->bytes};
	if (fresh) {
		if (!hand_new_name(h->b, t->path, &dir, name, h->err))
			return false;
		group = dir.group - dir.group % h->space.flex;
		node.parent = dir.ino;
		node.name = name;
		node.group = group;
		if (!build_file(h->b, &node, h->err))
			return false;
	}
	if (!hand_find(h->b, t->path, &g->f, h->err))
		return false;
	if (g->f.is_dir) {
		err_set(h->err, ERR_REFUSED, "%s is a directory", t->path);
		return false;
	}
	g->size = g->f.size;
	if (g->f.last != BLKNO_NONE && g->f.last_lblk + 1u > g->f.blocks)
		g->f.blocks = g->f.last_lblk + 1u; /* allocated ahead, past its end */
	return true;
}

static bool write_files(struct hand *h, const struct lab_op *op)
{
	struct grown *g = calloc(op->n, sizeof(*g));
	bool ok = g || err_nomem(h->err);

	for (size_t i = 0; ok && i < op->n; i++)
		ok = open_target(h, &op->targets[i], op->kind == LAB_WRITE, &g[i]);
	ok = ok && grow_all(h, g, op->n, op->piece);
	free(g);
	return ok;
}

/* Files of one 256th to one 32nd of the volume in /fill, until the target is reached. */
static bool fill(struct hand *h, unsigned percent)
{
	uint64_t all = h->space.blocks - h->space.first;
	uint64_t target = all * percent / 100, random = all + percent;
	struct hand_file dir;
	struct build_node node = {.parent = BUILD_ROOT, .name = "fill"};
	char name[300];

	for (unsigned i = 1; all - freemap_blocks(h->space.free) < target; i++) {
		uint64_t left = target - (all - freemap_blocks(h->space.free));
		uint64_t n = all / 256 + 1 + lab_random_below(&random, all / 32);
		struct lab_target t = {name, (n < left ? n : left) * h->space.block_size};
		struct grown g;

		if (i == 1 && !hand_find(h->b, "/fill", &dir, NULL)) {
			struct policy_want w = {.len = 1,
						.behind = BLKNO_NONE,
						.size = 1,
						.directory = true};
			struct policy_answer a;
			uint32_t block;

			if (!policy_place(&h->policy, &w, &a))
				break;
			block = (uint32_t)a.got.start;
			node.blocks = &block;
			node.block_count = 1;
			if (!build_dir(h->b, &node, h->err))
				return false;
		}
		do
			snprintf(name, sizeof(name), "/fill/%04u", h->serial++);
		while (hand_find(h->b, name, &dir, NULL));
		if (!open_target(h, &t, true, &g) || !grow_all(h, &g, 1, 0))
			return false;
	}
	return true;
}

/* --- cutting, and directories --- */

static bool cut(struct hand *h, const struct lab_op *op, const struct lab_target *t)
{
	uint32_t bs = h->space.block_size;
	struct hand_file f;

	if (!hand_find(h->b, t->path, &f, h->err))
		return false;
	if (op->kind == LAB_DELETE)
		return hand_remove(h->b, t->path, &f, &h->out->freed, h->err);
	if (f.is_dir) {
		err_set(h->err, ERR_REFUSED, "%s is a directory", t->path);
		return false;
	}
	if (op->kind == LAB_PUNCH) {
		uint64_t first = blocks_of(h, op->offset);
		uint64_t end = (op->offset + t->bytes) / bs;

		if (end > f.blocks)
			end = f.blocks;
		if (first >= end) {
			err_set(h->err, ERR_REFUSED,
				"no whole block of %s lies in that range", t->path);
			return false;
		}
		return hand_cut(h->b, f.ino, (lblk_t)first, (lblk_t)end - 1,
				&h->out->freed, h->err);
	}
	if (t->bytes > f.size) {
		err_set(h->err, ERR_REFUSED,
			"%s has %llu bytes only; let it grow with append", t->path,
			(unsigned long long)f.size);
		return false;
	}
	return hand_cut(h->b, f.ino, (lblk_t)blocks_of(h, t->bytes), UINT32_MAX,
			&h->out->freed, h->err) &&
	       hand_set_size(h->b, f.ino, t->bytes, h->err);
}

static bool make_dir(struct hand *h, const struct lab_target *t)
{
	struct build_node node = {.block_count = 1};
	struct policy_want w = {
		.len = 1, .behind = BLKNO_NONE, .size = 1, .directory = true};
	struct policy_answer a;
	struct hand_file dir;
	char name[256];
	uint32_t block;

	if (!hand_new_name(h->b, t->path, &dir, name, h->err))
		return false;
	node.parent = dir.ino;
	node.name = name;
	node.group = w.group =
		policy_dir_group(&h->policy, dir.group, dir.ino == BUILD_ROOT);
	if (!policy_place(&h->policy, &w, &a)) {
		err_set(h->err, ERR_NOSPACE, "the volume is full");
		return false;
	}
	block = (uint32_t)a.got.start;
	node.blocks = &block;
	str_add_safe(&h->out->said, t->path, strlen(t->path));
	str_addf(&h->out->said, ": inode in group %u, block %u: %s\n", node.group, block,
		 a.why);
	return build_dir(h->b, &node, h->err) != 0 &&
	       (vec_push(&h->out->taken, a.got) || err_nomem(h->err));
}

static void tell_freed(struct hand *h)
{
	uint64_t blocks = 0;

	for (size_t i = 0; i < h->out->freed.n; i++)
		blocks += h->out->freed.v[i].len;
	if (blocks)
		str_addf(&h->out->said, "%llu blocks in %zu pieces are free again\n",
			 (unsigned long long)blocks, h->out->freed.n);
	if (h->lines > LINES_MAX)
		str_addf(&h->out->said, "... and %u more\n", h->lines - LINES_MAX);
}

static bool act(struct hand *h, const struct lab_op *op)
{
	bool ok = true;

	if (op->kind == LAB_WRITE || op->kind == LAB_APPEND)
		return write_files(h, op);
	if (op->kind == LAB_FILL)
		return fill(h, op->percent);
	for (size_t i = 0; ok && i < op->n; i++)
		ok = op->kind == LAB_MKDIR ? make_dir(h, &op->targets[i])
					   : cut(h, op, &op->targets[i]);
	return ok;
}

bool lab_do(const char *image, const struct lab_op *op, struct lab_result *out,
	    struct err *err)
{
	struct hand h = {.out = out, .err = err};
	unsigned long long state[2];
	const struct policy_kind *kind;
	char name[32];
	bool ok;

	h.b = hand_open(image, err);
	if (!h.b)
		return false;
	ok = load_policy(image, name, state, err) &&
	     (kind = policy_find(op->policy ? op->policy : name, err)) != NULL &&
	     ground_space(h.b, &h.space, err);
	if (!ok) {
		build_free(h.b);
		return false;
	}
	policy_init(&h.policy, kind, &h.space, state[1]);
	if (state[0] > h.space.first && state[0] < h.space.blocks)
		h.policy.rover = state[0];
	hand_on_blocks(h.b, &(struct hand_blocks){pick_block, give_block, &h});
	ok = act(&h, op);
	tell_freed(&h);
	policy_flush(&h.policy);
	if (ok)
		ok = hand_commit(h.b, op->text ? op->text : "a step", err) &&
		     save_policy(image, name, h.policy.rover, h.policy.random, err);
	else
		build_free(h.b);
	policy_release(&h.policy);
	space_release(&h.space);
	return ok;
}
