/* SPDX-License-Identifier: GPL-3.0-or-later */
/* source.c - where bytes come from: a volume's wanted blocks, or the data of a raw file. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/file.h"
#include "fs/scramble.h"
#include "src/clone/clone_priv.h"

static bool bit(const uint8_t *map, uint64_t i)
{
	return map[i / 8] >> i % 8 & 1;
}

static void set_bits(uint8_t *map, uint64_t from, uint64_t to)
{
	for (; from < to && from % 8; from++)
		map[from / 8] |= (uint8_t)(1u << from % 8);
	if (from + 8 <= to) {
		memset(map + from / 8, 0xff, (to - from) / 8);
		from += (to - from) / 8 * 8;
	}
	for (; from < to; from++)
		map[from / 8] |= (uint8_t)(1u << from % 8);
}

bool source_has(const struct source *s, uint64_t unit)
{
	return bit(s->used, unit);
}

static bool cut_into_units(struct source *s, uint32_t unit, struct err *err)
{
	free(s->used);
	s->unit = unit;
	s->units = (s->bytes + unit - 1) / unit;
	s->used = calloc(1, s->units / 8 + 1);
	return s->used || err_nomem(err);
}

static void mark(struct source *s, uint64_t from, uint64_t to)
{
	if (to > from)
		set_bits(s->used, from / s->unit, (to + s->unit - 1) / s->unit);
}

/* --- the volume --- */

/* A piece never cuts a block in two: units and blocks are powers of two, and a unit that
 * is smaller than a block comes with all of that block. */
static void clean(struct source *s, uint64_t at, size_t n, uint8_t *buf)
{
	uint64_t first = at / s->block, count = n / s->block;
	struct run r = {.len = 0};

	for (uint64_t i = 0; i < count; i++) {
		uint8_t *block = buf + i * s->block;

		if (!bit(s->want, first + i)) {
			memset(block, 0, s->block);
			continue;
		}
		if (!s->model || first + i < model_geom(s->model)->first_block)
			continue;
		if (first + i < r.phys || first + i >= r.phys + r.len)
			model_at(s->model, first + i, &r);
		scramble_block(s->v, &r, first + i, block);
	}
}

static bool read_volume(struct source *s, uint64_t at, size_t n, uint8_t *buf,
			struct err *err)
{
	size_t have = at + n > s->bytes ? (size_t)(s->bytes - at) : n;

	if (!volume_read_blocks(s->v, at / s->block, have / s->block, buf, err))
		return false;
	memset(buf + have, 0, n - have);
	clean(s, at, have, buf);
	return true;
}

struct picker {
	struct source *s;
	bool scramble;
};

/* Everything but the contents of files; with scrambling also not what may hold them, or
 * names, in a form that nobody changes here. */
static bool pick_metadata(void *arg, const struct run *r)
{
	const struct picker *p = arg;
	bool leave = r->kind == OWNER_FREE || r->kind == OWNER_FILE ||
		     r->kind == OWNER_UNKNOWN || r->kind == OWNER_CLUSTER_PAD;

	if (p->scramble)
		leave |= r->kind == OWNER_JOURNAL || r->kind == OWNER_XATTR ||
			 r->kind == OWNER_XATTR_SHARED || r->kind == OWNER_EA_INODE;
	if (p->scramble && r->kind == OWNER_JOURNAL && r->lblk == 0)
		set_bits(p->s->want, r->phys, r->phys + 1); /* its superblock */
	if (!leave)
		set_bits(p->s->want, r->phys, r->phys + r->len);
	return true;
}

static bool want_used(struct source *s, const struct geom *g, struct err *err)
{
	uint8_t *used = volume_read_bitmap(s->v, NULL, err);

	if (!used)
		return false;
	for (uint64_t i = 0; i < g->blocks - g->first_block; i++)
		if (bit(used, i))
			s->want[(i + g->first_block) / 8] |=
				(uint8_t)(1u << (i + g->first_block) % 8);
	free(used);
	return true;
}

static void mark_wanted(struct source *s, uint64_t blocks)
{
	uint64_t at = 0;

	while (at < blocks) {
		uint64_t end;

		if (!bit(s->want, at)) {
			at = at % 8 || s->want[at / 8] ? at + 1 : at + 8;
			continue;
		}
		for (end = at + 1; end < blocks && bit(s->want, end);)
			end++;
		mark(s, at * s->block, end * s->block);
		at = end;
	}
}

bool source_cut(struct source *s, uint32_t unit, struct err *err)
{
	if (!cut_into_units(s, unit, err))
		return false;
	mark_wanted(s, s->bytes / s->block);
	return true;
}

/* Wanted blocks of a volume, or units of a file that hold data: stretches, and bytes. */
static void count(const struct source *s, uint64_t *bytes, uint64_t *runs)
{
	const uint8_t *map = s->want ? s->want : s->used;
	uint64_t n = s->want ? s->bytes / s->block : s->units;
	uint32_t each = s->want ? s->block : s->unit;
	bool was = false;

	*bytes = *runs = 0;
	for (uint64_t i = 0; i < n; i++) {
		bool is = bit(map, i);

		*bytes += is ? each : 0;
		*runs += is && !was;
		was = is;
	}
}

