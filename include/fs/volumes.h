/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * volumes.h - which ext volumes this machine has: block devices that libblkid knows, and
 * what stands against writing to each.
 */
#ifndef FS_VOLUMES_H
#define FS_VOLUMES_H

#include "fs/volume.h"

struct volume_found {
	struct volume_info info; /* path, type, label and uuid are always there */
	bool readable;		 /* info is whole: size, use, reasons */
	char why[200];		 /* else: why it could not be opened */
};
struct volume_found_list {
	struct volume_found *v; /* by path */
	size_t n, cap;
};

/* Looks at the devices, read-only; nothing is kept of it. Devices that the caller may not
 * read are not found by libblkid. False: out of memory. */
bool volumes_find(struct volume_found_list *out, struct err *err);
void volumes_release(struct volume_found_list *list);

#endif
