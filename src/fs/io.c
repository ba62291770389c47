/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * io.c - all I/O on a volume.
 *
 * Two doors: our io_manager, through which libext2fs may read and never write; and
 * io_read, io_write, io_barrier for this folder. Nothing is cached here, so what is read
 * is what is on the device.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/file.h"
#include "src/fs/fs.h"

struct io_calls io_calls = {file_write, file_sync, file_read};

/* --- the io_manager for libext2fs --- */

struct channel {
	int fd;
	uint64_t offset;
	struct struct_io_stats stats;
};

static errcode_t mgr_open(const char *name, int flags, io_channel *out)
{
	io_channel io = calloc(1, sizeof(*io));
	struct channel *c = calloc(1, sizeof(*c));
	char *copy = strdup(name);
	unsigned long long offset = 0;

	(void)flags;
	if (!io || !c || !copy || sscanf(name, "fd:%d:%llu", &c->fd, &offset) != 2) {
		free(io);
		free(c);
		free(copy);
		return EXT2_ET_NO_MEMORY;
	}
	c->offset = offset;
	c->stats.num_fields = 2;
	io->magic = EXT2_ET_MAGIC_IO_CHANNEL;
	io->manager = io_volume_manager;
	io->name = copy;
	io->block_size = 1024;
	io->refcount = 1;
	io->private_data = c;
	*out = io;
	return 0;
}

static errcode_t mgr_close(io_channel io)
{
	if (--io->refcount > 0)
		return 0;
	free(io->private_data);
	free(io->name);
	free(io);
	return 0;
}

static int traced_read(int fd, void *buf, size_t n, uint64_t at)
{
	uint64_t begun = iotrace_clock();
	int rc = io_calls.read(fd, buf, n, at);

	iotrace_note(IO_READ, at, n, begun);
	return rc;
}

static int traced_write(int fd, const void *buf, size_t n, uint64_t at)
{
	uint64_t begun = iotrace_clock();
	int rc = io_calls.write(fd, buf, n, at);

	iotrace_note(IO_WRITE, at, n, begun);
	return rc;
}

static errcode_t mgr_set_blksize(io_channel io, int block_size)
{
	io->block_size = block_size;
	return 0;
}

/* A negative count is a number of bytes (ext2_io.h). */
static errcode_t mgr_read64(io_channel io, unsigned long long block, int count, void *buf)
{
	struct channel *c = io->private_data;
	size_t n = count < 0 ? (size_t) - (int64_t)count
			     : (size_t)count * (size_t)io->block_size;
	uint64_t at;

	if (__builtin_mul_overflow(block, (uint64_t)io->block_size, &at) ||
	    __builtin_add_overflow(at, c->offset, &at) || at > INT64_MAX - n)
		return EXT2_ET_SHORT_READ;
	c->stats.bytes_read += n;
	return traced_read(c->fd, buf, n, at) ? EXT2_ET_SHORT_READ : 0;
}

static errcode_t mgr_read(io_channel io, unsigned long block, int count, void *buf)
{
	return mgr_read64(io, block, count, buf);
}

static errcode_t mgr_write64(io_channel io, unsigned long long block, int count,
			     const void *buf)
{
	(void)io, (void)block, (void)count, (void)buf;
	return EXT2_ET_RO_FILSYS;
}

static errcode_t mgr_write(io_channel io, unsigned long block, int count, const void *buf)
{
	(void)io, (void)block, (void)count, (void)buf;
	return EXT2_ET_RO_FILSYS;
}

static errcode_t mgr_flush(io_channel io)
{
	(void)io;
	return 0;
}

static errcode_t mgr_get_stats(io_channel io, io_stats *stats)
{
	struct channel *c = io->private_data;

	*stats = &c->stats;
	return 0;
}

static struct struct_io_manager manager = {
	.magic = EXT2_ET_MAGIC_IO_MANAGER,
	.name = "cdefrag read-only I/O manager",
	.open = mgr_open,
	.close = mgr_close,
	.set_blksize = mgr_set_blksize,
	.read_blk = mgr_read,
	.write_blk = mgr_write,
	.flush = mgr_flush,
	.get_stats = mgr_get_stats,
	.read_blk64 = mgr_read64,
	.write_blk64 = mgr_write64,
};

