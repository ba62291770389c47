/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build_bulk.c - many files at once, for the lab's ager: whole extents, contents in large
 * writes, directory blocks written once. Phases: reserve all blocks; inodes with maps and
 * contents, in the order of the list; names.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "core/extent.h"
#include "src/fs/build_priv.h"
#include "src/fs/sha256.h"

#define CHUNK (1u << 20) /* bytes of content in one write */

struct bulk {
	struct build *b;
	const struct build_item *items;
	size_t n;
	inum_t *inos;	   /* of each item */
	uint32_t *links;   /* subdirectories of each item */
	inum_t *next_free; /* of each group: where to look for a free inode */
	void *buf;	   /* CHUNK bytes */
};

/* --- inodes --- */

static inum_t take_inode(struct bulk *k, const struct build_item *it, struct err *err)
{
	ext2_filsys fs = k->b->fs;
	group_t groups = fs->group_desc_count, g;
	ext2_ino_t per = fs->super->s_inodes_per_group, ino;

	for (group_t i = 0; i < groups; i++) {
		g = (it->group + i) % groups;
		if (k->next_free[g] > (g + 1) * per)
			continue;
		if (ext2fs_find_first_zero_inode_bitmap2(fs->inode_map, k->next_free[g],
							 (g + 1) * per, &ino)) {
			k->next_free[g] = (g + 1) * per + 1;
			continue;
		}
		k->next_free[g] = ino + 1;
		ext2fs_inode_alloc_stats2(fs, ino, +1, it->is_dir);
		return ino;
	}
	err_set(err, ERR_NOSPACE, "%s has no free inode left", k->b->path);
	return 0;
}

static void fill_inode(struct bulk *k, const struct build_item *it,
		       struct ext2_inode_large *inode)
{
	struct ext2_super_block *s = k->b->fs->super;
	uint64_t blocks = 0;

	memset(inode, 0, sizeof(*inode));
	inode->i_mode = it->is_dir ? LINUX_S_IFDIR | 0755 : LINUX_S_IFREG | 0644;
	inode->i_links_count = 1;
	inode->i_mtime = inode->i_ctime = (uint32_t)it->mtime;
	inode->i_atime = (uint32_t)it->atime;
	if (EXT2_INODE_SIZE(s) > EXT2_GOOD_OLD_INODE_SIZE) {
		inode->i_extra_isize = s->s_want_extra_isize;
		if (inode->i_extra_isize >= 24)
			inode->i_crtime = (uint32_t)it->mtime;
	}
	for (size_t i = 0; i < it->piece_count; i++)
		blocks += it->pieces[i].len;
	ext2fs_inode_size_set(
		k->b->fs, (struct ext2_inode *)inode,
		(ext2_off64_t)(it->is_dir ? blocks * k->b->fs->blocksize : it->size));
	if (ext2fs_has_feature_extents(s))
		inode->i_flags |= EXT4_EXTENTS_FL;
	ext2fs_iblk_set(k->b->fs, (struct ext2_inode *)inode, blocks);
}

static errcode_t map_extents(ext2_filsys fs, inum_t ino, struct ext2_inode *inode,
			     const struct build_item *it)
{
	ext2_extent_handle_t handle;
	errcode_t rc = ext2fs_extent_open2(fs, ino, inode, &handle);

	if (rc)
		return rc;
	for (size_t i = 0; !rc && i < it->piece_count; i++) {
		const struct build_piece *p = &it->pieces[i];

		for (uint32_t at = 0; !rc && at < p->len; at += EXTENT_MAX_LEN) {
			struct ext2fs_extent e = {
				.e_pblk = p->phys + at,
				.e_lblk = p->lblk + at,
				.e_len = p->len - at < EXTENT_MAX_LEN ? p->len - at
								      : EXTENT_MAX_LEN,
			};

			rc = ext2fs_extent_insert(handle, EXT2_EXTENT_INSERT_AFTER, &e);
		}
	}
	if (!rc)
		rc = ext2fs_extent_fix_parents(handle);
	ext2fs_extent_free(handle);
	return rc;
}

/* The library finds places for indirect blocks, and counts them. */
static errcode_t map_indirect(ext2_filsys fs, inum_t ino, struct ext2_inode *inode,
			      const struct build_item *it)
{
	errcode_t rc = 0;

	for (size_t i = 0; !rc && i < it->piece_count; i++)
		for (uint32_t k = 0; !rc && k < it->pieces[i].len; k++) {
			blk64_t block = it->pieces[i].phys + k;

			rc = ext2fs_bmap2(fs, ino, inode, NULL, BMAP_SET | BMAP_ALLOC,
					  it->pieces[i].lblk + k, NULL, &block);
		}
	return rc;
}

/* --- contents --- */

