/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lesson.c - see lesson.h: finding and playing. */
#include "ui/lesson.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fs/powercut.h"
#include "ui/app_priv.h"
#include "ui/cmd.h"
#include "ui/lesson_priv.h"
#include "ui/share.h"
#include "ui/text_file.h"

/* --- finding --- */

static int folders(struct share_folder f[3])
{
	return share_folders("lessons", "ui/lessons", "fragments.lesson", f);
}

static bool find(const char *name, char path[PATH_MAX])
{
	struct share_folder f[3];
	size_t len = strlen(name);
	int n = folders(f);

	if (len > 7 && !strcmp(name + len - 7, ".lesson"))
		return snprintf(path, PATH_MAX, "%s", name) < PATH_MAX;
	if (!len || *name == '.' || strchr(name, '/'))
		return false;
	for (int i = 0; i < n; i++)
		if (snprintf(path, PATH_MAX, "%s/%s.lesson", f[i].path, name) <
			    PATH_MAX &&
		    access(path, R_OK) == 0)
			return true;
	return false;
}

static void read_title(const char *path, char title[120])
{
	char *text = text_file_read(path, NULL), *p;

	title[0] = '\0';
	p = text ? strstr(text, "title ") : NULL;
	if (p)
		snprintf(title, 120, "%.*s", (int)strcspn(p + 6, "\n"), p + 6);
	free(text);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct lesson_entry *)a)->name,
		      ((const struct lesson_entry *)b)->name);
}

struct lesson_entry *lesson_list(size_t *n)
{
	VEC(struct lesson_entry) list = VEC_INIT;
	struct share_folder f[3];
	int count = folders(f);

	for (int i = 0; i < count; i++) {
		DIR *dir = opendir(f[i].path);
		struct dirent *e;

		while (dir && (e = readdir(dir))) {
			size_t len = strlen(e->d_name);
			struct lesson_entry entry;
			char path[PATH_MAX];
			bool known = false;

			if (len <= 7 || len > 70 ||
			    strcmp(e->d_name + len - 7, ".lesson"))
				continue;
			snprintf(entry.name, sizeof(entry.name), "%.*s", (int)len - 7,
				 e->d_name);
			for (size_t k = 0; k < list.n; k++)
				known = known || !strcmp(list.v[k].name, entry.name);
			if (known || snprintf(path, sizeof(path), "%s/%s", f[i].path,
					      e->d_name) >= PATH_MAX)
				continue;
			read_title(path, entry.title);
			vec_push(&list, entry);
		}
		if (dir)
			closedir(dir);
	}
	if (list.n)
		qsort(list.v, list.n, sizeof(*list.v), by_name);
	*n = list.n;
	return list.v;
}

/* --- beginning and ending --- */

static void remove_folder(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir))) {
		char inner[PATH_MAX];

		if (!strcmp(e->d_name, ".") || !strcmp(e->d_name, "..") ||
		    snprintf(inner, sizeof(inner), "%s/%s", path, e->d_name) >= PATH_MAX)
			continue;
		if (unlink(inner) && errno == EISDIR)
			remove_folder(inner); /* an image's steps */
	}
	if (dir)
		closedir(dir);
	rmdir(path);
}

void lesson_free(struct lesson *l)
{
	if (!l)
		return;
	if (l->dir[0])
		remove_folder(l->dir);
	vec_release(&l->notes.list);
	str_release(&l->caption);
	free(l->journal);
	free(l->text);
	free(l);
}

static struct lesson *lesson_new(const char *name, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	struct lesson *l;
	char path[PATH_MAX];

	if (!find(name, path)) {
		err_set(err, ERR_USAGE, "there is no lesson \"%s\"; see: lesson", name);
		return NULL;
	}
	l = calloc(1, sizeof(*l));
	if (!l) {
		err_nomem(err);
		return NULL;
	}
	str_init(&l->caption);
	snprintf(l->name, sizeof(l->name), "%s", name);
	l->text = text_file_read(path, err);
	l->at = l->text;
	snprintf(l->dir, sizeof(l->dir), "%s/cdefrag-lesson.XXXXXX",
		 tmp && *tmp == '/' ? tmp : "/var/tmp");
	if (l->text && mkdtemp(l->dir))
		return l;
	if (l->text)
		err_set_errno(err, ERR_IO, errno, "cannot make a folder like %s", l->dir);
	l->dir[0] = '\0';
	lesson_free(l);
	return NULL;
}