uint64_t source_wanted(const struct source *s)
{
	uint64_t bytes, runs;

	count(s, &bytes, &runs);
	return bytes;
}

uint64_t source_runs(const struct source *s)
{
	uint64_t bytes, runs;

	count(s, &bytes, &runs);
	return runs;
}

bool source_of_volume(struct source *s, struct volume *v, const struct clone_request *r,
		      struct err *err)
{
	const struct geom *g = volume_geom(v);
	struct picker pick = {s, r->flags & CLONE_SCRAMBLE};

	s->v = v;
	s->read = read_volume;
	s->block = g->block_size;
	s->bytes = g->blocks * g->block_size;
	snprintf(s->path, sizeof(s->path), "%s", volume_info(v)->path);
	s->want = calloc(1, g->blocks / 8 + 1);
	if (!s->want)
		return err_nomem(err);
	set_bits(s->want, 0, g->first_block + 1); /* with the boot block */
	if (r->flags & CLONE_METADATA)
		model_walk(r->model, g->first_block, g->blocks - g->first_block,
			   pick_metadata, &pick);
	else if (!want_used(s, g, err))
		return false;
	s->model = r->flags & CLONE_SCRAMBLE ? r->model : NULL;
	return true;
}

/* --- a file --- */

bool source_read_file(struct source *s, uint64_t at, size_t n, uint8_t *buf,
		      struct err *err)
{
	int rc = EINVAL;

	if (s->direct_fd >= 0 && (at | n) % UNIT_BYTES == 0)
		rc = file_read(s->direct_fd, buf, n, at);
	if (rc == EINVAL)
		rc = file_read(s->fd, buf, n, at);
	if (rc)
		err_set_errno(err, ERR_IO, rc, "cannot read %s at byte %llu", s->path,
			      (unsigned long long)at);
	return rc == 0;
}

static bool read_raw(struct source *s, uint64_t at, size_t n, uint8_t *buf,
		     struct err *err)
{
	size_t have = at + n > s->bytes ? (size_t)(s->bytes - at) : n;

	memset(buf + have, 0, n - have);
	return source_read_file(s, at, have, buf, err);
}

/* What is no hole. A file system that cannot tell calls all of it data. */
static void mark_data(struct source *s)
{
	off_t at = 0, end;

	while ((at = lseek(s->fd, at, SEEK_DATA)) >= 0 && (uint64_t)at < s->bytes) {
		end = lseek(s->fd, at, SEEK_HOLE);
		if (end <= at)
			end = (off_t)s->bytes;
		mark(s, (uint64_t)at,
		     (uint64_t)end < s->bytes ? (uint64_t)end : s->bytes);
		at = end;
	}
	if (at < 0 && errno != ENXIO)
		mark(s, 0, s->bytes);
}

static bool is_qcow2(const uint8_t header[72])
{
	return !memcmp(header, "QFI\373", 4);
}

/* A file that is restored goes over a whole device, so it should be what it is taken
 * for: the magic number of an ext superblock, at 1024 + 56. */
static bool holds_volume(struct source *s, struct err *err)
{
	size_t n = s->unit;
	uint8_t *buf = aligned_alloc(UNIT_BYTES, n);
	bool ok = buf || err_nomem(err);

	ok = ok && (s->bytes < n || s->read(s, 0, n, buf, err));
	if (ok && (s->bytes < n || buf[1080] != 0x53 || buf[1081] != 0xEF)) {
		err_set(err, ERR_REFUSED,
			"%s is neither a volume nor an image of one", s->path);
		ok = false;
	}
	free(buf);
	return ok;
}

static bool open_raw(struct source *s, uint64_t bytes, struct err *err)
{
	s->bytes = bytes;
	s->read = read_raw;
	if (!cut_into_units(s, UNIT_BYTES, err))
		return false;
	mark_data(s);
	return true;
}

bool source_of_file(struct source *s, const char *path, struct err *err)
{
	uint8_t header[72] = {0};
	off_t end;

	snprintf(s->path, sizeof(s->path), "%s", path);
	s->fd = open(path, O_RDONLY | O_CLOEXEC);
	if (s->fd < 0) {
		err_set_errno(err, ERR_REFUSED, errno, "cannot open %s", path);
		return false;
	}
	s->direct_fd = open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
	end = lseek(s->fd, 0, SEEK_END);
	if (end < (off_t)sizeof(header) || file_read(s->fd, header, sizeof(header), 0)) {
		err_set(err, ERR_REFUSED,
			"%s is neither a volume nor an image of one", path);
		return false;
	}
	return (is_qcow2(header) ? source_qcow2(s, header, err)
				 : open_raw(s, (uint64_t)end, err)) &&
	       holds_volume(s, err);
}

void source_release(struct source *s)
{
	if (s->fd >= 0)
		close(s->fd);
	if (s->direct_fd >= 0)
		close(s->direct_fd);
	free(s->used);
	free(s->want);
	free(s->cluster);
}
