/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * num.h - numbers as people type and read them. No locale, no allocation.
 */
#ifndef BASE_NUM_H
#define BASE_NUM_H

#include "base/types.h"

/* Enough for every num_format_* result. */
#define NUM_TEXT_MAX 32

/* Decimal or 0x hexadecimal, whole text, no sign. False leaves *out untouched. */
bool num_parse_u64(const char *text, uint64_t *out);

/* As num_parse_u64 with an optional suffix K, M, G, T (powers of 1024, either case,
 * an i or B may follow: 128M, 4GiB, 512k). Bytes. False on overflow or leftovers. */
bool num_parse_bytes(const char *text, uint64_t *out);

/* Bytes in at most five columns as ls -h does: "900K", "1.3G", "17". Returns buf. */
const char *num_format_bytes(uint64_t bytes, char buf[NUM_TEXT_MAX]);

/* With thin groups of three: "2 913". Returns buf. */
const char *num_format_count(uint64_t n, char buf[NUM_TEXT_MAX]);

/* Seconds as a stop watch shows them: "0:07", "1:02:03". Returns buf. */
const char *num_format_seconds(uint64_t seconds, char buf[NUM_TEXT_MAX]);

/* Milliseconds of CLOCK_MONOTONIC; only differences mean something. */
uint64_t num_now_ms(void);
uint64_t num_now_us(void);
/* What all threads of this process have used so far (getrusage). */
void num_cpu_us(uint64_t *user, uint64_t *sys);
void num_cpu_ms(uint64_t *user, uint64_t *sys);
/* The most memory that it has held at a time, in bytes. */
uint64_t num_peak_bytes(void);

#endif
