/* SPDX-License-Identifier: GPL-3.0-or-later */
/* file.c - see file.h. */
#include <errno.h>
#include <unistd.h>
#include "base/file.h"

int file_read(int fd, void *buf, size_t n, uint64_t at)
{
	char *p = buf;

	while (n) {
		ssize_t got = pread(fd, p, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got ? errno : EIO;
		p += got;
		n -= (size_t)got;
		at += (uint64_t)got;
	}
	return 0;
}

int file_write(int fd, const void *buf, size_t n, uint64_t at)
{
	const char *p = buf;

	while (n) {
		ssize_t put = pwrite(fd, p, n, (off_t)at);

		if (put < 0 && errno == EINTR)
			continue;
		if (put <= 0)
			return put ? errno : EIO;
		p += put;
		n -= (size_t)put;
		at += (uint64_t)put;
	}
	return 0;
}

int file_sync(int fd)
{
	return fdatasync(fd) ? errno : 0;
}
