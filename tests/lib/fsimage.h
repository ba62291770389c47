/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fsimage.h - for tests that look below the public headers: images, opened volumes, and bytes
 * changed on purpose. All of it asserts (cmocka) that it works. */
#ifndef TESTS_LIB_FSIMAGE_H
#define TESTS_LIB_FSIMAGE_H

#include "src/fs/fs.h"

/* A new file of so many bytes, formatted by mke2fs with these options (printf format). */
void fsimage_make(const char *path, uint64_t bytes, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* A folder with something of everything that mke2fs -d takes: small and large files, one with
 * holes, short and long links, a hard link, nested folders, one with many names, odd names. */
void fsimage_tree(const char *dir);

struct volume *fsimage_open(const char *path, bool write);
/* The sealed model; flaws may be NULL, then there must be none. */
struct model *fsimage_scan(struct volume *v, struct flaw_list *flaws);

/* Reads and writes bytes of the file. */
void fsimage_read(const char *path, uint64_t at, void *buf, size_t n);
void fsimage_write(const char *path, uint64_t at, const void *buf, size_t n);
/* Both superblock fields at `field` bytes, `size` wide: (old & ~clear) | set; its checksum is
 * made right again. */
void fsimage_poke_super(const char *path, size_t field, size_t size, uint64_t clear,
			uint64_t set);

#endif
