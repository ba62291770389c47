/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pins.h - files that somebody finds by block number, not by name: boot loaders and images
 * of a sleeping system. They are pinned, as immutable and append-only files are.
 */
#ifndef FS_PINS_H
#define FS_PINS_H

#include "base/types.h"

/* Why a file with this path may be pinned: a sentence part, or NULL. The scan pins it if it
 * is there, and is what the name says (a swap file only while a system sleeps in it). */
const char *pins_reason(const char *path);

#endif
