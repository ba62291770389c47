/* SPDX-License-Identifier: GPL-3.0-or-later */
/* journal.c - see journal.h: creating, appending, syncing. Reading and checking:
 * reader.c. */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/crc32c.h"
#include "base/file.h"
#include "base/str.h"
#include "src/journal/journal_priv.h"

/* 0 too where a file system cannot promise room. */
static int reserve_room(int fd, uint64_t at, uint64_t n)
{
	if (fallocate(fd, FALLOC_FL_KEEP_SIZE, (off_t)at, (off_t)n) == 0)
		return 0;
	return errno == ENOSPC || errno == EDQUOT ? errno : 0;
}

struct journal_calls journal_calls = {file_write, file_sync, reserve_room};

/* --- little endian --- */

void put_le(uint8_t *p, uint64_t value, int bytes)
{
	for (int i = 0; i < bytes; i++)
		p[i] = (uint8_t)(value >> 8 * i);
}

uint64_t get_le(const uint8_t *p, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

/* --- folders --- */

static bool sync_folder_of(const char *path, struct err *err)
{
	char *copy = strdup(path);
	int fd = copy ? open(dirname(copy), O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	bool ok = fd >= 0 && fsync(fd) == 0;

	if (!ok)
		err_set_errno(err, ERR_IO, errno, "cannot make the folder of %s durable",
			      path);
	if (fd >= 0)
		close(fd);
	free(copy);
	return ok;
}

/* mkdir -p of the folder that path lies in, for the owner alone, each new level durable.
 */
static bool make_folder_of(const char *path, struct err *err)
{
	char *copy = strdup(path), *slash;

	if (!copy)
		return err_nomem(err);
	for (slash = copy + 1; (slash = strchr(slash, '/')); slash++) {
		*slash = '\0';
		if (mkdir(copy, 0700) == 0) {
			if (!sync_folder_of(copy, err)) {
				free(copy);
				return false;
			}
		} else if (errno != EEXIST) {
			err_set_errno(err, ERR_IO, errno, "cannot make the folder %s",
				      copy);
			free(copy);
			return false;
		}
		*slash = '/';
	}
	free(copy);
	return true;
}

/* --- names --- */

/* from becomes to, which must not exist. By a second name first: what crashes in between
 * leaves both. Some file systems (vfat) have only one name for a file. 0 or an errno. */
static int give_name(const char *from, const char *to)
{
	if (link(from, to) == 0)
		return unlink(from) ? errno : 0;
	if (errno != EPERM && errno != EOPNOTSUPP && errno != ENOSYS)
		return errno;
	return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) ? errno : 0;
}

bool journal_lock(int fd, const char *path, struct err *err)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_OFD_SETLK, &lock) == 0 || (errno != EAGAIN && errno != EACCES))
		return true; /* or a file system without locks */
	err_set(err, ERR_REFUSED,
		"the undo journal %s is in use by another program; let that one end "
		"first",
		path);
	return false;
}

/* --- life --- */

static void pack_header(const struct journal_ident *id, uint8_t h[JOURNAL_HEADER])
{
	memset(h, 0, JOURNAL_HEADER);
	memcpy(h, JOURNAL_MAGIC, 8);
	put_le(h + 8, JOURNAL_VERSION, 4);
	put_le(h + 12, id->block_size, 4);
	put_le(h + 16, id->blocks, 8);
	memcpy(h + 24, id->uuid, 16);
	memcpy(h + 40, id->label, 16);
	put_le(h + 68, crc32c(~0u, h, 68), 4);
}

/* The header goes into a file of another name first: under `path` there is never half a
 * journal. What has that name is a leftover, and may be a journal by its other name. */
static bool create_file(struct journal *j, const char *path, const char *temporary,
			struct err *err)
{
	uint8_t header[JOURNAL_HEADER];
	int rc;

	unlink(temporary);
	j->fd = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (j->fd < 0) {
		err_set_errno(err, ERR_IO, errno, "cannot create the undo journal %s",
			      path);
		return false;
	}
	if (!journal_lock(j->fd, path, err))
		return false;
	pack_header(&j->ident, header);
	j->last_crc = (uint32_t)get_le(header + 68, 4);
	rc = journal_calls.write(j->fd, header, sizeof(header), 0);
	if (rc) {
		err_set_errno(err, ERR_IO, rc, "cannot write the undo journal %s", path);
		return false;
	}
	j->end = sizeof(header);
	j->doubtful = j->end;
	if (!journal_sync(j, err))
		return false;
	rc = give_name(temporary, path);
	if (rc)
		err_set_errno(err, ERR_IO, rc, "cannot create the undo journal %s", path);
	return rc == 0;
}

struct journal *journal_create(const char *path, const struct journal_ident *ident,
			       struct err *err)
{
	struct journal *j = calloc(1, sizeof(*j));
	struct str temporary = STR_INIT;
	bool ok;

	if (!j) {
		err_nomem(err);
		return NULL;
	}
	j->fd = -1;
	j->write = true;
	j->ident = *ident;
	str_addf(&temporary, "%s.%ld.new", path, (long)getpid());
	ok = make_folder_of(path, err) && create_file(j, path, temporary.buf, err);
	if (!ok && j->fd >= 0)
		unlink(temporary.buf);
	ok = ok && sync_folder_of(path, err);
	str_release(&temporary);
	if (ok)
		return j;
	journal_close(j);
	return NULL;
}

