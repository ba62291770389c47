/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session_journal.h - which undo journal a session goes on with. */
#ifndef FS_SESSION_JOURNAL_H
#define FS_SESSION_JOURNAL_H

#include "fs/session.h"
#include "src/fs/stack.h"

/* The journal at opt->journal, open for writing, or a new one; `stack` (initialised) says
 * what is in it. What no longer fits, or is too long, is set aside and noted. NULL with
 * err: it lies on the volume itself, is another volume's, damaged, in use, or needed for
 * recovery. */
struct journal *session_journal(struct volume *v, struct stack *stack,
				const struct session_options *opt, struct str *note,
				struct err *err);

#endif
