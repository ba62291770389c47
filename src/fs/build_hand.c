/* SPDX-License-Identifier: GPL-3.0-or-later */
/* build_hand.c - files of an open image of the lab: finding, growing, cutting. */
#include <string.h>
#include "src/fs/build_priv.h"

static bool read_inode(struct build *b, inum_t ino, struct ext2_inode *out,
		       struct err *err)
{
	errcode_t rc = ext2fs_read_inode(b->fs, ino, out);

	return rc ? build_fail(b, rc, "cannot read an inode", err) : true;
}

static bool write_inode(struct build *b, inum_t ino, struct ext2_inode *inode,
			struct err *err)
{
	errcode_t rc;

	inode->i_mtime = inode->i_ctime = (uint32_t)b->time;
	rc = ext2fs_write_inode(b->fs, ino, inode);
	return rc ? build_fail(b, rc, "cannot write an inode", err) : true;
}

struct last_block {
	blk64_t phys;
	e2_blkcnt_t lblk;
};

static int note_last(ext2_filsys fs, blk64_t *block, e2_blkcnt_t lblk, blk64_t ref,
		     int off, void *arg)
{
	struct last_block *l = arg;

	(void)fs, (void)ref, (void)off;
	l->phys = *block;
	l->lblk = lblk;
	return 0;
}

bool hand_find(struct build *b, const char *path, struct hand_file *out, struct err *err)
{
	struct last_block last = {0, -1};
	struct ext2_inode inode;
	ext2_ino_t ino;
	errcode_t rc = ext2fs_namei(b->fs, EXT2_ROOT_INO, EXT2_ROOT_INO, path, &ino);

	if (rc) {
		err_set(err, ERR_REFUSED, "there is no %s on %s", path, b->path);
		return false;
	}
	if (!read_inode(b, ino, &inode, err))
		return false;
	if (ino != EXT2_ROOT_INO && ino < EXT2_FIRST_INODE(b->fs->super)) {
		err_set(err, ERR_REFUSED, "%s belongs to the file system", path);
		return false;
	}
	memset(out, 0, sizeof(*out));
	out->ino = ino;
	out->is_dir = LINUX_S_ISDIR(inode.i_mode);
	out->size = EXT2_I_SIZE(&inode);
	out->blocks = (out->size + b->fs->blocksize - 1) / b->fs->blocksize;
	out->owned = ext2fs_get_stat_i_blocks(b->fs, &inode) / (b->fs->blocksize / 512);
	out->group = ext2fs_group_of_ino(b->fs, ino);
	rc = ext2fs_block_iterate3(b->fs, ino,
				   BLOCK_FLAG_READ_ONLY | BLOCK_FLAG_DATA_ONLY, NULL,
				   note_last, &last);
	if (rc)
		return build_fail(b, rc, "cannot read a file's map", err);
	out->last = last.lblk < 0 ? BLKNO_NONE : last.phys;
	out->last_lblk = last.lblk < 0 ? 0 : (lblk_t)last.lblk;
	return true;
}

bool hand_new_name(struct build *b, const char *path, struct hand_file *dir,
		   char name[256], struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *above;
	ext2_ino_t ino;
	bool ok;

	if (path[0] != '/' || !slash[1] || strlen(slash + 1) > 255) {
		err_set(err, ERR_USAGE, "\"%s\" is no path like /dir/name", path);
		return false;
	}
	if (ext2fs_namei(b->fs, EXT2_ROOT_INO, EXT2_ROOT_INO, path, &ino) == 0) {
		err_set(err, ERR_REFUSED,
			"%s exists; let it grow with append, or delete it", path);
		return false;
	}
	above = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	if (!above)
		return err_nomem(err);
	ok = hand_find(b, above, dir, err);
	free(above);
	if (ok && !dir->is_dir) {
		err_set(err, ERR_REFUSED, "what %s should lie in is no directory", path);
		ok = false;
	}
	strcpy(name, slash + 1);
	return ok;
}

/* --- growing --- */

