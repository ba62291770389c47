/* SPDX-License-Identifier: GPL-3.0-or-later */
/* engine.c - the facade, see engine.h. The only file of this folder that runs on the
 * front end's side. */
#include <errno.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "src/engine/engine_priv.h"

#define QUEUE_LENGTH 512

static void drop_event(void *ev)
{
	event_free(ev);
}

void task_free(void *task)
{
	struct task *t = task;

	if (!t)
		return;
	free((char *)t->r.path);
	free((char *)t->r.journal);
	free((char *)t->r.title);
	free((inum_t *)t->r.inos);
	free((inum_t *)t->r.goal.inos);
	free(t);
}

struct engine *engine_new(unsigned flags, struct err *err)
{
	struct engine *e = calloc(1, sizeof(*e));
	int rc;

	if (!e) {
		err_nomem(err);
		return NULL;
	}
	e->threaded = flags & ENGINE_THREAD;
	str_init(&e->journal);
	e->requests = queue_new(QUEUE_LENGTH, task_free, false);
	e->events = queue_new(QUEUE_LENGTH, drop_event, e->threaded);
	if (!e->requests || !e->events) {
		err_nomem(err);
		e->threaded = false;
		engine_free(e);
		return NULL;
	}
	rc = e->threaded ? pthread_create(&e->thread, NULL, worker_main, e) : 0;
	if (rc) {
		err_set_errno(err, ERR_IO, rc, "cannot start the worker thread");
		e->threaded = false;
		engine_free(e);
		return NULL;
	}
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	atomic_store(&e->quit, true);
	if (e->events)
		queue_close(e->events); /* a worker that waits to post gives up */
	if (e->requests)
		queue_close(e->requests);
	if (e->threaded)
		pthread_join(e->thread, NULL);
	while (e->job.ops) /* without a thread: let a running job end cleanly */
		worker_step(e, 0);
	for (size_t i = 0; i < e->waiting.n; i++)
		task_free(e->waiting.v[i]);
	vec_release(&e->waiting);
	volume_close(e->volume);
	str_release(&e->journal);
	queue_free(e->requests);
	queue_free(e->events);
	free(e);
}

static bool copy_text(const char **to, const char *from)
{
	*to = from ? strdup(from) : NULL;
	return !from || *to;
}

static bool copy_inos(const inum_t **to, const inum_t *from, size_t n)
{
	inum_t *copy = n ? malloc(n * sizeof(*copy)) : NULL;

	if (copy)
		memcpy(copy, from, n * sizeof(*copy));
	*to = copy;
	return !n || copy;
}

static struct task *task_copy(const struct request *r)
{
	struct task *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->r = *r;
	t->r.path = t->r.journal = t->r.title = NULL;
	t->r.inos = t->r.goal.inos = NULL;
	if (!copy_text(&t->r.path, r->path) || !copy_text(&t->r.journal, r->journal) ||
	    !copy_text(&t->r.title, r->title) ||
	    !copy_inos(&t->r.inos, r->inos, r->ino_count) ||
	    !copy_inos(&t->r.goal.inos, r->goal.inos, r->goal.ino_count)) {
		task_free(t);
		return NULL;
	}
	return t;
}

uint32_t engine_submit(struct engine *e, const struct request *r, struct err *err)
{
	struct task *t = task_copy(r);
	uint32_t ticket;

	if (!t) {
		err_nomem(err);
		return 0;
	}
	if (!engine_busy(e))
		atomic_store(&e->stop, false);
	ticket = t->ticket = ++e->next_ticket;
	atomic_fetch_add(&e->pending, 1);
	if (queue_try_put(e->requests, t))
		return ticket;
	atomic_fetch_sub(&e->pending, 1);
	task_free(t);
	err_set(err, ERR_REFUSED, "the engine has too much to do; try again in a moment");
	return 0;
}

int engine_fd(const struct engine *e)
{
	return queue_fd(e->events);
}

struct event *engine_next(struct engine *e)
{
	return queue_try_take(e->events);
}

bool engine_pump(struct engine *e)
{
	return !e->threaded && worker_step(e, 0);
}

void engine_stop(struct engine *e)
{
	atomic_store(&e->stop, true);
}

bool engine_busy(const struct engine *e)
{
	return atomic_load(&((struct engine *)e)->pending) > 0;
}

/* End of the moves of the inode at index i. */
static size_t inode_end(const struct move *moves, size_t n, size_t i)
{
	size_t end = i + 1;

	while (end < n && moves[end].ino == moves[i].ino &&
	       moves[end].batch == moves[i].batch)
		end++;
	return end;
}

bool engine_apply(struct model *m, const struct move *moves, size_t n, struct err *err)
{
	struct run_list before = {0}, after = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < n;) {
		size_t end = inode_end(moves, n, i);

		before.n = after.n = 0;
		ok = model_runs(m, moves[i].ino, &before) || err_nomem(err);
		ok = ok && extent_apply(&before, moves + i, end - i, &after, err) &&
		     model_replace(m, moves[i].ino, &after, err);
		i = end;
	}
	vec_release(&before);
	vec_release(&after);
	return ok;
}

/* The home of the user we really are: under sudo HOME may be the caller's, where nothing
 * of root's may land. */
static const char *own_home(void)
{
	const char *home = getenv("HOME");
	struct passwd *pw;

	if (!getenv("SUDO_UID") && home && home[0] == '/')
		return home;
	pw = getpwuid(geteuid());
	return pw ? pw->pw_dir : home;
}

bool engine_default_journal(const uint8_t uuid[16], struct str *out, struct err *err)
{
	const char *state = getenv("SUDO_UID") ? NULL : getenv("XDG_STATE_HOME");
	const char *home = own_home();

	if (state && state[0] == '/')
		str_add(out, state);
	else if (home && home[0] == '/')
		str_addf(out, "%s/.local/state", home);
	else {
		err_set(err, ERR_USAGE,
			"no home folder for the undo journal; name one with -z FILE");
		return false;
	}
	str_add(out, "/cdefrag/");
	for (int i = 0; i < 16; i++)
		str_addf(out, "%s%02x", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
			 uuid[i]);
	str_add(out, ".undo");
	return !out->oom || err_nomem(err);
}
