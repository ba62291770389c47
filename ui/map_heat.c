/* SPDX-License-Identifier: GPL-3.0-or-later */
/* map_heat.c - see map_heat.h: a hash table, at most half full. */
#include "ui/map_heat.h"
#include <stdlib.h>
#include <string.h>

struct heat_slot {
	inum_t ino;	    /* 0: empty */
	uint32_t fragments; /* 0: not known (any more) */
};

/* The slot of ino, or the empty one where it belongs. */
static struct heat_slot *find(const struct map_heat *h, inum_t ino)
{
	size_t mask = h->cap - 1, i = (ino * 2654435761u) & mask;

	while (h->v[i].ino != 0 && h->v[i].ino != ino)
		i = (i + 1) & mask;
	return &h->v[i];
}

static bool grow(struct map_heat *h)
{
	struct map_heat bigger = {NULL, h->n, h->cap ? h->cap * 2 : 1024};

	bigger.v = calloc(bigger.cap, sizeof(*bigger.v));
	if (!bigger.v)
		return false;
	for (size_t i = 0; i < h->cap; i++)
		if (h->v[i].ino != 0)
			*find(&bigger, h->v[i].ino) = h->v[i];
	free(h->v);
	*h = bigger;
	return true;
}

uint32_t map_heat_fragments(struct map_heat *h, const struct model *m, inum_t ino)
{
	struct heat_slot *slot;
	struct file_info info;

	if (h->n * 2 >= h->cap && !grow(h))
		return 1;
	slot = find(h, ino);
	if (slot->ino == ino && slot->fragments != 0)
		return slot->fragments;
	h->n += slot->ino == 0;
	slot->ino = ino;
	slot->fragments =
		model_file(m, ino, &info) && info.fragments ? info.fragments : 1;
	return slot->fragments;
}

void map_heat_forget(struct map_heat *h, inum_t ino)
{
	if (h->cap > 0)
		find(h, ino)->fragments = 0;
}

void map_heat_clear(struct map_heat *h)
{
	if (h->cap > 0)
		memset(h->v, 0, h->cap * sizeof(*h->v));
	h->n = 0;
}

void map_heat_release(struct map_heat *h)
{
	free(h->v);
	*h = (struct map_heat){NULL, 0, 0};
}
