/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * reader.c - opening a journal: every record is checked, once, in one pass over the file.
 *
 * Where the chain breaks, the rest of the file is searched for a sound record that was
 * written when the break was already durable. If there is one, the file is damaged and we
 * stop (J3). If there is none, what is broken was never waited for, so nothing that
 * happened to the volume depends on it: it is cut off.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/crc32c.h"
#include "base/file.h"
#include "src/journal/journal_priv.h"

uint32_t journal_record_crc(const uint8_t *record, size_t whole)
{
	uint32_t crc = crc32c(~0u, record, 28);

	return crc32c(crc, record + JOURNAL_RECORD, whole - JOURNAL_RECORD);
}

/* Length of a sound record at `at`, 0 if there is none. */
static size_t sound_record(const uint8_t *map, uint64_t size, uint64_t at)
{
	const uint8_t *p = map + at;
	uint64_t whole;

	if (at + JOURNAL_RECORD > size || get_le(p, 4) != JOURNAL_RECORD_MAGIC)
		return 0;
	whole = JOURNAL_RECORD + ((get_le(p + 4, 4) + 7) & ~7ull);
	if (whole > JOURNAL_PAYLOAD_MAX || at + whole > size ||
	    get_le(p + 28, 4) != journal_record_crc(p, whole))
		return 0;
	return whole;
}

/* Does any sound record behind `broken` know that the bytes there were durable? */
static bool was_durable(const uint8_t *map, uint64_t size, uint64_t broken)
{
	for (uint64_t at = broken; at + JOURNAL_RECORD <= size; at += 8)
		if (sound_record(map, size, at) && get_le(map + at + 16, 8) > broken)
			return true;
	return false;
}

static bool damaged(const char *path, uint64_t at, struct err *err)
{
	err_set(err, ERR_CORRUPT,
		"the undo journal %s is damaged at byte %llu; nothing was changed: move "
		"it away, and the "
		"volume is as it is, without undo",
		path, (unsigned long long)at);
	return false;
}

static bool check_header(struct journal *j, const char *path, const uint8_t *map,
			 uint64_t size, struct err *err)
{
	if (size < JOURNAL_HEADER || memcmp(map, JOURNAL_MAGIC, 8)) {
		err_set(err, ERR_REFUSED,
			"%s is not an undo journal; name another file with -z", path);
		return false;
	}
	if (get_le(map + 8, 4) != JOURNAL_VERSION) {
		err_set(err, ERR_REFUSED,
			"the undo journal %s is of version %u, this program knows %u",
			path, (unsigned)get_le(map + 8, 4), JOURNAL_VERSION);
		return false;
	}
	if (get_le(map + 68, 4) != crc32c(~0u, map, 68))
		return damaged(path, 0, err);
	j->ident.block_size = (uint32_t)get_le(map + 12, 4);
	j->ident.blocks = get_le(map + 16, 8);
	memcpy(j->ident.uuid, map + 24, 16);
	memcpy(j->ident.label, map + 40, 16);
	j->last_crc = (uint32_t)get_le(map + 68, 4);
	j->end = JOURNAL_HEADER;
	return true;
}

static bool check_records(struct journal *j, const char *path, const uint8_t *map,
			  uint64_t size, struct err *err)
{
	size_t whole;

	while ((whole = sound_record(map, size, j->end))) {
		const uint8_t *p = map + j->end;
		struct journal_record r = {j->end, (uint32_t)get_le(p + 4, 4),
					   (enum journal_type)get_le(p + 8, 4)};

		if (get_le(p + 24, 4) != j->last_crc ||
		    get_le(p + 12, 4) != j->records.n + 1)
			break;
		if (!vec_push(&j->records, r))
			return err_nomem(err);
		j->last_crc = (uint32_t)get_le(p + 28, 4);
		j->end += whole;
	}
	if (j->end < size && was_durable(map, size, j->end))
		return damaged(path, j->end, err);
	return true;
}

/* Cuts a broken end off; what is left is made durable before anything is built on it. */
static bool trim(struct journal *j, const char *path, uint64_t size, struct err *err)
{
	if ((j->end < size && ftruncate(j->fd, (off_t)j->end)) || fsync(j->fd)) {
		err_set_errno(err, ERR_IO, errno, "cannot mend the end of %s", path);
		return false;
	}
	j->durable = j->end;
	return true;
}

struct journal *journal_open(const char *path, bool write, struct err *err)
{
	struct journal *j = calloc(1, sizeof(*j));
	void *map = MAP_FAILED;
	struct stat st;
	bool ok = false;

	if (!j) {
		err_nomem(err);
		return NULL;
	}
	j->write = write;
	j->fd = open(path, (write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
	if (j->fd < 0 || fstat(j->fd, &st)) {
		err_set_errno(err, ERR_IO, errno, "cannot open the undo journal %s",
			      path);
		goto out;
	}
	if (!S_ISREG(st.st_mode) || st.st_size == 0) {
		err_set(err, ERR_REFUSED,
			"%s is not an undo journal; name another file with -z", path);
		goto out;
	}
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, j->fd, 0);
	if (map == MAP_FAILED) {
		err_set_errno(err, ERR_IO, errno, "cannot read the undo journal %s",
			      path);
		goto out;
	}
	ok = check_header(j, path, map, (uint64_t)st.st_size, err) &&
	     check_records(j, path, map, (uint64_t)st.st_size, err);
	ok = ok && (!write || trim(j, path, (uint64_t)st.st_size, err));
out:
	if (map != MAP_FAILED)
		munmap(map, (size_t)st.st_size);
	if (ok)
		return j;
	journal_close(j);
	return NULL;
}

size_t journal_count(const struct journal *j)
{
	return j->records.n;
}

enum journal_type journal_type_of(const struct journal *j, size_t i)
{
	return j->records.v[i].type;
}

static bool read_payload(const struct journal *j, const struct journal_record *r,
			 uint8_t *buf, size_t n, struct err *err)
{
	int rc = file_read(j->fd, buf, n, r->at + JOURNAL_RECORD);

	if (rc)
		err_set_errno(err, ERR_IO, rc, "cannot read the undo journal");
	return rc == 0;
}

size_t journal_read_head(const struct journal *j, size_t i, void *buf, size_t n,
			 struct err *err)
{
	const struct journal_record *r = &j->records.v[i];

	n = n < r->bytes ? n : r->bytes;
	return read_payload(j, r, buf, n, err) ? n : 0;
}

void *journal_read(const struct journal *j, size_t i, size_t *n, struct err *err)
{
	const struct journal_record *r = &j->records.v[i];
	uint8_t *buf = malloc((size_t)r->bytes + 1);

	if (!buf) {
		err_nomem(err);
		return NULL;
	}
	if (!read_payload(j, r, buf, r->bytes, err)) {
		free(buf);
		return NULL;
	}
	buf[r->bytes] = '\0';
	*n = r->bytes;
	return buf;
}
