/* SPDX-License-Identifier: GPL-3.0-or-later */
/* world.c - see world.h: files that grow and vanish. */
#include <stdio.h>
#include <string.h>
#include "src/lab/world.h"

/* Of a directory block: the checksum's entry, and what "." and ".." take in the first. */
#define DIR_TAIL 12u
#define DIR_DOTS 24u

void world_init(struct world *w, struct space *space, const struct policy_kind *kind,
		uint64_t seed, int64_t now)
{
	memset(w, 0, sizeof(*w));
	w->space = *space;
	memset(space, 0, sizeof(*space));
	policy_init(&w->policy, kind, &w->space, seed ^ 0xA110C8ull);
	w->waiting_max = w->space.blocks / 32;
	w->seed = seed;
	w->now = now;
	vec_push(&w->nodes, (struct world_node){.name = "/",
						.is_dir = true,
						.live = true,
						.mtime = now,
						.atime = now});
}

void world_release(struct world *w)
{
	policy_release(&w->policy);
	for (size_t i = 0; i < w->nodes.n; i++)
		vec_release(&w->nodes.v[i].pieces);
	vec_release(&w->nodes);
	vec_release(&w->waiting);
	space_release(&w->space);
}

uint64_t world_left(const struct world *w)
{
	uint64_t free_blocks = freemap_blocks(w->space.free);

	return free_blocks > w->waiting_blocks ? free_blocks - w->waiting_blocks : 0;
}

double world_fill(const struct world *w)
{
	uint64_t all = w->space.blocks - w->space.first;

	return (double)(all - world_left(w)) / (double)all;
}

uint64_t world_content_seed(const struct world *w, uint32_t node)
{
	return w->seed * 0x9E3779B97F4A7C15ull + node;
}

static void note(struct world *w, uint32_t node, lblk_t lblk, struct range r,
		 const char *why)
{
	struct world_note n = {node, why == NULL, lblk, r, why};

	if (w->on_note)
		w->on_note(w->note_arg, &n);
}

/* --- placing --- */

static bool add_piece(struct world_node *n, struct range r)
{
	struct build_piece *last = n->pieces.n ? &n->pieces.v[n->pieces.n - 1] : NULL;

	if (last && last->phys + last->len == r.start)
		last->len += (uint32_t)r.len;
	else if (!vec_push(&n->pieces,
			   (struct build_piece){n->blocks, (uint32_t)r.len, r.start}))
		return false;
	n->blocks += (uint32_t)r.len;
	return true;
}

static blkno_t last_block(const struct world_node *n)
{
	const struct build_piece *p;

	if (!n->pieces.n)
		return BLKNO_NONE;
	p = &n->pieces.v[n->pieces.n - 1];
	return p->phys + p->len - 1;
}

/* Until the file has `want` blocks. */
static bool place(struct world *w, uint32_t node, uint32_t want)
{
	struct world_node *n = &w->nodes.v[node];
	struct policy_answer got;

	while (n->blocks < want) {
		struct policy_want ask = {.file = node,
					  .lblk = n->blocks,
					  .len = want - n->blocks,
					  .behind = last_block(n),
					  .group = n->group,
					  .writer = n->writer,
					  .size = want,
					  .closed = !n->open,
					  .directory = n->is_dir};

		if (!policy_place(&w->policy, &ask, &got) || !add_piece(n, got.got))
			return false;
		w->placed += got.got.len;
		w->pieces++;
		note(w, node, ask.lblk, got.got, got.why);
	}
	return true;
}

static uint32_t blocks_of(const struct world *w, uint64_t bytes)
{
	return (uint32_t)((bytes + w->space.block_size - 1) / w->space.block_size);
}

static bool write_out(struct world *w, uint32_t node)
{
	struct world_node *n = &w->nodes.v[node];
	uint32_t want = blocks_of(w, n->size);
	bool ok;

	n->waiting = false;
	if (!n->live || n->blocks >= want)
		return true;
	w->waiting_blocks -= want - n->blocks;
	ok = place(w, node, want);
	if (!ok)
		n->size = (uint64_t)n->blocks * w->space.block_size;
	return ok;
}

bool world_sync(struct world *w)
{
	bool ok = true;

	for (size_t i = 0; i < w->waiting.n; i++)
		ok = write_out(w, w->waiting.v[i]) && ok;
	vec_clear(&w->waiting);
	return ok;
}

/* --- files --- */

bool world_append(struct world *w, uint32_t node, uint64_t bytes)
{
	struct world_node *n = &w->nodes.v[node];
	uint32_t before = blocks_of(w, n->size), want = blocks_of(w, n->size + bytes);
	uint64_t old = n->size;

	if (want - before > world_left(w))
		return false;
	n->size += bytes;
	n->mtime = n->atime = w->now++;
	n->open = true;
	if (!w->policy.kind->delayed) {
		if (place(w, node, want))
			return true;
		n->size = (uint64_t)n->blocks * w->space.block_size;
		if (n->size < old)
			n->size = old;
		return false;
	}
	w->waiting_blocks += want - before;
	if (!n->waiting && want > n->blocks) {
		if (!vec_push(&w->waiting, node))
			return false;
		n->waiting = true;
	}
	return w->waiting_blocks <= w->waiting_max || world_sync(w);
}

