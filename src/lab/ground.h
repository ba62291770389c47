/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ground.h - freshly formatted ground for the lab, and its free space. */
#ifndef SRC_LAB_GROUND_H
#define SRC_LAB_GROUND_H

#include "lab/age.h"
#include "lab/space.h"
#include "fs/build.h"

#define LAB_TIME 1704067200 /* 2024-01-01 00:00:00 UTC */

/* Formats a new image marked as the lab's own. path must not exist, unless it is a
 * regular file and `force`. */
struct build *ground_format(const char *path, const struct age_options *o, bool force,
			    struct err *err);
/* The free space of a volume that is being built. */
bool ground_space(const struct build *b, struct space *out, struct err *err);

#endif
