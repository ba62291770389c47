/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * open.c - opening a volume.
 *
 * Phases: the file - is it an ext superblock at all - who else uses it - libext2fs reads
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

static bool file_bytes(int fd, uint64_t *bytes, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st)) {
		err_set_errno(err, ERR_IO, errno, "cannot look at it");
		return false;
	}
	*bytes = (uint64_t)st.st_size;
	if (S_ISREG(st.st_mode))
		return true;
	if (S_ISBLK(st.st_mode))
		return ioctl(fd, BLKGETSIZE64, bytes) == 0;
	err_set(err, ERR_USAGE, "it is neither a file nor a block device");
	return false;
}

/* A device is opened exclusively for writing, so that it cannot be mounted meanwhile. */
static int open_file(const char *path, bool write, struct err *err)
{
	struct stat st;
	int flags = (write ? O_RDWR : O_RDONLY) | O_CLOEXEC, fd;

	if (write && stat(path, &st) == 0 && S_ISBLK(st.st_mode))
		flags |= O_EXCL;
	fd = open(path, flags);
	if (fd < 0 && errno == EBUSY)
		err_set(err, ERR_REFUSED,
			"cannot write to %s: it is mounted or otherwise in use; unmount "
			"it first: umount %s",
			path, path);
	else if (fd < 0)
		err_set_errno(err, ERR_REFUSED, errno, "cannot open %s%s", path,
			      write ? " for writing" : "");
	return fd;
}

/* --- the superblock, before any library sees it --- */

static bool no_volume(const char *path, const char *why, struct err *err)
{
	err_set(err, ERR_REFUSED, "%s: %s", path, why);
	return false;
}

static bool check_super(const char *path, const struct ext2_super_block *s,
			uint64_t bytes, struct err *err)
{
	uint32_t log = ext2fs_le32_to_cpu(s->s_log_block_size);
	uint32_t inode_size = ext2fs_le32_to_cpu(s->s_rev_level) == EXT2_GOOD_OLD_REV
				      ? EXT2_GOOD_OLD_INODE_SIZE
				      : ext2fs_le16_to_cpu(s->s_inode_size);
	uint32_t per_group = ext2fs_le32_to_cpu(s->s_blocks_per_group);
	uint32_t inodes_per_group = ext2fs_le32_to_cpu(s->s_inodes_per_group);
	uint64_t blocks = ext2fs_le32_to_cpu(s->s_blocks_count), bs;

	if (ext2fs_le16_to_cpu(s->s_magic) != EXT2_SUPER_MAGIC)
		return no_volume(
			path,
			"no ext2, ext3 or ext4 volume here; a partition inside a disk "
			"image needs --offset BYTES",
			err);
	if (ext2fs_le32_to_cpu(s->s_feature_incompat) & EXT4_FEATURE_INCOMPAT_64BIT)
		blocks |= (uint64_t)ext2fs_le32_to_cpu(s->s_blocks_count_hi) << 32;
	if (log > 6)
		return no_volume(
			path,
			"its block size makes no sense; try a backup: e2fsck -b 32768",
			err);
	bs = 1024ull << log;
	if (inode_size < 128 || inode_size > bs || (inode_size & (inode_size - 1)) ||
	    !per_group || !inodes_per_group || inodes_per_group > bs * 8 ||
	    ext2fs_le32_to_cpu(s->s_first_data_block) > 1 || per_group % 8 ||
	    blocks <= ext2fs_le32_to_cpu(s->s_first_data_block))
		return no_volume(
			path,
			"its superblock makes no sense; try a backup: e2fsck -b 32768",
			err);
	/* descriptors alone need 32 bytes a group: a count that the file cannot hold is a
	 * lie */
	if (blocks / per_group > bytes / 32 || blocks > 1ull << 44)
		return no_volume(path,
				 "its superblock tells of more groups than could be here",
				 err);
	return true;
}

static bool peek_super(int fd, const char *path, uint64_t offset,
		       struct ext2_super_block *s, struct err *err)
{
	ssize_t n = pread(fd, s, sizeof(*s), (off_t)(offset + 1024));

	if (n == (ssize_t)sizeof(*s))
		return true;
	if (n < 0)
		err_set_errno(err, ERR_IO, errno, "cannot read %s", path);
	else
		no_volume(path, "too small for an ext volume", err);
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

/* --- geometry --- */

static bool add_fixed(struct geom *g, blkno_t start, uint64_t len, group_t group,
		      enum owner_kind kind)
{
	struct fixed f = {start, (uint32_t)len, group, kind};

