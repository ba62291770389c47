/* SPDX-License-Identifier: GPL-3.0-or-later */
/* filter.c - see filter.h: the words of a filter. */
#include "ui/filter.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "base/num.h"

const char filter_words[] = "fragments> excess> size> size< blocks> inode= first> group= "
			    "score< age< age> type=dir type=file name~ path~";

static const struct {
	const char *word;
	enum filter_key key;
} keys[] = {
	{"fragments", FILTER_FRAGMENTS},
	{"frags", FILTER_FRAGMENTS},
	{"ideal", FILTER_IDEAL},
	{"excess", FILTER_EXCESS},
	{"size", FILTER_SIZE},
	{"blocks", FILTER_BLOCKS},
	{"inode", FILTER_INODE},
	{"first", FILTER_FIRST},
	{"group", FILTER_GROUP},
	{"score", FILTER_SCORE},
	{"age", FILTER_AGE},
	{"type", FILTER_TYPE},
	{"name", FILTER_NAME},
	{"path", FILTER_PATH},
};
#define KEYS (sizeof(keys) / sizeof(keys[0]))

static const struct {
	const char *text;
	enum filter_op op;
} ops[] = {/* the longer ones first */
	   {">=", FILTER_AT_LEAST}, {"<=", FILTER_AT_MOST}, {"!=", FILTER_NOT_EQUAL},
	   {"!~", FILTER_NOT_LIKE}, {"==", FILTER_EQUAL},   {">", FILTER_MORE},
	   {"<", FILTER_LESS},	    {"=", FILTER_EQUAL},    {"~", FILTER_LIKE}};
#define OPS (sizeof(ops) / sizeof(ops[0]))

static bool is_text(enum filter_key key)
{
	return key == FILTER_NAME || key == FILTER_PATH;
}

/* --- parts of a term --- */

struct cursor {
	const char *text;
	int at;
};

static void skip_blanks(struct cursor *c)
{
	c->at += (int)strspn(c->text + c->at, " \t");
}

/* The key at the cursor if an operator follows it; the cursor moves behind it. */
static bool take_key(struct cursor *c, char *word, size_t size)
{
	size_t len = 0, blanks;
	const char *p = c->text + c->at;

	while (isalpha((unsigned char)p[len]))
		len++;
	blanks = strspn(p + len, " \t");
	if (!len || len >= size || !strchr("<>=!~", p[len + blanks]) || !p[len + blanks])
		return false;
	if (p[len + blanks] == '!' && !strchr("=~", p[len + blanks + 1]))
		return false; /* the negation of the next term */
	memcpy(word, p, len);
	word[len] = '\0';
	c->at += (int)(len + blanks);
	return true;
}

static bool find_key(const char *word, enum filter_key *key, struct err *err)
{
	size_t len = strlen(word), hits = 0;

	for (size_t i = 0; i < KEYS; i++) {
		if (strncmp(keys[i].word, word, len))
			continue;
		if (!hits || *key != keys[i].key)
			hits++;
		*key = keys[i].key;
		if (!keys[i].word[len])
			return true;
	}
	if (hits == 1)
		return true;
	err_set(err, ERR_USAGE,
		"\"%s\" is %s; one of: fragments, ideal, excess, size, blocks, inode, "
		"first, group, score, age, type, name, path",
		word, hits ? "not clear" : "nothing to filter by");
	return false;
}

static bool take_op(struct cursor *c, enum filter_op *op)
{
	for (size_t i = 0; i < OPS; i++)
		if (!strncmp(c->text + c->at, ops[i].text, strlen(ops[i].text))) {
			*op = ops[i].op;
			c->at += (int)strlen(ops[i].text);
			skip_blanks(c);
			return true;
		}
	return false;
}

/* A word or "..." or '...'. False: it is too long, or the quote is not closed. */
static bool take_value(struct cursor *c, char *out, size_t size)
{
	const char *p = c->text + c->at;
	char quote = *p == '"' || *p == '\'' ? *p : '\0';
	size_t len =
		quote ? strcspn(p + 1, quote == '"' ? "\"" : "'") : strcspn(p, " \t|");

	if (len >= size || (quote && p[1 + len] != quote))
		return false;
	memcpy(out, p + (quote != '\0'), len);
	out[len] = '\0';
	c->at += (int)(len + (quote ? 2 : 0));
	return true;
}

/* --- values --- */

