/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * open.c - opening a volume.
 *
 * Phases: the file - who else uses it - is it an ext superblock at all - libext2fs reads
 * superblock and descriptors - geometry - rules. What forbids writing is collected as
 * reasons; only when writing was asked for does the first of them become an error.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "fs/dirs.h"
#include "src/fs/inuse.h"
#include "src/fs/open.h"
#include "src/fs/rescue.h"
#include "src/fs/rules.h"

void volume_info_init(struct volume_info *info)
{
	memset(info, 0, sizeof(*info));
}

void volume_info_release(struct volume_info *info)
{
	vec_release(&info->reasons);
}

bool volume_info_copy(struct volume_info *dst, const struct volume_info *src)
{
	struct volume_info copy = *src;

	copy.reasons.v = NULL;
	copy.reasons.n = copy.reasons.cap = 0;
	for (size_t i = 0; i < src->reasons.n; i++)
		if (!vec_push(&copy.reasons, src->reasons.v[i])) {
			vec_release(&copy.reasons);
			return false;
		}
	volume_info_release(dst);
	*dst = copy;
	return true;
}

/* --- the file --- */

/* From its start, or from that of the device. */
static bool file_bytes(int fd, const char *path, uint64_t *bytes, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) == 0) {
		*bytes = (uint64_t)st.st_size;
		if (S_ISREG(st.st_mode) || ioctl(fd, BLKGETSIZE64, bytes) == 0)
			return true;
	}
	err_set_errno(err, ERR_IO, errno, "cannot tell the size of %.150s", path);
	return false;
}

/* The device could not be opened exclusively. Who has it? */
static void set_busy(const char *path, struct err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct volume_reason r = {"it is mounted elsewhere or otherwise in use",
				  "release it first"};

	if (fd >= 0 && !inuse_find(fd, &r) && inuse_is_locked(fd))
		(void)inuse_by_other(fd, &r);
	if (fd >= 0)
		close(fd);
	err_set(err, ERR_REFUSED, "cannot write to %.120s: %s; %s", path, r.what,
		r.remedy);
}

/* A device is opened exclusively for writing, so that it cannot be mounted meanwhile.
 * Anything but a file or a block device is not opened at all: a pipe would wait for
 * ever. */
static int open_file(const char *path, bool write, struct err *err)
{
	int flags = (write ? O_RDWR : O_RDONLY) | O_CLOEXEC, fd = -1;
	struct stat st = {0};

	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode)) {
		err_set(err, ERR_REFUSED, "%.150s is neither a file nor a block device",
			path);
		return -1;
	}
	if (write && S_ISBLK(st.st_mode))
		flags |= O_EXCL;
	fd = open(path, flags);
	if (fd < 0 && errno == EBUSY)
		set_busy(path, err);
	else if (fd < 0)
		err_set_errno(err, ERR_REFUSED, errno, "cannot open %.150s%s", path,
			      write ? " for writing" : "");
	return fd;
}

/* The same file for large reads; -1 if it cannot be had that way, or if another file lies
 * at this path by now. */
