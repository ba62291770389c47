/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vec.c - see vec.h. */
#include "base/vec.h"

bool vec_reserve_raw(void **v, size_t *cap, size_t need, size_t size)
{
	size_t want = *cap < 8 ? 8 : *cap + *cap / 2;
	void *grown;

	if (need <= *cap)
		return true;
	if (want < need)
		want = need;
	if (want > SIZE_MAX / size)
		return false;
	grown = realloc(*v, want * size);
	if (!grown)
		return false;
	*v = grown;
	*cap = want;
	return true;
}
