/* SPDX-License-Identifier: GPL-3.0-or-later */
/* build_open.c - opening an image that the lab made, for one step by hand. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "fs/volume.h"
#include "src/fs/build_priv.h"

static bool has_mark(const struct volume_info *info)
{
	return !strcmp(info->label, BUILD_LAB_LABEL) &&
	       !memcmp(info->uuid + 10, BUILD_LAB_UUID_END, 6);
}

bool hand_is_lab(const char *path, struct err *err)
{
	struct volume_options opt = {.write = false};
	struct volume *v;
	struct stat st;
	bool ok;

	if (stat(path, &st)) {
		err_set_errno(err, ERR_IO, errno, "cannot look at %s", path);
		return false;
	}
	if (!S_ISREG(st.st_mode)) {
		err_set(err, ERR_REFUSED,
			"%s is no image file; the lab changes only images that it made: "
			"lab new",
			path);
		return false;
	}
	v = volume_open(path, &opt, err);
	if (!v)
		return false;
	ok = has_mark(volume_info(v));
	volume_close(v);
	if (!ok)
		err_set(err, ERR_REFUSED,
			"%s was not made by the lab, which changes only its own images; "
			"make one with: lab new",
			path);
	return ok;
}

/* Every check of a write session: in use, mounted, not clean, cut short... */
static bool may_be_written(const char *path, struct err *err)
{
	struct volume_options opt = {.write = true};
	struct volume *v = volume_open(path, &opt, err);

	volume_close(v);
	return v != NULL;
}

struct build *hand_open(const char *path, struct err *err)
{
	struct build *b = NULL;
	int fd = -1;
	errcode_t rc;

	if (!hand_is_lab(path, err))
		return NULL;
	fd = open(path, O_RDWR | O_CLOEXEC);
	if (fd < 0) {
		err_set_errno(err, ERR_IO, errno, "cannot open %s", path);
		return NULL;
	}
	if (!step_recover(path, fd, err) || !may_be_written(path, err)) {
		close(fd);
		return NULL;
	}
	b = calloc(1, sizeof(*b));
	if (!b) {
		err_nomem(err);
		close(fd);
		return NULL;
	}
	b->fd = fd;
	b->path = strdup(path);
	b->held = held_new(fd);
	held_next = b->held;
	rc = b->path && b->held
		     ? ext2fs_open2(path, NULL, EXT2_FLAG_RW | EXT2_FLAG_64BITS, 0, 0,
				    held_manager, &b->fs)
		     : EXT2_ET_NO_MEMORY;
	if (!rc)
		rc = ext2fs_read_bitmaps(b->fs);
	if (!rc) {
		b->fs->flags |= EXT2_FLAG_MASTER_SB_ONLY; /* as the kernel does */
		/* a clock of its own: the same steps give the same image */
		b->fs->now = b->time = (time_t)b->fs->super->s_wtime + 1;
		b->block = calloc(1, b->fs->blocksize);
	}
	if (!rc && b->block)
		return b;
	build_fail(b, rc ? rc : EXT2_ET_NO_MEMORY, "cannot open the image", err);
	build_free(b);
	return NULL;
}

static errcode_t pick_block(ext2_filsys fs, blk64_t goal, blk64_t *out)
{
	struct build *b = fs->priv_data;
	blkno_t block = b->blocks.pick(b->blocks.arg, goal);

	if (block == BLKNO_NONE)
		return EXT2_ET_BLOCK_ALLOC_FAIL;
	*out = block;
	return 0;
}

static void note_block(ext2_filsys fs, blk64_t block, int inuse)
{
	struct build *b = fs->priv_data;

	if (inuse < 0 && b->blocks.freed)
		b->blocks.freed(b->blocks.arg, block);
}

void hand_on_blocks(struct build *b, const struct hand_blocks *blocks)
{
	b->blocks = *blocks;
	b->fs->priv_data = b;
	ext2fs_set_alloc_block_callback(b->fs, pick_block, NULL);
	ext2fs_set_block_alloc_stats_callback(b->fs, note_block, NULL);
}

bool hand_commit(struct build *b, const char *text, struct err *err)
{
	uint32_t block_size = b->fs->blocksize;
	errcode_t rc = ext2fs_close2(b->fs, 0);
	bool ok;

	b->fs = NULL;
	ok = rc ? build_fail(b, rc, "cannot finish the step", err)
		: step_commit(b->path, b->fd, b->held, b->data.v, b->data.n, block_size,
			      text, err);
	build_free(b);
	return ok;
}
