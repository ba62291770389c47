/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inode.c - raw inodes: where they lie, what they are, their checksums. On disk: struct
 * ext2_inode_large (ext2_fs.h). */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/crc32c.h"
#include "src/fs/fs.h"

/* --- reading --- */

void inode_locate(struct volume *v, inum_t ino, blkno_t *block, size_t *offset)
{
	group_t group = geom_group_of_inode(&v->geom, ino);
	uint64_t at =
		(uint64_t)((ino - 1) % v->geom.inodes_per_group) * v->geom.inode_size;

	*block = ext2fs_inode_table_loc(v->fs, group) + at / v->geom.block_size;
	*offset = at % v->geom.block_size;
}

uint32_t inode_csum(const struct volume *v, inum_t ino,
		    const struct ext2_inode_large *raw, bool *has_high)
{
	size_t lo = offsetof(struct ext2_inode, osd2.linux2.l_i_checksum_lo);
	size_t hi = offsetof(struct ext2_inode_large, i_checksum_hi);
	const uint8_t *bytes = (const uint8_t *)raw;
	uint32_t size = v->geom.inode_size, le_ino = ext2fs_cpu_to_le32(ino);
	static const uint8_t zero[2];
	uint32_t crc = crc32c(v->fs->csum_seed, &le_ino, 4);

	*has_high = size > EXT2_GOOD_OLD_INODE_SIZE &&
		    ext2fs_le16_to_cpu(raw->i_extra_isize) >= 4;
	crc = crc32c(crc, &raw->i_generation, 4);
	crc = crc32c(crc, bytes, lo);
	crc = crc32c(crc, zero, 2);
	if (!*has_high)
		return crc32c(crc, bytes + lo + 2, size - lo - 2);
	crc = crc32c(crc, bytes + lo + 2, hi - lo - 2);
	crc = crc32c(crc, zero, 2);
	return crc32c(crc, bytes + hi + 2, size - hi - 2);
}

static bool is_zero(const uint8_t *p, size_t n)
{
	return p[0] == 0 && memcmp(p, p + 1, n - 1) == 0;
}

bool inode_csum_ok(const struct volume *v, inum_t ino, const struct ext2_inode_large *raw)
{
	bool high;
	uint32_t crc, have;

	if (!ext2fs_has_feature_metadata_csum(v->fs->super))
		return true;
	crc = inode_csum(v, ino, raw, &high);
	have = ext2fs_le16_to_cpu(raw->i_checksum_lo);
	if (high)
		have |= (uint32_t)ext2fs_le16_to_cpu(raw->i_checksum_hi) << 16;
	if (have == (high ? crc : crc & 0xFFFF))
		return true;
	return is_zero((const uint8_t *)raw, v->geom.inode_size); /* never used */
}

bool inode_check(const struct volume *v, inum_t ino, const struct ext2_inode_large *raw,
		 struct err *err)
{
	if (inode_csum_ok(v, ino, raw))
		return true;
	err_set(err, ERR_CORRUPT, "the checksum of inode %u is wrong; run: e2fsck -f %s",
		ino, v->info.path);
	return false;
}

bool inode_read(struct volume *v, inum_t ino, struct ext2_inode_large *raw,
		struct err *err)
{
	blkno_t block;
	size_t offset;
	char *buf;
	bool ok;

	if (ino == 0 || ino > v->geom.inodes) {
		err_set(err, ERR_USAGE, "there is no inode %u", ino);
		return false;
	}
	buf = malloc(v->geom.block_size);
	if (!buf)
		return err_nomem(err);
	inode_locate(v, ino, &block, &offset);
	ok = io_read(v, block, 1, buf, err);
	if (ok)
		memcpy(raw, buf + offset, v->geom.inode_size);
	free(buf);
	return ok && inode_check(v, ino, raw, err);
}

/* --- what it is --- */

static uint16_t mode_of(const struct ext2_inode_large *raw)
{
	return ext2fs_le16_to_cpu(raw->i_mode);
}

static uint32_t flags_of(const struct ext2_inode_large *raw)
{
	return ext2fs_le32_to_cpu(raw->i_flags);
}

static uint64_t size_of(const struct ext2_inode_large *raw)
{
	return ext2fs_le32_to_cpu(raw->i_size) |
	       (uint64_t)ext2fs_le32_to_cpu(raw->i_size_high) << 32;
}

/* Target in i_block: no block of its own but, maybe, an attribute block
 * (ext2fs_is_fast_symlink). */