static bool write_piece(struct bulk *k, const struct build_item *it,
			const struct build_piece *p, struct sha256 *sum, struct err *err)
{
	size_t bs = k->b->fs->blocksize, most = CHUNK / bs;

	for (uint32_t at = 0; at < p->len;) {
		size_t n = p->len - at < most ? p->len - at : most, bytes = n * bs;
		uint64_t from = (p->lblk + at) * bs, used = bytes;
		char *buf = k->buf;

		for (size_t i = 0; i < n; i++)
			build_content(it->content_seed, p->lblk + at + i, buf + i * bs,
				      bs);
		if (from + bytes > it->size) { /* the kernel keeps zeros after the end */
			used = it->size > from ? it->size - from : 0;
			memset(buf + used, 0, bytes - used);
		}
		if (sum)
			sha256_add(sum, buf, used);
		if (pwrite(k->b->fd, buf, bytes, (off_t)((p->phys + at) * bs)) !=
		    (ssize_t)bytes) {
			err_set_errno(err, ERR_IO, errno, "cannot write %s", k->b->path);
			return false;
		}
		at += (uint32_t)n;
	}
	return true;
}

static bool write_contents(struct bulk *k, const struct build_item *it, struct err *err)
{
	struct sha256 sum;

	sha256_begin(&sum);
	for (size_t i = 0; i < it->piece_count; i++)
		if (!write_piece(k, it, &it->pieces[i], it->sha256 ? &sum : NULL, err))
			return false;
	if (it->sha256)
		sha256_end(&sum, it->sha256);
	return true;
}

static bool put_item(struct bulk *k, size_t i, struct err *err)
{
	const struct build_item *it = &k->items[i];
	ext2_filsys fs = k->b->fs;
	struct ext2_inode_large inode;
	struct ext2_inode *small = (struct ext2_inode *)&inode;
	inum_t ino = take_inode(k, it, err);
	errcode_t rc;

	if (!ino)
		return false;
	k->inos[i] = ino;
	fill_inode(k, it, &inode);
	if (it->is_dir)
		inode.i_links_count = (uint16_t)(2 + k->links[i]);
	rc = ext2fs_write_new_inode(fs, ino, small);
	if (!rc)
		rc = inode.i_flags & EXT4_EXTENTS_FL ? map_extents(fs, ino, small, it)
						     : map_indirect(fs, ino, small, it);
	if (!rc)
		rc = ext2fs_write_inode_full(
			fs, ino, small,
			(int)(EXT2_INODE_SIZE(fs->super) < sizeof(inode)
				      ? EXT2_INODE_SIZE(fs->super)
				      : sizeof(inode)));
	if (rc)
		return build_fail(k->b, rc, "cannot write an inode", err);
	return it->is_dir || write_contents(k, it, err);
}

/* --- names --- */

static size_t entry_bytes(const char *name)
{
	return 8 + ((strlen(name) + 3) & ~(size_t)3);
}

/* One directory block being filled. */
struct packing {
	const struct build_item *dir;
	inum_t ino;
	char *block;
	size_t at, last, end; /* end of the entries, start of the last one, of the room */
	size_t piece, in_piece;
};

static bool flush_block(struct bulk *k, struct packing *p, struct err *err)
{
	ext2_filsys fs = k->b->fs;
	const struct build_piece *piece = &p->dir->pieces[p->piece];
	struct ext2_dir_entry *e = (void *)(p->block + p->last);
	errcode_t rc;

	ext2fs_set_rec_len(fs, (unsigned)(p->end - p->last), e);
	if (p->end < fs->blocksize)
		ext2fs_initialize_dirent_tail(fs,
					      EXT2_DIRENT_TAIL(p->block, fs->blocksize));
	rc = ext2fs_write_dir_block4(fs, piece->phys + p->in_piece, p->block, 0, p->ino);
	if (++p->in_piece == piece->len) {
		p->in_piece = 0;
		p->piece++;
	}
	memset(p->block, 0, fs->blocksize);
	p->at = p->last = 0;
	return rc ? build_fail(k->b, rc, "cannot write a directory", err) : true;
}

static bool add_entry(struct bulk *k, struct packing *p, inum_t ino, const char *name,
		      int type, struct err *err)
{
	size_t need = entry_bytes(name), len = strlen(name);
	struct ext2_dir_entry *e;

	if (p->at + need > p->end && !flush_block(k, p, err))
		return false;
	if (p->piece >= p->dir->piece_count) {
		err_set(err, ERR_BUG, "directory %s is too short for its names",
			p->dir->name);
		return false;
	}
	e = (void *)(p->block + p->at);
	e->inode = ino;
	ext2fs_set_rec_len(k->b->fs, (unsigned)need, e);
	ext2fs_dirent_set_name_len(e, (int)len);
	if (ext2fs_has_feature_filetype(k->b->fs->super))
		ext2fs_dirent_set_file_type(e, type);
	memcpy(e->name, name, len);
	p->last = p->at;
	p->at += need;
	return true;
}

