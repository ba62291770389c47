/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * fs.h - what the files of src/fs share. The only folder that knows libext2fs.
 *
 *   rules.c        features and states: view or move, with reason and remedy (one table)
 *   open.c         the steps of opening; inuse.c: is somebody else using it?
 *   super_check.c  sizes and counts, before they are believed; geometry.c: places
 *   mmp.c          multiple-mount protection: hosts that share a device
 *   io.c           our io_manager; pread, pwrite, barriers; iotrace.c: a record of them
 *   itable.c       the inodes of a batch, read at once
 *   inode.c        raw inodes; inode_map.c: the blocks that they own
 *   bitmap.c       allocation bitmaps
 *   scan*.c        disk -> model; overview.c: the first, coarse map
 *   dir*.c         names
 *   pin.c          files that are found by block number
 *   build.c        new volumes
 *   change*.c      what one batch does, and its opposite
 *   relocate.c     moves -> change; tree.c: new mapping trees
 *   batch.c        change -> disk; copy.c and alloc.c: its data, its bitmaps
 *   session.c      the frame around batches; session_journal.c: which journal it goes on with;
 *                  ending.c: its last writes
 *   keep.c         old contents of free blocks, for an undo of the whole image
 *   stack.c        what a journal says was done; history.c: the same for the outside
 *   recover.c      after a crash; rescue.c: with a superblock that is past reading,
 *                  owned.c: never against an inode; super.c: the superblock as a whole
 *
 * libext2fs (1.47.0) parses, validates and checksums. Its unix_io serves stale blocks and
 * reorders writes, so it only ever sees the volume through io.c, which caches nothing and
 * refuses every write.
 */
#ifndef FS_FS_H
#define FS_FS_H

#include <ext2fs/ext2_fs.h>
#include <ext2fs/ext2fs.h>
#include "core/io_trace.h"
#include "core/model.h"
#include "fs/volume.h"

struct dir_cache;

struct volume {
	int fd; /* the volume, buffered; O_RDWR (and O_EXCL on a device) with write */
	int direct_fd;	 /* the same file opened O_DIRECT for large reads, or -1 */
	uint64_t offset; /* bytes from the start of the file to the volume */
	bool write;
	ext2_filsys fs;
	struct geom geom;
	struct volume_info info;
	struct dir_cache *dir_cache;
	struct {
		uint8_t seen[1024], mine[1024]; /* the block as found, and as written */
		int64_t written;		/* when, seconds since 1970 */
		bool held;
	} mmp;				    /* mmp.c */
	uint64_t bytes_read, bytes_written; /* by everything here */
};

/* --- open.c --- */

/* For recovery: as volume_open for writing, but what a session of ours leaves when it is
 * cut short (not VALID, a torn superblock, checksums of different moments) is no reason
 * against it. In use, or shorter than it should be, is. A superblock that is past reading
 * is put back first, as r knows it (rescue.h). */
struct rescue;
struct volume *volume_open_cut(const char *path, uint64_t offset, struct rescue *r,
			       struct err *err);

/* --- io.c: all I/O on the volume. Counts in blocks; errors are ERR_IO naming block and
 * volume. --- */

/* Our io_manager for ext2fs_open2; uncached; every write through it fails. */
extern io_manager io_volume_manager;
/* Its name argument: opened on an existing descriptor, "fd:FD:OFFSET". */

bool io_read(struct volume *v, blkno_t start, size_t count, void *buf, struct err *err);
/* Large reads that bypass the page cache if they can; buf aligned to 4096. Thread-safe.
 */
bool io_read_direct(struct volume *v, blkno_t start, size_t count, void *buf,
		    struct err *err);
/* Only for session.c, batch.c, recover.c, rescue.c and mmp.c. */
bool io_write(struct volume *v, blkno_t start, size_t count, const void *buf,
	      struct err *err);
/* Before the size of a block is known: n bytes at byte `at` of the volume. */
bool io_read_bytes(struct volume *v, uint64_t at, void *buf, size_t n, struct err *err);
/* The primary superblock, 1024 bytes at 1024, as one pwrite. */
bool io_read_super(struct volume *v, void *sb1024, struct err *err);
bool io_write_super(struct volume *v, const void *sb1024, struct err *err);
/* fdatasync. A failure is final: what was not durable must not be taken for durable
 * later. */
