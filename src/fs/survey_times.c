/* SPDX-License-Identifier: GPL-3.0-or-later */
/* survey_times.c - the times of all inodes; see survey.h. */
#include <stdlib.h>
#include <string.h>
#include "fs/survey.h"
#include "src/fs/fs.h"

#define PIECE_BYTES (4u << 20)

/* i_xtime holds the lower 32 bits, signed; two bits of i_xtime_extra are the epoch
 * (Documentation/filesystems/ext4/inodes.rst). */
static int64_t time_of(uint32_t low, uint32_t extra, bool has_extra)
{
	int64_t t = (int32_t)ext2fs_le32_to_cpu(low);

	return has_extra ? t + ((int64_t)(ext2fs_le32_to_cpu(extra) & 3) << 32) : t;
}

static bool has_field(const struct ext2_inode_large *raw, uint32_t inode_size, size_t end)
{
	return inode_size > EXT2_GOOD_OLD_INODE_SIZE &&
	       EXT2_GOOD_OLD_INODE_SIZE +
			       (size_t)ext2fs_le16_to_cpu(raw->i_extra_isize) >=
		       end;
}

#define FIELD_END(field)                            \
	(offsetof(struct ext2_inode_large, field) + \
	 sizeof(((struct ext2_inode_large *)NULL)->field))

static struct inode_times times_of(inum_t ino, const struct ext2_inode_large *raw,
				   uint32_t size)
{
	return (struct inode_times){
		.ino = ino,
		.atime = time_of(raw->i_atime, raw->i_atime_extra,
				 has_field(raw, size, FIELD_END(i_atime_extra))),
		.mtime = time_of(raw->i_mtime, raw->i_mtime_extra,
				 has_field(raw, size, FIELD_END(i_mtime_extra))),
		.ctime = time_of(raw->i_ctime, raw->i_ctime_extra,
				 has_field(raw, size, FIELD_END(i_ctime_extra))),
	};
}

/* Inodes [from, from + count) of the volume, which lie in the piece one after another. */
static bool take(struct volume *v, const struct model *m, const uint8_t *piece,
		 inum_t from, uint32_t count, struct times_list *out)
{
	uint32_t size = v->geom.inode_size;
	struct inode_info info;

	for (inum_t ino = model_next_inode(m, from - 1); ino && ino - from < count;
	     ino = model_next_inode(m, ino)) {
		struct ext2_inode_large raw = {0};
		size_t have = size < sizeof(raw) ? size : sizeof(raw);

		memcpy(&raw, piece + (size_t)(ino - from) * size, have);
		if (model_inode(m, ino, &info) &&
		    !vec_push(out, times_of(ino, &raw, size)))
			return false;
	}
	return true;
}

/* The part of a group's table that has inodes in use. */
static bool take_group(struct volume *v, const struct model *m, group_t group,
		       uint8_t *piece, struct times_list *out, struct err *err)
{
	const struct geom *g = &v->geom;
	uint32_t per_block = g->block_size / g->inode_size;
	uint32_t step = PIECE_BYTES / g->block_size;
	inum_t first = group * g->inodes_per_group + 1;
	uint32_t blocks = (g->inodes_per_group + per_block - 1) / per_block;
	blkno_t table = ext2fs_inode_table_loc(v->fs, group);

	for (uint32_t at = 0; at < blocks; at += step) {
		uint32_t n = blocks - at < step ? blocks - at : step;
		inum_t from = first + at * per_block;
		uint32_t count = n * per_block;
		inum_t used = model_next_inode(m, from - 1);

		if (!used || used - first >= g->inodes_per_group)
			break;
		if (used - from >= count)
			continue;
		if (from - first + count > g->inodes_per_group)
			count = g->inodes_per_group - (from - first);
		if (!io_read_direct(v, table + at, n, piece, err))
			return false;
		if (!take(v, m, piece, from, count, out))
			return err_nomem(err);
	}
	return true;
}

bool survey_times(struct volume *v, const struct model *m, struct times_list *out,
		  struct err *err)
{
	uint8_t *piece = aligned_alloc(4096, PIECE_BYTES);
	bool ok = piece || err_nomem(err);

	for (group_t g = 0; ok && g < v->geom.groups; g++)
		ok = take_group(v, m, g, piece, out, err);
	free(piece);
	return ok;
}
