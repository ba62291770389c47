/* SPDX-License-Identifier: GPL-3.0-or-later */
/* search.c - see search.h. */
#include "ui/search.h"
#include <ctype.h>
#include <fnmatch.h>
#include <stdio.h>
#include <string.h>
#include "ui/files.h"
#include "ui/names.h"
#include "ui/place.h"

#define SLICE 40000 /* paths looked at before keys have their turn: some 4 ms */

static bool has_upper(const char *s)
{
	while (*s && !isupper((unsigned char)*s))
		s++;
	return *s;
}

static bool matches(const char *text, const char *path)
{
	bool exact = has_upper(text);
	const char *name = strrchr(path, '/');

	if (text[strcspn(text, "*?[")]) {
		int flags = exact ? 0 : FNM_CASEFOLD;

		return !fnmatch(text, name ? name + 1 : path, flags) ||
		       !fnmatch(text, path, flags);
	}
	return (exact ? strstr(path, text) : strcasestr(path, text)) != NULL;
}

/* Place in the list of the i-th file to be looked at. */
static size_t place(const struct app *a, size_t i)
{
	size_t n = a->files->list.n;

	return a->search.back ? (a->search.from + n - i % n) % n
			      : (a->search.from + i) % n;
}

static void found(struct app *a, size_t at)
{
	bool wrapped = a->search.back ? at >= a->search.from : at <= a->search.from;
	inum_t ino = a->files->list.v[at];
	struct str s = STR_INIT;
	const char *path;
	size_t len;

	a->search.active = false;
	mark_jump(a, a->map.cursor);
	app_select(a, ino, true);
	a->inspect_follow = true;
	path = names_get(a->names, ino, &len);
	if (path)
		str_add_safe(&s, path, len);
	if (!a->interactive)
		app_print(a, "%s\n", s.buf);
	else
		app_say(a, "%s%s", s.buf,
			wrapped ? "  (went on from the other end)" : "");
	str_release(&s);
}

/* Asks for the paths of the next files. False: they cannot be had now. */
static bool ask(struct app *a)
{
	static inum_t inos[NAMES_ASK_MAX];
	size_t n = 0, all = a->files->list.n;

	while (n < NAMES_ASK_MAX && a->search.done + n < all) {
		inos[n] = a->files->list.v[place(a, a->search.done + 1 + n)];
		n++;
	}
	return names_ask(a->names, a, inos, n) > 0;
}

bool search_ready(const struct app *a)
{
	return a->search.active && !names_busy(a->names);
}

bool search_step(struct app *a)
{
	size_t n = a->files->list.n, len, end = a->search.done + SLICE;

	if (!a->search.active)
		return false;
	for (; a->search.done < n && a->search.done < end; a->search.done++) {
		size_t at = place(a, a->search.done + 1);
		const char *path = names_get(a->names, a->files->list.v[at], &len);

		if (!path && a->interactive && (names_busy(a->names) || ask(a)))
			return true;
		if (path && matches(a->search.text, path)) {
			found(a, at);
			return true;
		}
	}
	if (a->search.done < n)
		return true;
	a->search.active = false;
	if (a->interactive)
		app_say(a, "no path matches \"%s\"", a->search.text);
	return true;
}

void search_stop(struct app *a)
{
	a->search.active = false;
}

/* Batch mode: until it is found, or not. */
static bool search_now(struct app *a, struct err *err)
{
	if (!names_fetch(a->names, a, a->files->list.v, a->files->list.n, err))
		return false;
	a->message[0] = '\0';
	while (a->search.active)
		search_step(a);
	if (a->out->len)
		return true;
	err_set(err, ERR_REFUSED, "no path matches \"%s\"", a->search.text);
	return false;
}

bool search_start(struct app *a, const char *text, bool back, struct err *err)
{
	if (text)
		snprintf(a->search.text, sizeof(a->search.text), "%s", text);
	if (!a->search.text[0]) {
		err_set(err, ERR_USAGE,
			"nothing was looked for yet; as in: search passwd");
		return false;
	}
	if (!a->interactive && !a->files->list.n && !files_refresh(a->files, a, err))
		return false;
	if (!a->files->list.n) {
		err_set(err, ERR_REFUSED, "there are no files in the list");
		return false;
	}
	files_goto(a->files, a->selected);
	a->search.back = back;
	a->search.from = a->files->cursor;
	a->search.done = 0;
	a->search.active = true;
	if (!a->interactive)
		return search_now(a, err);
	app_say(a, "looking for \"%s\"...", a->search.text);
	search_step(a);
	return true;
}
