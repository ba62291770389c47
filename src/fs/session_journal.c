/* SPDX-License-Identifier: GPL-3.0-or-later */
/* session_journal.c - see session_journal.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "src/fs/session_journal.h"

/* On the volume itself the journal would be moved by the moves that it describes. */
static bool check_place(struct volume *v, const char *path, struct err *err)
{
	struct stat vol, st;
	bool same;

	if (fstat(v->fd, &vol))
		return true;
	same = stat(path, &st) == 0 && st.st_dev == vol.st_dev && st.st_ino == vol.st_ino;
	if (!same && S_ISBLK(vol.st_mode)) {
		char *folder = strdup(path),
		     *slash = folder ? strrchr(folder, '/') : NULL;

		if (slash)
			*slash = '\0';
		same = stat(slash ? folder : ".", &st) == 0 && st.st_dev == vol.st_rdev;
		free(folder);
	}
	if (same)
		err_set(err, ERR_REFUSED,
			"the undo journal %s lies on the volume itself; name another "
			"place with -z FILE",
			path);
	return !same;
}

static struct journal *fresh_journal(struct volume *v, const char *path, struct err *err)
{
	struct journal_ident id = {.block_size = v->geom.block_size,
				   .blocks = v->geom.blocks};

	memcpy(id.uuid, v->info.uuid, 16);
	memcpy(id.label, v->info.label, 16);
	return journal_create(path, &id, err);
}

/* A journal that is of no more use, or too long, makes room for a new one. */
static void set_aside(const char *path, const char *why, struct str *note,
		      struct err *err)
{
	struct str aside = STR_INIT;

	if (journal_set_aside(path, &aside, err) && note)
		str_addf(note, "%s and is now %s", why, aside.buf);
	str_release(&aside);
}

/* Does the journal go on? Else err says why not, or it was set aside. */
static bool goes_on(struct volume *v, struct stack *stack, const struct journal *j,
		    const struct session_options *opt, struct str *note, struct err *err)
{
	char why[200] = "", text[260], size[NUM_TEXT_MAX];

	if (!stack_is_ours(v, j)) {
		err_set(err, ERR_REFUSED,
			"the undo journal %s belongs to another volume; name another "
			"with -z FILE",
			opt->journal);
		return false;
	}
	if (!stack_read(stack, j, err))
		return false;
	if (!stack_fits(v, j, stack, why, err)) {
		if (err_isset(err))
			return false;
		snprintf(text, sizeof(text), "%s: the old undo journal no longer fits",
			 why);
		if (stack->open)
			err_set(err, ERR_RECOVER,
				"the last session was cut short; open the volume with -w "
				"again: it recovers");
		else
			set_aside(opt->journal, text, note, err);
		return false;
	}
	if (stack->open || !opt->journal_limit || journal_bytes(j) <= opt->journal_limit)
		return true;
	snprintf(text, sizeof(text),
		 "the undo journal has grown beyond %s (-z undoes what it holds once all "
		 "that comes after is undone)",
		 num_format_bytes(opt->journal_limit, size));
	set_aside(opt->journal, text, note, err);
	return false;
}

/* The journal at its path, if it goes on; NULL without an error if there is none, or it
 * was set aside. */
static struct journal *old_journal(struct volume *v, struct stack *stack,
				   const struct session_options *opt, struct str *note,
				   struct err *err)
{
	struct journal *j;

	if (access(opt->journal, F_OK))
		return NULL;
	j = journal_open(opt->journal, true, err);
	if (!j)
		return NULL;
	if (goes_on(v, stack, j, opt, note, err))
		return j;
	journal_close(j);
	stack_release(stack);
	stack_init(stack);
	return NULL;
}

struct journal *session_journal(struct volume *v, struct stack *stack,
				const struct session_options *opt, struct str *note,
				struct err *err)
{
	struct err inner = ERR_INIT;
	struct journal *j = NULL;

	if (check_place(v, opt->journal, &inner)) {
		j = old_journal(v, stack, opt, note, &inner);
		if (!j && !err_isset(&inner))
			j = fresh_journal(v, opt->journal, &inner);
	}
	if (j && stack->open)
		err_set(&inner, ERR_RECOVER,
			"the last session was cut short; open the volume with -w again: "
			"it recovers");
	if (!err_isset(&inner))
		return j;
	journal_close(j);
	if (err)
		*err = inner;
	return NULL;
}
