/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * file.h - reading and writing all of it: short transfers and EINTR are dealt with.
 *
 * All return 0 or an errno; n and at are bytes.
 */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include "base/types.h"

/* EIO where the file ends early. */
int file_read(int fd, void *buf, size_t n, uint64_t at);
int file_write(int fd, const void *buf, size_t n, uint64_t at);
/* fdatasync. After a failure nothing may be taken for durable by trying again. */
int file_sync(int fd);

#endif
