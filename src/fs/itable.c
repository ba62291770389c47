/* SPDX-License-Identifier: GPL-3.0-or-later */
/* itable.c - see itable.h. */
#include <stdlib.h>
#include <string.h>
#include "src/fs/itable.h"

static int by_number(const void *a, const void *b)
{
	const blkno_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static void collect(struct itable *t, const inum_t *inos, size_t n)
{
	size_t kept = 0, offset;

	for (size_t i = 0; i < n; i++)
		if (inos[i] && inos[i] <= t->v->geom.inodes)
			inode_locate(t->v, inos[i], &t->block[t->n++], &offset);
	if (t->n)
		qsort(t->block, t->n, sizeof(*t->block), by_number);
	for (size_t i = 0; i < t->n; i++)
		if (!kept || t->block[kept - 1] != t->block[i])
			t->block[kept++] = t->block[i];
	t->n = kept;
}

bool itable_load(struct itable *t, struct volume *v, const inum_t *inos, size_t n,
		 struct err *err)
{
	size_t bs = v->geom.block_size;

	*t = (struct itable){.v = v};
	t->block = malloc((n ? n : 1) * sizeof(*t->block));
	if (!t->block)
		return err_nomem(err);
	collect(t, inos, n);
	t->bytes = malloc((t->n ? t->n : 1) * bs);
	if (!t->bytes)
		return err_nomem(err);
	for (size_t i = 0, end; i < t->n; i = end) {
		for (end = i + 1; end < t->n && t->block[end] == t->block[i] + (end - i);)
			end++;
		if (!io_read(v, t->block[i], end - i, t->bytes + i * bs, err))
			return false;
	}
	return true;
}

void itable_release(struct itable *t)
{
	free(t->block);
	free(t->bytes);
	*t = (struct itable){0};
}

bool itable_inode(const struct itable *t, inum_t ino, struct ext2_inode_large *raw,
		  struct err *err)
{
	blkno_t block, *hit = NULL;
	size_t offset;

	if (ino && ino <= t->v->geom.inodes) {
		inode_locate(t->v, ino, &block, &offset);
		hit = t->n ? bsearch(&block, t->block, t->n, sizeof(block), by_number)
			   : NULL;
	}
	if (!hit) /* says what is wrong with the number */
		return inode_read(t->v, ino, raw, err);
	memcpy(raw, t->bytes + (size_t)(hit - t->block) * t->v->geom.block_size + offset,
	       t->v->geom.inode_size);
	return inode_check(t->v, ino, raw, err);
}
