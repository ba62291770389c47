/* SPDX-License-Identifier: GPL-3.0-or-later */
/* memory.c - see memory.h. */
#include "base/memory.h"
#include <malloc.h>

#define OWN_PAGES_FROM (64 << 10) /* bytes */
/* Well below the kernel's vm.max_map_count (65530): threads need maps too. */
#define OWN_PAGES_MOST 16384

void memory_setup(void)
{
	mallopt(M_MMAP_THRESHOLD, OWN_PAGES_FROM);
	mallopt(M_MMAP_MAX, OWN_PAGES_MOST);
}
