/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inuse.c - is somebody else using this file or device?
 *
 * A device held with O_EXCL cannot be mounted, in any namespace. An image file has no
 * such lock in the kernel, so every loop device is asked for the file behind it (device
 * and inode number; its path may be of another namespace), and an open-file-description
 * lock keeps a second cdefrag out.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include "src/fs/inuse.h"

/* What the kernel says itself; *known is false if it may not be asked. */
static bool loop_stands_on(const char *name, const struct stat *file, bool *known)
{
	struct loop_info64 info;
	char path[300];
	int fd;

	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	*known = fd >= 0 && ioctl(fd, LOOP_GET_STATUS64, &info) == 0;
	if (fd >= 0)
		close(fd);
	return *known &&
	       ((info.lo_inode == file->st_ino && info.lo_device == file->st_dev) ||
		(S_ISBLK(file->st_mode) && info.lo_rdevice == file->st_rdev));
}

/* Without that right only a path is left, as it was where the loop was set up. If it
 * leads nowhere from here, the same last part must do: better a refusal too many. */
static bool loop_names(const char *backing, const struct stat *file, const char *self)
{
	const char *a = strrchr(backing, '/'), *b = strrchr(self, '/');
	struct stat st;

	if (stat(backing, &st) == 0)
		return st.st_ino == file->st_ino && st.st_dev == file->st_dev;
	return a && b && strncmp(a, b, strlen(b)) == 0 &&
	       (a[strlen(b)] == '\0' || strcmp(a + strlen(b), " (deleted)") == 0);
}

/* Does this loop device stand on the file? self: the file's path. */
static bool loop_uses(const char *name, const struct stat *file, const char *self)
{
	char path[300], backing[4200];
	bool known, hit;
	FILE *f;

	snprintf(path, sizeof(path), "/sys/block/%s/loop/backing_file", name);
	f = fopen(path, "r");
	if (!f)
		return false; /* nothing is attached */
	hit = loop_stands_on(name, file, &known);
	if (!known && fgets(backing, sizeof(backing), f)) {
		backing[strcspn(backing, "\n")] = '\0';
		hit = loop_names(backing, file, self);
	}
	fclose(f);
	return hit;
}

static bool find_loop(int fd, const struct stat *file, char *loop, size_t n)
{
	DIR *d = opendir("/sys/block");
	char link[40], self[4200];
	bool hit = false;
	struct dirent *e;
	ssize_t len;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	len = readlink(link, self, sizeof(self) - 1);
	self[len > 0 ? len : 0] = '\0';

	while (d && !hit && (e = readdir(d))) {
		hit = strncmp(e->d_name, "loop", 4) == 0 &&
		      loop_uses(e->d_name, file, self);
		if (hit)
			snprintf(loop, n, "/dev/%s", e->d_name);
	}
	if (d)
		closedir(d);
	return hit;
}

/* Mount point of a device in our namespace, from /proc/self/mountinfo ("36 35 98:0 / /mnt
 * ..."). */
static bool find_mount(dev_t dev, char *where, size_t n)
{
	FILE *f = fopen("/proc/self/mountinfo", "r");
	unsigned major_no, minor_no;
	char line[4096], point[1024];
	bool hit = false;

	while (f && !hit && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*u %*u %u:%u %*s %1023s", &major_no, &minor_no,
			   point) == 3)
			hit = makedev(major_no, minor_no) == dev;
	if (f)
		fclose(f);
	if (hit)
		snprintf(where, n, "%s", point);
	return hit;
}

static bool is_swap(const struct stat *file)
{
	FILE *f = fopen("/proc/swaps", "r");
	char line[4096], path[1024];
	struct stat st;
	bool hit = false;

	while (f && !hit && fgets(line, sizeof(line), f))
		hit = sscanf(line, "%1023s", path) == 1 && stat(path, &st) == 0 &&
		      (S_ISBLK(st.st_mode)
			       ? st.st_rdev == file->st_rdev && S_ISBLK(file->st_mode)
			       : st.st_ino == file->st_ino && st.st_dev == file->st_dev);
	if (f)
		fclose(f);
	return hit;
}

bool inuse_lock(int fd)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};

	if (fcntl(fd, F_OFD_SETLK, &lock) == 0)
		return true;
	return errno != EAGAIN && errno != EACCES; /* a file system without locks */
}