bool lesson_end(struct app *a, struct err *err)
{
	struct powercut_report cut;
	struct lesson *l = a->lesson;
	bool ok = true;

	if (!l)
		return true;
	powercut_end(&cut);
	if (a->open && !strncmp(a->volume.path, l->dir, strlen(l->dir)))
		ok = app_close(a, err) && app_await(a, a->job, err);
	free(a->journal);
	a->journal = l->journal;
	l->journal = NULL;
	a->lesson = NULL;
	lesson_free(l);
	return ok;
}

/* --- playing --- */

static bool keyword(const char *line, const char *word, const char **rest)
{
	size_t n = strlen(word);

	if (strncmp(line, word, n) || (line[n] && line[n] != ' '))
		return false;
	*rest = line + n + strspn(line + n, " ");
	return true;
}

/* On a terminal captions gather in the box until the next pause. */
static void tell(struct app *a, struct lesson *l, const char *before, const char *text)
{
	if (!a->interactive) {
		app_print(a, "%s%s\n", before, text);
		app_flush(a);
		return;
	}
	if (l->fresh)
		str_clear(&l->caption);
	l->fresh = false;
	str_addf(&l->caption, "%s%s%s", l->caption.len ? "\n" : "", before, text);
}

static bool remember(struct app *a, struct lesson *l, const char *name, struct err *err)
{
	struct lesson_note note;

	snprintf(note.name, sizeof(note.name), "%s", name);
	if (!lesson_figures_now(a, &note.figures, err))
		return false;
	return vec_push(&l->notes.list, note) || err_nomem(err);
}

static bool expect(struct app *a, struct lesson *l, const char *text, struct err *err)
{
	struct str said = STR_INIT;
	bool ok = lesson_expect(a, &l->notes, text, &said, err);

	if (ok)
		tell(a, l, "= ", said.buf);
	str_release(&said);
	return ok;
}

/* $DIR becomes the folder of the lesson. */
static void expand(const struct lesson *l, const char *line, struct str *out)
{
	const char *p;

	while ((p = strstr(line, "$DIR"))) {
		str_addn(out, line, (size_t)(p - line));
		str_add(out, l->dir);
		line = p + 4;
	}
	str_add(out, line);
}

static bool command(struct app *a, struct lesson *l, const char *line, bool must_fail,
		    struct err *err)
{
	struct str text = STR_INIT;
	int code = a->exit_code;
	bool ok;

	tell(a, l, "> ", line);
	expand(l, line, &text);
	l->must_fail = must_fail;
	a->message[0] = '\0';
	a->message_is_error = false;
	ok = cmd_run_line(a, text.buf);
	str_release(&text);
	if (must_fail)
		a->exit_code = code;
	if (a->job) /* on a terminal: judged when it has ended */
		return true;
	l->must_fail = false;
	if (ok == must_fail)
		err_set(err, ERR_REFUSED,
			must_fail ? "\"%s\" should have failed"
				  : "the lesson ends here: \"%s\" failed",
			line);
	return ok != must_fail;
}

/* One line; *wait: it is time for a pause. */
static bool play(struct app *a, struct lesson *l, const char *line, bool *wait,
		 struct err *err)
{
	const char *rest;