static errcode_t map_extent(struct build *b, inum_t ino, struct ext2_inode *inode,
			    lblk_t lblk, struct range r)
{
	ext2_extent_handle_t handle;
	errcode_t rc = ext2fs_extent_open2(b->fs, ino, inode, &handle);

	for (blkno_t i = 0; !rc && i < r.len; i++)
		rc = ext2fs_extent_set_bmap(handle, lblk + i, r.start + i, 0);
	if (rc)
		return rc;
	ext2fs_extent_free(handle);
	return 0;
}

bool hand_map(struct build *b, inum_t ino, lblk_t lblk, struct range r, struct err *err)
{
	struct ext2_inode inode;
	errcode_t rc = 0;

	if (!read_inode(b, ino, &inode, err))
		return false;
	ext2fs_block_alloc_stats_range(b->fs, r.start, (blk_t)r.len, +1);
	if (inode.i_flags & EXT4_EXTENTS_FL)
		rc = map_extent(b, ino, &inode, lblk, r);
	for (blkno_t i = 0; !rc && !(inode.i_flags & EXT4_EXTENTS_FL) && i < r.len; i++) {
		blk64_t block = r.start + i;

		rc = ext2fs_bmap2(b->fs, ino, &inode, NULL, BMAP_SET | BMAP_ALLOC,
				  lblk + i, NULL, &block);
	}
	if (!rc)
		rc = ext2fs_iblk_add_blocks(b->fs, &inode, r.len);
	return rc ? build_fail(b, rc, "cannot map blocks", err)
		  : write_inode(b, ino, &inode, err);
}

/* Part of one block: the rest of it stays. */
static errcode_t fill_part(struct build *b, uint64_t seed, uint64_t lblk, blk64_t phys,
			   size_t from, size_t to)
{
	size_t bs = b->fs->blocksize;
	char *fresh = malloc(bs);
	errcode_t rc = fresh ? io_channel_read_blk64(b->fs->io, phys, 1, b->block)
			     : EXT2_ET_NO_MEMORY;

	if (!rc) {
		build_content(seed, lblk, fresh, bs);
		memcpy((char *)b->block + from, fresh + from, to - from);
		memset((char *)b->block + to, 0, bs - to);
		rc = io_channel_write_blk64(b->fs->io, phys, 1, b->block);
	}
	free(fresh);
	return rc;
}

/* Whole blocks wait in b->data, joined where they follow each other. */
static bool fill_whole(struct build *b, uint64_t seed, uint64_t lblk, blk64_t phys)
{
	struct build_data *last = b->data.n ? &b->data.v[b->data.n - 1] : NULL;

	if (last && last->seed == seed && last->lblk + last->at.len == lblk &&
	    last->at.start + last->at.len == phys) {
		last->at.len++;
		return true;
	}
	return vec_push(&b->data, (struct build_data){{phys, 1}, seed, lblk, UINT64_MAX});
}

bool hand_fill(struct build *b, inum_t ino, uint64_t from, uint64_t to, struct err *err)
{
	size_t bs = b->fs->blocksize;
	struct ext2_inode inode;
	uint64_t seed;

	if (!read_inode(b, ino, &inode, err))
		return false;
	seed = (uint64_t)b->time << 32 | ino;
	for (uint64_t l = from / bs; l * bs < to; l++) {
		uint64_t a = l * bs < from ? from - l * bs : 0;
		uint64_t e = (l + 1) * bs > to ? to - l * bs : bs;
		errcode_t rc;
		blk64_t phys = 0;
		int flags = 0;

		rc = ext2fs_bmap2(b->fs, ino, &inode, NULL, 0, l, &flags, &phys);
		if (!rc && phys && (a || e < bs))
			rc = fill_part(b, seed, l, phys, a, e);
		else if (!rc && phys && !fill_whole(b, seed, l, phys))
			rc = EXT2_ET_NO_MEMORY;
		if (rc)
			return build_fail(b, rc, "cannot fill a file", err);
	}
	return EXT2_I_SIZE(&inode) >= to || hand_set_size(b, ino, to, err);
}

