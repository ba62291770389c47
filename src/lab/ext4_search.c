/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ext4_search.c - the multiblock allocator's search (ext4_mb_regular_allocator).
 *
 * It wants all blocks of a request in one hole of one group, and looks from the goal's
 * group on, in passes that get less and less choosy. Inside a group it takes the best
 * fitting of the first 200 holes.
 */
#include "src/lab/ext4.h"

/* The next hole of a group from `at` on, clipped to it; len 0: none. */
static struct range next_hole(const struct space *s, struct range group, blkno_t at)
{
	struct range hole;
	blkno_t end = group.start + group.len, stop;

	if (at >= end || !freemap_at_or_after(s->free, at, &hole) || hole.start >= end)
		return (struct range){0, 0};
	stop = hole.start + hole.len;
	if (hole.start < at)
		hole.start = at;
	if (stop > end)
		stop = end;
	hole.len = stop - hole.start;
	return hole;
}

static uint32_t count_holes(struct policy *p, struct ext4 *m, group_t g)
{
	const struct space *s = p->space;
	struct ext4_frags *f;
	struct range group = space_group_range(s, g), h;

	while (m->frags.n < s->groups)
		if (!vec_push(&m->frags, (struct ext4_frags){0, 0, false}))
			return 1;
	f = &m->frags.v[g];
	if (f->known && s->group.v[g].changes - f->changes < 64)
		return f->holes;
	f->holes = 0;
	for (h = next_hole(s, group, group.start); h.len;
	     h = next_hole(s, group, h.start + h.len))
		f->holes++;
	f->known = true;
	f->changes = s->group.v[g].changes;
	return f->holes;
}

/* The smallest aligned chunk of at least len blocks (a power of two). */
static struct range scan_chunks(const struct space *s, struct range group, uint32_t len)
{
	struct range best = {0, 0}, h;

	for (h = next_hole(s, group, group.start); h.len;
	     h = next_hole(s, group, h.start + h.len)) {
		blkno_t at = (h.start - group.start + len - 1) / len * len, size = len;

		if (at + len > h.start - group.start + h.len)
			continue;
		while (at % (size * 2) == 0 &&
		       at + size * 2 <= h.start - group.start + h.len)
			size *= 2;
		if (!best.len || size < best.len)
			best = (struct range){group.start + at, size};
		if (size == len)
			break;
	}
	return best;
}

/* What a search has seen so far, over all groups of a pass. */
struct seen {
	unsigned holes;
	struct range best; /* the best fitting; if none is large enough, the largest */
	bool enough;	   /* no more looking */
};

/* Ten holes are looked at in any case; then the best will do if it is large enough. After
 * 200 whatever was best is taken, also if it is too short: this is how ext4 tears small
 * files apart on a volume full of small holes (ext4_mb_check_limits). sure: the group's
 * average hole is large enough, so small ones are passed over. */
static void scan_holes(const struct space *s, struct range group, uint32_t len, bool sure,
		       struct seen *seen)
{
	struct range h;

	for (h = next_hole(s, group, group.start); h.len && !seen->enough;
	     h = next_hole(s, group, h.start + h.len)) {
		if (sure && h.len < len)
			continue;
		seen->holes++;
		if (seen->best.len < len ? h.len > seen->best.len
					 : h.len >= len && h.len < seen->best.len)
			seen->best = h;
		seen->enough = h.len == len || seen->holes > EXT4_MAX_SCAN ||
			       (seen->best.len >= len && seen->holes > EXT4_MIN_SCAN);
	}
	if (seen->best.len >= len)
		seen->enough = true;
}

enum pass { PASS_CHUNK, PASS_AVERAGE, PASS_ANY, PASSES };

static void scan_group(struct policy *p, struct ext4 *m, group_t g, uint32_t len,
		       enum pass pass, struct seen *seen)
{
	const struct space *s = p->space;
	struct range group = space_group_range(s, g), found;
	uint32_t free_blocks = s->group.v[g].free_blocks;

	if (!free_blocks || (pass != PASS_ANY && free_blocks < len))
		return;
	if (pass == PASS_CHUNK) {
		found = scan_chunks(s, group, len);
		seen->enough = found.len >= len;
		if (seen->enough)
			seen->best = found;
		return;
	}
	if (pass == PASS_AVERAGE && free_blocks / (count_holes(p, m, g) + 1u) < len)
		return;
	scan_holes(s, group, len, pass == PASS_AVERAGE, seen);
}

static bool at_goal(const struct space *s, blkno_t goal, uint32_t len, struct range *out)
{
	if (goal < s->first || goal >= s->blocks)
		return false;
	*out = next_hole(s, space_group_range(s, space_group_of(s, goal)), goal);
	return out->start == goal && out->len >= len;
}

static void tell(char why[POLICY_WHY], enum pass pass, uint32_t len, group_t g)
{
	static const char *const words[PASSES] = {
		"aligned chunk of",
		"best fitting hole for",
		"the best that is left for",
	};

	snprintf(why, POLICY_WHY, "%s %u blocks in group %u", words[pass], len, g);
}

struct range ext4_search(struct policy *p, struct ext4 *m, blkno_t goal, uint32_t len,
			 bool try_goal, char why[POLICY_WHY])
{
	const struct space *s = p->space;
	group_t start =
		goal < s->first || goal >= s->blocks ? 0 : space_group_of(s, goal);
	struct seen seen = {0, {0, 0}, false};
	enum pass pass = PASS_AVERAGE;
	struct range found;

	if (try_goal && at_goal(s, goal, len, &found)) {
		snprintf(why, POLICY_WHY, "goes on behind the block before");
		return (struct range){goal, len};
	}
	if (len >= EXT4_ORDER2_LEAST && (len & (len - 1)) == 0)
		pass = PASS_CHUNK;
	for (; pass < PASSES && !seen.enough; pass++)
		for (group_t i = 0; i < s->groups && !seen.enough; i++) {
			scan_group(p, m, (start + i) % s->groups, len, pass, &seen);
			if (seen.enough && seen.best.len >= len)
				tell(why, pass, len, (start + i) % s->groups);
		}
	if (seen.best.len < len)
		snprintf(why, POLICY_WHY,
			 "no hole of %u blocks among %u: the largest of them", len,
			 seen.holes);
	else
		seen.best.len = len;
	return seen.best;
}
