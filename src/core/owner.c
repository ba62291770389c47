/* SPDX-License-Identifier: GPL-3.0-or-later */
/* owner.c - see owner.h: one table. */
#include "core/owner.h"

enum { FIXED = 1, DATA = 2 };

static const struct {
	const char *name, *word;
	unsigned traits;
	const char *why; /* of those that are fixed */
} kinds[OWNER_KINDS] = {
	[OWNER_FREE] = {"free", "free", 0, NULL},
	[OWNER_UNKNOWN] = {"used, owner unknown", "unknown", FIXED,
			   "nobody is known to whom a new place could be told"},
	[OWNER_SUPER] = {"superblock", "superblock", FIXED,
			 "the format says where they lie"},
	[OWNER_GDT] = {"group descriptors", "group_descriptors", FIXED,
		       "the format says where they lie"},
	[OWNER_GDT_RESERVED] = {"reserved group descriptors", "reserved_gdt", FIXED,
				"resizing expects them behind the descriptors"},
	[OWNER_BLOCK_BITMAP] = {"block bitmap", "block_bitmap", FIXED,
				"obstacles: tables of a volume are not moved"},
	[OWNER_INODE_BITMAP] = {"inode bitmap", "inode_bitmap", FIXED,
				"obstacles: tables of a volume are not moved"},
	[OWNER_INODE_TABLE] = {"inode table", "inode_table", FIXED,
			       "obstacles: tables of a volume are not moved"},
	[OWNER_MMP] = {"multiple-mount protection", "mmp", FIXED,
		       "the superblock names its place, and other hosts look there"},
	[OWNER_JOURNAL] = {"journal", "journal", FIXED | DATA,
			   "the superblock holds a copy of its map, which is not written "
			   "in one piece with it"},
	[OWNER_RESIZE] = {"resize inode", "resize_inode", FIXED,
			  "e2fsck expects exactly this map"},
	[OWNER_BAD] = {"bad block", "bad_block", FIXED | DATA,
		       "these sectors are broken: never read, never a destination"},
	[OWNER_QUOTA] = {"quota file", "quota", FIXED | DATA,
			 "a few blocks that gain nothing; the kernel writes to them from "
			 "its own lists"},
	[OWNER_ORPHAN] = {"orphan file", "orphan_file", FIXED | DATA,
			  "their checksums hold the block number; a copy as it is would "
			  "be refused"},
	[OWNER_SYSTEM] = {"reserved inode", "system", FIXED | DATA,
			  "boot code may hold their block numbers"},
	[OWNER_FILE] = {"file", "file", DATA, NULL},
	[OWNER_DIR] = {"directory", "directory", DATA, NULL},
	[OWNER_SYMLINK] = {"symbolic link", "symlink", DATA, NULL},
	[OWNER_EA_INODE] = {"attribute value", "ea_inode", DATA, NULL},
	[OWNER_TREE] = {"mapping tree", "tree", 0, NULL},
	[OWNER_XATTR] = {"extended attributes", "xattr", FIXED,
			 "their checksums hold the block number"},
	[OWNER_XATTR_SHARED] =
		{"shared extended attributes", "xattr_shared", FIXED,
		 "several inodes refer to them, and cannot be switched in one write"},
	[OWNER_CLUSTER_PAD] = {"rest of a cluster", "cluster_pad", FIXED,
			       "it belongs to a cluster that is not moved"},
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

const char *owner_why_fixed(enum owner_kind kind)
{
	return owner_is_fixed(kind) ? kinds[kind].why : "";
}
