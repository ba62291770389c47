/* SPDX-License-Identifier: GPL-3.0-or-later */
/* inuse.h - is somebody else using this file or device? */
#ifndef FS_INUSE_H
#define FS_INUSE_H

#include "src/fs/fs.h"

/* Mounted, swap, or behind a loop device: fills out and returns true. */
bool inuse_find(int fd, struct volume_reason *out);
/* Locks the open file for writing against other cdefrags, until fd is closed. False:
 * somebody holds it. */
bool inuse_lock(int fd);
/* Does another cdefrag hold the lock? */
bool inuse_is_locked(int fd);
/* The reason for that: fills out, with the number of the process if it can be found.
 * Returns whether it was. */
bool inuse_by_other(int fd, struct volume_reason *out);

/* Asked again while a session runs: an image file has no lock that would keep the kernel
 * from attaching or mounting it, and may lose its name to another file. False: somebody
 * has by now; err says who and what to do: ERR_REFUSED, or ERR_RECOVER if the session has
 * begun to write (a lost name counts only before that). Takes 0.1 ms where there
 * are eight loop devices: cheap beside a barrier. */
bool inuse_stays_ours(const struct volume *v, bool begun, struct err *err);

#endif
