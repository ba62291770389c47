/* SPDX-License-Identifier: GPL-3.0-or-later */
/* history_file.c - what becomes of a journal's file: set aside, deleted. */
#include <errno.h>
#include <unistd.h>
#include "fs/history.h"
#include "src/fs/stack.h"

/* Is nobody using it, and does no volume need it? Then its owner may do with it what he
 * wants: it stays open, and so locked, as *out. *damaged: nobody can tell. */
static bool is_idle(const char *path, struct journal **out, bool *damaged,
		    struct err *err)
{
	struct err inner = ERR_INIT;
	struct stack s;
	bool open;

	*damaged = false;
	*out = NULL;
	if (access(path, F_OK)) {
		err_set(err, ERR_REFUSED, "there is no undo journal %s", path);
		return false;
	}
	stack_init(&s);
	*out = journal_open(path, true, &inner);
	if (*out)
		(void)stack_read(&s, *out, &inner);
	open = s.open;
	stack_release(&s);
	if (inner.class == ERR_CORRUPT) {
		*damaged = true;
		return true;
	}
	if (!err_isset(&inner) && !open)
		return true;
	if (!err_isset(&inner))
		err_set(&inner, ERR_RECOVER,
			"a session was cut short and needs its undo journal; open the "
			"volume with -w: it recovers");
	journal_close(*out);
	*out = NULL;
	if (err)
		*err = inner;
	return false;
}

bool history_archive(const char *path, struct str *name, struct err *err)
{
	struct journal *j;
	bool damaged, ok;

	ok = is_idle(path, &j, &damaged, err) && journal_set_aside(path, name, err);
	journal_close(j);
	return ok;
}

bool history_forget(const char *path, struct err *err)
{
	struct journal *j;
	bool damaged, ok;

	ok = is_idle(path, &j, &damaged, err);
	if (ok && damaged) {
		err_set(err, ERR_CORRUPT,
			"the undo journal %s is damaged, and a volume may need what is "
			"left of it; set it aside with: journal archive",
			path);
		ok = false;
	}
	if (ok && unlink(path)) {
		err_set_errno(err, ERR_IO, errno, "cannot delete %s", path);
		ok = false;
	}
	journal_close(j);
	return ok;
}
