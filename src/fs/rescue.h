/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rescue.h - a superblock that a power cut has spoilt so far that the volume cannot be
 * opened, or that lies about itself: put back from the journal of the session that was
 * cut short.
 */
#ifndef FS_RESCUE_H
#define FS_RESCUE_H

#include "src/fs/super.h"

/* What a journal knows of the superblock while its session is open. */
struct rescue {
	uint8_t before[SUPER_BYTES], marked[SUPER_BYTES], final[SUPER_BYTES];
	bool has_final;
	bool done; /* out: the superblock was written */
};

/* Looks at the superblock of a volume of which nothing but the file is open (v->fd,
 * v->offset), `bytes` long. What makes sense, be it ours or another's, is left alone; and
 * so is a mixture of sectors of ours: recovery knows it. Anything else is replaced by the
 * `marked` image if something on the disk proves that this is the volume: the first
 * sector, the second if it holds a checksum, a backup superblock, or the checksum of a group descriptor. ERR_REFUSED:
 * nothing proves it. */
bool rescue_super(struct volume *v, uint64_t bytes, struct rescue *r, struct err *err);

#endif
