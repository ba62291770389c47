/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policy.h - what the files policy_*.c share. */
#ifndef SRC_LAB_POLICY_H
#define SRC_LAB_POLICY_H

#include <stdio.h>
#include "lab/policy.h"

/* Answers with the first len blocks of a hole (fewer if it is shorter), and why. Always
 * true. */
bool policy_answer(struct policy_answer *out, struct range hole, uint32_t len,
		   const char *fmt, ...) __attribute__((format(printf, 4, 5)));
/* No hole is large enough: a part of the largest. False: none at all. */
bool policy_part_of_largest(struct policy *p, const struct policy_want *w,
			    struct policy_answer *out);

#endif
