/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * owner.h - who may own a block. Every used block of a volume has exactly one owner.
 *
 * The first part of the list is fixed by the file system's geometry (no inode owns it),
 * the second belongs to reserved inodes, the third to files of the users.
 */
#ifndef CORE_OWNER_H
#define CORE_OWNER_H

#include "base/types.h"

enum owner_kind {
	OWNER_FREE = 0,
	OWNER_UNKNOWN, /* marked used, and nobody known claims it: not scanned, or damage
			*/

	OWNER_SUPER, /* superblock or a backup of it */
	OWNER_GDT,   /* group descriptors or a backup */
	OWNER_GDT_RESERVED,
	OWNER_BLOCK_BITMAP,
	OWNER_INODE_BITMAP,
	OWNER_INODE_TABLE,
	OWNER_MMP,

	OWNER_JOURNAL,
	OWNER_RESIZE, /* the double indirect block of inode 7; the rest is
			 OWNER_GDT_RESERVED */
	OWNER_BAD,    /* listed in inode 1: never read, never written */
	OWNER_QUOTA,
	OWNER_ORPHAN, /* the orphan file: its blocks' checksums hold their block number */
	OWNER_SYSTEM, /* any other reserved inode */

	OWNER_FILE, /* data of a regular file */
	OWNER_DIR,
	OWNER_SYMLINK,	    /* target longer than 59 bytes */
	OWNER_EA_INODE,	    /* value of a large extended attribute */
	OWNER_TREE,	    /* extent-tree node or indirect block of some inode */
	OWNER_XATTR,	    /* extended-attribute block, h_refcount 1 */
	OWNER_XATTR_SHARED, /* the same, used by several inodes; `ino` is the first of
			       them */
	OWNER_CLUSTER_PAD,  /* bigalloc: allocated with its cluster, mapped by nobody */
	OWNER_KINDS,
};

/* "inode table", "journal", "directory", ...: as the readout says it. */
const char *owner_name(enum owner_kind kind);

/* A stable lower-case word for JSON: "inode_table", "file", ... */
const char *owner_word(enum owner_kind kind);

/* True for kinds that no operation of this program ever moves: obstacles. */
bool owner_is_fixed(enum owner_kind kind);
/* Why, in a few words; "" for the others. */
const char *owner_why_fixed(enum owner_kind kind);

/* True for the kinds that hold a file's contents in logical order (`lblk` means
 * something): FILE, DIR, SYMLINK, EA_INODE, JOURNAL, QUOTA, ORPHAN, SYSTEM, BAD. */
bool owner_is_data(enum owner_kind kind);

#endif
