/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build.c - see build.h. New volumes only: the library's own unix_io serves here, since
 * nothing can be lost and the library alone writes. Data goes out in place, one pwrite a
 * run.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "base/str.h"
#include "src/fs/build_priv.h"

extern char **environ;

/* --- formatting --- */

static void uuid_from_seed(uint64_t seed, unsigned salt, bool lab, char text[37])
{
	uint64_t half[2];
	unsigned char b[16];

	build_content(seed ^ ((uint64_t)salt << 32), 0, half, sizeof(half));
	memcpy(b, half, sizeof(b));
	b[6] = (unsigned char)((b[6] & 0x0F) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3F) | 0x80);
	if (lab)
		memcpy(b + 10, BUILD_LAB_UUID_END, 6);
	snprintf(text, 37,
		 "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
		 b[0], b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11],
		 b[12], b[13], b[14], b[15]);
}

/* Runs mke2fs with its words caught in `said`. Returns its exit code, -1 if it could not
 * start. */
static int run_mke2fs(char *const argv[], struct str *said)
{
	posix_spawn_file_actions_t actions;
	char buf[512];
	int ends[2], status = -1;
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC))
		return -1;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
	if (posix_spawnp(&pid, argv[0], &actions, NULL, argv, environ))
		pid = -1;
	posix_spawn_file_actions_destroy(&actions);
	close(ends[1]);
	while ((n = read(ends[0], buf, sizeof(buf))) > 0)
		str_addn(said, buf, (size_t)n);
	close(ends[0]);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static bool format(const char *path, const struct build_options *opt, struct err *err)
{
	char uuid[37], hash[37], block[16], kib[32], extended[128];
	const char *program =
		access("/sbin/mke2fs", X_OK) == 0 ? "/sbin/mke2fs" : "mke2fs";
	char *argv[32] = {(char *)program,
			  "-q",
			  "-F",
			  "-t",
			  (char *)opt->type,
			  "-b",
			  block,
			  "-U",
			  uuid,
			  "-L",
			  (char *)(opt->label ? opt->label : ""),
			  "-m",
			  "0",
			  "-E",
			  extended,
			  (char *)path,
			  kib,
			  NULL};
	struct str said = STR_INIT;
	char now[32];
	int rc, n = 0;

	for (; argv[n]; n++)
		;
	for (const char *const *x = opt->extra; x && *x && n < 30;
	     x++) { /* before path and size */
		argv[n] = argv[n - 1];
		argv[n - 1] = argv[n - 2];
		argv[n - 2] = (char *)*x;
		n++;
	}
	/* images of one seed but another size are different volumes: each has an undo
	 * journal of its own */
	uuid_from_seed(opt->seed ^ opt->bytes, 1,
		       opt->label && !strcmp(opt->label, BUILD_LAB_LABEL), uuid);
	uuid_from_seed(opt->seed, 2, false, hash);
	snprintf(block, sizeof(block), "%u", opt->block_size);
	snprintf(kib, sizeof(kib), "%lluk", (unsigned long long)(opt->bytes >> 10));
	snprintf(extended, sizeof(extended),
		 "hash_seed=%s,root_owner=0:0,nodiscard,lazy_itable_init=0,"
		 "lazy_journal_init=0",
		 hash);
	snprintf(now, sizeof(now), "%lld", (long long)opt->time);
	setenv("E2FSPROGS_FAKE_TIME", now, 1);
	rc = run_mke2fs(argv, &said);
	unsetenv("E2FSPROGS_FAKE_TIME");
	if (rc)
		err_set(err, ERR_REFUSED, "mke2fs could not format %s: %s", path,
			said.len ? said.buf : "is the package e2fsprogs installed?");
	str_release(&said);
	return rc == 0;
}

/* --- opening --- */

bool build_fail(struct build *b, errcode_t rc, const char *what, struct err *err)
{
	err_set(err, rc == EXT2_ET_NO_MEMORY ? ERR_NOMEM : ERR_IO, "%s: %s: %s", b->path,
		what, error_message(rc));
	return false;
}

struct build *build_new(const char *path, const struct build_options *opt,
			struct err *err)
{
	struct build *b;
	errcode_t rc;

	if (!format(path, opt, err))
		return NULL;
	b = calloc(1, sizeof(*b));
	if (!b) {
		err_nomem(err);
		return NULL;
	}
	b->fd = open(path, O_RDWR | O_CLOEXEC);
	b->path = strdup(path);
	b->block = calloc(1, opt->block_size);
	if (b->fd < 0 || !b->path || !b->block) {
		err_set_errno(err, ERR_IO, errno, "cannot open %s", path);
		build_free(b);
		return NULL;
	}
	rc = ext2fs_open2(path, NULL,
			  EXT2_FLAG_RW | EXT2_FLAG_64BITS | EXT2_FLAG_SKIP_MMP, 0, 0,
			  unix_io_manager, &b->fs);
	if (!rc) {
		b->fs->now = (time_t)opt->time;
		rc = ext2fs_read_bitmaps(b->fs);
	}
	if (rc) {
		build_fail(b, rc, "cannot open the new volume", err);
		build_free(b);
		return NULL;
	}
	return b;
}

