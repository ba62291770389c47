/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build_held.c - an io_manager that keeps every write in memory: a hash of units of 1 KiB
 * laid over the image. The library believes it writes; nothing reaches the file before
 * the step is saved.
 */
#include <stdlib.h>
#include <string.h>
#include "base/file.h"
#include "src/fs/build_priv.h"

struct held {
	int fd;
	size_t slots;	/* a power of two */
	uint32_t *slot; /* index + 1 into units, 0 empty */
	VEC(uint64_t) units;
	VEC(uint8_t *) bytes;
	VEC(uint64_t) sorted;
};

struct held *held_next;

struct held *held_new(int fd)
{
	struct held *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->fd = fd;
	h->slots = 1024;
	h->slot = calloc(h->slots, sizeof(*h->slot));
	if (h->slot)
		return h;
	free(h);
	return NULL;
}

void held_free(struct held *h)
{
	if (!h)
		return;
	for (size_t i = 0; i < h->bytes.n; i++)
		free(h->bytes.v[i]);
	vec_release(&h->units);
	vec_release(&h->bytes);
	vec_release(&h->sorted);
	free(h->slot);
	free(h);
}

static size_t slot_of(const struct held *h, uint64_t unit)
{
	size_t s = (size_t)(unit * 0x9E3779B97F4A7C15ull >> 32) & (h->slots - 1);

	while (h->slot[s] && h->units.v[h->slot[s] - 1] != unit)
		s = (s + 1) & (h->slots - 1);
	return s;
}

static bool grow(struct held *h)
{
	uint32_t *bigger = calloc(h->slots * 2, sizeof(*bigger));

	if (!bigger)
		return false;
	free(h->slot);
	h->slot = bigger;
	h->slots *= 2;
	for (size_t i = 0; i < h->units.n; i++)
		h->slot[slot_of(h, h->units.v[i])] = (uint32_t)i + 1;
	return true;
}

const void *held_unit(const struct held *h, uint64_t unit)
{
	uint32_t at = h->slot[slot_of(h, unit)];

	return at ? h->bytes.v[at - 1] : NULL;
}

static uint8_t *unit_for_writing(struct held *h, uint64_t unit)
{
	size_t s = slot_of(h, unit);
	uint8_t *bytes;

	if (h->slot[s])
		return h->bytes.v[h->slot[s] - 1];
	if ((h->units.n + 1) * 2 > h->slots) {
		if (!grow(h))
			return NULL;
		s = slot_of(h, unit);
	}
	bytes = malloc(HELD_UNIT);
	if (!bytes || !vec_reserve(&h->units, h->units.n + 1) ||
	    !vec_reserve(&h->bytes, h->bytes.n + 1)) {
		free(bytes);
		return NULL;
	}
	h->units.v[h->units.n++] = unit;
	h->bytes.v[h->bytes.n++] = bytes;
	h->slot[s] = (uint32_t)h->units.n;
	return bytes;
}

static int by_number(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

const uint64_t *held_units(struct held *h, size_t *n)
{
	vec_clear(&h->sorted);
	*n = 0;
	if (!h->units.n || !vec_reserve(&h->sorted, h->units.n))
		return NULL;
	memcpy(h->sorted.v, h->units.v, h->units.n * sizeof(*h->units.v));
	h->sorted.n = *n = h->units.n;
	qsort(h->sorted.v, *n, sizeof(*h->sorted.v), by_number);
	return h->sorted.v;
}

/* --- the io_manager --- */

static errcode_t held_open(const char *name, int flags, io_channel *out)
{
	io_channel io = calloc(1, sizeof(*io));

	(void)flags;
	if (!io)
		return EXT2_ET_NO_MEMORY;
	io->magic = EXT2_ET_MAGIC_IO_CHANNEL;
	io->manager = held_manager;
	io->name = strdup(name);
	io->block_size = 1024;
	io->refcount = 1;
	io->private_data = held_next;
	*out = io;
	return 0;
}

static errcode_t held_close(io_channel io)
{
	if (--io->refcount > 0)
		return 0;
	free(io->name);
	free(io);
	return 0;
}

static errcode_t held_set_blksize(io_channel io, int block_size)
{
	io->block_size = block_size;
	return 0;
}

/* A negative count is a number of bytes (ext2_io.h). */
static size_t bytes_of(io_channel io, int count)
{
	return count < 0 ? (size_t) - (int64_t)count
			 : (size_t)count * (size_t)io->block_size;
}

static errcode_t held_read64(io_channel io, unsigned long long block, int count,
			     void *buf)
{
	uint64_t at = block * (uint64_t)io->block_size;
	size_t n = bytes_of(io, count);
	struct held *h = io->private_data;
	char *to = buf;

	if (file_read(h->fd, buf, n, at))
		return EXT2_ET_SHORT_READ;
	for (uint64_t u = at / HELD_UNIT; u * HELD_UNIT < at + n; u++) {
		const char *bytes = held_unit(h, u);
		uint64_t from = u * HELD_UNIT < at ? at : u * HELD_UNIT;
		uint64_t end =
			(u + 1) * HELD_UNIT < at + n ? (u + 1) * HELD_UNIT : at + n;

		if (bytes)
			memcpy(to + (from - at), bytes + (from - u * HELD_UNIT),
			       end - from);
	}
	return 0;
}

static errcode_t put_bytes(struct held *h, uint64_t at, size_t n, const char *from)
{
	while (n) {
		uint64_t u = at / HELD_UNIT;
		size_t off = (size_t)(at % HELD_UNIT);
		size_t part = n < HELD_UNIT - off ? n : HELD_UNIT - off;
		bool fresh = held_unit(h, u) == NULL;
		uint8_t *bytes = unit_for_writing(h, u);

		if (!bytes)
			return EXT2_ET_NO_MEMORY;
		if (fresh && part < HELD_UNIT &&
		    file_read(h->fd, bytes, HELD_UNIT, u * HELD_UNIT))
			return EXT2_ET_SHORT_READ;
		memcpy(bytes + off, from, part);
		at += part;
		from += part;
		n -= part;
	}
	return 0;
}

static errcode_t held_write64(io_channel io, unsigned long long block, int count,
			      const void *buf)
{
	return put_bytes(io->private_data, block * (uint64_t)io->block_size,
			 bytes_of(io, count), buf);
}

static errcode_t held_read(io_channel io, unsigned long block, int count, void *buf)
{
	return held_read64(io, block, count, buf);
}

static errcode_t held_write(io_channel io, unsigned long block, int count,
			    const void *buf)
{
	return held_write64(io, block, count, buf);
}

static errcode_t held_write_byte(io_channel io, unsigned long at, int n, const void *buf)
{
	return put_bytes(io->private_data, at, (size_t)n, buf);
}

static errcode_t held_flush(io_channel io)
{
	(void)io;
	return 0;
}

static struct struct_io_manager manager = {
	.magic = EXT2_ET_MAGIC_IO_MANAGER,
	.name = "cdefrag lab I/O manager",
	.open = held_open,
	.close = held_close,
	.set_blksize = held_set_blksize,
	.read_blk = held_read,
	.write_blk = held_write,
	.flush = held_flush,
	.write_byte = held_write_byte,
	.read_blk64 = held_read64,
	.write_blk64 = held_write64,
};

io_manager held_manager = &manager;