bool inuse_is_locked(int fd)
{
	struct flock lock = {.l_type = F_RDLCK, .l_whence = SEEK_SET};

	return fcntl(fd, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

/* Has process `pid` this file open under an open-file-description lock? (proc(5),
 * fdinfo: "lock: 1: OFDLCK  ADVISORY  WRITE -1 fd:00:123 0 EOF") */
static bool holds_lock(const char *pid, const struct stat *file)
{
	char path[600], line[300];
	struct dirent *e;
	bool hit = false;
	struct stat st;
	DIR *d;

	snprintf(path, sizeof(path), "/proc/%.20s/fd", pid);
	d = opendir(path);
	while (d && !hit && (e = readdir(d))) {
		FILE *f = NULL;

		snprintf(path, sizeof(path), "/proc/%.20s/fd/%s", pid, e->d_name);
		if (stat(path, &st) == 0 && st.st_ino == file->st_ino &&
		    st.st_dev == file->st_dev) {
			snprintf(path, sizeof(path), "/proc/%.20s/fdinfo/%s", pid,
				 e->d_name);
			f = fopen(path, "r");
		}
		while (f && !hit && fgets(line, sizeof(line), f))
			hit = strstr(line, "OFDLCK") && strstr(line, "WRITE");
		if (f)
			fclose(f);
	}
	if (d)
		closedir(d);
	return hit;
}

bool inuse_by_other(int fd, struct volume_reason *out)
{
	DIR *d = opendir("/proc");
	struct dirent *e;
	bool hit = false;
	struct stat st;

	snprintf(out->what, sizeof(out->what), "another cdefrag is working on it");
	snprintf(out->remedy, sizeof(out->remedy), "wait until it has finished");
	while (d && !hit && fstat(fd, &st) == 0 && (e = readdir(d))) {
		hit = e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
		      atoi(e->d_name) != getpid() && holds_lock(e->d_name, &st);
		if (hit)
			snprintf(out->what, sizeof(out->what),
				 "another cdefrag (process %.20s) is working on it",
				 e->d_name);
	}
	if (d)
		closedir(d);
	return hit;
}

bool inuse_find(int fd, struct volume_reason *out)
{
	char where[1024];
	struct stat st;

	if (fstat(fd, &st))
		return false;
	if (S_ISBLK(st.st_mode) && find_mount(st.st_rdev, where, sizeof(where))) {
		snprintf(out->what, sizeof(out->what), "it is mounted on %.50s", where);
		snprintf(out->remedy, sizeof(out->remedy),
			 "unmount it with: umount %.150s", where);
		return true;
	}
	if (is_swap(&st)) {
		snprintf(out->what, sizeof(out->what), "it is in use as swap space");
		snprintf(out->remedy, sizeof(out->remedy), "switch it off with: swapoff");
		return true;
	}
	if (S_ISREG(st.st_mode) && access("/sys/block", R_OK)) {
		snprintf(out->what, sizeof(out->what),
			 "it cannot be told whether a loop device stands on it");
		snprintf(out->remedy, sizeof(out->remedy),
			 "let it be seen with: mount -t sysfs sysfs /sys");
		return true;
	}
	if (find_loop(fd, &st, where, sizeof(where))) {
		snprintf(out->what, sizeof(out->what), "%.40s is attached to it", where);
		snprintf(out->remedy, sizeof(out->remedy),
			 "detach it with: umount %.60s; losetup -d %.60s", where, where);
		return true;
	}
	return false;
}

bool volume_is_in_use(const char *path, struct volume_reason *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	bool used = fd >= 0 && inuse_find(fd, out);

	if (fd >= 0 && !used && inuse_is_locked(fd)) {
		(void)inuse_by_other(fd, out);
		used = true;
	}
	if (fd >= 0)
		close(fd);
	return used;
}

/* Is the file of this name still the one that was opened? cp, rsync and editors put a new
 * one in its place; what is written to the old one is seen by nobody. */
static bool still_named(const struct volume *v, const struct stat *file)
{
	struct stat st;

	return stat(v->info.path, &st) == 0 && st.st_dev == file->st_dev &&
	       st.st_ino == file->st_ino;
}

bool inuse_stays_ours(const struct volume *v, bool begun, struct err *err)
{
	struct volume_reason r;
	struct stat st;

	if (fstat(v->fd, &st) == 0 && S_ISBLK(st.st_mode))
		return true;		      /* held with O_EXCL */
	if (!begun && !still_named(v, &st)) { /* what has begun may end */
		err_set(err, ERR_REFUSED,
			"nothing is written to %.200s: it was removed since it was "
			"opened, or "
			"another file has its name; open it again",
			v->info.path);
		return false;
	}
	if (!inuse_find(v->fd, &r))
		return true;
	err_set(err, begun ? ERR_RECOVER : ERR_REFUSED,
		"nothing more is written to %.100s: by now %s; %s%s", v->info.path,
		r.what, r.remedy,
		begun ? ", then open it with -w: it recovers by itself" : "");
	return false;
}

bool volume_sync(const char *path)
{
	char where[1024];
	struct stat st;
	bool ok = false;
	int fd;

	if (stat(path, &st) || !S_ISBLK(st.st_mode) ||
	    !find_mount(st.st_rdev, where, sizeof(where)))
		return false;
	fd = open(where, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0) {
		ok = syncfs(fd) == 0;
		close(fd);
	}
	return ok;
}
