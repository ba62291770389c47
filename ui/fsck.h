/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fsck.h - e2fsck -fn as a second opinion, run beside the program. It writes nothing. */
#ifndef UI_FSCK_H
#define UI_FSCK_H

#include "base/err.h"
#include "base/str.h"

struct fsck;

struct fsck_result {
	int exit_code; /* 128 + n: ended by signal n */
	struct str text;
};

/* Starts it on a volume. NULL: it cannot be started. */
struct fsck *fsck_start(const char *path, uint64_t offset, struct err *err);
/* Readable when there is something to do for fsck_poll(). */
int fsck_fd(const struct fsck *f);
/* Takes its output, never waits. True once it has ended: then out is filled (its text to
 * be released by the caller). */
bool fsck_poll(struct fsck *f, struct fsck_result *out);
/* Ends it if it still runs. */
void fsck_free(struct fsck *f);

#endif
