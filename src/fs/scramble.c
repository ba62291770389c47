/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scramble.c - see scramble.h. Works on one block in memory; the only thing that it reads
 * is the inode of a directory, whose generation its checksums are salted with.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/crc32c.h"
#include "fs/scramble.h"
#include "src/fs/fs.h"

#define TAIL_BYTES 12u /* the checksum at the end of a directory block */
#define TAIL_TYPE  0xDEu

/* --- directories --- */

static void scramble_name(uint8_t *name, size_t len, inum_t ino, size_t at)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789";
	uint64_t x = ino * 0x9E3779B97F4A7C15ull + at * 0xBF58476D1CE4E5B9ull;

	for (size_t i = 0; i < len; i++) {
		x ^= x >> 29;
		x = x * 0x94D049BB133111EBull + 1;
		name[i] = (uint8_t)letters[(x >> 33) % 36];
	}
}

static bool is_dot(const uint8_t *p)
{
	return (p[6] == 1 && p[8] == '.') || (p[6] == 2 && p[8] == '.' && p[9] == '.');
}

static uint32_t rec_len(const struct volume *v, const uint8_t *p)
{
	uint32_t raw = p[4] | (uint32_t)p[5] << 8;

	return v->geom.block_size >= 65536 && (raw == 0 || raw == 65535)
		       ? v->geom.block_size
		       : raw;
}

/* One entry: its name, and what an older, longer one may have left behind it. Behind ".."
 * an index has its root; an entry without an inode over the whole block is a node of one. */
static void scramble_entry(const struct volume *v, uint8_t *p, size_t at, uint32_t rec)
{
	uint32_t bs = v->geom.block_size;
	inum_t ino =
		p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
	size_t used = 8 + (size_t)(ino ? p[6] : 0);

	if (ino && is_dot(p))
		return;
	if (!ino && (rec >= bs - TAIL_BYTES ||
		     (rec == TAIL_BYTES && p[6] == 0 && p[7] == TAIL_TYPE)))
		return;
	if (ino)
		scramble_name(p + 8, p[6], ino, at);
	else
		p[6] = 0;
	if (used < rec)
		memset(p + used, 0, rec - used);
}

/* ext4_dirblock_csum: of all before the tail, salted with number and generation. */
static void seal_directory(struct volume *v, inum_t dir, uint8_t *block)
{
	uint32_t bs = v->geom.block_size, crc, le_ino = ext2fs_cpu_to_le32(dir);
	uint8_t *tail = block + bs - TAIL_BYTES;
	struct ext2_inode_large *raw;

	if (!ext2fs_has_feature_metadata_csum(v->fs->super) ||
	    rec_len(v, tail) != TAIL_BYTES || tail[7] != TAIL_TYPE)
		return; /* an index has its own, and is as it was */
	raw = calloc(1, INODE_BUF(v));
	if (raw && inode_read(v, dir, raw, NULL)) {
		crc = crc32c(v->fs->csum_seed, &le_ino, 4);
		crc = crc32c(crc, &raw->i_generation, 4);
		crc = ext2fs_cpu_to_le32(crc32c(crc, block, bs - TAIL_BYTES));
		memcpy(tail + 8, &crc, 4);
	}
	free(raw);
}

static void scramble_directory(struct volume *v, inum_t dir, uint8_t *block)
{
	uint32_t bs = v->geom.block_size, rec;

	for (size_t at = 0; at + 8 <= bs; at += rec) {
		rec = rec_len(v, block + at);
		if (rec < 8 || rec > bs - at || block[at + 6] + 8u > rec)
			break; /* damaged: nobody could read it as names either */
		scramble_entry(v, block + at, at, rec);
	}
	seal_directory(v, dir, block);
}

/* --- links, inodes --- */

static void cross_out(uint8_t *text, size_t n)
{
	for (size_t i = 0; i < n && text[i]; i++)
		text[i] = 'x';
}

static void seal_inode(struct volume *v, inum_t ino, struct ext2_inode_large *raw)
{
	bool high;
	uint32_t crc;

	if (!ext2fs_has_feature_metadata_csum(v->fs->super))
		return;
	crc = inode_csum(v, ino, raw, &high);
	raw->i_checksum_lo = ext2fs_cpu_to_le16((uint16_t)crc);
	if (high)
		raw->i_checksum_hi = ext2fs_cpu_to_le16((uint16_t)(crc >> 16));
}

/* A short link's target, and attributes inside the inode. */
static void scramble_inode(struct volume *v, inum_t ino, uint8_t *p)
{
	uint32_t size = v->geom.inode_size, good = EXT2_GOOD_OLD_INODE_SIZE, keep = size;
	struct ext2_inode_large *raw = (struct ext2_inode_large *)(void *)p;
	bool link = S_ISLNK(ext2fs_le16_to_cpu(raw->i_mode)) &&
		    !(ext2fs_le32_to_cpu(raw->i_flags) & EXT4_EXTENTS_FL) &&
		    ext2fs_le32_to_cpu(raw->i_size) < sizeof(raw->i_block);

	if (!raw->i_mode)
		return;
	if (link)
		cross_out((uint8_t *)raw->i_block, sizeof(raw->i_block));
	if (size > good)
		keep = good + ext2fs_le16_to_cpu(raw->i_extra_isize);
	if (keep < size)
		memset(p + keep, 0, size - keep);
	seal_inode(v, ino, raw);
}

static void scramble_table(struct volume *v, const struct run *r, blkno_t block,
			   uint8_t *data)
{
	const struct geom *g = &v->geom;
	uint32_t each = g->block_size / g->inode_size;
	uint64_t first = (block - ext2fs_inode_table_loc(v->fs, r->lblk)) * each;

	for (uint32_t i = 0; i < each && first + i < g->inodes_per_group; i++)
		scramble_inode(v, (inum_t)(r->lblk * g->inodes_per_group + first + i + 1),
			       data + (size_t)i * g->inode_size);
}

void scramble_block(struct volume *v, const struct run *r, blkno_t block, uint8_t *data)
{
	switch (r->kind) {
	case OWNER_DIR:
		scramble_directory(v, r->ino, data);
		break;
	case OWNER_SYMLINK:
		cross_out(data, v->geom.block_size);
		break;
	case OWNER_INODE_TABLE:
		scramble_table(v, r, block, data);
		break;
	default:
		break;
	}
}