io_manager io_volume_manager = &manager;

/* --- blocks --- */

static bool in_volume(struct volume *v, blkno_t start, size_t count, struct err *err)
{
	if (start < v->geom.blocks && count <= v->geom.blocks - start)
		return true;
	err_set(err, ERR_CORRUPT, "block %llu lies outside %s", (unsigned long long)start,
		v->info.path);
	return false;
}

static bool report(struct volume *v, int rc, const char *what, blkno_t start,
		   struct err *err)
{
	if (rc)
		err_set_errno(err, ERR_IO, rc, "cannot %s block %llu of %s", what,
			      (unsigned long long)start, v->info.path);
	return rc == 0;
}

static uint64_t place_of(const struct volume *v, blkno_t block)
{
	return v->offset + block * v->geom.block_size;
}

bool io_read(struct volume *v, blkno_t start, size_t count, void *buf, struct err *err)
{
	size_t n = count * v->geom.block_size;

	if (!in_volume(v, start, count, err))
		return false;
	__atomic_fetch_add(&v->bytes_read, n, __ATOMIC_RELAXED);
	return report(v, traced_read(v->fd, buf, n, place_of(v, start)), "read", start,
		      err);
}

#define SECTOR 512u /* the least that any device asks O_DIRECT to be aligned to */

bool io_read_direct(struct volume *v, blkno_t start, size_t count, void *buf,
		    struct err *err)
{
	uint64_t at = place_of(v, start);
	size_t n = count * v->geom.block_size;
	int rc = EINVAL;

	if (!in_volume(v, start, count, err))
		return false;
	__atomic_fetch_add(&v->bytes_read, n, __ATOMIC_RELAXED);
	if (v->direct_fd >= 0 && (at | n | (uintptr_t)buf) % SECTOR == 0)
		rc = traced_read(v->direct_fd, buf, n, at);
	if (rc == EINVAL) /* this device wants more, or the file ends inside a sector */
		rc = traced_read(v->fd, buf, n, at);
	return report(v, rc, "read", start, err);
}

bool volume_read_blocks(struct volume *v, blkno_t start, size_t count, void *buf,
			struct err *err)
{
	return io_read_direct(v, start, count, buf, err);
}

bool io_write(struct volume *v, blkno_t start, size_t count, const void *buf,
	      struct err *err)
{
	size_t n = count * v->geom.block_size;

	if (!in_volume(v, start, count, err))
		return false;
	__atomic_fetch_add(&v->bytes_written, n, __ATOMIC_RELAXED);
	return report(v, traced_write(v->fd, buf, n, place_of(v, start)), "write", start,
		      err);
}

bool io_read_bytes(struct volume *v, uint64_t at, void *buf, size_t n, struct err *err)
{
	int rc = traced_read(v->fd, buf, n, v->offset + at);

	if (rc)
		err_set_errno(err, ERR_IO, rc, "cannot read %s", v->info.path);
	return rc == 0;
}

bool io_read_super(struct volume *v, void *sb1024, struct err *err)
{
	return report(v, traced_read(v->fd, sb1024, 1024, v->offset + 1024),
		      "read the super", 1, err);
}

bool io_write_super(struct volume *v, const void *sb1024, struct err *err)
{
	v->bytes_written += 1024;
	return report(v, traced_write(v->fd, sb1024, 1024, v->offset + 1024),
		      "write the super", 1, err);
}

bool io_barrier(struct volume *v, struct err *err)
{
	uint64_t begun = iotrace_clock();
	int rc = io_calls.barrier(v->fd);

	iotrace_note(IO_BARRIER, 0, 0, begun);
	if (rc)
		err_set_errno(
			err, ERR_IO, rc,
			"%s did not take what was written; the session ends here and "
			"recovers at the next open",
			v->info.path);
	return rc == 0;
}
