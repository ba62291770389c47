/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crc32c.h - the checksum of ext4 metadata and of our journal (Castagnoli, reflected
 * 0x82F63B78).
 *
 * Uses the processor's CRC instruction where it has one (SSE 4.2, ARMv8), else slicing
 * tables. The value is *not* inverted before or after, as ext4 uses it: start with ~0U
 * (or a seed) and feed on the result.
 */
#ifndef BASE_CRC32C_H
#define BASE_CRC32C_H

#include "base/types.h"

uint32_t crc32c(uint32_t crc, const void *bytes, size_t n);

/* The same by tables only: the reference that the tests hold against the above. */
uint32_t crc32c_soft(uint32_t crc, const void *bytes, size_t n);

#endif
