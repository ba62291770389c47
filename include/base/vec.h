/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * vec.h - typed growing arrays without a macro zoo.
 *
 *	VEC(struct range) free = VEC_INIT;
 *	if (!vec_push(&free, r)) ...out of memory...
 *	for (size_t i = 0; i < free.n; i++) use(free.v[i]);
 *	vec_release(&free);
 *
 * Elements move when the array grows: keep indices, not pointers.
 */
#ifndef BASE_VEC_H
#define BASE_VEC_H

#include <stdlib.h>
#include "base/types.h"

#define VEC(type)              \
	struct {               \
		type *v;       \
		size_t n, cap; \
	}
#define VEC_INIT           \
	{                  \
		NULL, 0, 0 \
	}

/* Makes room for `need` elements of `size` bytes, growing by half. False: out of memory,
 * nothing changed. */
bool vec_reserve_raw(void **v, size_t *cap, size_t need, size_t size);

/* The array and its capacity with room for `need` elements, or false. */
#define vec_reserve(vec, need) \
	vec_reserve_raw((void **)&(vec)->v, &(vec)->cap, (need), sizeof(*(vec)->v))
/* Appends one element; evaluates to false if memory ran out. */
#define vec_push(vec, ...) \
	(vec_reserve((vec), (vec)->n + 1) && ((vec)->v[(vec)->n++] = (__VA_ARGS__), true))
#define vec_clear(vec) ((void)((vec)->n = 0))
#define vec_release(vec) \
	(free((vec)->v), (vec)->v = NULL, (vec)->n = (vec)->cap = 0, (void)0)

#endif
