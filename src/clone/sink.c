/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sink.c - where a copy goes, and what may not be overwritten by it. */
#include <errno.h>
#include <fcntl.h>
#include <linux/falloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/uio.h>
#include <unistd.h>
#include "base/file.h"
#include "src/clone/clone_priv.h"

/* --- may it be written? --- */

static bool same_file(const struct stat *a, const struct stat *b)
{
	if (S_ISBLK(a->st_mode) && S_ISBLK(b->st_mode))
		return a->st_rdev == b->st_rdev;
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* The file behind a loop device, as sysfs names it. */
static bool is_backed_by(const struct stat *device, const struct stat *file)
{
	char path[64], target[4096];
	struct stat st;
	ssize_t n;
	int fd;

	if (!S_ISBLK(device->st_mode))
		return false;
	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/loop/backing_file",
		 major(device->st_rdev), minor(device->st_rdev));
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	n = read(fd, target, sizeof(target) - 1);
	close(fd);
	if (n <= 0)
		return false;
	target[n] = '\0';
	target[strcspn(target, "\n")] = '\0';
	return stat(target, &st) == 0 && same_file(&st, file);
}

/* The folder that dest lies in. */
static void folder_of(const char *path, char *out, size_t size)
{
	char *slash;

	snprintf(out, size, "%s", path);
	slash = strrchr(out, '/');
	if (!slash)
		snprintf(out, size, ".");
	else
		slash[slash == out ? 1 : 0] = '\0';
}

static bool clashes(const char *source, const struct sink *k, const struct stat *dest,
		    bool exists, struct err *err)
{
	struct stat src, folder;
	char dir[4096];

	if (stat(source, &src))
		return false; /* whoever opened it will say so */
	folder_of(k->path, dir, sizeof(dir));
	if (exists && (same_file(&src, dest) || is_backed_by(&src, dest) ||
		       is_backed_by(dest, &src))) {
		err_set(err, ERR_REFUSED,
			"%s is the source itself; name another destination", k->path);
		return true;
	}
	if (S_ISBLK(src.st_mode) && !stat(dir, &folder) && folder.st_dev == src.st_rdev) {
		err_set(err, ERR_REFUSED,
			"%s would lie on the volume that is copied; choose a place on "
			"another one",
			k->path);
		return true;
	}
	return false;
}

/* Devices are opened with O_EXCL; a file would lose its name while others work on it, and
 * what they write would be gone when they let go of it. */
static bool is_used(const struct sink *k, const struct stat *st, struct err *err)
{
	struct volume_reason r;

	if (!S_ISREG(st->st_mode) || !volume_is_in_use(k->path, &r))
		return false;
	err_set(err, ERR_REFUSED, "cannot write over %s: %s%s%s", k->path, r.what,
		r.remedy[0] ? "; " : "", r.remedy);
	return true;
}

static bool may_write(struct sink *k, const struct clone_request *r, const char *source,
		      const struct stat *st, bool exists, struct err *err)
{
	if (source && clashes(source, k, st, exists, err))
		return false;
	if (!exists)
		return true;
	if (S_ISDIR(st->st_mode)) {
		err_set(err, ERR_REFUSED, "%s is a folder; name a file in it", k->path);
		return false;
	}
	if (!S_ISREG(st->st_mode) && !S_ISBLK(st->st_mode)) {
		if (r->op == CLONE_IMAGE)
			return true;
		err_set(err, ERR_REFUSED,
			"%s is neither a file nor a block device; only image can go "
			"through a pipe",
			k->path);
		return false;
	}
	if (S_ISBLK(st->st_mode) && r->op == CLONE_IMAGE) {
		err_set(err, ERR_REFUSED,
			"%s is a device, and an image is a file; use clone", k->path);
		return false;
	}
	if (r->flags & CLONE_FORCE)
		return !is_used(k, st, err);
	err_set(err, ERR_REFUSED, "%s exists%s; to write over it: %s %s", k->path,
		S_ISBLK(st->st_mode) ? " (all on it would be lost)" : "",
		r->op == CLONE_RAW     ? "clone!"
		: r->op == CLONE_IMAGE ? "image!"
				       : "restore! FILE",
		k->path);
	return false;
}

/* --- opening --- */

static bool open_device(struct sink *k, uint64_t bytes, struct err *err)
{
	off_t end;

	/* O_EXCL: the kernel says no if it is mounted or part of something. */
	k->device = true;
	k->direct = true;
	k->fd = open(k->path, O_WRONLY | O_EXCL | O_CLOEXEC | O_DIRECT);
	if (k->fd < 0) {
		err_set_errno(err, ERR_REFUSED, errno, "cannot write to %s", k->path);
		return false;
	}
	end = lseek(k->fd, 0, SEEK_END);
	if (end >= 0 && (uint64_t)end >= bytes)
		return true;
	err_set(err, ERR_NOSPACE, "%s holds %lld bytes, the volume %llu", k->path,
		(long long)end, (unsigned long long)bytes);
	return false;
}

