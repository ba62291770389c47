/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sha256.c - see sha256.h. */
#include <string.h>
#include "src/fs/sha256.h"

/* The first 32 bits of the fractions of the cube roots of the first 64 primes. */
static const uint32_t round_word[64] = {
	0x428A2F98, 0x71374491, 0xB5C0FBCF, 0xE9B5DBA5, 0x3956C25B, 0x59F111F1,
	0x923F82A4, 0xAB1C5ED5, 0xD807AA98, 0x12835B01, 0x243185BE, 0x550C7DC3,
	0x72BE5D74, 0x80DEB1FE, 0x9BDC06A7, 0xC19BF174, 0xE49B69C1, 0xEFBE4786,
	0x0FC19DC6, 0x240CA1CC, 0x2DE92C6F, 0x4A7484AA, 0x5CB0A9DC, 0x76F988DA,
	0x983E5152, 0xA831C66D, 0xB00327C8, 0xBF597FC7, 0xC6E00BF3, 0xD5A79147,
	0x06CA6351, 0x14292967, 0x27B70A85, 0x2E1B2138, 0x4D2C6DFC, 0x53380D13,
	0x650A7354, 0x766A0ABB, 0x81C2C92E, 0x92722C85, 0xA2BFE8A1, 0xA81A664B,
	0xC24B8B70, 0xC76C51A3, 0xD192E819, 0xD6990624, 0xF40E3585, 0x106AA070,
	0x19A4C116, 0x1E376C08, 0x2748774C, 0x34B0BCB5, 0x391C0CB3, 0x4ED8AA4A,
	0x5B9CCA4F, 0x682E6FF3, 0x748F82EE, 0x78A5636F, 0x84C87814, 0x8CC70208,
	0x90BEFFFA, 0xA4506CEB, 0xBEF9A3F7, 0xC67178F2,
};

static uint32_t turn(uint32_t x, int n)
{
	return x >> n | x << (32 - n);
}

static uint32_t load_be(const uint8_t *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store_be(uint8_t *p, uint32_t x)
{
	for (int i = 0; i < 4; i++)
		p[i] = (uint8_t)(x >> (24 - 8 * i));
}

static void mix_block(uint32_t state[8], const uint8_t block[64])
{
	uint32_t w[64], s[8];

	memcpy(s, state, sizeof(s));
	for (int i = 0; i < 64; i++) {
		if (i < 16) {
			w[i] = load_be(block + 4 * i);
		} else {
			uint32_t a = w[i - 15], b = w[i - 2];

			w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ a >> 3) +
			       w[i - 7] + (turn(b, 17) ^ turn(b, 19) ^ b >> 10);
		}
	}
	for (int i = 0; i < 64; i++) {
		uint32_t e = s[4], a = s[0];
		uint32_t t = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) +
			     ((e & s[5]) ^ (~e & s[6])) + round_word[i] + w[i];
		uint32_t u = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) +
			     ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));

		memmove(s + 1, s, 7 * sizeof(*s));
		s[4] += t;
		s[0] = t + u;
	}
	for (int i = 0; i < 8; i++)
		state[i] += s[i];
}

void sha256_begin(struct sha256 *s)
{
	/* the same of the square roots of the first eight */
	static const uint32_t start[8] = {
		0x6A09E667, 0xBB67AE85, 0x3C6EF372, 0xA54FF53A,
		0x510E527F, 0x9B05688C, 0x1F83D9AB, 0x5BE0CD19,
	};

	memcpy(s->state, start, sizeof(start));
	s->bytes = 0;
}

void sha256_add(struct sha256 *s, const void *bytes, size_t n)
{
	const uint8_t *p = bytes;
	size_t held = s->bytes % 64;

	s->bytes += n;
	if (held) {
		size_t part = n < 64 - held ? n : 64 - held;

		memcpy(s->rest + held, p, part);
		p += part;
		n -= part;
		if (held + part < 64)
			return;
		mix_block(s->state, s->rest);
	}
	for (; n >= 64; p += 64, n -= 64)
		mix_block(s->state, p);
	memcpy(s->rest, p, n);
}

void sha256_end(struct sha256 *s, uint8_t out[SHA256_BYTES])
{
	uint8_t last[128] = {0};
	size_t rest = s->bytes % 64, end = rest < 56 ? 64 : 128;

	memcpy(last, s->rest, rest);
	last[rest] = 0x80;
	store_be(last + end - 8, (uint32_t)(s->bytes >> 29));
	store_be(last + end - 4, (uint32_t)(s->bytes << 3));
	for (size_t i = 0; i < end; i += 64)
		mix_block(s->state, last + i);
	for (int i = 0; i < 8; i++)
		store_be(out + 4 * i, s->state[i]);
}

void sha256(const void *bytes, size_t n, uint8_t out[SHA256_BYTES])
{
	struct sha256 s;

	sha256_begin(&s);
	sha256_add(&s, bytes, n);
	sha256_end(&s, out);
}
