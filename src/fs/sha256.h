/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sha256.h - FIPS 180-4: for the tail of long encrypted names (dirent_nokey.c) and the
 * lab's manifests. */
#ifndef FS_SHA256_H
#define FS_SHA256_H

#include "base/types.h"

#define SHA256_BYTES 32

/* Piece by piece. */
struct sha256 {
	uint32_t state[8];
	uint64_t bytes;
	uint8_t rest[64];
};
void sha256_begin(struct sha256 *s);
void sha256_add(struct sha256 *s, const void *bytes, size_t n);
void sha256_end(struct sha256 *s, uint8_t out[SHA256_BYTES]);

void sha256(const void *bytes, size_t n, uint8_t out[SHA256_BYTES]);

#endif
