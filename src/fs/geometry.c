/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * geometry.c - where the fixed metadata of a volume lies.
 *
 * Superblocks and descriptors have places that follow from the features
 * (ext2fs_super_and_bgd_loc2); bitmaps and tables lie where the group descriptors say,
 * and are believed only after a check.
 */
#include "src/fs/open.h"

struct maker {
	struct volume *v;
	uint64_t bytes; /* from the start of the volume to the end of the file */
	struct err *err;
};

/* len 0 is no stretch. A wrong place is found here rather than at the end: a descriptor
 * table of zeros must not cost memory for every group. */
static bool add_fixed(struct maker *m, blkno_t start, uint64_t len, group_t group,
		      enum owner_kind kind)
{
	struct fixed f = {start, (uint32_t)len, group, kind};
	struct geom *g = &m->v->geom;

	if (!len)
		return true;
	if (start < g->first_block || start >= g->blocks || len > g->blocks - start) {
		err_set(m->err, ERR_CORRUPT,
			"%.150s: the %s of group %u lies outside the volume; check it "
			"with: e2fsck -fn %.150s",
			m->v->info.path, owner_name(kind), group, m->v->info.path);
		return false;
	}
	return vec_push(&g->fixed, f) || err_nomem(m->err);
}

/* Superblock, descriptors and their backups in one group. */
static bool add_super_and_gdt(struct maker *m, group_t g)
{
	ext2_filsys fs = m->v->fs;
	bool meta_bg = ext2fs_has_feature_meta_bg(fs->super);
	uint32_t desc = meta_bg ? fs->super->s_first_meta_bg : (uint32_t)fs->desc_blocks;
	uint32_t reserved = meta_bg ? 0 : fs->super->s_reserved_gdt_blocks;
	blk64_t super, old_desc, new_desc;
	bool ok = true;

	ext2fs_super_and_bgd_loc2(fs, g, &super, &old_desc, &new_desc, NULL);
	if (super || g == 0)
		ok = add_fixed(m, super, 1, g, OWNER_SUPER);
	if (g == 0 && super == 1 && m->v->geom.first_block == 0)
		ok = ok && add_fixed(m, 0, 1, g, OWNER_SUPER); /* boot block of 1 KiB
								  bigalloc */
	if (old_desc)
		ok = ok && add_fixed(m, old_desc, desc, g, OWNER_GDT) &&
		     add_fixed(m, old_desc + desc, reserved, g, OWNER_GDT_RESERVED);
	if (new_desc)
		ok = ok && add_fixed(m, new_desc, 1, g, OWNER_GDT);
	return ok;
}

static bool add_group(struct maker *m, group_t g)
{
	ext2_filsys fs = m->v->fs;

	return add_super_and_gdt(m, g) &&
	       add_fixed(m, ext2fs_block_bitmap_loc(fs, g), 1, g, OWNER_BLOCK_BITMAP) &&
	       add_fixed(m, ext2fs_inode_bitmap_loc(fs, g), 1, g, OWNER_INODE_BITMAP) &&
	       add_fixed(m, ext2fs_inode_table_loc(fs, g), fs->inode_blocks_per_group, g,
			 OWNER_INODE_TABLE);
}

/* Can what a scan reads of this group be there? What a fresh volume has not written yet
 * need not. */
static bool is_within_file(struct maker *m, group_t g)
{
	ext2_filsys fs = m->v->fs;
	bool csum = ext2fs_has_group_desc_csum(fs);
	uint64_t have = m->bytes / m->v->geom.block_size;
	const char *what = NULL;

	if (!(csum && ext2fs_bg_flags_test(fs, g, EXT2_BG_BLOCK_UNINIT)) &&
	    ext2fs_block_bitmap_loc(fs, g) >= have)
		what = owner_name(OWNER_BLOCK_BITMAP);
	else if (!(csum && ext2fs_bg_flags_test(fs, g, EXT2_BG_INODE_UNINIT)) &&
		 ext2fs_inode_table_loc(fs, g) >= have)
		what = owner_name(OWNER_INODE_TABLE);
	if (!what)
		return true;
	err_set(m->err, ERR_REFUSED,
		"%.150s is cut off: the volume has %llu blocks, the file holds %llu, and "
		"the %s of group %u is among those missing",
		m->v->info.path, (unsigned long long)m->v->geom.blocks,
		(unsigned long long)have, what, g);
	return false;
}

static void set_sizes(struct volume *v)
{
	struct ext2_super_block *s = v->fs->super;
	struct geom *g = &v->geom;

	geom_init(g);
	g->block_size = v->fs->blocksize;
	g->cluster_ratio = (uint32_t)EXT2FS_CLUSTER_RATIO(v->fs);
	g->blocks = ext2fs_blocks_count(s);
	g->first_block = s->s_first_data_block;
	g->blocks_per_group = s->s_blocks_per_group;
	g->groups = v->fs->group_desc_count;
	g->inodes = s->s_inodes_count;
	g->inodes_per_group = s->s_inodes_per_group;
	g->inode_size = EXT2_INODE_SIZE(s);
	g->first_inode = EXT2_FIRST_INO(s);
	g->keep_trees = ext2fs_has_feature_quota(s) || ext2fs_has_feature_project(s);
	if (ext2fs_has_feature_flex_bg(s) && s->s_log_groups_per_flex < 31)
		g->flex_groups = 1u << s->s_log_groups_per_flex;
}

bool geometry_make(struct volume *v, uint64_t bytes, struct err *err)
{
	struct maker m = {v, bytes, err};
	struct err inner = ERR_INIT;
	struct ext2_super_block *s = v->fs->super;

	set_sizes(v);
	for (group_t i = 0; i < v->geom.groups; i++)
		if (!add_group(&m, i) || !is_within_file(&m, i))
			return false;
	if (ext2fs_has_feature_mmp(s) && s->s_mmp_block &&
	    !add_fixed(&m, s->s_mmp_block, 1, 0, OWNER_MMP))
		return false;
	if (geom_seal(&v->geom, &inner))
		return true;
	err_set(err, inner.class, "%.100s: %.150s; check it with: e2fsck -fn %.100s",
		v->info.path, inner.msg, v->info.path);
	return false;
}
