/* SPDX-License-Identifier: GPL-3.0-or-later */
/* build_look.c - the shape and the free space of a volume that is being built. */
#include "src/fs/build_priv.h"

void build_geom(const struct build *b, struct geom *out)
{
	const struct ext2_super_block *s = b->fs->super;

	out->block_size = b->fs->blocksize;
	out->cluster_ratio = (uint32_t)EXT2FS_CLUSTER_RATIO(b->fs);
	out->blocks = ext2fs_blocks_count(b->fs->super);
	out->first_block = s->s_first_data_block;
	out->blocks_per_group = s->s_blocks_per_group;
	out->groups = b->fs->group_desc_count;
	out->inodes = s->s_inodes_count;
	out->inodes_per_group = s->s_inodes_per_group;
	out->inode_size = EXT2_INODE_SIZE(b->fs->super);
	out->flex_groups = ext2fs_has_feature_flex_bg(b->fs->super)
				   ? 1u << s->s_log_groups_per_flex
				   : 1;
	out->first_inode = EXT2_FIRST_INODE(b->fs->super);
}

void build_group(const struct build *b, group_t g, uint32_t *free_inodes, uint32_t *dirs)
{
	*free_inodes = ext2fs_bg_free_inodes_count(b->fs, g);
	*dirs = ext2fs_bg_used_dirs_count(b->fs, g);
}

bool build_next_free(const struct build *b, blkno_t from, struct range *out)
{
	blk64_t first, end, last = ext2fs_blocks_count(b->fs->super) - 1;

	if (from < b->fs->super->s_first_data_block)
		from = b->fs->super->s_first_data_block;
	if (from > last ||
	    ext2fs_find_first_zero_block_bitmap2(b->fs->block_map, from, last, &first))
		return false;
	if (ext2fs_find_first_set_block_bitmap2(b->fs->block_map, first, last, &end))
		end = last + 1;
	*out = (struct range){first, end - first};
	return true;
}