void world_close(struct world *w, uint32_t node)
{
	w->nodes.v[node].open = false;
	policy_close(&w->policy, node);
}

/* Gives back the blocks from `keep` on. */
static void cut(struct world *w, uint32_t node, uint32_t keep)
{
	struct world_node *n = &w->nodes.v[node];

	while (n->pieces.n) {
		struct build_piece *p = &n->pieces.v[n->pieces.n - 1];
		uint32_t from = p->lblk >= keep ? 0 : keep - (uint32_t)p->lblk;
		struct range r = {p->phys + from, p->len - from};

		if (from >= p->len)
			break;
		space_give(&w->space, r);
		note(w, node, (lblk_t)p->lblk + from, r, NULL);
		p->len = from;
		if (!from)
			n->pieces.n--;
	}
	if (n->blocks > keep)
		n->blocks = keep;
}

void world_truncate(struct world *w, uint32_t node, uint64_t bytes)
{
	struct world_node *n = &w->nodes.v[node];
	uint32_t want = blocks_of(w, n->size), keep = blocks_of(w, bytes);

	if (bytes >= n->size)
		return;
	if (n->waiting && want > n->blocks) /* what never had blocks needs none */
		w->waiting_blocks -= want - (keep > n->blocks ? keep : n->blocks);
	policy_close(&w->policy, node);
	cut(w, node, keep);
	n->size = bytes;
	n->mtime = w->now++;
}

void world_delete(struct world *w, uint32_t node)
{
	struct world_node *n = &w->nodes.v[node];
	struct world_node *dir = &w->nodes.v[n->parent];

	world_truncate(w, node, 0);
	if (n->is_dir)
		cut(w, node, 0);
	policy_close(&w->policy, node);
	vec_release(&n->pieces);
	n->live = false;
	dir->gaps += 8u + (((uint32_t)strlen(n->name) + 3u) & ~3u);
	w->space.group.v[n->group].free_inodes++;
	if (n->is_dir)
		w->space.group.v[n->group].dirs--;
	dir->mtime = w->now++;
}

/* --- names --- */

/* Room for one more name; directories are written at once. */
static bool add_name(struct world *w, uint32_t parent, const char *name)
{
	uint32_t need = 8u + (((uint32_t)strlen(name) + 3u) & ~3u);
	struct world_node *dir = &w->nodes.v[parent];

	if (!parent) /* the root's blocks are the library's */
		return true;
	if (dir->gaps >= 2 * need) {
		dir->gaps -= need;
	} else {
		if (dir->room < need) {
			if (!world_left(w) || !place(w, parent, dir->blocks + 1))
				return false;
			dir->room = w->space.block_size - DIR_TAIL;
			dir->size = (uint64_t)dir->blocks * w->space.block_size;
		}
		dir->room -= need;
	}
	dir->mtime = w->now++;
	return true;
}

/* Files go to the first group with a free inode in their directory's flex group, else to
 * any (find_group_other). */
static group_t file_group(const struct space *s, group_t dir)
{
	group_t base = dir - dir % s->flex;

	for (group_t i = 0; i < s->groups; i++) {
		group_t g = (base + i) % s->groups;

		if (s->group.v[g].free_inodes)
			return g;
	}
	return dir;
}

uint32_t world_create(struct world *w, uint32_t parent, const char *name, bool is_dir)
{
	struct world_node n = {.parent = parent, .is_dir = is_dir, .live = true};
	uint32_t node = (uint32_t)w->nodes.n;
	struct space_group *g;

	snprintf(n.name, sizeof(n.name), "%s", name);
	n.group = is_dir ? policy_dir_group(&w->policy, w->nodes.v[parent].group, !parent)
			 : file_group(&w->space, w->nodes.v[parent].group);
	n.group = file_group(&w->space, n.group);
	g = &w->space.group.v[n.group];
	if (!g->free_inodes || !add_name(w, parent, n.name) || !vec_push(&w->nodes, n))
		return WORLD_NONE;
	n.mtime = n.atime = w->now++;
	w->nodes.v[node].mtime = w->nodes.v[node].atime = n.mtime;
	if (is_dir) {
		if (!world_left(w) || !place(w, node, 1)) {
			w->nodes.n--;
			return WORLD_NONE;
		}
		w->nodes.v[node].room = w->space.block_size - DIR_TAIL - DIR_DOTS;
		w->nodes.v[node].size = w->space.block_size;
		g->dirs++;
	}
	g->free_inodes--;
	return node;
}
