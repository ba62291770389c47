/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sim.c - see sim.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "src/lab/sim.h"

/* Bytes that a name takes in a directory block: 8 of header and the name, rounded up
 * to 4. */
#define ENTRY_BYTES 40u

bool sim_init(struct sim *s, struct build *b, uint32_t block_size, uint64_t seed,
	      int64_t now, struct err *err)
{
	struct sim_node root = {.name = "/", .is_dir = true, .live = true, .mtime = now};

	memset(s, 0, sizeof(*s));
	s->build = b;
	s->blocks = build_blocks(b);
	s->block_size = block_size;
	s->random = seed;
	s->now = now;
	s->used = calloc(1, s->blocks);
	if (!s->used || !vec_push(&s->nodes, root))
		return err_nomem(err);
	for (blkno_t i = 0; i < s->blocks; i++) {
		s->used[i] = build_is_used(b, i);
		s->used_count += s->used[i];
	}
	return true;
}

void sim_release(struct sim *s)
{
	for (size_t i = 0; i < s->nodes.n; i++)
		vec_release(&s->nodes.v[i].blocks);
	vec_release(&s->nodes);
	free(s->used);
	s->used = NULL;
}

uint32_t sim_random(struct sim *s, uint32_t n)
{
	uint64_t word;

	build_content(s->random++, 1, &word, sizeof(word));
	return (uint32_t)(word % n);
}

double sim_fill(const struct sim *s)
{
	return (double)s->used_count / (double)s->blocks;
}

/* The first free block at or after goal, from the start once the end is reached. */
static blkno_t next_free(const struct sim *s, blkno_t goal)
{
	for (blkno_t i = 0; i < s->blocks; i++) {
		blkno_t b = (goal + i) % s->blocks;

		if (!s->used[b])
			return b;
	}
	return BLKNO_NONE;
}

static bool take_block(struct sim *s, struct sim_node *node)
{
	blkno_t b = next_free(s, node->goal);

	if (b == BLKNO_NONE || !vec_push(&node->blocks, (uint32_t)b))
		return false;
	s->used[b] = 1;
	s->used_count++;
	node->goal = b + 1;
	return true;
}

static blkno_t random_goal(struct sim *s)
{
	uint32_t groups = (uint32_t)(s->blocks / build_blocks_per_group(s->build)) + 1;

	return (blkno_t)sim_random(s, groups) * build_blocks_per_group(s->build) %
	       s->blocks;
}

/* One more name in the directory; a new block when the ones it has are full. */
static bool add_entry(struct sim *s, struct sim_node *dir)
{
	uint32_t room = s->block_size / ENTRY_BYTES - 2;

	if (dir->blocks.n && dir->entries >= (uint32_t)dir->blocks.n * room &&
	    !take_block(s, dir))
		return false;
	dir->entries++;
	return true;
}

uint32_t sim_create(struct sim *s, uint32_t parent, const char *name, bool is_dir)
{
	struct sim_node node = {.parent = parent, .is_dir = is_dir, .live = true};

	snprintf(node.name, sizeof(node.name), "%s", name);
	node.mtime = node.atime = s->now++;
	node.goal = is_dir ? random_goal(s) : s->nodes.v[parent].goal;
	if (!add_entry(s, &s->nodes.v[parent]) || (is_dir && !take_block(s, &node)))
		return UINT32_MAX;
	if (!vec_push(&s->nodes, node))
		return UINT32_MAX;
	return (uint32_t)(s->nodes.n - 1);
}

bool sim_append(struct sim *s, uint32_t node, uint32_t blocks)
{
	struct sim_node *n = &s->nodes.v[node];

	for (uint32_t i = 0; i < blocks; i++)
		if (!take_block(s, n))
			return false;
	n->tail = 1 + sim_random(s, s->block_size);
	n->mtime = n->atime = s->now++;
	return true;
}

void sim_delete(struct sim *s, uint32_t node)
{
	struct sim_node *n = &s->nodes.v[node];

	for (size_t i = 0; i < n->blocks.n; i++)
		s->used[n->blocks.v[i]] = 0;
	s->used_count -= n->blocks.n;
	vec_release(&n->blocks);
	n->live = false;
	if (s->nodes.v[n->parent].entries)
		s->nodes.v[n->parent]
			.entries--; /* its place in the directory is used again */
}

void sim_touch(struct sim *s, uint32_t node)
{
	s->nodes.v[node].atime = s->now++;
}

static inum_t put_node(struct sim *s, const struct sim_node *n, inum_t parent,
		       struct err *err)
{
	struct build_node out = {
		.parent = parent,
		.name = n->name,
		.blocks = n->blocks.v,
		.block_count = n->blocks.n,
		.size = n->blocks.n ? (n->blocks.n - 1) * s->block_size + n->tail : 0,
		.mtime = n->mtime,
		.atime = n->atime,
		.content_seed = (uint64_t)n->mtime,
		.group = n->blocks.n ? (group_t)(n->blocks.v[0] /
						 build_blocks_per_group(s->build))
				     : 0,
	};

	return n->is_dir ? build_dir(s->build, &out, err)
			 : build_file(s->build, &out, err);
}

bool sim_commit(struct sim *s, struct err *err)
{
	inum_t *inos = calloc(s->nodes.n, sizeof(*inos));
	bool ok = true;

	if (!inos)
		return err_nomem(err);
	for (size_t i = 1; i < s->nodes.n; i++)
		for (size_t k = 0; k < s->nodes.v[i].blocks.n; k++)
			build_reserve(s->build, s->nodes.v[i].blocks.v[k]);
	inos[0] = BUILD_ROOT;
	for (size_t i = 1; ok && i < s->nodes.n; i++) {
		const struct sim_node *n = &s->nodes.v[i];

		if (!n->live)
			continue;
		inos[i] = put_node(s, n, inos[n->parent], err);
		ok = inos[i] != 0;
	}
	free(inos);
	return ok;
}
