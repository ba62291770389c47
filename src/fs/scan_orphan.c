/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan_orphan.c - files without a name that wait to be freed: they were deleted while
 * open, and then the volume was not unmounted. Until e2fsck or a mount frees them their
 * blocks are used, and theirs.
 *
 * Two ways to keep them (ext4 on-disk format): a list through i_dtime that starts in the
 * superblock, and the orphan file, full of inode numbers.
 */
#include <stdlib.h>
#include <string.h>
#include "src/fs/scan_priv.h"

#define LIST_MAX   65536u /* damage can make a circle of the list */
#define TAIL_BYTES 8	  /* magic and checksum at the end of each block of the file */

static bool add_list(struct scan *s, struct ext2_inode_large *raw)
{
	inum_t ino = s->v->fs->super->s_last_orphan;

	while (ino && ino <= s->v->geom.inodes && s->orphans.n < LIST_MAX) {
		if (!vec_push(&s->orphans, ino))
			return false;
		if (!inode_read(s->v, ino, raw, NULL))
			break; /* which the scan of the table will say */
		ino = ext2fs_le32_to_cpu(raw->i_dtime);
	}
	return true;
}

static bool add_block(struct scan *s, const uint8_t *block)
{
	for (uint32_t at = 0; at + TAIL_BYTES < s->v->geom.block_size; at += 4) {
		uint32_t ino;

		memcpy(&ino, block + at, 4);
		ino = ext2fs_le32_to_cpu(ino);
		if (ino && ino <= s->v->geom.inodes && !vec_push(&s->orphans, ino))
			return false;
	}
	return true;
}

static bool add_file(struct scan *s, struct ext2_inode_large *raw)
{
	inum_t ino = s->v->fs->super->s_orphan_file_inum;
	struct run_list runs = {0};
	uint8_t *block = malloc(s->v->geom.block_size);
	bool ok = block != NULL;

	if (ok && inode_read(s->v, ino, raw, NULL) &&
	    inode_map(s->v, ino, raw, &runs, NULL))
		for (size_t i = 0; i < runs.n; i++)
			for (uint32_t k = 0; ok && k < runs.v[i].len; k++)
				if (runs.v[i].kind == OWNER_ORPHAN &&
				    s->orphans.n < LIST_MAX &&
				    io_read(s->v, runs.v[i].phys + k, 1, block, NULL))
					ok = add_block(s, block);
	vec_release(&runs);
	free(block);
	return ok;
}

static int by_number(const void *a, const void *b)
{
	const inum_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

bool orphans_find(struct scan *s)
{
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(s->v));
	bool ok = raw && add_list(s, raw);

	if (ok && ext2fs_has_feature_orphan_present(s->v->fs->super))
		ok = add_file(s, raw);
	free(raw);
	if (s->orphans.n)
		qsort(s->orphans.v, s->orphans.n, sizeof(*s->orphans.v), by_number);
	return ok;
}

bool orphans_has(const struct scan *s, inum_t ino)
{
	return s->orphans.n &&
	       bsearch(&ino, s->orphans.v, s->orphans.n, sizeof(ino), by_number);
}
