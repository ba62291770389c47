/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clone.h - a volume copied to another place: the safety copy before a first session.
 *
 * Only blocks in use are read, in the order of the disk, in large pieces past the page
 * cache where the file allows it; one thread reads while another writes. What is free
 * comes out as zeros or holes.
 *
 *   clone    a raw file (sparse) or device: each block at its exact place
 *   image    qcow2 version 2 in one sequential pass, so that a pipe will do; qemu-img and
 *            e2image -r read it
 *   restore  a raw file or a qcow2 image back to a raw file or device
 *   compare  the volume against such a copy, block by block
 *
 * A file is written under a name of its own (".part" behind it) and renamed when it is
 * durable: a copy that was cut short is never taken for one.
 */
#ifndef CLONE_CLONE_H
#define CLONE_CLONE_H

#include "core/model.h"
#include "fs/volume.h"

enum clone_op { CLONE_RAW, CLONE_IMAGE, CLONE_RESTORE, CLONE_COMPARE };

#define CLONE_FORCE    0x1u /* write over what is there */
#define CLONE_METADATA 0x2u /* no contents of files; needs the model */
#define CLONE_SCRAMBLE 0x4u /* and no names: same lengths, other letters */

struct clone_request {
	enum clone_op op;
	unsigned flags;
	const char *dest;   /* clone, image, restore; image: "-" is standard output */
	const char *source; /* restore, compare: the copy */
	const struct model *model; /* CLONE_METADATA */
};

/* What a run reports. Times in ms, of the whole process. */
struct clone_report {
	enum clone_op op;
	uint64_t volume_bytes;
	uint64_t used_bytes, used_runs; /* wanted blocks, and stretches of them */
	uint64_t bytes_read, bytes_written;
	uint64_t reads, jumps; /* requests; those that did not continue the one before */
	uint64_t real_ms, user_ms, sys_ms;
	uint64_t rate; /* bytes a second of some MiB read in a row before the copy, 0 =
			  not known */
	uint64_t differ, missing; /* compare: blocks that differ; not in the copy */
	uint64_t first_differ;	  /* compare: block number, UINT64_MAX = none */
};

struct clone;
/* Checks everything and starts two threads. v: the open volume; may be NULL for a
 * restore. Refuses (ERR_REFUSED) a destination that exists, unless CLONE_FORCE, that is
 * the source or lies on it, or is in use. NULL on error. */
struct clone *clone_start(struct volume *v, const struct clone_request *r,
			  struct err *err);
/* Waits up to ms. True: it is over, and err (if set) says how. */
bool clone_wait(struct clone *c, int ms, struct err *err);
/* Bytes that are done, of so many. */
void clone_progress(const struct clone *c, uint64_t *done, uint64_t *total);
void clone_report(const struct clone *c, struct clone_report *out);
/* Stops if it still runs; what was half made is removed. */
void clone_free(struct clone *c);

#endif