static bool is_fast_symlink(const struct ext2_inode_large *raw)
{
	return S_ISLNK(mode_of(raw)) && !(flags_of(raw) & EXT4_EXTENTS_FL) &&
	       size_of(raw) < sizeof(raw->i_block);
}

bool inode_has_map(const struct ext2_inode_large *raw)
{
	uint16_t mode = mode_of(raw);

	if (flags_of(raw) & EXT4_INLINE_DATA_FL)
		return false;
	return S_ISREG(mode) || S_ISDIR(mode) || mode == 0 ||
	       (S_ISLNK(mode) && !is_fast_symlink(raw));
}

static bool is_reserved(const struct volume *v, inum_t ino)
{
	const struct ext2_super_block *s = v->fs->super;

	return (ino < v->geom.first_inode && ino != EXT2_ROOT_INO) ||
	       ino == s->s_journal_inum ||
	       (s->s_prj_quota_inum && ino == s->s_prj_quota_inum) ||
	       (s->s_orphan_file_inum && ino == s->s_orphan_file_inum);
}

enum owner_kind inode_owner_kind(struct volume *v, inum_t ino,
				 const struct ext2_inode_large *raw)
{
	const struct ext2_super_block *s = v->fs->super;

	if (ino == EXT2_BAD_INO)
		return OWNER_BAD;
	if (ino == EXT2_RESIZE_INO)
		return OWNER_RESIZE;
	if (ino == s->s_journal_inum)
		return OWNER_JOURNAL;
	if (ino == s->s_usr_quota_inum || ino == s->s_grp_quota_inum ||
	    ino == s->s_prj_quota_inum)
		return OWNER_QUOTA;
	if (ino == s->s_orphan_file_inum)
		return OWNER_ORPHAN;
	if (is_reserved(v, ino))
		return OWNER_SYSTEM;
	if (flags_of(raw) & EXT4_EA_INODE_FL)
		return OWNER_EA_INODE;
	return S_ISDIR(mode_of(raw))   ? OWNER_DIR
	       : S_ISLNK(mode_of(raw)) ? OWNER_SYMLINK
				       : OWNER_FILE;
}

void inode_info_of(struct volume *v, inum_t ino, const struct ext2_inode_large *raw,
		   struct inode_info *out)
{
	uint16_t mode = mode_of(raw);
	uint32_t flags = flags_of(raw);

	*out = (struct inode_info){.size = size_of(raw)};
	out->type = S_ISREG(mode)   ? INODE_FILE
		    : S_ISDIR(mode) ? INODE_DIR
		    : S_ISLNK(mode) ? INODE_SYMLINK
				    : INODE_OTHER;
	if (is_reserved(v, ino))
		out->flags |= INODE_SYSTEM | INODE_PINNED;
	if (flags & (EXT2_IMMUTABLE_FL | EXT2_APPEND_FL))
		out->flags |= INODE_PINNED;
	if (flags & EXT4_INLINE_DATA_FL)
		out->flags |= INODE_INLINE;
	else if (!(flags & EXT4_EXTENTS_FL) && inode_has_map(raw))
		out->flags |= INODE_INDIRECT;
}

blkno_t inode_xattr_block(const struct volume *v, const struct ext2_inode_large *raw)
{
	blkno_t block = ext2fs_le32_to_cpu(raw->i_file_acl);

	if (ext2fs_has_feature_64bit(v->fs->super))
		block |= (blkno_t)ext2fs_le16_to_cpu(raw->osd2.linux2.l_i_file_acl_high)
			 << 32;
	return block;
}

bool inode_node_csum_ok(struct volume *v, inum_t ino, const struct ext2_inode_large *raw,
			const void *node)
{
	const struct ext3_extent_header *h = node;
	size_t tail = sizeof(*h) +
		      (size_t)ext2fs_le16_to_cpu(h->eh_max) * sizeof(struct ext3_extent);
	uint32_t le_ino = ext2fs_cpu_to_le32(ino), crc, have;

	if (!ext2fs_has_feature_metadata_csum(v->fs->super))
		return true;
	if (tail + 4 > v->geom.block_size)
		return false;
	crc = crc32c(v->fs->csum_seed, &le_ino, 4);
	crc = crc32c(crc, &raw->i_generation, 4);
	crc = crc32c(crc, node, tail);
	memcpy(&have, (const char *)node + tail, 4);
	return ext2fs_le32_to_cpu(have) == crc;
}
