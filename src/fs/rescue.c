/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * rescue.c - see rescue.h.
 *
 * A superblock is two sectors of 512 bytes, and a disk that loses power may leave either
 * of them old, new, or (some do) neither. Old and new are the images in the journal. The
 * checksum of the whole lies in the second sector, magic number and UUID in the first.
 */
#include <stdlib.h>
#include <string.h>
#include "base/crc32c.h"
#include "src/fs/open.h"
#include "src/fs/rescue.h"

#define SECTOR	      512u
#define METADATA_CSUM EXT4_FEATURE_RO_COMPAT_METADATA_CSUM

static bool is_known_sector(const struct rescue *r, const uint8_t *now, size_t at)
{
	return memcmp(now + at, r->before + at, SECTOR) == 0 ||
	       memcmp(now + at, r->marked + at, SECTOR) == 0 ||
	       (r->has_final && memcmp(now + at, r->final + at, SECTOR) == 0);
}

static const struct ext2_super_block *as_super(const uint8_t *sb)
{
	return (const void *)sb;
}

static bool has_ro_compat(const uint8_t *sb, uint32_t feature)
{
	return ext2fs_le32_to_cpu(as_super(sb)->s_feature_ro_compat) & feature;
}

/* Would anybody take it for a superblock? Then somebody wrote it, and it is his. */
static bool makes_sense(const struct rescue *r, const uint8_t *now, uint64_t bytes)
{
	const struct ext2_super_block *s = as_super(now);
	uint32_t crc = crc32c(~0u, now, offsetof(struct ext2_super_block, s_checksum));

	if (!super_check("", s, bytes, NULL))
		return false;
	if (has_ro_compat(now, METADATA_CSUM))
		return ext2fs_le32_to_cpu(s->s_checksum) == crc;
	/* Without a checksum: who writes a superblock writes its times too, and they lie
	 * in the first sector. */
	return !is_known_sector(r, now, 0);
}

/* --- proofs --- */

/* Groups that may hold a backup: 1 and powers of 3, 5 and 7 (sparse_super), those in
 * s_backup_bgs (sparse_super2), every one without either. */
static bool may_have_backup(const uint8_t *sb, uint64_t group)
{
	const struct ext2_super_block *s = as_super(sb);

	if (ext2fs_le32_to_cpu(s->s_feature_compat) & EXT4_FEATURE_COMPAT_SPARSE_SUPER2)
		return group == ext2fs_le32_to_cpu(s->s_backup_bgs[0]) ||
		       group == ext2fs_le32_to_cpu(s->s_backup_bgs[1]);
	if (!has_ro_compat(sb, EXT2_FEATURE_RO_COMPAT_SPARSE_SUPER) || group == 1)
		return true;
	for (uint64_t base = 3; base <= 7; base += 2)
		for (uint64_t n = base; n <= group; n *= base)
			if (n == group)
				return true;
	return false;
}

static uint32_t block_size_of(const uint8_t *sb)
{
	return 1024u << ext2fs_le32_to_cpu(as_super(sb)->s_log_block_size);
}

static bool has_backup(struct volume *v, const struct rescue *r, uint64_t bytes)
{
	const struct ext2_super_block *s = as_super(r->marked);
	uint64_t per_group = ext2fs_le32_to_cpu(s->s_blocks_per_group);
	uint64_t first = ext2fs_le32_to_cpu(s->s_first_data_block);
	struct ext2_super_block copy;

	for (uint64_t g = 1; g <= 49; g++) {
		uint64_t at = (first + g * per_group) * block_size_of(r->marked);

		if (at + sizeof(copy) > bytes)
			break;
		if (may_have_backup(r->marked, g) &&
		    io_read_bytes(v, at, &copy, sizeof(copy), NULL) &&
		    ext2fs_le16_to_cpu(copy.s_magic) == EXT2_SUPER_MAGIC &&
		    memcmp(copy.s_uuid, s->s_uuid, sizeof(s->s_uuid)) == 0)
			return true;
	}
	return false;
}

/* The checksum of the first group descriptor (metadata_csum) is seeded with the UUID, or
 * with s_checksum_seed: crc32c of seed, group number and the descriptor, its checksum
 * taken as zero; the lower 16 bits are kept (ext4 documentation, group descriptors). */
static bool has_descriptor(struct volume *v, const struct rescue *r)
{
	const struct ext2_super_block *s = as_super(r->marked);
	bool is_64bit =
		ext2fs_le32_to_cpu(s->s_feature_incompat) & EXT4_FEATURE_INCOMPAT_64BIT;
	size_t size = is_64bit ? ext2fs_le16_to_cpu(s->s_desc_size) : EXT2_MIN_DESC_SIZE;
	uint64_t first = ext2fs_le32_to_cpu(s->s_first_data_block);
	uint8_t desc[EXT2_MAX_DESC_SIZE];
	uint32_t seed, group = 0;
	uint16_t stored;

	if (!has_ro_compat(r->marked, METADATA_CSUM) || size < EXT2_MIN_DESC_SIZE ||
	    size > sizeof(desc) ||
	    !io_read_bytes(v, (first + 1) * block_size_of(r->marked), desc, size, NULL))
		return false;
	seed = ext2fs_le32_to_cpu(s->s_feature_incompat) & EXT4_FEATURE_INCOMPAT_CSUM_SEED
		       ? ext2fs_le32_to_cpu(s->s_checksum_seed)
		       : crc32c(~0u, s->s_uuid, sizeof(s->s_uuid));
	stored = (uint16_t)(desc[0x1e] | desc[0x1f] << 8); /* bg_checksum */
	desc[0x1e] = desc[0x1f] = 0;
	seed = crc32c(seed, &group, sizeof(group));
	return (uint16_t)crc32c(seed, desc, size) == stored;
}

/* --- the whole --- */

bool rescue_super(struct volume *v, uint64_t bytes, struct rescue *r, struct err *err)
{
	bool first, second;
	uint8_t now[SUPER_BYTES];

	if (!io_read_super(v, now, err))
		return false;
	/* A second sector without a checksum may be nothing but zeros: no proof. */
	first = is_known_sector(r, now, 0);
	second = is_known_sector(r, now, SECTOR);
	if ((first && second) || makes_sense(r, now, bytes))
		return true;
	if (!first && !(second && has_ro_compat(r->marked, METADATA_CSUM)) &&
	    !has_backup(v, r, bytes) && !has_descriptor(v, r)) {
		err_set(err, ERR_REFUSED,
			"the superblock of %s is unreadable, and nothing else proves "
			"that the undo journal is of this volume; nothing was changed: "
			"try "
			"e2fsck -b 32768",
			v->info.path);
		return false;
	}
	r->done = io_write_super(v, r->marked, err) && io_barrier(v, err);
	return r->done;
}
