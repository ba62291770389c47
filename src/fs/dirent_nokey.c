/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dirent_nokey.c - names of encrypted directories, as the kernel shows them without the
 * key.
 *
 * fscrypt_nokey_name (fs/crypto/fname.c), in base64url without padding: hash and minor
 * hash of the entry (8 bytes, little endian), the encrypted name, of which at most 149 bytes; of a
 * longer one the SHA-256 of the rest follows.
 */
#include <string.h>
#include "src/fs/dirent.h"
#include "src/fs/sha256.h"

#define BYTES_MAX 149u

/* ext4fs_dirhash() keeps the last value for "end of directory". */
static uint32_t below_eof(uint32_t hash)
{
	return hash == 0xFFFFFFFEu ? 0xFFFFFFFCu : hash;
}

void dirent_hash_of(const struct volume *v, const struct dirent_view *e,
		    const struct dirent_hash *how, uint32_t out[2])
{
	size_t at =
		(e->len + 3) & ~(size_t)3; /* the name starts 8 bytes into the entry */
	ext2_dirhash_t hash = 0, minor = 0;

	memset(out, 0, 8);
	if (!how->used)
		return;
	if (how->in_entry) {
		if (at + 8 <= e->room)
			memcpy(out, e->name + at, 8);
		out[0] = ext2fs_le32_to_cpu(out[0]);
		out[1] = ext2fs_le32_to_cpu(out[1]);
		return;
	}
	ext2fs_dirhash2(how->version, e->name, (int)e->len, NULL, 0,
			v->fs->super->s_hash_seed, &hash, &minor);
	out[0] = below_eof(hash);
	out[1] = minor;
}

static size_t base64url(const uint8_t *p, size_t n, char *out)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
	uint32_t acc = 0;
	size_t len = 0;
	int bits = 0;

	for (size_t i = 0; i < n; i++) {
		acc = acc << 8 | p[i];
		for (bits += 8; bits >= 6; bits -= 6)
			out[len++] = digits[acc >> (bits - 6) & 63];
	}
	if (bits)
		out[len++] = digits[acc << (6 - bits) & 63];
	return len;
}

size_t dirent_nokey_name(const struct volume *v, const struct dirent_view *e,
			 const struct dirent_hash *hash, char out[NOKEY_NAME_MAX])
{
	uint8_t raw[8 + BYTES_MAX + SHA256_BYTES];
	size_t n = e->len < BYTES_MAX ? e->len : BYTES_MAX;
	uint32_t sums[2];

	dirent_hash_of(v, e, hash, sums);
	sums[0] = ext2fs_cpu_to_le32(sums[0]);
	sums[1] = ext2fs_cpu_to_le32(sums[1]);
	memcpy(raw, sums, 8);
	memcpy(raw + 8, e->name, n);
	n += 8;
	if (e->len > BYTES_MAX) {
		sha256(e->name + BYTES_MAX, e->len - BYTES_MAX, raw + n);
		n += SHA256_BYTES;
	}
	return base64url(raw, n, out);
}
