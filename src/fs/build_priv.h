/* SPDX-License-Identifier: GPL-3.0-or-later */
/* build_priv.h - what the files build*.c share. */
#ifndef FS_BUILD_PRIV_H
#define FS_BUILD_PRIV_H

#include <ext2fs/ext2_fs.h>
#include <ext2fs/ext2fs.h>
#include "fs/build.h"

struct build {
	ext2_filsys fs;
	int fd; /* for data */
	char *path;
	void *block; /* one block of scratch */
};

/* An error of the library, in words. Always false. */
bool build_fail(struct build *b, errcode_t rc, const char *what, struct err *err);

#endif
