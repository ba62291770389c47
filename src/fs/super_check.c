/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * super_check.c - a superblock's sizes and counts, before libext2fs or anybody else
 * trusts them: struct ext2_super_block (ext2_fs.h), little endian.
 */
#include "src/fs/open.h"
#include "src/fs/rules.h"

#define GROUPS_MAX	  (1u << 24) /* 2 PiB with 128 MiB groups; bounds our memory */
#define CLUSTER_RATIO_LOG 16	     /* mke2fs makes clusters of up to 65536 blocks */

/* The fields that the checks need, decoded. */
struct sizes {
	uint32_t log_block, log_cluster, block_size, inode_size, desc_size;
	uint32_t blocks_per_group, clusters_per_group, inodes_per_group;
	uint32_t first_block, first_inode, reserved_gdt;
	uint64_t blocks, inodes, groups;
	bool bigalloc, is_64bit;
};

static uint32_t le32(uint32_t x)
{
	return ext2fs_le32_to_cpu(x);
}

static void decode(const struct ext2_super_block *s, struct sizes *z)
{
	bool old = le32(s->s_rev_level) == EXT2_GOOD_OLD_REV;

	*z = (struct sizes){
		.log_block = le32(s->s_log_block_size),
		.log_cluster = le32(s->s_log_cluster_size),
		.inode_size = old ? EXT2_GOOD_OLD_INODE_SIZE
				  : ext2fs_le16_to_cpu(s->s_inode_size),
		.first_inode = old ? EXT2_GOOD_OLD_FIRST_INO : le32(s->s_first_ino),
		.desc_size = ext2fs_le16_to_cpu(s->s_desc_size),
		.blocks_per_group = le32(s->s_blocks_per_group),
		.clusters_per_group = le32(s->s_clusters_per_group),
		.inodes_per_group = le32(s->s_inodes_per_group),
		.first_block = le32(s->s_first_data_block),
		.reserved_gdt = ext2fs_le16_to_cpu(s->s_reserved_gdt_blocks),
		.blocks = le32(s->s_blocks_count),
		.inodes = le32(s->s_inodes_count),
		.bigalloc =
			le32(s->s_feature_ro_compat) & EXT4_FEATURE_RO_COMPAT_BIGALLOC,
		.is_64bit = le32(s->s_feature_incompat) & EXT4_FEATURE_INCOMPAT_64BIT,
	};
	if (z->is_64bit)
		z->blocks |= (uint64_t)le32(s->s_blocks_count_hi) << 32;
	if (z->log_block <= EXT2_MAX_BLOCK_LOG_SIZE - EXT2_MIN_BLOCK_LOG_SIZE)
		z->block_size = EXT2_MIN_BLOCK_SIZE << z->log_block;
	if (z->blocks_per_group && z->blocks > z->first_block)
		z->groups = (z->blocks - z->first_block + z->blocks_per_group - 1) /
			    z->blocks_per_group;
}

static bool is_power_of_two(uint32_t n)
{
	return n && (n & (n - 1)) == 0;
}

/* A group's bits fill at most one block; with bigalloc they count clusters. */
static bool groups_fit_bitmap(const struct sizes *z)
{
	uint32_t bits = z->block_size * 8, ratio = 1;

	if (z->bigalloc) {
		if (z->log_cluster < z->log_block ||
		    z->log_cluster - z->log_block > CLUSTER_RATIO_LOG)
			return false;
		ratio = 1u << (z->log_cluster - z->log_block);
		if ((uint64_t)z->clusters_per_group * ratio != z->blocks_per_group)
			return false;
	}
	return z->blocks_per_group && z->blocks_per_group / ratio <= bits &&
	       z->blocks_per_group / ratio % 8 == 0 && z->inodes_per_group &&
	       z->inodes_per_group <= bits;
}

static bool sizes_are_sane(const struct sizes *z)
{
	/* clusters start at block 0, also on 1 KiB blocks */
	uint32_t first = z->block_size == 1024 && !(z->bigalloc && z->log_cluster);

	return is_power_of_two(z->inode_size) &&
	       z->inode_size >= EXT2_GOOD_OLD_INODE_SIZE &&
	       z->inode_size <= z->block_size &&
	       (!z->is_64bit ||
		(is_power_of_two(z->desc_size) &&
		 z->desc_size >= EXT2_MIN_DESC_SIZE_64BIT &&
		 z->desc_size <= EXT2_MAX_DESC_SIZE && z->desc_size <= z->block_size)) &&
	       groups_fit_bitmap(z) && z->first_block == first &&
	       z->first_inode >= EXT2_GOOD_OLD_FIRST_INO && z->first_inode <= z->inodes &&
	       z->reserved_gdt <= z->block_size / 4 && z->groups &&
	       z->groups * z->inodes_per_group == z->inodes;
}

static bool refuse(const char *path, const char *why, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.150s: %s", path, why);
	return false;
}

bool super_check(const char *path, const struct ext2_super_block *s, uint64_t bytes,
		 struct err *err)
{
	struct sizes z;
	char why[160];

	if (ext2fs_le16_to_cpu(s->s_magic) != EXT2_SUPER_MAGIC)
		return refuse(path,
			      "no ext2, ext3 or ext4 volume here; a partition inside a "
			      "disk image needs --offset BYTES",
			      err);
	if (rules_forbid_view(s, why, sizeof(why)))
		return refuse(path, why, err);
	decode(s, &z);
	if (!z.block_size)
		return refuse(path,
			      "its block size makes no sense; try a backup of the "
			      "superblock: e2fsck -b 32768",
			      err);
	if (!sizes_are_sane(&z))
		return refuse(path,
			      "its superblock makes no sense; try a backup of it: e2fsck "
			      "-b 32768",
			      err);
	/* each group has two bitmaps and a table of its own somewhere */
	if (z.groups > bytes / z.block_size / 3 + 1)
		return refuse(path,
			      "it is far too short for the number of groups that its "
			      "superblock tells of",
			      err);
	if (z.groups > GROUPS_MAX)
		return refuse(path, "it has more groups than this program can hold", err);
	return true;
}
