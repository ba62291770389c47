/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_complete.c - what the word before the cursor could become. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "ui/bind.h"
#include "ui/cmd_priv.h"
#include "ui/files.h"
#include "ui/filter.h"
#include "ui/options.h"
#include "ui/tree.h"

#define LIST_MS 500 /* a directory that takes longer is not completed */

struct list {
	VEC(char *) words;
	bool oom;
};

static void add(struct list *l, char *word)
{
	if (!word || !vec_push(&l->words, word)) {
		l->oom = true;
		free(word);
	}
}

static void add_if(struct list *l, const char *word, const char *prefix)
{
	if (!strncmp(word, prefix, strlen(prefix)))
		add(l, strdup(word));
}

/* A path as it has to be typed; a directory is left open for what follows. */
static void add_path(struct list *l, const char *path, bool is_dir)
{
	bool quote = path[strcspn(path, " \t;\"'\\")] != '\0' || path[0] == '#';
	struct str s = STR_INIT;

	if (quote)
		str_addc(&s, '"');
	for (; *path; path++) {
		if (quote && (*path == '"' || *path == '\\'))
			str_addc(&s, '\\');
		str_addc(&s, *path);
	}
	if (is_dir)
		str_addc(&s, '/');
	else if (quote)
		str_addc(&s, '"');
	add(l, str_detach(&s));
}

static void add_entry(struct list *l, const char *dir, const char *name, bool is_dir)
{
	struct str path = STR_INIT;

	if (name[strcspn(name, "\n")] == '\0') { /* that cannot be typed */
		str_addf(&path, "%s%s", dir, name);
		add_path(l, path.buf, is_dir);
	}
	str_release(&path);
}

/* --- paths --- */

/* Splits after the last slash: the folder with its slash, malloc'd, and the rest. */
static char *split(const char *word, const char **name)
{
	const char *slash = strrchr(word, '/');

	*name = slash ? slash + 1 : word;
	return strndup(word, (size_t)(*name - word));
}

static void complete_inside(struct app *a, struct list *l, const char *word)
{
	struct request r = {.kind = REQ_LIST};
	struct event *ev = NULL;
	const char *name;
	char *dir = split(word, &name);
	inum_t ino;

	if (!dir || dir[0] != '/' || !a->open)
		goto out;
	ino = dir[1] ? cmd_lookup(a, dir, NULL) : 2;
	r.inos = &ino;
	r.ino_count = 1;
	if (ino)
		ev = app_query(a, &r, LIST_MS, NULL);
	for (size_t i = 0; ev && i < ev->entry_count; i++)
		if (!strncmp(ev->entries[i].name, name, strlen(name)))
			add_entry(l, dir, ev->entries[i].name,
				  ev->entries[i].type == INODE_DIR);
out:
	event_free(ev);
	free(dir);
}

static bool is_folder(const char *dir, const char *name)
{
	struct str path = STR_INIT;
	struct stat st;
	bool is;

	str_addf(&path, "%s%s", dir, name);
	is = stat(path.buf, &st) == 0 && S_ISDIR(st.st_mode);
	str_release(&path);
	return is;
}

static void complete_host(struct list *l, const char *word)
{
	const char *name;
	char *dir = split(word, &name);
	DIR *d = dir ? opendir(dir[0] ? dir : ".") : NULL;
	struct dirent *e;

	while (d && (e = readdir(d)))
		if (!strncmp(e->d_name, name, strlen(name)) &&
		    (e->d_name[0] != '.' || name[0] == '.'))
			add_entry(l, dir, e->d_name, is_folder(dir, e->d_name));
	if (d)
		closedir(d);
	free(dir);
}

/* --- words --- */

static void complete_words(struct list *l, const char *words, const char *prefix)
{
	while (words && *words) {
		size_t len = strcspn(words, " ");
		char *word = strndup(words, len);

		if (word)
			add_if(l, word, prefix);
		free(word);
		words += len + (words[len] == ' ');
	}
}

static void complete_themes(struct list *l, const char *prefix)
{
	size_t n;
	char **names = theme_names(&n);

	for (size_t i = 0; names && i < n; i++)
		add_if(l, names[i], prefix);
	theme_names_free(names, n);
}

