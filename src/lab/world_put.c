/* SPDX-License-Identifier: GPL-3.0-or-later */
/* world_put.c - from memory to a freshly formatted volume. */
#include <stdlib.h>
#include <string.h>
#include "src/lab/world.h"

#define DIR_TAIL 12u
#define DIR_DOTS 24u

/* Blocks that the live names of each directory fill, packed in order. */
static bool count_dir_blocks(const struct world *w, uint32_t *blocks, uint32_t *room)
{
	for (size_t i = 0; i < w->nodes.n; i++) {
		blocks[i] = 1;
		room[i] = w->space.block_size - DIR_TAIL - DIR_DOTS;
	}
	for (size_t i = 1; i < w->nodes.n; i++) {
		const struct world_node *n = &w->nodes.v[i];
		uint32_t need = 8u + (((uint32_t)strlen(n->name) + 3u) & ~3u);

		if (!n->live)
			continue;
		if (room[n->parent] < need) {
			blocks[n->parent]++;
			room[n->parent] = w->space.block_size - DIR_TAIL;
		}
		room[n->parent] -= need;
	}
	return true;
}

/* Gaps that were filled again may pack less well than they were counted. */
static bool widen_dirs(struct world *w, struct err *err)
{
	uint32_t *blocks = calloc(w->nodes.n * 2, sizeof(*blocks));
	bool ok = blocks && count_dir_blocks(w, blocks, blocks + w->nodes.n);

	if (!blocks)
		err_nomem(err);
	for (uint32_t i = 1; ok && i < w->nodes.n; i++) {
		struct world_node *n = &w->nodes.v[i];

		while (ok && n->live && n->is_dir && n->blocks < blocks[i]) {
			struct policy_want ask = {.file = i,
						  .lblk = n->blocks,
						  .len = 1,
						  .behind = BLKNO_NONE,
						  .group = n->group,
						  .size = 1,
						  .directory = true};
			struct policy_answer got;

			ok = policy_place(&w->policy, &ask, &got) &&
			     vec_push(&n->pieces, (struct build_piece){n->blocks++, 1,
								       got.got.start});
			if (!ok)
				err_set(err, ERR_NOSPACE,
					"no room for the names in directory %s", n->name);
		}
	}
	free(blocks);
	return ok;
}

bool world_put(struct world *w, struct build *b, uint8_t (*shas)[32], struct err *err)
{
	struct build_item *items = calloc(w->nodes.n, sizeof(*items));
	uint32_t *index = calloc(w->nodes.n, sizeof(*index));
	bool ok = items && index;
	size_t n = 0;

	if (!ok)
		err_nomem(err);
	ok = ok && widen_dirs(w, err);
	policy_flush(&w->policy);
	if (ok)
		index[0] = BUILD_IN_ROOT;
	for (uint32_t i = 1; ok && i < w->nodes.n; i++) {
		const struct world_node *f = &w->nodes.v[i];

		if (!f->live)
			continue;
		index[i] = (uint32_t)n;
		items[n++] = (struct build_item){
			.name = f->name,
			.parent = index[f->parent],
			.is_dir = f->is_dir,
			.group = f->group,
			.size = f->size,
			.mtime = f->mtime,
			.atime = f->atime,
			.content_seed = world_content_seed(w, i),
			.pieces = f->pieces.v,
			.piece_count = f->pieces.n,
			.sha256 = shas && !f->is_dir ? shas[i] : NULL,
		};
	}
	ok = ok && build_items(b, items, n, err);
	free(items);
	free(index);
	return ok;
}