void build_free(struct build *b)
{
	if (!b)
		return;
	if (b->fs)
		ext2fs_free(b->fs);
	if (b->fd >= 0)
		close(b->fd);
	held_free(b->held);
	vec_release(&b->data);
	free(b->path);
	free(b->block);
	free(b);
}

bool build_finish(struct build *b, struct err *err)
{
	errcode_t rc;
	bool ok = true;

	ext2fs_mark_super_dirty(b->fs);
	rc = ext2fs_close2(b->fs, 0);
	if (rc) {
		ok = build_fail(b, rc, "cannot finish the new volume", err);
	} else if (fsync(b->fd)) {
		err_set_errno(err, ERR_IO, errno, "cannot finish %s", b->path);
		ok = false;
	}
	b->fs = NULL;
	build_free(b);
	return ok;
}

blkno_t build_blocks(const struct build *b)
{
	return ext2fs_blocks_count(b->fs->super);
}

uint32_t build_blocks_per_group(const struct build *b)
{
	return b->fs->super->s_blocks_per_group;
}

bool build_is_used(const struct build *b, blkno_t block)
{
	return block < b->fs->super->s_first_data_block || block >= build_blocks(b) ||
	       ext2fs_test_block_bitmap2(b->fs->block_map, block);
}

void build_reserve(struct build *b, blkno_t block)
{
	if (!build_is_used(b, block))
		ext2fs_block_alloc_stats2(b->fs, block, +1);
}

/* --- contents --- */

void build_content(uint64_t seed, uint64_t lblk, void *buf, size_t n)
{
	uint64_t x = seed * 0x9E3779B97F4A7C15ull + lblk * 0xD1B54A32D192ED03ull;
	unsigned char *p = buf;

	/* splitmix64 (Steele, Lea and Flood, 2014) */
	for (size_t i = 0; i < n; i += 8) {
		uint64_t z = x += 0x9E3779B97F4A7C15ull;

		z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ull;
		z = (z ^ z >> 27) * 0x94D049BB133111EBull;
		z ^= z >> 31;
		memcpy(p + i, &z, n - i < 8 ? n - i : 8);
	}
}

static bool write_block(struct build *b, blkno_t block, struct err *err)
{
	size_t n = b->fs->blocksize;

	if (pwrite(b->fd, b->block, n, (off_t)(block * n)) == (ssize_t)n)
		return true;
	err_set_errno(err, ERR_IO, errno, "cannot write block %llu of %s",
		      (unsigned long long)block, b->path);
	return false;
}

/* --- inodes --- */

static void set_times(struct ext2_inode_large *inode, const struct build_node *node,
		      int64_t now)
{
	inode->i_mtime = (uint32_t)node->mtime;
	inode->i_ctime = (uint32_t)node->mtime;
	inode->i_atime = (uint32_t)node->atime;
	if (inode->i_extra_isize >= 24)
		inode->i_crtime = (uint32_t)(node->mtime ? node->mtime : now);
}

static inum_t new_inode(struct build *b, const struct build_node *node, uint16_t mode,
			struct ext2_inode_large *inode, struct err *err)
{
	struct ext2_super_block *s = b->fs->super;
	ext2_ino_t near = node->group * s->s_inodes_per_group + 1, ino;
	errcode_t rc = ext2fs_new_inode(b->fs, near, mode, NULL, &ino);

	if (rc) {
		build_fail(b, rc, "no free inode", err);
		return 0;
	}
	memset(inode, 0, sizeof(*inode));
	inode->i_mode = mode;
	inode->i_links_count = 1;
	if (EXT2_INODE_SIZE(s) > EXT2_GOOD_OLD_INODE_SIZE)
		inode->i_extra_isize = s->s_want_extra_isize;
	set_times(inode, node, b->fs->now);
	if (ext2fs_has_feature_extents(s))
		inode->i_flags |= EXT4_EXTENTS_FL;
	ext2fs_inode_alloc_stats2(b->fs, ino, +1, LINUX_S_ISDIR(mode));
	return ino;
}

static bool write_inode(struct build *b, inum_t ino, struct ext2_inode_large *inode,
			bool fresh, struct err *err)
{
	struct ext2_inode *small = (struct ext2_inode *)inode;
	errcode_t rc =
		fresh ? ext2fs_write_new_inode(b->fs, ino, small)
		      : ext2fs_write_inode_full(
				b->fs, ino, small,
				(int)EXT2_INODE_SIZE(b->fs->super) < (int)sizeof(*inode)
					? (int)EXT2_INODE_SIZE(b->fs->super)
					: (int)sizeof(*inode));

	return rc ? build_fail(b, rc, "cannot write an inode", err) : true;
}

