/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bind.c - see bind.h. */
#include "ui/bind.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

/* --- keys by name --- */

static const struct {
	const char *name;
	int key;
} names[] = {
	{"Space", ' '},
	{"Enter", '\r'},
	{"Tab", '\t'},
	{"S-Tab", KEY_UI_BACKTAB},
	{"Up", KEY_UI_UP},
	{"Down", KEY_UI_DOWN},
	{"Left", KEY_UI_LEFT},
	{"Right", KEY_UI_RIGHT},
	{"Home", KEY_UI_HOME},
	{"End", KEY_UI_END},
	{"PgUp", KEY_UI_PGUP},
	{"PgDn", KEY_UI_PGDN},
	{"Insert", KEY_UI_INSERT},
	{"Delete", KEY_UI_DELETE},
	{"Backspace", KEY_UI_BACKSPACE},
};

/* One character of the locale. */
static bool one_char(const char *text, int *key)
{
	mbstate_t state;
	wchar_t ch;
	size_t n;

	memset(&state, 0, sizeof(state));
	n = mbrtowc(&ch, text, strlen(text), &state);
	if (n == 0 || n > strlen(text) || text[n] || ch < 0x20 || ch == 0x7f)
		return false;
	*key = (int)ch;
	return true;
}

bool bind_parse_key(const char *name, int *key)
{
	unsigned f;
	char rest;

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(name, names[i].name)) {
			*key = names[i].key;
			return true;
		}
	if (sscanf(name, "F%u%c", &f, &rest) == 1 && f >= 1 && f <= 10) {
		*key = KEY_UI_F1 + (int)f - 1;
		return true;
	}
	if ((name[0] == '^' && name[1] && !name[2]) ||
	    (!strncmp(name, "C-", 2) && name[2] && !name[3])) {
		int letter = name[name[0] == '^' ? 1 : 2];

		*key = KEY_CTRL(letter);
		return (letter >= 'a' && letter <= 'z') ||
		       (letter >= 'A' && letter <= 'Z');
	}
	if (!strncmp(name, "M-", 2) && one_char(name + 2, key)) {
		*key += KEY_UI_META;
		return true;
	}
	if (name[0] == 'g' && one_char(name + 1, key)) {
		*key = KEY_AFTER_G(*key);
		return true;
	}
	return one_char(name, key);
}

/* --- keys --- */

static size_t key_place(const struct app *a, int key, unsigned where)
{
	size_t i = 0;

	while (i < a->user_keys.n && (a->user_keys.v[i]->row.keys[0] != key ||
				      !(a->user_keys.v[i]->row.where & where)))
		i++;
	return i;
}

static void free_key(struct user_key *u)
{
	free(u->line);
	free(u);
}

bool bind_unset(struct app *a, int key, unsigned where)
{
	size_t i = key_place(a, key, where);

	if (i == a->user_keys.n)
		return false;
	free_key(a->user_keys.v[i]);
	memmove(a->user_keys.v + i, a->user_keys.v + i + 1,
		(--a->user_keys.n - i) * sizeof(*a->user_keys.v));
	return true;
}

bool bind_set(struct app *a, const char *name, int key, unsigned where, const char *line)
{
	struct user_key *u = calloc(1, sizeof(*u));

	if (!u || !(u->line = strdup(line)) ||
	    !vec_reserve(&a->user_keys, a->user_keys.n + 1)) {
		if (u)
			free_key(u);
		return false;
	}
	while (bind_unset(a, key, where))
		;
	snprintf(u->name, sizeof(u->name), "%.23s", name);
	snprintf(u->label, sizeof(u->label), "%.*s",
		 (int)strcspn(line + (line[0] == ':'), " !;"), line + (line[0] == ':'));
	u->row = (struct keymap_row){.keys = {key},
				     .where = where,
				     .act = line[0] == ':' ? ACT_PROMPT : ACT_LINE,
				     .line = u->line + (line[0] == ':'),
				     .name = u->name,
				     .help = u->line,
				     .bar = u->label};
	a->user_keys.v[a->user_keys.n++] = u;
	return true;
}

const struct keymap_row *bind_find(const struct app *a, int key, unsigned where)
{
	size_t i = key_place(a, key, where);

	return i < a->user_keys.n ? &a->user_keys.v[i]->row : keymap_find(key, where);
}

/* --- words --- */

static size_t alias_place(const struct app *a, const char *name)
{
	size_t i = 0;

	while (i < a->aliases.n && strcmp(a->aliases.v[i].name, name))
		i++;
	return i;
}

struct user_alias *alias_find(struct app *a, const char *name)
{
	size_t i = alias_place(a, name);

	return i < a->aliases.n && !a->aliases.v[i].busy ? &a->aliases.v[i] : NULL;
}

bool alias_unset(struct app *a, const char *name)
{
	size_t i = alias_place(a, name);

	if (i == a->aliases.n || a->aliases.v[i].busy)
		return false;
	free(a->aliases.v[i].line);
	a->aliases.v[i] = a->aliases.v[--a->aliases.n];
	return true;
}

bool alias_set(struct app *a, const char *name, const char *line)
{
	struct user_alias new = {.line = strdup(line)};
	size_t i = alias_place(a, name);

	snprintf(new.name, sizeof(new.name), "%s", name);
	if (new.line && i < a->aliases.n) { /* perhaps the one that is being run */
		free(a->aliases.v[i].line);
		a->aliases.v[i].line = new.line;
		return true;
	}
	if (new.line && vec_push(&a->aliases, new))
		return true;
	free(new.line);
	return false;
}

void bind_release(struct app *a)
{
	for (size_t i = 0; i < a->user_keys.n; i++)
		free_key(a->user_keys.v[i]);
	vec_release(&a->user_keys);
	for (size_t i = 0; i < a->aliases.n; i++)
		free(a->aliases.v[i].line);
	vec_release(&a->aliases);
}
