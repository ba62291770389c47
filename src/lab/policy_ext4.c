/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * policy_ext4.c - what ext4 does, in its own order of thought:
 *
 *   1. Delayed allocation: nothing is chosen until data is written out; then the size of
 *      the file is often known, and one request asks for all of it (the caller does
 *      this; ext4-nodelay asks at each write).
 *   2. A file that is being written has blocks set aside: they are used first.
 *   3. Goal: behind the file's last block; for a new file the start of its flex group's
 *      second group (the first is kept for directories).
 *   4. Small files (up to 16 blocks) share one stretch of 512 blocks (ext4_mb_group_or_file).
 *      Larger ones get their request rounded up to a window of 16 KiB to 8 MiB, the rest
 *      of which is set aside until the file is closed. A large file that is closed
 *      already gets just its size.
 *   5. The multiblock search: ext4_search.c. Large files that are open go on where the
 *      last such one was put.
 *   6. Directories: ext4_orlov.c.
 */
#include <string.h>
#include "src/lab/ext4.h"

static struct ext4 *memory(struct policy *p)
{
	if (!p->memory)
		p->memory = calloc(1, sizeof(struct ext4));
	return p->memory;
}

/* --- goals --- */

/* ext4_ext_find_goal, ext4_inode_to_goal_block: without delayed allocation, writers are
 * kept apart by a sixteenth of a group each. */
static blkno_t goal_of(const struct policy *p, const struct policy_want *w)
{
	const struct space *s = p->space;
	group_t g = w->group;
	struct range r;

	if (w->behind != BLKNO_NONE)
		return w->behind + 1;
	if (s->flex >= EXT4_FLEX_DIR_LEAST) {
		g -= g % s->flex;
		if (!w->directory && g + 1 < s->groups)
			g++;
	}
	r = space_group_range(s, g);
	return p->kind->delayed ? r.start : r.start + w->writer % 16 * (r.len / 16);
}

/* Blocks that are asked for so that a file that starts at lblk and will have `size`
 * blocks fills its window (ext4_mb_normalize_request). */
static uint32_t window(const struct space *s, const struct policy_want *w)
{
	uint64_t bytes = w->size * s->block_size, size = 16 << 10, start = 0;

	while (size < bytes && size < 1 << 20)
		size <<= 1;
	if (bytes > 1 << 20) {
		size = bytes <= 4 << 20 ? 2 << 20 : bytes <= 8 << 20 ? 4 << 20 : 8 << 20;
		start = (uint64_t)w->lblk * s->block_size / size * size;
	}
	size = (start + size) / s->block_size;
	return size > (uint64_t)w->lblk + w->len ? (uint32_t)(size - w->lblk) : w->len;
}

/* --- set aside --- */

static bool from_own(struct policy *p, struct ext4 *m, const struct policy_want *w,
		     struct policy_answer *out)
{
	(void)p;
	for (size_t i = 0; i < m->files.n; i++) {
		struct ext4_ahead *a = &m->files.v[i];

		if (a->file != w->file || a->lblk != w->lblk)
			continue;
		policy_answer(out, a->left, w->len,
			      "set aside for this file earlier (%llu blocks left)",
			      (unsigned long long)a->left.len);
		a->left.start += out->got.len;
		a->left.len -= out->got.len;
		a->lblk += (lblk_t)out->got.len;
		if (!a->left.len)
			m->files.v[i] = m->files.v[--m->files.n];
		return true;
	}
	return false;
}

static blkno_t apart(blkno_t a, blkno_t b)
{
	return a < b ? b - a : a - b;
}

/* From the shared stretch that lies nearest to the goal. */
static bool from_shared(struct ext4 *m, const struct policy_want *w, blkno_t goal,
			struct policy_answer *out)
{
	struct range *best = NULL;

	for (size_t i = 0; i < m->shared.n; i++) {
		struct range *r = &m->shared.v[i];

		if (r->len >= w->len &&
		    (!best || apart(r->start, goal) < apart(best->start, goal)))
			best = r;
	}
	if (!best)
		return false;
	policy_answer(out, *best, w->len, "from the stretch that small files share");
	best->start += w->len;
	best->len -= w->len;
	if (!best->len)
		*best = m->shared.v[--m->shared.n];
	return true;
}

