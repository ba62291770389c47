/* SPDX-License-Identifier: GPL-3.0-or-later */
/* features.c - see features.h. Bits: ext2_fs.h. Inodes of more than 512 bytes have no
 * rule of their own: their write may be torn, and the journal holds the images that mend
 * it. */
#include "fs/features.h"

static const struct feature features[] = {
	{FEATURE_COMPAT, 0x1, "dir_prealloc", FEATURE_MOVE,
	 "blocks in use are not concerned", ""},
	{FEATURE_COMPAT, 0x2, "imagic_inodes", FEATURE_VIEW,
	 "it has inodes in an AFS format", ""},
	{FEATURE_COMPAT, 0x4, "has_journal", FEATURE_MOVE,
	 "the journal stays where it is", ""},
	{FEATURE_COMPAT, 0x8, "ext_attr", FEATURE_MOVE,
	 "attribute blocks stay where they are", ""},
	{FEATURE_COMPAT, 0x10, "resize_inode", FEATURE_MOVE,
	 "inode 7 and what it maps stay", ""},
	{FEATURE_COMPAT, 0x20, "dir_index", FEATURE_MOVE,
	 "htree nodes hold logical numbers only", ""},
	{FEATURE_COMPAT, 0x40, "lazy_bg", FEATURE_VIEW,
	 "it has an experimental form of groups without bitmaps", ""},
	{FEATURE_COMPAT, 0x100, "snapshot_bitmap", FEATURE_VIEW,
	 "it belongs to snapshots", ""},
	{FEATURE_COMPAT, 0x200, "sparse_super2", FEATURE_MOVE,
	 "backups only in s_backup_bgs", ""},
	{FEATURE_COMPAT, 0x400, "fast_commit", FEATURE_MOVE,
	 "its area lies inside the journal", ""},
	{FEATURE_COMPAT, 0x800, "stable_inodes", FEATURE_MOVE, "inode numbers are kept",
	 ""},
	{FEATURE_COMPAT, 0x1000, "orphan_file", FEATURE_MOVE,
	 "its blocks stay: their checksums hold their place", ""},
	{FEATURE_INCOMPAT, 0x1, "compression", FEATURE_REFUSE, "it has compressed files",
	 ""},
	{FEATURE_INCOMPAT, 0x2, "filetype", FEATURE_MOVE,
	 "directory entries are not touched", ""},
	{FEATURE_INCOMPAT, 0x4, "needs_recovery", FEATURE_VIEW,
	 "needs recovery: its journal holds changes",
	 "replay it with: e2fsck -p -E journal_only PATH"},
	{FEATURE_INCOMPAT, 0x8, "journal_dev", FEATURE_REFUSE,
	 "it is the journal of another volume", "open the volume that it belongs to"},
	{FEATURE_INCOMPAT, 0x10, "meta_bg", FEATURE_MOVE,
	 "group descriptors are spread over the volume", ""},
	{FEATURE_INCOMPAT, 0x40, "extent", FEATURE_MOVE,
	 "trees are built anew, as small as they can be", ""},
	{FEATURE_INCOMPAT, 0x80, "64bit", FEATURE_MOVE,
	 "block numbers of 48 bits; indirect maps stay below 2^32", ""},
	{FEATURE_INCOMPAT, 0x100, "mmp", FEATURE_MOVE,
	 "taken like a checker does, for a session, which first waits 11 s for others",
	 ""},
	{FEATURE_INCOMPAT, 0x200, "flex_bg", FEATURE_MOVE,
	 "metadata of a group may lie in another", ""},
	{FEATURE_INCOMPAT, 0x400, "ea_inode", FEATURE_MOVE,
	 "attribute values move like files, times untouched", ""},
	{FEATURE_INCOMPAT, 0x1000, "dirdata", FEATURE_REFUSE,
	 "its directory entries hold data", ""},
	{FEATURE_INCOMPAT, 0x2000, "metadata_csum_seed", FEATURE_MOVE,
	 "the seed is not the UUID", ""},
	{FEATURE_INCOMPAT, 0x4000, "large_dir", FEATURE_MOVE,
	 "directories of three levels hold logical numbers too", ""},
	{FEATURE_INCOMPAT, 0x8000, "inline_data", FEATURE_MOVE,
	 "an inode with inline data has no map", ""},
	{FEATURE_INCOMPAT, 0x10000, "encrypt", FEATURE_MOVE,
	 "keys depend on inode and logical block only", ""},
	{FEATURE_INCOMPAT, 0x20000, "casefold", FEATURE_MOVE,
	 "names and their hashes are not touched", ""},
	{FEATURE_RO_COMPAT, 0x1, "sparse_super", FEATURE_MOVE,
	 "backups stay in groups 1 and powers of 3, 5 and 7", ""},
	{FEATURE_RO_COMPAT, 0x2, "large_file", FEATURE_MOVE, "sizes are not touched", ""},
	{FEATURE_RO_COMPAT, 0x8, "huge_file", FEATURE_MOVE,
	 "i_blocks may count file system blocks", ""},
	{FEATURE_RO_COMPAT, 0x10, "uninit_bg", FEATURE_MOVE,
	 "bitmaps of untouched groups are not there yet", ""},
	{FEATURE_RO_COMPAT, 0x20, "dir_nlink", FEATURE_MOVE,
	 "link counts are not touched", ""},
	{FEATURE_RO_COMPAT, 0x40, "extra_isize", FEATURE_MOVE,
	 "times and what else lies there are kept", ""},
	{FEATURE_RO_COMPAT, 0x80, "has_snapshot", FEATURE_VIEW, "it has snapshots", ""},
	{FEATURE_RO_COMPAT, 0x100, "quota", FEATURE_MOVE,
	 "usage counts tree blocks, so that a tree keeps their number", ""},
	{FEATURE_RO_COMPAT, 0x200, "bigalloc", FEATURE_VIEW,
	 "clusters of several blocks would have to move whole, which is not built", ""},
	{FEATURE_RO_COMPAT, 0x400, "metadata_csum", FEATURE_MOVE,
	 "inodes, nodes, bitmaps and descriptors get new checksums", ""},
	{FEATURE_RO_COMPAT, 0x800, "replica", FEATURE_VIEW, "it is a replica", ""},
	{FEATURE_RO_COMPAT, 0x1000, "read-only", FEATURE_VIEW, "it is marked read-only",
	 "clear the mark with: tune2fs -O ^read-only PATH"},
	{FEATURE_RO_COMPAT, 0x2000, "project", FEATURE_MOVE,
	 "usage counts tree blocks, so that a tree keeps their number", ""},
	{FEATURE_RO_COMPAT, 0x4000, "shared_blocks", FEATURE_VIEW,
	 "files share their blocks", ""},
	{FEATURE_RO_COMPAT, 0x8000, "verity", FEATURE_MOVE,
	 "blocks past the end of a file are in use", ""},
	{FEATURE_RO_COMPAT, 0x10000, "orphan_present", FEATURE_VIEW,
	 "deleted files wait to be freed", "free them with: e2fsck -fp PATH"},
};

size_t feature_count(void)
{
	return sizeof(features) / sizeof(features[0]);
}

const struct feature *feature_at(size_t i)
{
	return &features[i];
}

const char *feature_rule_word(enum feature_rule rule)
{
	static const char *const words[] = {"move", "view", "refuse"};

	return words[rule];
}

const char *feature_set_word(enum feature_set set)
{
	static const char *const words[] = {"compat", "incompat", "ro_compat"};

	return words[set];
}
