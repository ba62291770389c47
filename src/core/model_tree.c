/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_tree.c - the inodes below a directory, by the parents that the model knows. */
#include <stdlib.h>
#include "core/strategy.h"

/* One bit an inode. Every directory is climbed through once: what is known of one is not
 * asked again, and a loop of directories on a damaged volume ends where it began. */
struct climb {
	const struct model *m;
	inum_t dir;
	uint8_t *seen, *below;
};

static bool get(const uint8_t *bits, inum_t ino)
{
	return bits[ino / 8] >> ino % 8 & 1;
}

static void set(uint8_t *bits, inum_t ino)
{
	bits[ino / 8] |= (uint8_t)(1u << ino % 8);
}

static bool is_below(struct climb *c, inum_t ino)
{
	inum_t at = ino;
	bool below;

	while (at && at <= model_geom(c->m)->inodes && !get(c->seen, at)) {
		set(c->seen, at);
		at = model_parent(c->m, at);
	}
	below = get(c->below, at <= model_geom(c->m)->inodes ? at : 0);
	for (inum_t up = ino; below && up != at; up = model_parent(c->m, up))
		set(c->below, up);
	return get(c->below, ino);
}

static bool push_below(const struct model *m, inum_t dir, struct inum_list *out)
{
	size_t size = model_geom(m)->inodes / 8 + 1;
	struct climb c = {m, dir, calloc(1, size), calloc(1, size)};
	bool ok = c.seen && c.below;

	if (ok && dir <= model_geom(m)->inodes) {
		set(c.seen, dir);
		set(c.below, dir);
	}
	for (inum_t ino = 0; ok && (ino = model_next_inode(m, ino));)
		ok = !is_below(&c, ino) || vec_push(out, ino);
	free(c.seen);
	free(c.below);
	return ok;
}

bool model_tree(const struct model *m, inum_t dir, struct inum_list *out)
{
	struct inode_info info;

	if (dir != 2)
		return push_below(m, dir, out);
	/* The root: files that no directory names too. */
	for (inum_t ino = 0; (ino = model_next_inode(m, ino));) {
		if (ino != 2 && model_inode(m, ino, &info) && (info.flags & INODE_SYSTEM))
			continue;
		if (!vec_push(out, ino))
			return false;
	}
	return true;
}