static bool open_part(struct sink *k, struct err *err)
{
	struct stat st;

	if (snprintf(k->part, sizeof(k->part), "%s.part", k->path) >=
	    (int)sizeof(k->part)) {
		err_set(err, ERR_USAGE, "the name of the destination is too long");
		return false;
	}
	/* What an earlier run that was killed has left; never anything but a file. */
	if (!lstat(k->part, &st) && S_ISREG(st.st_mode))
		unlink(k->part);
	k->direct = true;
	k->fd = open(k->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_DIRECT, 0600);
	if (k->fd < 0 && errno == EINVAL) { /* tmpfs of old */
		unlink(k->part);
		k->direct = false;
		k->fd = open(k->part, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	}
	if (k->fd >= 0)
		return true;
	err_set_errno(err, ERR_REFUSED, errno, "cannot make %s", k->part);
	k->part[0] = '\0';
	return false;
}

static bool open_stream(struct sink *k, bool standard, struct err *err)
{
	k->stream = true;
	k->fd = standard ? dup(STDOUT_FILENO) : open(k->path, O_WRONLY | O_CLOEXEC);
	if (k->fd >= 0)
		return true;
	err_set_errno(err, ERR_REFUSED, errno, "cannot write to %s", k->path);
	return false;
}

bool sink_open(struct sink *k, const struct clone_request *r, const struct volume *v,
	       uint64_t bytes, struct err *err)
{
	bool standard = r->op == CLONE_IMAGE && !strcmp(r->dest, "-"), exists;
	const char *source = r->source ? r->source : v ? volume_info(v)->path : NULL;
	struct stat st = {0};

	memset(k, 0, sizeof(*k));
	k->fd = -1;
	snprintf(k->path, sizeof(k->path), "%s", r->dest);
	if (standard)
		return open_stream(k, true, err);
	exists = stat(k->path, &st) == 0;
	if (!may_write(k, r, source, &st, exists, err))
		return false;
	/* A restore must not hit the open volume either. */
	if (v && source != volume_info(v)->path &&
	    clashes(volume_info(v)->path, k, &st, exists, err))
		return false;
	if (exists && S_ISBLK(st.st_mode))
		return open_device(k, bytes, err);
	if (exists && !S_ISREG(st.st_mode))
		return open_stream(k, false, err);
	return open_part(k, err);
}

/* --- writing --- */

static int write_stream(int fd, const uint8_t *buf, size_t n)
{
	while (n) {
		ssize_t done = write(fd, buf, n);

		if (done < 0 && errno != EINTR)
			return errno;
		if (done > 0) {
			buf += done;
			n -= (size_t)done;
		}
	}
	return 0;
}

static void end_direct(struct sink *k)
{
	int flags = fcntl(k->fd, F_GETFL);

	k->direct = false;
	fcntl(k->fd, F_SETFL, flags & ~O_DIRECT);
}

bool sink_write(struct sink *k, const uint8_t *buf, size_t n, uint64_t at,
		struct err *err)
{
	int rc;

	if (k->direct && (n | at) % UNIT_BYTES)
		end_direct(k);
	rc = k->stream ? write_stream(k->fd, buf, n) : file_write(k->fd, buf, n, at);
	if (rc == EINVAL && k->direct) { /* this device wants more than 4096 */
		end_direct(k);
		rc = file_write(k->fd, buf, n, at);
	}
	if (rc)
		err_set_errno(err, ERR_IO, rc, "cannot write to %s", k->path);
	else
		atomic_fetch_add(&k->written, n);
	return rc == 0;
}

/* The rest of a vector, after `done` bytes of it. */
static int skip_iov(struct iovec **v, int n, size_t done)
{
	while (n && done >= (*v)->iov_len) {
		done -= (*v)->iov_len;
		(*v)++;
		n--;
	}
	if (n) {
		(*v)->iov_base = (char *)(*v)->iov_base + done;
		(*v)->iov_len -= done;
	}
	return n;
}

bool sink_gather(struct sink *k, struct iovec *v, int n, uint64_t at, struct err *err)
{
	while (n) {
		ssize_t done =
			k->stream ? writev(k->fd, v, n) : pwritev(k->fd, v, n, (off_t)at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done < 0 && errno == EINVAL && k->direct) {
			end_direct(k);
			continue;
		}
		if (done < 0) {
			err_set_errno(err, ERR_IO, errno, "cannot write to %s", k->path);
			return false;
		}
		at += (uint64_t)done;
		atomic_fetch_add(&k->written, (uint64_t)done);
		n = skip_iov(&v, n, (size_t)done);
	}
	return true;
}

bool sink_zero(struct sink *k, uint64_t at, uint64_t n, struct err *err)
{
	uint8_t *zeros;
	bool ok = true;

	if (!n || !fallocate(k->fd, FALLOC_FL_ZERO_RANGE | FALLOC_FL_KEEP_SIZE, (off_t)at,
			     (off_t)n))
		return true;
	zeros = aligned_alloc(UNIT_BYTES, PIECE_BYTES);
	if (!zeros)
		return err_nomem(err);
	memset(zeros, 0, PIECE_BYTES);
	while (ok && n) {
		size_t now = n < PIECE_BYTES ? (size_t)n : PIECE_BYTES;

		ok = sink_write(k, zeros, now, at, err);
		at += now;
		n -= now;
	}
	free(zeros);
	return ok;
}

/* --- the end --- */

static bool sync_folder(const char *path)
{
	char dir[4096];
	int fd, rc;

	folder_of(path, dir, sizeof(dir));
	fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return true; /* it may be written and not read */
	rc = fsync(fd);
	close(fd);
	return rc == 0;
}

bool sink_finish(struct sink *k, uint64_t bytes, struct err *err)
{
	bool ok = true;

	if (!k->stream) {
		ok = (k->device || !bytes || !ftruncate(k->fd, (off_t)bytes)) &&
		     !fsync(k->fd);
	}
	if (ok && k->part[0])
		ok = !rename(k->part, k->path);
	if (!ok) {
		err_set_errno(err, ERR_IO, errno, "cannot finish %s", k->path);
		return false;
	}
	if (k->part[0])
		sync_folder(k->path);
	k->part[0] = '\0';
	close(k->fd);
	k->fd = -1;
	return true;
}

void sink_drop(struct sink *k)
{
	if (k->fd >= 0)
		close(k->fd);
	if (k->part[0])
		unlink(k->part);
	k->fd = -1;
	k->part[0] = '\0';
}