	return len == 0 || vec_push(&g->fixed, f);
}

/* Superblock, descriptors and their backups in one group. */
static bool add_super_and_gdt(struct volume *v, group_t g)
{
	ext2_filsys fs = v->fs;
	blk64_t super, old_desc, new_desc;
	uint32_t desc = ext2fs_has_feature_meta_bg(fs->super) ? fs->super->s_first_meta_bg
							      : (uint32_t)fs->desc_blocks;
	bool ok = true;

	if (ext2fs_super_and_bgd_loc2(fs, g, &super, &old_desc, &new_desc, NULL))
		return false;
	if (super || g == 0)
		ok = add_fixed(&v->geom, super, 1, g, OWNER_SUPER);
	if (g == 0 && super == 1 && v->geom.first_block == 0)
		ok = ok && add_fixed(&v->geom, 0, 1, g,
				     OWNER_SUPER); /* boot block of 1k bigalloc */
	if (old_desc)
		ok = ok && add_fixed(&v->geom, old_desc, desc, g, OWNER_GDT) &&
		     add_fixed(&v->geom, old_desc + desc,
			       fs->super->s_reserved_gdt_blocks, g, OWNER_GDT_RESERVED);
	if (new_desc)
		ok = ok && add_fixed(&v->geom, new_desc, 1, g, OWNER_GDT);
	return ok;
}

static bool add_group(struct volume *v, group_t g)
{
	ext2_filsys fs = v->fs;

	return add_super_and_gdt(v, g) &&
	       add_fixed(&v->geom, ext2fs_block_bitmap_loc(fs, g), 1, g,
			 OWNER_BLOCK_BITMAP) &&
	       add_fixed(&v->geom, ext2fs_inode_bitmap_loc(fs, g), 1, g,
			 OWNER_INODE_BITMAP) &&
	       add_fixed(&v->geom, ext2fs_inode_table_loc(fs, g),
			 fs->inode_blocks_per_group, g, OWNER_INODE_TABLE);
}

static bool make_geom(struct volume *v, struct err *err)
{
	struct ext2_super_block *s = v->fs->super;
	struct geom *g = &v->geom;

	geom_init(g);
	g->block_size = v->fs->blocksize;
	g->cluster_ratio = (uint32_t)EXT2FS_CLUSTER_RATIO(v->fs);
	g->blocks = ext2fs_blocks_count(s);
	g->first_block = s->s_first_data_block;
	g->blocks_per_group = s->s_blocks_per_group;
	g->groups = v->fs->group_desc_count;
	g->inodes = s->s_inodes_count;
	g->inodes_per_group = s->s_inodes_per_group;
	g->inode_size = EXT2_INODE_SIZE(s);
	g->first_inode = EXT2_FIRST_INO(s);
	if (ext2fs_has_feature_flex_bg(s) && s->s_log_groups_per_flex < 31)
		g->flex_groups = 1u << s->s_log_groups_per_flex;
	if ((uint64_t)g->groups * g->inodes_per_group != g->inodes) {
		err_set(err, ERR_CORRUPT, "%s: its inode count does not fit its groups",
			v->info.path);
		return false;
	}
	for (group_t i = 0; i < g->groups; i++)
		if (!add_group(v, i))
			return err_nomem(err);
	if (ext2fs_has_feature_mmp(s) && s->s_mmp_block &&
	    !add_fixed(g, s->s_mmp_block, 1, 0, OWNER_MMP))
		return err_nomem(err);
	return geom_seal(g, err);
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

static bool add_use_reasons(struct volume *v, struct err *err)
{
	struct volume_reason r;
	bool ok = true;

	if (inuse_find(v->fd, &r))
		ok = rules_add_reason(&v->info, r.what, r.remedy);
	if (v->write ? !inuse_lock(v->fd) : inuse_is_locked(v->fd))
		ok = ok && rules_add_reason(&v->info, "another cdefrag is working on it",
					    "wait until it has finished");
	return ok || err_nomem(err);
}

static bool add_size_reason(struct volume *v, uint64_t bytes, struct err *err)
{
	if (v->offset <= bytes &&
	    v->geom.blocks <= (bytes - v->offset) / v->geom.block_size)
		return true;
	return rules_add_reason(&v->info, "it is longer than the device that it lies on",
				"check it with: e2fsck -f PATH") ||
	       err_nomem(err);
}

/* Writing was asked for: all reasons but what recovery handles forbid it. */
static bool permit_write(struct volume *v, struct err *err)
{
	const struct volume_reason *r = v->info.reasons.v;

	if (v->info.reasons.n) {
		err_set(err, ERR_REFUSED, "cannot write to %.120s: %s%s%s", v->info.path,
			r->what, r->remedy[0] ? "; " : "", r->remedy);
		return false;
	}
	v->info.write = true;
	return true;
}

/* cut: for recovery, see volume_open_cut(). */
static bool open_phases(struct volume *v, bool cut, struct err *err)
{
	struct ext2_super_block s;
	struct err inner = ERR_INIT;
	uint64_t bytes;

	v->fd = open_file(v->info.path, v->write, err);
	if (v->fd < 0)
		return false;
	if (!file_bytes(v->fd, &bytes, &inner)) {
		err_set(err, ERR_REFUSED, "%s: %s", v->info.path,
			err_isset(&inner) ? inner.msg : "its size is unknown");
		return false;
	}
	if (!peek_super(v->fd, v->info.path, v->offset, &s, err) ||
	    !check_super(v->info.path, &s, bytes, err) || !open_library(v, err) ||
	    !make_geom(v, err))
		return false;
	v->direct_fd = open(v->info.path, O_RDONLY | O_DIRECT | O_CLOEXEC);
	fill_info(v);
	return add_use_reasons(v, err) && add_size_reason(v, bytes, err) &&
	       (cut || rules_apply(v, err)) && (!v->write || permit_write(v, err));
}

static struct volume *open_any(const char *path, uint64_t offset, bool write, bool cut,
			       struct err *err)
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
	return open_any(path, opt->offset, opt->write, false, err);
}

struct volume *volume_open_cut(const char *path, uint64_t offset, struct err *err)
{
	return open_any(path, offset, true, true, err);
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