void journal_close(struct journal *j)
{
	if (!j)
		return;
	if (j->fd >= 0) {
		if (j->write && !j->failed && ftruncate(j->fd, (off_t)j->end))
			j->failed = true; /* reserved room stays with it: no harm */
		close(j->fd);
	}
	vec_release(&j->records);
	free(j);
}

const struct journal_ident *journal_ident(const struct journal *j)
{
	return &j->ident;
}

uint64_t journal_bytes(const struct journal *j)
{
	return j->end;
}

static bool is_usable(struct journal *j, struct err *err)
{
	if (!j->failed)
		return true;
	err_set(err, ERR_IO,
		"the undo journal could not be written before; nothing more goes into "
		"it");
	return false;
}

/* What an earlier program wrote last, it may have failed to make durable; then it can be
 * read for a while and is gone with the power. So before anything is built on it the same
 * bytes are written once more. */
static bool renew(struct journal *j, struct err *err)
{
	size_t n = (size_t)(j->end - j->doubtful);
	uint8_t *buf;
	int rc;

	if (!n)
		return true;
	buf = malloc(n);
	if (!buf)
		return err_nomem(err);
	rc = file_read(j->fd, buf, n, j->doubtful);
	rc = rc ? rc : journal_calls.write(j->fd, buf, n, j->doubtful);
	rc = rc ? rc : journal_calls.sync(j->fd);
	free(buf);
	if (rc) {
		j->failed = true;
		err_set_errno(err, ERR_IO, rc, "cannot write the undo journal");
		return false;
	}
	j->doubtful = j->durable = j->end;
	return true;
}

/* The end of a failed append. For lack of room the file can be as it was before; after any
 * other error nobody knows what it is. */
static void take_back(struct journal *j, int rc)
{
	j->records.n--;
	j->failed = (rc != ENOSPC && rc != EDQUOT) || ftruncate(j->fd, (off_t)j->end);
}

bool journal_append(struct journal *j, enum journal_type type, const void *payload,
		    size_t n, struct err *err)
{
	size_t whole = JOURNAL_RECORD + ((n + 7) & ~(size_t)7);
	struct journal_record rec = {j->end, (uint32_t)n, type};
	uint8_t *buf;
	int rc;

	if (!is_usable(j, err) || !renew(j, err))
		return false;
	rec.at = j->end;
	if (n > JOURNAL_PAYLOAD_MAX) {
		err_set(err, ERR_BUG, "a journal record of %zu bytes is too long", n);
		return false;
	}
	buf = calloc(1, whole);
	if (!buf || !vec_push(&j->records, rec)) {
		free(buf);
		return err_nomem(err);
	}
	put_le(buf, JOURNAL_RECORD_MAGIC, 4);
	put_le(buf + 4, n, 4);
	put_le(buf + 8, type, 4);
	put_le(buf + 12, j->records.n, 4);
	put_le(buf + 16, j->durable, 8);
	put_le(buf + 24, j->last_crc, 4);
	if (n)
		memcpy(buf + JOURNAL_RECORD, payload, n);
	put_le(buf + 28, journal_record_crc(buf, whole), 4);
	rc = journal_calls.write(j->fd, buf, whole, j->end);
	if (rc) {
		take_back(j, rc);
		err_set_errno(err, ERR_IO, rc, "cannot write the undo journal");
	} else {
		j->last_crc = (uint32_t)get_le(buf + 28, 4);
		j->end += whole;
		j->doubtful = j->end;
	}
	free(buf);
	return rc == 0;
}

bool journal_sync(struct journal *j, struct err *err)
{
	int rc;

	if (!is_usable(j, err))
		return false;
	if (j->durable == j->end)
		return true;
	rc = journal_calls.sync(j->fd);
	if (rc) {
		j->failed = true;
		err_set(err, ERR_IO, "cannot make the undo journal durable: %s",
			strerror(
				rc)); /* never ERR_NOSPACE: the record is there, or not */
		return false;
	}
	j->durable = j->end;
	return true;
}

bool journal_reserve(struct journal *j, uint64_t n, struct err *err)
{
	int rc;

	if (!is_usable(j, err))
		return false;
	rc = journal_calls.reserve(j->fd, j->end, n);
	if (!rc)
		return true;
	err_set_errno(err, ERR_NOSPACE, rc,
		      "no room for the undo journal; make room, or name another place "
		      "with -z FILE");
	return false;
}

bool journal_set_aside(const char *path, struct str *out, struct err *err)
{
	struct str to = STR_INIT;
	bool ok = false;
	int rc;

	for (int i = 1; i < 10000; i++) {
		str_clear(&to);
		str_addf(&to, "%s.%d", path, i);
		rc = give_name(path, to.buf); /* never over another file */
		if (rc == 0) {
			ok = sync_folder_of(path, err);
			break;
		}
		if (rc != EEXIST) {
			err_set_errno(err, ERR_IO, rc, "cannot rename %s", path);
			break;
		}
	}
	if (ok)
		str_addn(out, to.buf, to.len);
	str_release(&to);
	return ok;
}
