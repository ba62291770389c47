/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sha256.h - FIPS 180-4, for the tail of long encrypted names (dirent_nokey.c). */
#ifndef FS_SHA256_H
#define FS_SHA256_H

#include "base/types.h"

#define SHA256_BYTES 32

void sha256(const void *bytes, size_t n, uint8_t out[SHA256_BYTES]);

#endif