/* Too many leftovers: the oldest are given back (ext4_mb_discard_lg_preallocations). */
static void trim_shared(struct policy *p, struct ext4 *m)
{
	size_t drop = 5;

	if (m->shared.n < EXT4_SHARED_MAX)
		return;
	for (size_t i = 0; i < drop; i++)
		space_give(p->space, m->shared.v[i]);
	m->shared.n -= drop;
	memmove(m->shared.v, m->shared.v + drop, m->shared.n * sizeof(*m->shared.v));
}

/* Takes what was found and keeps what is more than asked for. */
static bool keep_rest(struct policy *p, struct ext4 *m, const struct policy_want *w,
		      struct range found, bool shared, struct policy_answer *out)
{
	struct range rest = {found.start + w->len, found.len - w->len};
	bool kept;

	if (!space_take(p->space, found))
		return false;
	if (shared)
		trim_shared(p, m);
	kept = shared ? vec_push(&m->shared, rest)
		      : vec_push(&m->files,
				 (struct ext4_ahead){w->file, w->lblk + w->len, rest});
	if (!kept)
		space_give(p->space, rest);
	out->got = (struct range){found.start, w->len};
	return true;
}

/* --- the policy --- */

static bool choose(struct policy *p, const struct policy_want *w,
		   struct policy_answer *out, bool *taken)
{
	blkno_t goal = goal_of(p, w);
	struct ext4 *m = memory(p);
	bool small = w->size <= EXT4_SMALL && !w->directory;
	bool shared = small, exact = w->directory || (w->closed && !small);
	uint32_t len = exact ? w->len : shared ? EXT4_GROUP_AHEAD : window(p->space, w);
	struct range found;

	*taken = true;
	if (!m)
		return false;
	if (from_own(p, m, w, out) || (shared && from_shared(m, w, goal, out)))
		return true;
	if (w->behind == BLKNO_NONE && !small && !exact && m->stream)
		goal = space_group_range(p->space, m->stream).start;
	found = ext4_search(p, m, goal, len, w->behind != BLKNO_NONE, out->why);
	if (!found.len && (m->files.n || m->shared.n)) {
		policy_flush(p); /* what was set aside is all that is left */
		m = memory(p);
		if (!m)
			return false;
		found = ext4_search(p, m, goal, w->len, true, out->why);
	}
	if (!found.len)
		return false;
	if (!small && !exact)
		m->stream = space_group_of(p->space, found.start);
	if (found.len > w->len)
		return keep_rest(p, m, w, found, shared, out);
	*taken = false;
	out->got = found;
	return true;
}

static void close_file(struct policy *p, uint32_t file)
{
	struct ext4 *m = p->memory;

	for (size_t i = 0; m && i < m->files.n;)
		if (m->files.v[i].file == file) {
			space_give(p->space, m->files.v[i].left);
			m->files.v[i] = m->files.v[--m->files.n];
		} else {
			i++;
		}
}

static void release(struct policy *p)
{
	struct ext4 *m = p->memory;

	if (!m)
		return;
	for (size_t i = 0; i < m->files.n; i++)
		space_give(p->space, m->files.v[i].left);
	for (size_t i = 0; i < m->shared.n; i++)
		space_give(p->space, m->shared.v[i]);
	vec_release(&m->files);
	vec_release(&m->shared);
	vec_release(&m->frags);
	free(m);
	p->memory = NULL;
}

const struct policy_kind policy_ext4 = {
	.name = "ext4",
	.title = "ext4: delayed allocation, goals by group, blocks set aside, Orlov's "
		 "dirs",
	.delayed = true,
	.choose = choose,
	.dir_group = ext4_orlov,
	.close = close_file,
	.release = release,
};

const struct policy_kind policy_ext4_nodelay = {
	.name = "ext4-nodelay",
	.title = "ext4 without delayed allocation: every write is placed at once",
	.choose = choose,
	.dir_group = ext4_orlov,
	.close = close_file,
	.release = release,
};