/* Maps logical block l of the inode to its place, marked used already. */
static bool map_block(struct build *b, inum_t ino, struct ext2_inode_large *inode,
		      size_t l, blkno_t place, struct err *err)
{
	struct ext2_inode *small = (struct ext2_inode *)inode;
	blk64_t block = place;
	errcode_t rc;

	build_reserve(b, place);
	rc = ext2fs_bmap2(b->fs, ino, small, NULL, BMAP_SET | BMAP_ALLOC, l, NULL,
			  &block);
	if (rc)
		return build_fail(b, rc, "cannot map a block", err);
	ext2fs_iblk_add_blocks(b->fs, small, 1);
	return true;
}

/* The library's symlinks and bmap may allocate a tree block and count it in i_blocks
 * themselves. */
static bool link_name(struct build *b, const struct build_node *node, inum_t ino,
		      int type, struct err *err)
{
	errcode_t rc = ext2fs_link(b->fs, node->parent, node->name, ino, type);

	if (rc == EXT2_ET_DIR_NO_SPACE) {
		rc = ext2fs_expand_dir(b->fs, node->parent);
		if (!rc)
			rc = ext2fs_link(b->fs, node->parent, node->name, ino, type);
	}
	return rc ? build_fail(b, rc, "no room in a directory", err) : true;
}

inum_t build_file(struct build *b, const struct build_node *node, struct err *err)
{
	struct ext2_inode_large inode;
	inum_t ino = new_inode(b, node, LINUX_S_IFREG | 0644, &inode, err);
	size_t bs = b->fs->blocksize;

	if (!ino)
		return 0;
	ext2fs_inode_size_set(b->fs, (struct ext2_inode *)&inode,
			      (ext2_off64_t)node->size);
	if (!write_inode(b, ino, &inode, true, err))
		return 0;
	for (size_t l = 0; l < node->block_count; l++) {
		if (!node->blocks[l])
			continue;
		build_content(node->content_seed, l, b->block, bs);
		if ((l + 1) * bs > node->size) /* the kernel keeps zeros after the end */
			memset((char *)b->block + node->size % bs, 0,
			       bs - node->size % bs);
		if ((!node->no_content && !write_block(b, node->blocks[l], err)) ||
		    !map_block(b, ino, &inode, l, node->blocks[l], err))
			return 0;
	}
	if (!write_inode(b, ino, &inode, false, err) ||
	    !link_name(b, node, ino, EXT2_FT_REG_FILE, err))
		return 0;
	return ino;
}

/* Directory block l: "." and ".." in the first, one empty entry in the others. */
static bool write_dir_block(struct build *b, const struct build_node *node, inum_t ino,
			    size_t l, struct err *err)
{
	char *block = NULL;
	errcode_t rc =
		ext2fs_new_dir_block(b->fs, l ? 0 : ino, l ? 0 : node->parent, &block);

	if (!rc)
		rc = ext2fs_write_dir_block4(b->fs, node->blocks[l], block, 0, ino);
	ext2fs_free_mem(&block);
	return rc ? build_fail(b, rc, "cannot write a directory", err) : true;
}

static bool count_link(struct build *b, inum_t dir, struct err *err)
{
	struct ext2_inode parent;
	errcode_t rc = ext2fs_read_inode(b->fs, dir, &parent);

	if (!rc) {
		parent.i_links_count++;
		rc = ext2fs_write_inode(b->fs, dir, &parent);
	}
	return rc ? build_fail(b, rc, "cannot count a link", err) : true;
}

inum_t build_dir(struct build *b, const struct build_node *node, struct err *err)
{
	struct ext2_inode_large inode;
	inum_t ino = new_inode(b, node, LINUX_S_IFDIR | 0755, &inode, err);

	if (!ino)
		return 0;
	inode.i_links_count = 2;
	ext2fs_inode_size_set(b->fs, (struct ext2_inode *)&inode,
			      (ext2_off64_t)(node->block_count * b->fs->blocksize));
	if (!write_inode(b, ino, &inode, true, err))
		return 0;
	for (size_t l = 0; l < node->block_count; l++)
		if (!map_block(b, ino, &inode, l, node->blocks[l], err) ||
		    !write_dir_block(b, node, ino, l, err))
			return 0;
	if (!write_inode(b, ino, &inode, false, err) ||
	    !link_name(b, node, ino, EXT2_FT_DIR, err) ||
	    !count_link(b, node->parent, err))
		return 0;
	return ino;
}

inum_t build_symlink(struct build *b, const struct build_node *node, const char *target,
		     struct err *err)
{
	ext2_ino_t ino;
	errcode_t rc = ext2fs_new_inode(
		b->fs, node->group * b->fs->super->s_inodes_per_group + 1,
		LINUX_S_IFLNK | 0777, NULL, &ino);

	if (!rc)
		rc = ext2fs_symlink(b->fs, node->parent, ino, node->name, target);
	if (rc) {
		build_fail(b, rc, "cannot make a symbolic link", err);
		return 0;
	}
	return ino;
}
