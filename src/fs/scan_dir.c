/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan_dir.c - directories, for one thing only: which directory each inode has a name in.
 * Names are not kept.
 */
#include <string.h>
#include "base/crc32c.h"
#include "src/fs/dirent.h"
#include "src/fs/scan_priv.h"

struct taker {
	struct scan *s;
	struct harvest *h;
	inum_t dir;
};

static bool take_entry(void *arg, const struct dirent_view *e)
{
	struct taker *t = arg;
	struct parent_pair p = {e->ino, t->dir};

	if (e->len <= 2 && e->name[0] == '.' && (e->len == 1 || e->name[1] == '.'))
		return true;
	if (e->ino > t->s->v->geom.inodes)
		flaw_add(&t->h->flaws, BLKNO_NONE, t->dir,
			 "a name in directory %u belongs to inode %u, which does not "
			 "exist",
			 t->dir, e->ino);
	else
		t->h->oom |= !vec_push(&t->h->parents, p);
	return true;
}

static uint32_t le16(const uint8_t *p)
{
	return p[0] | (uint32_t)p[1] << 8;
}

static uint32_t le32(const uint8_t *p)
{
	return le16(p) | le16(p + 2) << 16;
}

/* Where count and limit of an htree node lie in the block; 0 if it is a leaf (ext4 htree:
 * struct dx_root, dx_node). */
static uint32_t dx_counts_at(const uint8_t *b, uint32_t bs)
{
	uint32_t first = le16(b + 4), full = bs < 65536 ? bs : 0;

	if (le32(b) == 0 && first == full)
		return 8;
	if (first == 12 && le16(b + 16) == (uint16_t)(bs - 12) && le32(b + 24) == 0 &&
	    b[29] == 8)
		return 32;
	return 0;
}

/* Leaf: up to the 12-byte tail. Node: up to its last entry, the tail's first word, a zero
 * for the sum itself. */
static bool dir_csum_ok(const struct scan *s, uint32_t crc, const uint8_t *b)
{
	uint32_t bs = s->v->geom.block_size, at = dx_counts_at(b, bs), limit;
	static const uint8_t zero[4];

	if (!at) {
		const uint8_t *tail = b + bs - 12;

		return le32(tail) == 0 && le16(tail + 4) == 12 && tail[7] == 0xDE &&
		       le32(tail + 8) == crc32c(crc, b, bs - 12);
	}
	limit = le16(b + at);
	if (at + limit * 8 + 8 > bs || le16(b + at + 2) > limit)
		return false;
	crc = crc32c(crc, b, at + le16(b + at + 2) * 8);
	crc = crc32c(crc, b + at + limit * 8, 4);
	return le32(b + at + limit * 8 + 4) == crc32c(crc, zero, 4);
}

static void take_block(struct scan *s, struct harvest *h, const struct todo *d,
		       blkno_t at, const uint8_t *block)
{
	struct taker t = {s, h, d->ino};

	if (ext2fs_has_feature_metadata_csum(s->v->fs->super) &&
	    !dir_csum_ok(s, d->seed, block))
		flaw_add(&h->flaws, at, d->ino,
			 "the checksum of block %llu of directory %u is wrong",
			 (unsigned long long)at, d->ino);
	if (!dirent_each(s->v, block, take_entry, &t))
		flaw_add(&h->flaws, at, d->ino, "block %llu of directory %u is damaged",
			 (unsigned long long)at, d->ino);
}

/* The unit may hold a part of a long stretch. */
void scan_dirs(struct scan *s, const struct unit *u, const uint8_t *data,
	       struct harvest *h)
{
	uint32_t bs = s->v->geom.block_size;

	for (size_t i = u->first; i < u->last; i++) {
		const struct todo *d = &s->pass.items.v[i];
		blkno_t at = todo_block(d), end = at + d->count;

		if (at < u->start)
			at = u->start;
		if (end > u->start + u->count)
			end = u->start + u->count;
		for (; at < end; at++)
			take_block(s, h, d, at, data + (at - u->start) * bs);
	}
}

/* --- directories in the inode --- */

#define XATTR_SYSTEM 7 /* name index of "system." (ext4 on-disk format) */

struct bytes {
	const uint8_t *v;
	size_t n;
};

/* The value of system.data among the attributes behind the inode's fields: none if there
 * is no such attribute; false if they make no sense. */
static bool find_inline_rest(const struct scan *s, const struct ext2_inode_large *raw,
			     struct bytes *out)
{
	uint32_t size = s->v->geom.inode_size;
	uint32_t at = EXT2_GOOD_OLD_INODE_SIZE + ext2fs_le16_to_cpu(raw->i_extra_isize);
	const uint8_t *b = (const uint8_t *)raw;
	uint32_t first = at + 4;

	*out = (struct bytes){0};
	if (size <= EXT2_GOOD_OLD_INODE_SIZE || at + 8 > size ||
	    le32(b + at) != EXT2_EXT_ATTR_MAGIC)
		return true;
	for (at = first; at + 4 <= size && le32(b + at);) {
		const uint8_t *e = b + at;
		uint32_t next = at + (uint32_t)EXT2_EXT_ATTR_LEN(e[0]);

		if (next > size)
			return false;
		if (e[1] == XATTR_SYSTEM && e[0] == 4 &&
		    memcmp(e + sizeof(struct ext2_ext_attr_entry), "data", 4) == 0) {
			*out = (struct bytes){b + first + le16(e + 2), le32(e + 8)};
			return !le32(e + 4) && first + le16(e + 2) <= size &&
			       out->n <= size - first - le16(e + 2);
		}
		at = next;
	}
	return true;
}

/* i_block: the parent's number, then entries; those that did not fit are an attribute. */
void scan_inline_dir(struct scan *s, struct harvest *h, inum_t ino,
		     const struct ext2_inode_large *raw)
{
	struct taker t = {s, h, ino};
	struct bytes rest;

	if (!dirent_each_in(s->v, (const uint8_t *)raw->i_block + 4,
			    sizeof(raw->i_block) - 4, take_entry, &t) ||
	    !find_inline_rest(s, raw, &rest) ||
	    (rest.n && !dirent_each_in(s->v, rest.v, rest.n, take_entry, &t)))
		flaw_add(&h->flaws, BLKNO_NONE, ino,
			 "directory %u, which lies in its inode, is damaged", ino);
}
