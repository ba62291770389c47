/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crc32c.c - see crc32c.h.
 *
 * The tables are slicing-by-8 (Kounavis and Berry, 2005): table[k][b] is the effect of
 * byte b when k more bytes follow it.
 */
#include <pthread.h>
#include <string.h>
#include "base/crc32c.h"

#define POLYNOMIAL 0x82F63B78u

static uint32_t table[8][256];
static pthread_once_t table_once = PTHREAD_ONCE_INIT;

static void make_table(void)
{
	for (uint32_t b = 0; b < 256; b++) {
		uint32_t crc = b;

		for (int bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
		table[0][b] = crc;
	}
	for (uint32_t b = 0; b < 256; b++)
		for (int k = 1; k < 8; k++)
			table[k][b] =
				table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 0xFF];
}

static uint32_t load_le32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 |
	       (uint32_t)p[3] << 24;
}

uint32_t crc32c_soft(uint32_t crc, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;

	pthread_once(&table_once, make_table);
	for (; n >= 8; n -= 8, p += 8) {
		uint32_t low = crc ^ load_le32(p), high = load_le32(p + 4);

		crc = table[7][low & 0xFF] ^ table[6][low >> 8 & 0xFF] ^
		      table[5][low >> 16 & 0xFF] ^ table[4][low >> 24] ^
		      table[3][high & 0xFF] ^ table[2][high >> 8 & 0xFF] ^
		      table[1][high >> 16 & 0xFF] ^ table[0][high >> 24];
	}
	for (; n; n--, p++)
		crc = crc >> 8 ^ table[0][(crc ^ *p) & 0xFF];
	return crc;
}

#if defined(__x86_64__)
#include <nmmintrin.h>
__attribute__((target("sse4.2"))) static uint32_t crc32c_hard(uint32_t crc,
							      const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t wide = crc, word;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&word, p, 8);
		wide = _mm_crc32_u64(wide, word);
	}
	crc = (uint32_t)wide;
	for (; n; n--, p++)
		crc = _mm_crc32_u8(crc, *p);
	return crc;
}

static bool have_hard(void)
{
	return __builtin_cpu_supports("sse4.2");
}
#elif defined(__aarch64__) && defined(__ARM_FEATURE_CRC32)
#include <arm_acle.h>
static uint32_t crc32c_hard(uint32_t crc, const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t word;

	for (; n >= 8; n -= 8, p += 8) {
		memcpy(&word, p, 8);
		crc = __crc32cd(crc, word);
	}
	for (; n; n--, p++)
		crc = __crc32cb(crc, *p);
	return crc;
}

static bool have_hard(void)
{
	return true;
}
#else
static uint32_t crc32c_hard(uint32_t crc, const void *bytes, size_t n)
{
	return crc32c_soft(crc, bytes, n);
}

static bool have_hard(void)
{
	return false;
}
#endif

uint32_t crc32c(uint32_t crc, const void *bytes, size_t n)
{
	return have_hard() ? crc32c_hard(crc, bytes, n) : crc32c_soft(crc, bytes, n);
}