static int open_direct(const char *path, int fd)
{
	int direct = open(path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	struct stat a, b;

	if (direct >= 0 && fstat(fd, &a) == 0 && fstat(direct, &b) == 0 &&
	    a.st_dev == b.st_dev && a.st_ino == b.st_ino)
		return direct;
	if (direct >= 0)
		close(direct);
	return -1;
}

/* --- the superblock, before any library sees it --- */

static bool no_volume(const char *path, const char *why, struct err *err)
{
	err_set(err, ERR_REFUSED, "%.150s: %s", path, why);
	return false;
}

static bool peek_super(int fd, const char *path, uint64_t offset,
		       struct ext2_super_block *s, struct err *err)
{
	ssize_t n = offset > INT64_MAX - 4096
			    ? 0
			    : pread(fd, s, sizeof(*s), (off_t)(offset + 1024));

	if (n == (ssize_t)sizeof(*s))
		return true;
	if (n >= 0)
		return no_volume(path, "too small for an ext volume", err);
	err_set_errno(err, ERR_IO, errno, "cannot read %.150s", path);
	return false;
}

bool volume_peek_uuid(const char *path, uint64_t offset, uint8_t uuid[16],
		      struct err *err)
{
	struct ext2_super_block s;
	int fd = open_file(path, false, err);
	bool ok = fd >= 0 && peek_super(fd, path, offset, &s, err);

	if (fd >= 0)
		close(fd);
	if (ok && ext2fs_le16_to_cpu(s.s_magic) != EXT2_SUPER_MAGIC)
		ok = no_volume(path,
			       "no ext2, ext3 or ext4 volume here; a partition inside a "
			       "disk image "
			       "needs --offset BYTES",
			       err);
	if (ok)
		memcpy(uuid, s.s_uuid, 16);
	return ok;
}

/* --- info --- */

static bool is_rotational(int fd)
{
	char path[80], c = '0';
	struct stat st;
	FILE *f = NULL;
	dev_t dev;

	if (fstat(fd, &st))
		return false;
	dev = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	for (int up = 0; up < 2 && !f; up++) { /* a partition's queue is its disk's */
		snprintf(path, sizeof(path), "/sys/dev/block/%u:%u%s/queue/rotational",
			 major(dev), minor(dev), up ? "/.." : "");
		f = fopen(path, "r");
	}
	if (f) {
		c = (char)fgetc(f);
		fclose(f);
	}
	return c == '1';
}

static void fill_info(struct volume *v)
{
	struct ext2_super_block *s = v->fs->super;
	struct volume_info *i = &v->info;
	const uint8_t *u = s->s_uuid;
	size_t at = 0;

	memcpy(i->uuid, u, 16);
	for (int k = 0; k < 16; k++)
		at += (size_t)snprintf(
			i->uuid_text + at, sizeof(i->uuid_text) - at, "%s%02x",
			k == 4 || k == 6 || k == 8 || k == 10 ? "-" : "", u[k]);
	memcpy(i->label, s->s_volume_name, 16);
	snprintf(i->type, sizeof(i->type), "%s",
		 s->s_feature_incompat & ~(EXT2_FEATURE_INCOMPAT_FILETYPE |
					   EXT3_FEATURE_INCOMPAT_RECOVER |
					   EXT3_FEATURE_INCOMPAT_JOURNAL_DEV |
					   EXT2_FEATURE_INCOMPAT_META_BG) ||
				 s->s_feature_ro_compat &
					 ~(EXT2_FEATURE_RO_COMPAT_SPARSE_SUPER |
					   EXT2_FEATURE_RO_COMPAT_LARGE_FILE)
			 ? "ext4"
		 : ext2fs_has_feature_journal(s) ? "ext3"
						 : "ext2");
	i->block_size = v->geom.block_size;
	i->blocks = v->geom.blocks;
	i->free_blocks = ext2fs_free_blocks_count(s);
	i->inodes = s->s_inodes_count;
	i->inodes_free = s->s_free_inodes_count;
	i->groups = v->geom.groups;
	i->rotational = is_rotational(v->fd);
}

/* --- opening --- */

static bool open_library(struct volume *v, struct err *err)
{
	char name[64];
	errcode_t rc;

	snprintf(name, sizeof(name), "fd:%d:%llu", v->fd, (unsigned long long)v->offset);
	rc = ext2fs_open2(name, NULL,
			  EXT2_FLAG_64BITS | EXT2_FLAG_SKIP_MMP |
				  EXT2_FLAG_IGNORE_CSUM_ERRORS | EXT2_FLAG_JOURNAL_DEV_OK,
			  0, 0, io_volume_manager, &v->fs);
	if (rc)
		err_set(err, ERR_REFUSED,
			"cannot make sense of %s: %s; check it with: e2fsck -fn %s",
			v->info.path, error_message(rc), v->info.path);
	return rc == 0;
}

/* Before anything is read: what is read is then still true when it is used. */
static bool add_use_reasons(struct volume *v, struct err *err)
{
	struct volume_reason r;

	if (v->write ? !inuse_lock(v->fd) : inuse_is_locked(v->fd)) {
		(void)inuse_by_other(v->fd, &r);
		if (!rules_add_reason(&v->info, r.what, r.remedy))
			return err_nomem(err);
	}
	if (inuse_find(v->fd, &r) && !rules_add_reason(&v->info, r.what, r.remedy))
		return err_nomem(err);
	return true;
}

static bool add_access_reason(struct volume *v, struct err *err)
{
	int read_only = 0;
	struct stat st;
	bool ok = true;

	if (fstat(v->fd, &st) == 0 && S_ISBLK(st.st_mode) &&
	    ioctl(v->fd, BLKROGET, &read_only) == 0 && read_only)
		ok = rules_add_reason(&v->info, "the device is read-only",
				      "switch that off with: blockdev --setrw PATH");
	else if (!v->write && faccessat(AT_FDCWD, v->info.path, W_OK, AT_EACCESS) != 0)
		ok = rules_add_reason(&v->info,
				      errno == EROFS
					      ? "it lies on a read-only file system"
					      : "you have no permission to write to it",
				      "");
	return ok || err_nomem(err);
}

static bool add_size_reason(struct volume *v, uint64_t bytes, struct err *err)
{
	return v->geom.blocks <= bytes / v->geom.block_size ||
	       rules_add_reason(&v->info,
				"it is longer than the file or device that it lies in",
				"check it with: e2fsck -f PATH") ||
	       err_nomem(err);
}

/* Writing was asked for: a single reason forbids it. */
static bool has_no_reason(struct volume *v, struct err *err)
{
	const struct volume_reason *r = v->info.reasons.v;

	if (!v->info.reasons.n)
		return true;
	err_set(err, ERR_REFUSED, "cannot write to %.120s: %s%s%s", v->info.path, r->what,
		r->remedy[0] ? "; " : "", r->remedy);
	return false;
}

/* cut: for recovery, see volume_open_cut(). */
static bool open_phases(struct volume *v, struct rescue *cut, struct err *err)
{
	struct ext2_super_block s;
	uint64_t bytes = 0;

	v->fd = open_file(v->info.path, v->write, err);
	if (v->fd < 0 || !add_use_reasons(v, err) || !add_access_reason(v, err) ||
	    (v->write && !has_no_reason(v, err)) ||
	    !file_bytes(v->fd, v->info.path, &bytes, err) ||
	    (cut &&
	     !rescue_super(v, v->offset < bytes ? bytes - v->offset : 0, cut, err)) ||
	    !peek_super(v->fd, v->info.path, v->offset, &s, err))
		return false;
	bytes = v->offset < bytes ? bytes - v->offset : 0;
	if (!super_check(v->info.path, &s, bytes, err) || !open_library(v, err) ||
	    !geometry_make(v, bytes, err))
		return false;
	v->direct_fd = open_direct(v->info.path, v->fd);
	fill_info(v);
	if (!add_size_reason(v, bytes, err) || (!cut && !rules_apply(v, err)) ||
	    (v->write && !has_no_reason(v, err)))
		return false;
	v->info.write = v->write;
	return true;
}

static struct volume *open_any(const char *path, uint64_t offset, bool write,
			       struct rescue *cut, struct err *err)
{
	struct volume *v = calloc(1, sizeof(*v));

	if (!v) {
		err_nomem(err);
		return NULL;
	}
	v->fd = v->direct_fd = -1;
	v->offset = offset;
	v->write = write;
	volume_info_init(&v->info);
	v->info.offset = offset;
	if (strlen(path) >= sizeof(v->info.path)) {
		err_set(err, ERR_USAGE, "the path of the volume is too long");
		volume_close(v);
		return NULL;
	}
	snprintf(v->info.path, sizeof(v->info.path), "%s", path);
	if (open_phases(v, cut, err))
		return v;
	volume_close(v);
	return NULL;
}

struct volume *volume_open(const char *path, const struct volume_options *opt,
			   struct err *err)
{
	return open_any(path, opt->offset, opt->write, NULL, err);
}

struct volume *volume_open_cut(const char *path, uint64_t offset, struct rescue *r,
			       struct err *err)
{
	return open_any(path, offset, true, r, err);
}

void volume_close(struct volume *v)
{
	if (!v)
		return;
	dir_cache_drop(v);
	if (v->fs)
		ext2fs_free(v->fs);
	if (v->direct_fd >= 0)
		close(v->direct_fd);
	if (v->fd >= 0)
		close(v->fd);
	geom_release(&v->geom);
	volume_info_release(&v->info);
	free(v);
}

const struct volume_info *volume_info(const struct volume *v)
{
	return &v->info;
}

const struct geom *volume_geom(const struct volume *v)
{
	return &v->geom;
}

void volume_forbid(struct volume *v, const char *what, const char *remedy)
{
	v->info.write = false;
	(void)rules_add_reason(&v->info, what, remedy);
}