	if (!*line || *line == '#')
		return true;
	if (keyword(line, "title", &rest)) {
		tell(a, l, "", rest);
		tell(a, l, "", "");
	} else if (keyword(line, "say", &rest)) {
		tell(a, l, "", rest);
	} else if (keyword(line, "answer", &rest)) {
		tell(a, l, "A: ", rest);
	} else if (keyword(line, "ask", &rest)) {
		tell(a, l, "Q: ", rest);
		*wait = true;
	} else if (keyword(line, "pause", &rest)) {
		*wait = true;
	} else if (keyword(line, "remember", &rest)) {
		return remember(a, l, rest, err);
	} else if (keyword(line, "expect", &rest)) {
		return expect(a, l, rest, err);
	} else if (keyword(line, "fails", &rest)) {
		return command(a, l, rest, true, err);
	} else {
		return command(a, l, line, false, err);
	}
	return true;
}

/* The next line in buf; false at the end. */
static bool next_line(struct lesson *l, char *buf, size_t size)
{
	size_t len = strcspn(l->at, "\n");

	if (!*l->at)
		return false;
	snprintf(buf, size, "%.*s", (int)len, l->at);
	l->at += len + (l->at[len] == '\n');
	l->line++;
	return true;
}

static void say_where(const struct lesson *l, struct err *err)
{
	struct err with = ERR_INIT;

	err_set(&with, err->class, "lesson %s, line %d: %s", l->name, l->line, err->msg);
	*err = with;
}

static bool play_all(struct app *a, struct err *err)
{
	struct lesson *l = a->lesson;
	char line[1024];
	bool ok = true, wait;

	while (ok && next_line(l, line, sizeof(line)))
		ok = play(a, l, line, &wait, err);
	if (!ok)
		say_where(l, err);
	return lesson_end(a, ok ? err : NULL) && ok;
}

bool lesson_start(struct app *a, const char *name, struct err *err)
{
	struct str journal = STR_INIT;
	struct lesson *l;

	if (a->job) {
		err_set(err, ERR_REFUSED, "%s is running; stop it with: stop",
			a->job_name);
		return false;
	}
	if (a->lesson && !a->interactive) {
		err_set(err, ERR_USAGE, "a lesson cannot begin another");
		return false;
	}
	l = lesson_new(name, err);
	if (!l)
		return false;
	if (!lesson_end(a, err)) {
		lesson_free(l);
		return false;
	}
	str_addf(&journal, "%s/undo", l->dir);
	l->journal = a->journal;
	a->journal = str_detach(&journal);
	a->lesson = l;
	return a->interactive || play_all(a, err);
}

/* --- on a terminal --- */

bool lesson_ready(const struct app *a)
{
	return a->lesson && !a->lesson->waiting && !a->lesson->over && !a->job;
}

static void fail_here(struct app *a, struct err *err)
{
	say_where(a->lesson, err);
	app_fail(a, err);
	a->lesson->over = true;
	tell(a, a->lesson, "", err->msg);
}

/* A job that a command began has ended: as it should have? */
static bool judge(struct app *a, struct err *err)
{
	struct lesson *l = a->lesson;

	if (!l->job)
		return true;
	l->job = false;
	if (a->message_is_error == l->must_fail)
		return true;
	err_set(err, ERR_REFUSED,
		l->must_fail ? "that should have failed" : "the lesson ends here: %s",
		a->message);
	return false;
}

void lesson_tick(struct app *a)
{
	struct lesson *l = a->lesson;
	struct err err = ERR_INIT;
	char line[1024];
	bool wait = false;

	if (!judge(a, &err)) {
		fail_here(a, &err);
		return;
	}
	while (!wait && !a->job) {
		if (!next_line(l, line, sizeof(line))) {
			l->over = true;
			return;
		}
		if (!play(a, l, line, &wait, &err)) {
			fail_here(a, &err);
			return;
		}
	}
	l->job = a->job != 0;
	l->waiting = wait;
}

bool lesson_key(struct app *a, int key)
{
	struct lesson *l = a->lesson;

	if (!l || (!l->waiting && !l->over))
		return false;
	if (key == 0x1b || (l->over && (key == ' ' || key == '\r' || key == '\n'))) {
		l->closed = true;
		l->waiting = false;
		l->over = true;
		return true;
	}
	if (l->closed || (key != ' ' && key != '\r' && key != '\n'))
		return false;
	l->waiting = false;
	l->fresh = true;
	return true;
}
