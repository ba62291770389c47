/* SPDX-License-Identifier: GPL-3.0-or-later */
/* owner.c - see owner.h: one table. */
#include "core/owner.h"

enum { FIXED = 1, DATA = 2 };

static const struct {
	const char *name, *word;
	unsigned traits;
} kinds[OWNER_KINDS] = {
	[OWNER_FREE] = {"free", "free", 0},
	[OWNER_UNKNOWN] = {"used, owner unknown", "unknown", FIXED},
	[OWNER_SUPER] = {"superblock", "superblock", FIXED},
	[OWNER_GDT] = {"group descriptors", "group_descriptors", FIXED},
	[OWNER_GDT_RESERVED] = {"reserved group descriptors", "reserved_gdt", FIXED},
	[OWNER_BLOCK_BITMAP] = {"block bitmap", "block_bitmap", FIXED},
	[OWNER_INODE_BITMAP] = {"inode bitmap", "inode_bitmap", FIXED},
	[OWNER_INODE_TABLE] = {"inode table", "inode_table", FIXED},
	[OWNER_MMP] = {"multiple-mount protection", "mmp", FIXED},
	[OWNER_JOURNAL] = {"journal", "journal", FIXED | DATA},
	[OWNER_RESIZE] = {"resize inode", "resize_inode", FIXED},
	[OWNER_BAD] = {"bad block", "bad_block", FIXED | DATA},
	[OWNER_QUOTA] = {"quota file", "quota", FIXED | DATA},
	[OWNER_ORPHAN] = {"orphan file", "orphan_file", FIXED | DATA},
	[OWNER_SYSTEM] = {"reserved inode", "system", FIXED | DATA},
	[OWNER_FILE] = {"file", "file", DATA},
	[OWNER_DIR] = {"directory", "directory", DATA},
	[OWNER_SYMLINK] = {"symbolic link", "symlink", DATA},
	[OWNER_EA_INODE] = {"attribute value", "ea_inode", DATA},
	[OWNER_TREE] = {"mapping tree", "tree", 0},
	[OWNER_XATTR] = {"extended attributes", "xattr", FIXED},
	[OWNER_XATTR_SHARED] = {"shared extended attributes", "xattr_shared", FIXED},
	[OWNER_CLUSTER_PAD] = {"rest of a cluster", "cluster_pad", FIXED},
};

const char *owner_name(enum owner_kind kind)
{
	return kind < OWNER_KINDS ? kinds[kind].name : "?";
}

const char *owner_word(enum owner_kind kind)
{
	return kind < OWNER_KINDS ? kinds[kind].word : "?";
}

bool owner_is_fixed(enum owner_kind kind)
{
	return kind < OWNER_KINDS && (kinds[kind].traits & FIXED);
}

bool owner_is_data(enum owner_kind kind)
{
	return kind < OWNER_KINDS && (kinds[kind].traits & DATA);
}