/* 30 (days), 12h, 2w, 1y. */
static bool parse_age(const char *text, double *days)
{
	static const struct {
		char unit;
		double days;
	} units[] = {{'\0', 1}, {'d', 1}, {'h', 1 / 24.0}, {'w', 7}, {'y', 365.25}};
	char *end;
	double n = strtod(text, &end);

	if (end == text || n < 0 || (*end && end[1]))
		return false;
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (*end == units[i].unit) {
			*days = n * units[i].days;
			return true;
		}
	return false;
}

static bool parse_type(const char *text, double *type)
{
	static const struct {
		const char *word;
		enum inode_type type;
	} types[] = {{"file", INODE_FILE},
		     {"directory", INODE_DIR},
		     {"link", INODE_SYMLINK},
		     {"symlink", INODE_SYMLINK}};

	for (size_t i = 0; *text && i < sizeof(types) / sizeof(types[0]); i++)
		if (!strncmp(types[i].word, text, strlen(text))) {
			*type = types[i].type;
			return true;
		}
	return false;
}

static bool parse_value(struct filter_term *t, const char *value)
{
	uint64_t n = 0;
	char *end;

	switch (t->key) {
	case FILTER_NAME:
	case FILTER_PATH:
		snprintf(t->text, sizeof(t->text), "%.199s", value);
		for (const char *p = value; *p; p++)
			t->exact = t->exact || isupper((unsigned char)*p);
		return *value != '\0';
	case FILTER_TYPE:
		return parse_type(value, &t->number);
	case FILTER_AGE:
		return parse_age(value, &t->number);
	case FILTER_SCORE:
		t->number = strtod(value, &end);
		return end != value && (!*end || !strcmp(end, "%"));
	default:
		if (!num_parse_bytes(value, &n))
			return false;
		t->number = (double)n;
		return true;
	}
}

static bool fits(enum filter_key key, enum filter_op op)
{
	if (op == FILTER_EQUAL || op == FILTER_NOT_EQUAL)
		return true;
	if (op == FILTER_LIKE || op == FILTER_NOT_LIKE)
		return is_text(key);
	return !is_text(key) && key != FILTER_TYPE;
}

/* --- terms --- */

static bool bad_term(const struct cursor *c, int start, struct err *err)
{
	int len = (int)strcspn(c->text + start, " \t|");

	if (c->at - start > len)
		len = c->at - start;
	err_set(err, ERR_USAGE,
		"\"%.*s\" does not say which files; as in: frag>4 size<1M age<30 "
		"type=dir "
		"name~*.log",
		len, c->text + start);
	return false;
}

static bool take_term(struct cursor *c, struct filter_term *t, struct err *err)
{
	int start = c->at;
	char word[20], value[sizeof(t->text)];

	if (c->text[c->at] == '!') {
		t->negated = true;
		c->at++;
		skip_blanks(c);
	}
	if (!take_key(c, word, sizeof(word))) {
		t->key = FILTER_PATH;
		t->op = FILTER_LIKE;
		if (strchr("<>=~", c->text[c->at]))
			return bad_term(c, start, err);
	} else if (!find_key(word, &t->key, err)) {
		c->at = start;
		return false;
	} else if (!take_op(c, &t->op) || !fits(t->key, t->op)) {
		return bad_term(c, start, err);
	}
	if (!take_value(c, value, sizeof(value)) || !parse_value(t, value)) {
		bad_term(c, start, err);
		c->at = start;
		return false;
	}
	return true;
}

bool filter_parse(const char *text, struct filter *out, int *at, struct err *err)
{
	struct cursor c = {text, 0};
	struct filter f = {.now = 0};
	unsigned clause = 0;

	snprintf(f.source, sizeof(f.source), "%.199s", text);
	for (skip_blanks(&c); text[c.at]; skip_blanks(&c)) {
		struct filter_term t = {.clause = clause};
		int start = c.at;

		if (text[c.at] == '|') {
			clause += f.terms.n && f.terms.v[f.terms.n - 1].clause == clause;
			c.at++;
			continue;
		}
		if (!take_term(&c, &t, err) ||
		    (!vec_push(&f.terms, t) && !err_nomem(err))) {
			if (at)
				*at = start;
			filter_release(&f);
			return false;
		}
	}
	*out = f;
	return true;
}

void filter_release(struct filter *f)
{
	vec_release(&f->terms);
	vec_release(&f->times);
	memset(f, 0, sizeof(*f));
}
