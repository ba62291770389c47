/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_bind.c - alias, unalias, bind, unbind. */
#include <ctype.h>
#include <string.h>
#include "ui/bind.h"
#include "ui/cmd_priv.h"

/* Words from `from` on, as they have to be typed. */
static void words_from(const struct cmd_call *c, int from, struct str *out)
{
	for (int i = from; i < c->argc; i++) {
		const char *word = c->argv[i];
		bool quote = !*word || (word[0] != '{' && word[strcspn(word, " \t")]);

		/* One word alone is the line itself: alias big "files size>1M". */
		if (quote && i == from && c->argc == from + 1)
			quote = false;
		str_addf(out, "%s%s%s%s", i > from ? " " : "", quote ? "\"" : "", word,
			 quote ? "\"" : "");
	}
}

/* --- alias --- */

static bool is_name(const char *word, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)word[i]) && !strchr("-_", word[i]))
			return false;
	return len > 0 && len < sizeof(((struct user_alias *)0)->name);
}

static bool is_verb(const char *word)
{
	for (size_t i = 0; i < cmd_count; i++)
		if (!strcmp(cmd_table[i].verb, word))
			return true;
	return false;
}

static void show_alias(struct app *a, const struct user_alias *u)
{
	struct str s = STR_INIT;

	str_add_safe(&s, u->line, strlen(u->line));
	app_print(a, "alias %s %s\n", u->name, s.buf);
	str_release(&s);
}

/* "alias NAME LINE" or "alias NAME=LINE". */
static bool set_alias(struct app *a, struct cmd_call *c, struct err *err)
{
	size_t len = strcspn(c->argv[0], "=");
	struct str line = STR_INIT;
	char name[24];
	bool ok;

	if (!is_name(c->argv[0], len))
		return cmd_bad(c, 0, err,
			       "an alias is a short word of letters, digits, - and _");
	memcpy(name, c->argv[0], len);
	name[len] = '\0';
	if (is_verb(name))
		return cmd_bad(c, 0, err, "%s is a command; take another name", name);
	if (c->argv[0][len])
		str_addf(&line, "%s%s", c->argv[0] + len + 1, c->argc > 1 ? " " : "");
	words_from(c, 1, &line);
	ok = !line.oom && alias_set(a, name, line.buf);
	str_release(&line);
	return ok || err_nomem(err);
}

bool cmd_alias(struct app *a, struct cmd_call *c, struct err *err)
{
	struct user_alias *u;

	if (c->argc > 1 || (c->argc && strchr(c->argv[0], '=')))
		return set_alias(a, c, err);
	if (!c->argc) {
		for (size_t i = 0; i < a->aliases.n; i++)
			show_alias(a, &a->aliases.v[i]);
		if (!a->aliases.n)
			app_print(a, "no aliases; as in: alias big files size>1M\n");
		return true;
	}
	u = alias_find(a, c->argv[0]);
	if (!u)
		return cmd_bad(c, 0, err, "there is no alias %s", c->argv[0]);
	show_alias(a, u);
	return true;
}

bool cmd_unalias(struct app *a, struct cmd_call *c, struct err *err)
{
	if (!cmd_args(c, 1, 1, err))
		return false;
	return alias_unset(a, c->argv[0]) ||
	       cmd_bad(c, 0, err, "there is no alias %s", c->argv[0]);
}

/* --- bind --- */

static bool take_where(struct cmd_call *c, unsigned *where, struct err *err)
{
	const char *word;

	*where = IN_ALL;
	if (!cmd_option(c, "--in", &word, err))
		return false;
	if (!word)
		return true;
	for (unsigned bit = 1; bit & IN_ALL; bit <<= 1)
		if (!strncasecmp(keymap_where_name(bit), word, strlen(word)) && *word) {
			*where = bit;
			return true;
		}
	return cmd_bad(c, -1, err,
		       "\"%s\" is no pane: map, files, inspect, plan, jobs, journal, log",
		       word);
}

static bool take_key(struct cmd_call *c, int *key, struct err *err)
{
	if (bind_parse_key(c->argv[0], key))
		return true;
	return cmd_bad(
		c, 0, err,
		"\"%s\" is no key: x ^X M-x gx F1 to F10 Space Enter Tab Up PgDn...",
		c->argv[0]);
}

static void show_key(struct app *a, const struct user_key *u)
{
	struct str s = STR_INIT;

	str_add_safe(&s, u->line, strlen(u->line));
	app_print(a, "bind ");
	if (u->row.where != IN_ALL)
		app_print(a, "--in %s ", keymap_where_name(u->row.where));
	app_print(a, "%s %s\n", u->name, s.buf);
	str_release(&s);
}

bool cmd_bind(struct app *a, struct cmd_call *c, struct err *err)
{
	struct str line = STR_INIT;
	unsigned where;
	bool ok;
	int key;

	if (!take_where(c, &where, err))
		return false;
	if (!c->argc) {
		for (size_t i = 0; i < a->user_keys.n; i++)
			show_key(a, a->user_keys.v[i]);
		if (!a->user_keys.n)
			app_print(a, "no keys are bound; as in: bind F defrag {file}\n");
		return true;
	}
	if (!take_key(c, &key, err))
		return false;
	if (c->argc < 2)
		return cmd_bad(c, -1, err, "usage: bind %s", c->cmd->args);
	words_from(c, 1, &line);
	ok = !line.oom && bind_set(a, c->argv[0], key, where, line.buf);
	str_release(&line);
	return ok || err_nomem(err);
}

bool cmd_unbind(struct app *a, struct cmd_call *c, struct err *err)
{
	unsigned where;
	int key;

	if (!take_where(c, &where, err) || !cmd_args(c, 1, 1, err) ||
	    !take_key(c, &key, err))
		return false;
	return bind_unset(a, key, where) ||
	       cmd_bad(c, 0, err, "%s was not bound with: bind", c->argv[0]);
}
