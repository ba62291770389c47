/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dirent.c - see dirent.h. On disk: inode 4, rec_len 2, name_len 1, file type 1, name
 * (ext2_fs.h); htree nodes look like one empty entry, the checksum tail like another.
 */
#include "src/fs/dirent.h"

static uint32_t rec_len_of(const struct volume *v, const uint8_t *p)
{
	uint32_t raw = p[4] | (uint32_t)p[5] << 8, bs = v->geom.block_size;

	if (bs < 65536)
		return raw;
	return raw == 0 || raw == 65535 ? bs : (raw & 65532) | (raw & 3) << 16;
}

enum inode_type dirent_type(const struct volume *v, uint8_t raw)
{
	if (!ext2fs_has_feature_filetype(v->fs->super))
		return INODE_NONE;
	switch (raw) {
	case EXT2_FT_REG_FILE:
		return INODE_FILE;
	case EXT2_FT_DIR:
		return INODE_DIR;
	case EXT2_FT_SYMLINK:
		return INODE_SYMLINK;
	case EXT2_FT_UNKNOWN:
		return INODE_NONE;
	default:
		return INODE_OTHER;
	}
}

bool dirent_each_in(const struct volume *v, const void *bytes, size_t n,
		    bool (*fn)(void *arg, const struct dirent_view *e), void *arg)
{
	const uint8_t *base = bytes;
	size_t at = 0;

	while (at + 8 <= n) {
		const uint8_t *p = base + at;
		uint32_t rec = rec_len_of(v, p);
		struct dirent_view e = {
			.ino = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
			       (uint32_t)p[3] << 24,
			.name = (const char *)p + 8,
			.len = p[6],
			.type = dirent_type(v, p[7]),
		};

		if (rec < 8 || rec % 4 || rec > n - at || e.len + 8 > rec)
			return false;
		e.room = rec - 8;
		if (e.ino && e.len && !fn(arg, &e))
			return true;
		at += rec;
	}
	return at == n;
}

bool dirent_each(const struct volume *v, const void *block,
		 bool (*fn)(void *arg, const struct dirent_view *e), void *arg)
{
	return dirent_each_in(v, block, v->geom.block_size, fn, arg);
}
