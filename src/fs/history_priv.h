/* SPDX-License-Identifier: GPL-3.0-or-later */
/* history_priv.h - a journal open for reading, shared by history_*.c. */
#ifndef FS_HISTORY_PRIV_H
#define FS_HISTORY_PRIV_H

#include "src/fs/stack.h"

struct history_source {
	struct volume *v;
	struct journal *journal;
	struct stack stack;
};

/* history_close() must follow, whatever it says. */
bool history_open(struct history_source *h, const char *path, struct volume *v,
		  struct err *err);
void history_close(struct history_source *h);

#endif
