/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_parse.c - a line into words, words into options, numbers and ranges.
 *
 * Blanks part words, `;` and line ends part commands, `#` at the start of a word begins a
 * comment. "..." keeps all but \" and \\, '...' keeps everything, \ outside of quotes
 * keeps the next character; \xNN outside of '...' is the byte NN, so that a name can be
 * typed as str_add_safe() prints it. A mark ('x) is no quote: a letter and the end of a word, a comma or
 * a plus follow. A word that begins with { goes on to its }, blanks and all; what is in it is left
 * as it is.
 */
#include <ctype.h>
#include <string.h>
#include "base/num.h"
#include "ui/cmd_priv.h"

static bool is_end(char c)
{
	return c == '\0' || c == ';' || c == '\n';
}

static size_t skip_blanks(const char *line, size_t at)
{
	while (line[at] == ' ' || line[at] == '\t' || line[at] == '\r')
		at++;
	if (line[at] == '#')
		at += strcspn(line + at, "\n");
	return at;
}

/* Is this apostrophe the first character of a mark's name? */
static bool is_mark(const char *at)
{
	bool letter = (at[1] >= 'a' && at[1] <= 'z') || (at[1] >= 'A' && at[1] <= 'Z');

	return letter && strchr(" \t\r\n;,+", at[2]);
}

/* {...} as it stands; a quote may hold a brace. *open: it is not closed. */
static size_t read_braces(const char *line, size_t at, char **to, char *open)
{
	char quote = '\0', c;

	*open = '{';
	while (*open && (c = line[at]) != '\0' && c != '\n') {
		if (c == quote)
			quote = '\0';
		else if (!quote && (c == '"' || c == '\''))
			quote = c;
		else if (!quote && c == '}')
			*open = '\0';
		*(*to)++ = c;
		at++;
	}
	*(*to)++ = '\0';
	return at;
}

/* The byte that \xNN means, NN being at `at`; 0 if it is none (a word has no NUL). */
static char escaped_byte(const char *at)
{
	unsigned byte = 0;

	for (int i = 0; i < 2; i++) {
		char c = at[i];

		if (!isxdigit((unsigned char)c))
			return '\0';
		byte = byte * 16 + (unsigned)(c <= '9' ? c - '0' : (c | 0x20) - 'a' + 10);
	}
	return (char)byte;
}

/* What the backslash at line[at - 1] stands for; *after: where the line goes on. */
static char read_escape(const char *line, size_t at, bool quoted, size_t *after)
{
	char byte = line[at] == 'x' ? escaped_byte(line + at + 1) : '\0';

	*after = at;
	if (byte) {
		*after = at + 3;
		return byte;
	}
	if (!line[at] || (quoted && line[at] != '"' && line[at] != '\\'))
		return '\\';
	*after = at + 1;
	return line[at];
}

/* Copies one word to `to` and returns where it ends. *open: a quote is not closed. */
static size_t read_word(const char *line, size_t at, char **to, char *open)
{
	char quote = '\0', c;

	if (line[at] == '{')
		return read_braces(line, at, to, open);
	while ((c = line[at]) != '\0') {
		if (!quote && (is_end(c) || c == ' ' || c == '\t' || c == '\r'))
			break;
		at++;
		if (c == quote) {
			quote = '\0';
		} else if (!quote && c == '\'' && is_mark(line + at - 1)) {
			*(*to)++ = c;
		} else if (!quote && (c == '"' || c == '\'')) {
			quote = c;
		} else {
			if (c == '\\' && quote != '\'')
				c = read_escape(line, at, quote, &at);
			*(*to)++ = c;
		}
	}
	*(*to)++ = '\0';
	*open = quote;
	return at;
}

enum parse_state cmd_parse(const char *line, size_t *at, struct cmd_words *out,
			   struct err *err)
{
	char *to = out->buf;

	out->n = 0;
	out->open = '\0';
	do { /* empty commands are passed over */
		*at = skip_blanks(line, *at);
		if (line[*at] == '\0')
			return PARSE_END;
	} while (is_end(line[*at]) && ++*at);
	while (!is_end(line[*at])) {
		if (out->n == CMD_WORDS_MAX) {
			err_set(err, ERR_USAGE, "more than %d words", CMD_WORDS_MAX);
			return PARSE_BAD;
		}
		out->word[out->n] = to;
		out->at[out->n] = (int)*at;
		*at = read_word(line, *at, &to, &out->open);
		out->end[out->n++] = (int)*at;
		if (out->open) {
			err_set(err, ERR_USAGE, "the %s %c is not closed",
				out->open == '{' ? "brace" : "quote", out->open);
			return PARSE_BAD;
		}
		*at = skip_blanks(line, *at);
	}
	return PARSE_COMMAND;
}

/* --- what handlers do with words --- */

static void drop_word(struct cmd_call *c, int i)
{
	c->argc--;
	for (; i < c->argc; i++) {
		c->argv[i] = c->argv[i + 1];
		c->at[i] = c->at[i + 1];
	}
}

bool cmd_flag(struct cmd_call *c, const char *name)
{
	for (int i = 0; i < c->argc; i++)
		if (!strcmp(c->argv[i], name)) {
			drop_word(c, i);
			return true;
		}
	return false;
}

bool cmd_option(struct cmd_call *c, const char *name, const char **value, struct err *err)
{
	size_t len = strlen(name);

	*value = NULL;
	for (int i = 0; i < c->argc; i++) {
		if (strncmp(c->argv[i], name, len))
			continue;
		if (c->argv[i][len] == '=') {
			*value = c->argv[i] + len + 1;
			drop_word(c, i);
			return true;
		}
		if (c->argv[i][len])
			continue;
		if (i + 1 == c->argc)
			return cmd_bad(c, i, err, "%s needs a value", name);
		*value = c->argv[i + 1];
		drop_word(c, i);
		drop_word(c, i);
		return true;
	}
	return true;
}

bool cmd_bad(struct cmd_call *c, int i, struct err *err, const char *fmt, ...)
{
	char text[ERR_MSG_MAX];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	c->bad = i;
	err_set(err, ERR_USAGE, "%s", text);
	return false;
}

bool cmd_args(struct cmd_call *c, int min, int max, struct err *err)
{
	for (int i = 0; i < c->argc; i++)
		if (c->argv[i][0] == '-' && c->argv[i][1] == '-')
			return cmd_bad(c, i, err, "%s has no option %s", c->cmd->verb,
				       c->argv[i]);
	if (c->argc < min)
		return cmd_bad(c, -1, err, "usage: %s %s", c->cmd->verb, c->cmd->args);
	if (c->argc > max)
		return cmd_bad(c, max, err, "one word too many; usage: %s%s%s",
			       c->cmd->verb, c->cmd->args[0] ? " " : "", c->cmd->args);
	return true;
}

bool cmd_number(struct cmd_call *c, int i, uint64_t min, uint64_t max, uint64_t *out,
		struct err *err)
{
	uint64_t n;

	if (!num_parse_u64(c->argv[i], &n))
		return cmd_bad(c, i, err, "\"%s\" is not a number", c->argv[i]);
	if (n < min || n > max)
		return cmd_bad(c, i, err, "%s is not in %llu to %llu", c->argv[i],
			       (unsigned long long)min, (unsigned long long)max);
	*out = n;
	return true;
}
