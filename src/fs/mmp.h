/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mmp.h - multiple-mount protection: one block by which hosts that share a device tell each
 * other that it is in use (kernel: fs/ext4/mmp.c, Documentation/filesystems/ext4/mmp.rst).
 *
 * Its sequence number says: nobody (CLEAN); a checker is at work (FSCK), and no kernel
 * mounts; anything else: mounted, and it changes every few seconds. A session is a checker:
 *
 *   CLEAN --mmp_claim: a number of ours, wait, is it still there?--> ours
 *         --mmp_hold--> FSCK --mmp_release--> the block as it was, byte for byte
 *
 * A block that is ours (this host's name, and "cdefrag" for the device) was left by a crash.
 * Only one cdefrag of this host has the volume open, so that it may be taken over.
 * The wait is twice the check interval and a second: 11 s, as long as the kernel's.
 */
#ifndef FS_MMP_H
#define FS_MMP_H

#include "src/fs/fs.h"

#define MMP_BYTES 1024u

enum mmp_state {
	MMP_FREE,
	MMP_OURS,   /* left by a session of this host that was cut short */
	MMP_LOCKED, /* a checker was at work */
	MMP_ACTIVE, /* mounted, or was when its host died */
	MMP_BROKEN,
};

/* Does the volume have it? All the rest do nothing where not. */
bool mmp_has(const struct volume *v);
/* Reads the block into v->mmp.seen. False: ERR_IO. */
bool mmp_look(struct volume *v, enum mmp_state *out, struct err *err);
/* Takes the volume: ERR_REFUSED if another host has it, or has had it since mmp_look(). */
bool mmp_claim(struct volume *v, struct err *err);
bool mmp_hold(struct volume *v, struct err *err);
/* For recovery: what a cut session left, or CLEAN, is held. first: the block as that
 * session found it, or NULL. ERR_REFUSED: another host has it. */
bool mmp_adopt(struct volume *v, const uint8_t *first, struct err *err);
/* Before each batch: is it still ours? Says every minute that we are alive. */
bool mmp_keep(struct volume *v, struct err *err);
/* Everything else must be durable. With its own barrier. */
bool mmp_release(struct volume *v, struct err *err);

#endif