/* NAME=VALUE: the names first, then the values of one. */
static void complete_options(struct list *l, const char *prefix)
{
	size_t len = strcspn(prefix, "=");

	for (size_t i = 0; i < ui_option_count; i++) {
		const struct ui_option *o = &ui_options[i];
		struct list values = {0};

		if (!prefix[len]) {
			struct str s = STR_INIT;

			str_addf(&s, "%s=", o->name);
			add_if(l, s.buf, prefix);
			str_release(&s);
			continue;
		}
		if (strlen(o->name) != len || memcmp(o->name, prefix, len))
			continue;
		if (o->values)
			complete_words(&values, o->values, prefix + len + 1);
		else if (!o->unit)
			complete_themes(&values, prefix + len + 1);
		for (size_t k = 0; k < values.words.n; k++) {
			struct str s = STR_INIT;

			str_addf(&s, "%s=%s", o->name, values.words.v[k]);
			add(l, str_detach(&s));
			free(values.words.v[k]);
		}
		vec_release(&values.words);
	}
}

static void complete_aliases(const struct app *a, struct list *l, const char *prefix)
{
	for (size_t i = 0; i < a->aliases.n; i++)
		add_if(l, a->aliases.v[i].name, prefix);
}

static void complete_marks(const struct app *a, struct list *l, const char *prefix)
{
	for (int i = 0; i < MARK_JUMP; i++) {
		char mark[3] = {'\'', (char)(i < 26 ? 'a' + i : 'A' + i - 26), '\0'};

		if (a->map.marks[i].set)
			add_if(l, mark, prefix);
	}
}

static void complete_verbs(struct list *l, const char *prefix)
{
	for (size_t i = 0; i < cmd_count; i++)
		add_if(l, cmd_table[i].verb, prefix);
}

static void complete_argument(struct app *a, struct list *l, const struct cmd *cmd,
			      const char *before, const char *word)
{
	complete_words(l, cmd->words, word);
	switch (cmd->complete) {
	case COMPLETE_VERB:
		complete_verbs(l, word);
		break;
	case COMPLETE_TARGET:
		complete_words(l, "% . @tags region", word);
		complete_inside(a, l, word);
		break;
	case COMPLETE_HOST_PATH:
		complete_host(l, word);
		break;
	case COMPLETE_THEME:
		complete_themes(l, word);
		break;
	case COMPLETE_COLOR:
		complete_words(l, "file kind frag usage age plan", word);
		break;
	case COMPLETE_SORT:
		for (int i = 0; i < SORT_COUNT; i++)
			add_if(l, files_sort_name((enum files_sort)i), word);
		break;
	case COMPLETE_FILTER:
		complete_words(l, filter_words, word);
		if (!strcmp(before, "--sort"))
			for (int i = 0; i < SORT_COUNT; i++)
				add_if(l, files_sort_name((enum files_sort)i), word);
		break;
	case COMPLETE_TREE:
		for (int i = 0; !strcmp(before, "--sort") && i < TREE_SORTS; i++)
			add_if(l, tree_sort_name((enum tree_sort)i), word);
		complete_inside(a, l, word);
		break;
	case COMPLETE_ALIAS:
		complete_aliases(a, l, word);
		break;
	case COMPLETE_MARK:
		complete_marks(a, l, word);
		break;
	case COMPLETE_OPTION:
		complete_options(l, word);
		break;
	default:
		break;
	}
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The command that `head` ends in; an empty last word if it ends in a blank. */
static void last_words(const char *head, struct cmd_words *w)
{
	size_t at = 0, len = strlen(head);
	char *buf = w->buf;
	bool open = false;

	do {
		size_t before = at;

		if (cmd_parse(head, &at, w, NULL) == PARSE_END) {
			w->n = 0;
			break;
		}
		open = at == len;
		if (at == before)
			break;
	} while (!open);
	if (w->n < CMD_WORDS_MAX && (w->n == 0 || (size_t)w->end[w->n - 1] < len)) {
		buf[len + 1] = '\0';
		w->word[w->n] = buf + len + 1;
		w->at[w->n] = w->end[w->n] = (int)len;
		w->n++;
	}
}

char **cmd_complete(struct app *a, const char *line, int end, int *start, size_t *n)
{
	char *head = strndup(line, end < 0 ? 0 : (size_t)end);
	struct cmd_words w = {.buf = head ? malloc(strlen(head) + 3) : NULL};
	struct list l = {0};

	*start = end;
	if (w.buf) {
		const struct cmd *cmd;

		last_words(head, &w);
		*start = w.at[w.n - 1];
		cmd = w.n > 1 ? cmd_find(w.word[0], NULL) : NULL;
		if (w.n == 1) {
			complete_verbs(&l, w.word[0]);
			complete_aliases(a, &l, w.word[0]);
		} else if (cmd)
			complete_argument(a, &l, cmd, w.word[w.n - 2], w.word[w.n - 1]);
	}
	free(head);
	free(w.buf);
	if (l.words.n)
		qsort(l.words.v, l.words.n, sizeof(*l.words.v), by_text);
	*n = l.words.n;
	return l.words.v;
}

void cmd_completions_free(char **list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(list[i]);
	free(list);
}
