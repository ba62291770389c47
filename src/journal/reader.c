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
#include <sys/stat.h>
#include <unistd.h>
#include "base/crc32c.h"
#include "base/file.h"
#include "base/str.h"
#include "src/journal/journal_priv.h"

uint32_t journal_record_crc(const uint8_t *record, size_t whole)
{
	uint32_t crc = crc32c(~0u, record, 28);

	return crc32c(crc, record + JOURNAL_RECORD, whole - JOURNAL_RECORD);
}

/* Length that a record's head claims, 0 if it is none or does not fit into `room`. */
static size_t claimed(const uint8_t *head, uint64_t room)
{
	uint64_t whole = JOURNAL_RECORD + ((get_le(head + 4, 4) + 7) & ~7ull);

	return get_le(head, 4) == JOURNAL_RECORD_MAGIC && whole <= JOURNAL_PAYLOAD_MAX &&
			       whole <= room
		       ? (size_t)whole
		       : 0;
}

static bool is_sound(const uint8_t *record, size_t whole)
{
	return get_le(record + 28, 4) == journal_record_crc(record, whole);
}

static bool read_at(const struct journal *j, const char *path, void *buf, size_t n,
		    uint64_t at, struct err *err)
{
	int rc = file_read(j->fd, buf, n, at);

	if (rc)
		err_set_errno(err, ERR_IO, rc, "cannot read the undo journal %s", path);
	return rc == 0;
}

/* Does any sound record from j->end on know that the bytes there were durable? */
static bool was_durable(const struct journal *j, const char *path, uint64_t size,
			bool *durable, struct err *err)
{
	size_t n = (size_t)(size - j->end);
	uint8_t *tail = malloc(n);

	*durable = false;
	if (!tail)
		return err_nomem(err);
	if (!read_at(j, path, tail, n, j->end, err)) {
		free(tail);
		return false;
	}
	for (size_t at = 0; !*durable && at + JOURNAL_RECORD <= n; at += 8) {
		size_t whole = claimed(tail + at, n - at);

		*durable = whole && is_sound(tail + at, whole) &&
			   get_le(tail + at + 16, 8) > j->end;
	}
	free(tail);
	return true;
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

static bool check_header(struct journal *j, const char *path, uint64_t size,
			 struct err *err)
{
	uint8_t map[JOURNAL_HEADER] = {0};

	if (size >= JOURNAL_HEADER && !read_at(j, path, map, sizeof(map), 0, err))
		return false;
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
	j->end = j->doubtful = JOURNAL_HEADER;
	return true;
}

/* The record at j->end, whole, in a buffer that grows; *whole 0: there is no sound one. */
static bool next_record(const struct journal *j, const char *path, uint64_t size,
			struct str *buf, size_t *whole, struct err *err)
{
	uint8_t head[JOURNAL_RECORD];

	*whole = 0;
	if (size - j->end < JOURNAL_RECORD)
		return true;
	if (!read_at(j, path, head, sizeof(head), j->end, err))
		return false;
	*whole = claimed(head, size - j->end);
	if (!*whole)
		return true;
	if (*whole > buf->cap) {
		free(buf->cap ? buf->buf : NULL);
		buf->cap = 0;
		buf->buf = malloc(*whole);
		if (!buf->buf)
			return err_nomem(err);
		buf->cap = *whole;
	}
	if (!read_at(j, path, buf->buf, *whole, j->end, err))
		return false;
	if (!is_sound((uint8_t *)buf->buf, *whole))
		*whole = 0;
	return true;
}

/* Takes the record over if it continues the chain; false: the chain ends before it. */
static bool take_record(struct journal *j, const uint8_t *p, size_t whole, bool *oom)
{
	struct journal_record r = {j->end, (uint32_t)get_le(p + 4, 4),
				   (enum journal_type)get_le(p + 8, 4)};

	if (get_le(p + 24, 4) != j->last_crc || get_le(p + 12, 4) != j->records.n + 1)
		return false;
	if (!vec_push(&j->records, r)) {
		*oom = true;
		return false;
	}
	j->last_crc = (uint32_t)get_le(p + 28, 4);
	j->doubtful = get_le(p + 16, 8);
	j->end += whole;
	return true;
}

static bool check_records(struct journal *j, const char *path, uint64_t size,
			  struct err *err)
{
	struct str buf = STR_INIT;
	bool ok, oom = false, durable = false;
	size_t whole;

	do {
		ok = next_record(j, path, size, &buf, &whole, err);
	} while (ok && whole && take_record(j, (uint8_t *)buf.buf, whole, &oom));
	str_release(&buf);
	if (oom)
		return err_nomem(err);
	if (!ok || j->end == size)
		return ok;
	if (!was_durable(j, path, size, &durable, err))
		return false;
	return !durable || damaged(path, j->end, err);
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
	struct stat st;
	bool ok = false;

	if (!j) {
		err_nomem(err);
		return NULL;
	}
	/* what has the name may be a pipe: that would wait for ever */
	j->fd = open(path,
		     (write ? O_RDWR : O_RDONLY) | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (j->fd >= 0 && write && !journal_lock(j->fd, path, err))
		goto out;
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
	ok = check_header(j, path, (uint64_t)st.st_size, err) &&
	     check_records(j, path, (uint64_t)st.st_size, err) &&
	     (!write || trim(j, path, (uint64_t)st.st_size, err));
out:
	j->write = ok && write; /* closing cuts a file that is open for writing: never one
				   that was refused */
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