bool io_barrier(struct volume *v, struct err *err);

/* The calls on a device, to be replaced by tests: they return 0 or an errno. Several
 * threads may read at once. Journal files do not pass here. */
extern struct io_calls {
	int (*write)(int fd, const void *buf, size_t n, uint64_t at);
	int (*barrier)(int fd);
	int (*read)(int fd, void *buf, size_t n, uint64_t at);
} io_calls;

/* --- iotrace.c: what io.c tells it. --- */

/* Now in microseconds, or 0 while nothing is traced. */
uint64_t iotrace_clock(void);
/* A call that has ended; begun: iotrace_clock() before it. */
void iotrace_note(enum io_kind kind, uint64_t at, size_t bytes, uint64_t begun_us);

/* Waiting for other hosts (mmp.c), to be replaced by tests. */
extern struct mmp_calls {
	void (*wait)(unsigned seconds);
} mmp_calls;

/* --- inode.c, inode_map.c --- */

/* The raw inode as it lies on the disk (little endian), geom.inode_size bytes, checksum
 * verified (ERR_CORRUPT). raw has room for INODE_BUF bytes. */
#define INODE_BUF(v)                                            \
	((v)->geom.inode_size > sizeof(struct ext2_inode_large) \
		 ? (v)->geom.inode_size                         \
		 : sizeof(struct ext2_inode_large))
bool inode_read(struct volume *v, inum_t ino, struct ext2_inode_large *raw,
		struct err *err);
/* ERR_CORRUPT if its checksum is wrong. */
bool inode_check(const struct volume *v, inum_t ino, const struct ext2_inode_large *raw,
		 struct err *err);
/* Where it lies: block of the inode table, and byte offset in it. */
void inode_locate(struct volume *v, inum_t ino, blkno_t *block, size_t *offset);
/* crc32c of a raw inode as metadata_csum wants it, its own checksum fields taken as zero;
 * *has_high: the upper half is stored too. */
uint32_t inode_csum(const struct volume *v, inum_t ino,
		    const struct ext2_inode_large *raw, bool *has_high);
bool inode_csum_ok(const struct volume *v, inum_t ino,
		   const struct ext2_inode_large *raw);
/* Its extended-attribute block, 0 if there is none. */
blkno_t inode_xattr_block(const struct volume *v, const struct ext2_inode_large *raw);
/* Does i_block hold a map (and not a device number, a short link, inline data)? */
bool inode_has_map(const struct ext2_inode_large *raw);
/* Checksum of an extent-tree node block of this inode. True also if the volume has no
 * such checksums. */
bool inode_node_csum_ok(struct volume *v, inum_t ino, const struct ext2_inode_large *raw,
			const void *node);
/* Everything that this inode owns: data runs in logical order (merged), then OWNER_TREE
 * blocks, then its xattr block, as model_runs orders them. Reads the deeper nodes.
 * ERR_CORRUPT on a bad node. */
bool inode_map(struct volume *v, inum_t ino, const struct ext2_inode_large *raw,
	       struct run_list *out, struct err *err);
/* The kind of a data block of this inode: OWNER_FILE, OWNER_DIR, OWNER_JOURNAL, ... */
enum owner_kind inode_owner_kind(struct volume *v, inum_t ino,
				 const struct ext2_inode_large *raw);
/* Type, flags (immutable, append-only and system inodes are INODE_PINNED) and size. */
void inode_info_of(struct volume *v, inum_t ino, const struct ext2_inode_large *raw,
		   struct inode_info *out);

/* --- bitmap.c --- */

/* One group's block bitmap as it should be read (computed for BLOCK_UNINIT groups),
 * block_size bytes. *uninit tells which. Checksum verified unless `trust` is false. */
bool bitmap_read_group(struct volume *v, group_t group, void *buf, bool verify,
		       bool *uninit, struct err *err);

#endif
