/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory.h - how the C library's allocator is to serve this program. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

/* Call once, first thing in main. While a volume is scanned, hundreds of arrays of 64 KiB
 * and more (the spans of the model) grow by turns. On the heap each growth leaves a hole
 * too small for the next; with pages of their own they grow in place. A volume of a
 * million files takes 44 instead of 59 MB so. Source: mallopt(3), malloc(3) on mremap. */
void memory_setup(void);

#endif
