/* SPDX-License-Identifier: GPL-3.0-or-later */
/* answer.c - small questions: paths, listings, look-ups, the journal's history. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fs/dirs.h"
#include "src/engine/engine_priv.h"

static char *copy_bytes(const char *bytes, size_t n)
{
	char *out = malloc(n + 1);

	if (out) {
		memcpy(out, bytes, n);
		out[n] = '\0';
	}
	return out;
}

static void keep_path(void *arg, size_t i, const char *path, size_t len)
{
	struct event *ev = arg;

	free(ev->paths[i]);
	ev->paths[i] = copy_bytes(path, len);
	ev->path_len[i] = ev->paths[i] ? len : 0;
}

void answer_paths(struct engine *e, const struct request *r, uint32_t ticket,
		  struct err *err)
{
	struct event *ev = event_new(EV_PATHS, ticket);

	if (ev && r->ino_count) {
		ev->paths = calloc(r->ino_count, sizeof(*ev->paths));
		ev->path_len = calloc(r->ino_count, sizeof(*ev->path_len));
	}
	if (!ev || (r->ino_count && (!ev->paths || !ev->path_len))) {
		err_nomem(err);
		event_free(ev);
		return;
	}
	ev->path_count = r->ino_count;
	if (r->model &&
	    dir_paths(e->volume, r->model, r->inos, r->ino_count, keep_path, ev, err))
		event_post(e, ev);
	else
		event_free(ev);
}

struct listing {
	VEC(struct listing_entry) entries;
	bool oom;
};

static bool keep_entry(void *arg, const char *name, size_t len, inum_t ino,
		       enum inode_type type)
{
	struct listing *l = arg;
	struct listing_entry entry = {copy_bytes(name, len), len, ino, type};

	if (entry.name && vec_push(&l->entries, entry))
		return true;
	free(entry.name);
	l->oom = true;
	return false;
}

void answer_list(struct engine *e, const struct request *r, uint32_t ticket,
		 struct err *err)
{
	struct event *ev = event_new(EV_LISTING, ticket);
	struct listing l = {0};
	bool ok;

	if (!ev) {
		err_nomem(err);
		return;
	}
	ok = dir_list(e->volume, r->ino_count ? r->inos[0] : 0, keep_entry, &l, err);
	if (l.oom)
		ok = err_nomem(err);
	ev->entries = l.entries.v;
	ev->entry_count = l.entries.n;
	if (ok)
		event_post(e, ev);
	else
		event_free(ev);
}

void answer_lookup(struct engine *e, const struct request *r, uint32_t ticket,
		   struct err *err)
{
	inum_t ino = dir_lookup(e->volume, r->path, err);
	struct event *ev = ino ? event_new(EV_LOOKUP, ticket) : NULL;

	if (!ev) {
		if (ino)
			err_nomem(err);
		return;
	}
	ev->ino = ino;
	event_post(e, ev);
}

void answer_history(struct engine *e, uint32_t ticket, struct err *err)
{
	struct event *ev = event_new(EV_HISTORY, ticket);

	if (ev)
		ev->history = malloc(sizeof(*ev->history));
	if (!ev || !ev->history) {
		event_free(ev);
		err_nomem(err);
		return;
	}
	history_init(ev->history);
	if (history_read(e->journal.buf, e->volume, ev->history, err))
		event_post(e, ev);
	else
		event_free(ev);
}

void answer_journal(struct engine *e, const struct request *r, uint32_t ticket,
		    struct err *err)
{
	struct event *ev = event_new(EV_JOURNAL, ticket);
	const char *path = e->journal.buf;
	struct str name = STR_INIT;
	bool ok = ev || err_nomem(err);

	if (!ok)
		return;
	ev->op = r->op;
	str_add(&name, r->op == OP_EXPORT ? r->path : r->op == OP_ARCHIVE ? "" : path);
	switch (r->op) {
	case OP_SHOW:
		ok = history_files(path, e->volume, r->count, &ev->moved_files, err);
		break;
	case OP_VERIFY:
		ok = history_verify(path, e->volume, &ev->verdict, err);
		break;
	case OP_EXPORT:
		ok = history_export(path, e->volume, r->path, err);
		break;
	case OP_ARCHIVE:
		ok = history_archive(path, &name, err);
		break;
	case OP_FORGET:
		ok = history_forget(path, err);
		break;
	}
	snprintf(ev->text, sizeof(ev->text), "%s", name.buf);
	str_release(&name);
	if (ok)
		event_post(e, ev);
	else
		event_free(ev);
}
