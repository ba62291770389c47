/* SPDX-License-Identifier: GPL-3.0-or-later */
/* super.c - see super.h. */
#include <stdio.h>
#include <string.h>
#include "base/crc32c.h"
#include "src/fs/super.h"

static struct ext2_super_block *as_super(uint8_t *sb)
{
	return (struct ext2_super_block *)sb;
}

/* s_checksum covers all before it (metadata_csum only); its seed is ~0, not the UUID. */
static void seal(uint8_t *sb)
{
	struct ext2_super_block *s = as_super(sb);

	if (ext2fs_le32_to_cpu(s->s_feature_ro_compat) &
	    EXT4_FEATURE_RO_COMPAT_METADATA_CSUM)
		s->s_checksum = ext2fs_cpu_to_le32(
			crc32c(~0u, sb, offsetof(struct ext2_super_block, s_checksum)));
}

void super_mark(const uint8_t before[SUPER_BYTES], uint8_t marked[SUPER_BYTES])
{
	struct ext2_super_block *s = as_super(marked);

	memcpy(marked, before, SUPER_BYTES);
	s->s_state = ext2fs_cpu_to_le16(
		(uint16_t)(ext2fs_le16_to_cpu(s->s_state) & ~EXT2_VALID_FS));
	seal(marked);
}

static bool is_64bit(const struct ext2_super_block *s)
{
	return ext2fs_le32_to_cpu(s->s_feature_incompat) & EXT4_FEATURE_INCOMPAT_64BIT;
}

void super_finish(const uint8_t before[SUPER_BYTES], uint64_t free_blocks, int64_t now,
		  uint8_t final[SUPER_BYTES])
{
	struct ext2_super_block *s = as_super(final);

	memcpy(final, before, SUPER_BYTES);
	s->s_free_blocks_count = ext2fs_cpu_to_le32((uint32_t)free_blocks);
	if (is_64bit(s))
		s->s_free_blocks_hi = ext2fs_cpu_to_le32((uint32_t)(free_blocks >> 32));
	s->s_wtime = ext2fs_cpu_to_le32((uint32_t)now);
	s->s_wtime_hi = (uint8_t)(now >> 32);
	seal(final);
}

uint64_t super_free_blocks(const uint8_t sb[SUPER_BYTES])
{
	const struct ext2_super_block *s = (const void *)sb;
	uint64_t n = ext2fs_le32_to_cpu(s->s_free_blocks_count);

	return is_64bit(s) ? n | (uint64_t)ext2fs_le32_to_cpu(s->s_free_blocks_hi) << 32
			   : n;
}

bool super_is_torn(const uint8_t sb[SUPER_BYTES], const uint8_t a[SUPER_BYTES],
		   const uint8_t b[SUPER_BYTES])
{
	for (size_t at = 0; at < SUPER_BYTES; at += 512)
		if (memcmp(sb + at, a + at, 512) && memcmp(sb + at, b + at, 512))
			return false;
	return memcmp(sb, a, SUPER_BYTES) && memcmp(sb, b, SUPER_BYTES);
}

void super_explain(const uint8_t ours[SUPER_BYTES], const uint8_t now[SUPER_BYTES],
		   char *out, size_t n)
{
	const struct ext2_super_block *a = (const void *)ours, *b = (const void *)now;
	const char *what = "its superblock was changed";

	if (memcmp(a->s_uuid, b->s_uuid, 16))
		what = "it is another volume";
	else if (a->s_mtime != b->s_mtime || a->s_mnt_count != b->s_mnt_count)
		what = a->s_kbytes_written != b->s_kbytes_written
			       ? "it was mounted and written to since"
			       : "it was mounted since";
	else if (a->s_lastcheck != b->s_lastcheck)
		what = "it was checked by e2fsck since";
	else if (memcmp(a->s_volume_name, b->s_volume_name, 16))
		what = "its label was changed since";
	else if (a->s_blocks_count != b->s_blocks_count)
		what = "its size was changed since";
	else if (memcmp(&a->s_feature_compat, &b->s_feature_compat, 12))
		what = "its features were changed since";
	else if (a->s_max_mnt_count != b->s_max_mnt_count ||
		 a->s_checkinterval != b->s_checkinterval)
		what = "its check intervals were changed since";
	else if (a->s_r_blocks_count != b->s_r_blocks_count)
		what = "its reserve for root was changed since";
	else if (a->s_free_inodes_count != b->s_free_inodes_count)
		what = "files were made or deleted since";
	else if (a->s_free_blocks_count != b->s_free_blocks_count)
		what = "blocks were taken or freed since";
	else if (a->s_wtime != b->s_wtime)
		what = "it was written to since";
	snprintf(out, n, "%s", what);
}