/* children: indices of items, those of item `dir` being [from, to). */
static bool write_names(struct bulk *k, size_t dir, const uint32_t *children, size_t from,
			size_t to, struct err *err)
{
	ext2_filsys fs = k->b->fs;
	const struct build_item *it = &k->items[dir];
	inum_t up = it->parent == BUILD_IN_ROOT ? BUILD_ROOT : k->inos[it->parent];
	struct packing p = {.dir = it, .ino = k->inos[dir], .block = k->buf};
	bool ok;

	p.end = fs->blocksize - (ext2fs_has_feature_metadata_csum(fs->super)
					 ? sizeof(struct ext2_dir_entry_tail)
					 : 0);
	memset(p.block, 0, fs->blocksize);
	ok = add_entry(k, &p, p.ino, ".", EXT2_FT_DIR, err) &&
	     add_entry(k, &p, up, "..", EXT2_FT_DIR, err);
	for (size_t i = from; ok && i < to; i++) {
		const struct build_item *c = &k->items[children[i]];

		ok = add_entry(k, &p, k->inos[children[i]], c->name,
			       c->is_dir ? EXT2_FT_DIR : EXT2_FT_REG_FILE, err);
	}
	while (ok && p.piece < it->piece_count) /* the last one, and empty ones */
		ok = flush_block(k, &p, err);
	return ok;
}

static bool link_in_root(struct bulk *k, size_t i, struct err *err)
{
	const struct build_item *it = &k->items[i];
	ext2_filsys fs = k->b->fs;
	int type = it->is_dir ? EXT2_FT_DIR : EXT2_FT_REG_FILE;
	struct ext2_inode root;
	errcode_t rc = ext2fs_link(fs, BUILD_ROOT, it->name, k->inos[i], type);

	if (rc == EXT2_ET_DIR_NO_SPACE) {
		rc = ext2fs_expand_dir(fs, BUILD_ROOT);
		if (!rc)
			rc = ext2fs_link(fs, BUILD_ROOT, it->name, k->inos[i], type);
	}
	if (!rc && it->is_dir) {
		rc = ext2fs_read_inode(fs, BUILD_ROOT, &root);
		root.i_links_count++;
		if (!rc)
			rc = ext2fs_write_inode(fs, BUILD_ROOT, &root);
	}
	return rc ? build_fail(k->b, rc, "no room in the root directory", err) : true;
}

/* Sorts the items by parent (counting sort), then writes directory by directory. */
static bool put_names(struct bulk *k, struct err *err)
{
	size_t *start = calloc(k->n + 2, sizeof(*start));
	uint32_t *children = calloc(k->n + 1, sizeof(*children));
	bool ok = start && children;

	if (!ok)
		err_nomem(err);
	for (size_t i = 0; ok && i < k->n; i++)
		if (k->items[i].parent != BUILD_IN_ROOT)
			start[k->items[i].parent + 2]++;
	for (size_t i = 2; ok && i < k->n + 2; i++)
		start[i] += start[i - 1];
	for (size_t i = 0; ok && i < k->n; i++) {
		if (k->items[i].parent == BUILD_IN_ROOT)
			ok = link_in_root(k, i, err);
		else
			children[start[k->items[i].parent + 1]++] = (uint32_t)i;
	}
	for (size_t i = 0; ok && i < k->n; i++)
		if (k->items[i].is_dir)
			ok = write_names(k, i, children, start[i], start[i + 1], err);
	free(start);
	free(children);
	return ok;
}

static bool bulk_init(struct bulk *k, struct err *err)
{
	ext2_filsys fs = k->b->fs;
	ext2_ino_t per = fs->super->s_inodes_per_group;

	k->inos = calloc(k->n + 1, sizeof(*k->inos));
	k->links = calloc(k->n + 1, sizeof(*k->links));
	k->next_free = calloc(fs->group_desc_count, sizeof(*k->next_free));
	k->buf = malloc(CHUNK > fs->blocksize ? CHUNK : fs->blocksize);
	if (!k->inos || !k->links || !k->next_free || !k->buf)
		return err_nomem(err);
	for (group_t g = 0; g < fs->group_desc_count; g++)
		k->next_free[g] = g ? g * per + 1 : EXT2_FIRST_INODE(fs->super);
	for (size_t i = 0; i < k->n; i++) {
		const struct build_item *it = &k->items[i];

		if (it->is_dir && it->parent != BUILD_IN_ROOT)
			k->links[it->parent]++;
		for (size_t p = 0; p < it->piece_count; p++)
			ext2fs_block_alloc_stats_range(fs, it->pieces[p].phys,
						       it->pieces[p].len, +1);
	}
	return true;
}

bool build_items(struct build *b, const struct build_item *items, size_t n,
		 struct err *err)
{
	struct bulk k = {.b = b, .items = items, .n = n};
	bool ok = bulk_init(&k, err);

	for (size_t i = 0; ok && i < n; i++)
		ok = put_item(&k, i, err);
	ok = ok && put_names(&k, err);
	free(k.inos);
	free(k.links);
	free(k.next_free);
	free(k.buf);
	return ok;
}
