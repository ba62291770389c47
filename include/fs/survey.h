/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * survey.h - what reports want of a volume beyond its model: times, and the order in which
 * a program that walks a tree would meet the files.
 */
#ifndef FS_SURVEY_H
#define FS_SURVEY_H

#include "core/heat.h"
#include "core/strategy.h"
#include "fs/volume.h"

/* The times (34 bits where the inode is large enough) of all inodes in use, read from the inode tables in large pieces in the order of the
 * disk. ERR_IO, ERR_NOMEM. */
bool survey_times(struct volume *v, const struct model *m, struct times_list *out,
		  struct err *err);

enum survey_order {
	ORDER_READDIR, /* each directory as the kernel lists it: hash order with dir_index */
	ORDER_NAME,    /* by the bytes of the names */
	ORDER_INODE, /* by inode number, whatever the directory */
};

/* dir and all below it in the order of `find`: a directory, then its entries, each
 * subdirectory with all of it where it is met. A file with several names comes once. The
 * order of the entries follows `order`; damaged directories are passed over. */
bool survey_tree(struct volume *v, const struct model *m, inum_t dir,
		 enum survey_order order, struct inum_list *out, struct err *err);

#endif