bool hand_set_size(struct build *b, inum_t ino, uint64_t size, struct err *err)
{
	struct ext2_inode inode;
	errcode_t rc;

	if (!read_inode(b, ino, &inode, err))
		return false;
	rc = ext2fs_inode_size_set(b->fs, &inode, (ext2_off64_t)size);
	return rc ? build_fail(b, rc, "the file would be too large", err)
		  : write_inode(b, ino, &inode, err);
}

/* --- cutting --- */

struct cut {
	struct range_list *out;
	e2_blkcnt_t first, last;
	bool failed;
};

static int note_cut(ext2_filsys fs, blk64_t *block, e2_blkcnt_t lblk, blk64_t ref,
		    int off, void *arg)
{
	struct cut *c = arg;
	struct range *last = c->out->n ? &c->out->v[c->out->n - 1] : NULL;

	(void)fs, (void)ref, (void)off;
	if (lblk < c->first || lblk > c->last)
		return 0;
	if (last && last->start + last->len == *block)
		last->len++;
	else if (!vec_push(c->out, (struct range){*block, 1}))
		c->failed = true;
	return 0;
}

bool hand_cut(struct build *b, inum_t ino, lblk_t first, lblk_t last,
	      struct range_list *freed, struct err *err)
{
	struct cut c = {freed, first, last, false};
	struct ext2_inode inode;
	errcode_t rc;

	if (!read_inode(b, ino, &inode, err))
		return false;
	if (!ext2fs_inode_has_valid_blocks2(b->fs, &inode))
		return true;
	rc = ext2fs_block_iterate3(b->fs, ino,
				   BLOCK_FLAG_READ_ONLY | BLOCK_FLAG_DATA_ONLY, NULL,
				   note_cut, &c);
	if (!rc)
		rc = c.failed ? EXT2_ET_NO_MEMORY
			      : ext2fs_punch(b->fs, ino, &inode, NULL, first, last);
	return rc ? build_fail(b, rc, "cannot free blocks", err)
		  : write_inode(b, ino, &inode, err);
}

static int stop_at_name(ext2_ino_t dir, int entry, struct ext2_dir_entry *e, int offset,
			int blocksize, char *buf, void *arg)
{
	(void)dir, (void)offset, (void)blocksize, (void)buf;
	if (entry != DIRENT_OTHER_FILE || !e->inode)
		return 0;
	*(bool *)arg = true;
	return DIRENT_ABORT;
}

static bool count_down(struct build *b, inum_t dir, struct err *err)
{
	struct ext2_inode inode;

	if (!read_inode(b, dir, &inode, err))
		return false;
	inode.i_links_count--;
	return write_inode(b, dir, &inode, err);
}

bool hand_remove(struct build *b, const char *path, const struct hand_file *f,
		 struct range_list *freed, struct err *err)
{
	const char *slash = strrchr(path, '/');
	char *above = strndup(path, slash == path ? 1 : (size_t)(slash - path));
	struct ext2_inode inode;
	struct hand_file dir;
	bool any = false, ok = above && hand_find(b, above, &dir, err);
	errcode_t rc = 0;

	free(above);
	if (!ok || !read_inode(b, f->ino, &inode, err))
		return false;
	if (f->is_dir)
		rc = ext2fs_dir_iterate2(b->fs, f->ino, 0, NULL, stop_at_name, &any);
	if (any || f->ino == EXT2_ROOT_INO || (!f->is_dir && inode.i_links_count > 1)) {
		err_set(err, ERR_REFUSED,
			any ? "%s is not empty" : "%s has other names, and stays", path);
		return false;
	}
	if (!rc)
		rc = ext2fs_unlink(b->fs, dir.ino, slash + 1, f->ino, 0);
	if (rc)
		return build_fail(b, rc, "cannot take the name away", err);
	if (!hand_cut(b, f->ino, 0, UINT32_MAX, freed, err) ||
	    !read_inode(b, f->ino, &inode, err) ||
	    (f->is_dir && !count_down(b, dir.ino, err)))
		return false;
	inode.i_links_count = 0;
	inode.i_dtime = (uint32_t)b->time;
	ext2fs_inode_alloc_stats2(b->fs, f->ino, -1, f->is_dir);
	return write_inode(b, f->ino, &inode, err);
}
