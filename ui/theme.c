/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * theme.c - reads theme files and resolves them for a depth of colour and a charset.
 *
 * A theme starts as a copy of the built-in one, then come the themes it inherits, then
 * its own lines; of each, the sections for this depth after the plain ones.
 */
#include "ui/theme.h"
#include <ctype.h>
#include <ini.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "ui/theme_files.h"

#define INHERIT_MAX 8

enum pass { PASS_HEADER, PASS_PLAIN, PASS_DEPTH, PASS_COUNT };

/* One file being read into a theme. */
struct reader {
	struct theme *theme;
	enum pass pass;
	const char *file;
	const char *text; /* what is left to read */
	int line;
	char inherit[64];
	void (*warn)(void *arg, const char *text);
	void *arg;
};

static const struct {
	const char *section, *key;
} style_keys[STYLE_COUNT] = {
#define X(id, section, key) {section, key},
	THEME_STYLES(X)
#undef X
};

static void warn_line(const struct reader *r, const char *what, const char *word)
{
	char text[PATH_MAX + 200];

	if (!r->warn)
		return;
	snprintf(text, sizeof(text), "%s:%d: %s%s%.80s%s", r->file, r->line, what,
		 *word ? " \"" : "", word, *word ? "\"" : "");
	r->warn(r->arg, text);
}

/* A '#' after a blank starts a comment unless it is a colour or quoted. */
static void strip_comment(char *value)
{
	bool quoted = false;

	for (char *p = value; *p; p++) {
		if (*p == '"')
			quoted = !quoted;
		if (*p == '#' && !quoted && p > value && isblank((unsigned char)p[-1]) &&
		    strspn(p + 1, "0123456789abcdefABCDEF") != 6) {
			*p = '\0';
			return;
		}
	}
}

static bool add_attr(const char *word, uint16_t *attr)
{
	static const struct {
		const char *word;
		uint16_t attr;
	} attrs[] = {{"bold", ATTR_BOLD},
		     {"underline", ATTR_UNDERLINE},
		     {"reverse", ATTR_REVERSE},
		     {"dim", ATTR_DIM}};

	for (size_t i = 0; i < sizeof(attrs) / sizeof(attrs[0]); i++) {
		if (strcmp(word, attrs[i].word) == 0) {
			*attr |= attrs[i].attr;
			return true;
		}
	}
	return false;
}

/* FG [on BG] [attributes] */
static void read_style(struct reader *r, int id, char *value)
{
	struct style style = {COLOR_DEFAULT, COLOR_DEFAULT, 0};
	bool map = strcmp(style_keys[id].section, "map") == 0;
	bool background = false, foreground = false;
	char *save = NULL;

	for (char *word = strtok_r(value, " \t", &save); word;
	     word = strtok_r(NULL, " \t", &save)) {
		if (strcmp(word, "on") == 0 && !background) {
			background = true;
			word = strtok_r(NULL, " \t", &save);
			if (!word || !palette_parse(word, r->theme->depth, &style.bg)) {
				warn_line(r, "no such colour", word ? word : "");
				return;
			}
		} else if (add_attr(word, &style.attr)) {
			continue;
		} else if (foreground ||
			   !palette_parse(word, r->theme->depth, &style.fg)) {
			warn_line(r, "no such colour or attribute", word);
			return;
		} else {
			foreground = true;
		}
	}
	if (map && r->theme->depth != DEPTH_MONO && style.fg == COLOR_DEFAULT) {
		warn_line(r, "a map colour must be explicit, not", "default");
		return;
	}
	r->theme->styles[id] = style;
}

/* Up to `max` colours, or pairs A/B if `second` is not NULL. Returns how many. */
static int read_colors(struct reader *r, char *value, int16_t *first, int16_t *second,
		       int max)
{
	enum theme_depth depth = r->theme->depth;
	char *save = NULL;
	int n = 0, step = second ? 2 : 1;

	for (char *word = strtok_r(value, " \t", &save); word && n < max;
	     word = strtok_r(NULL, " \t", &save)) {
		char *slash = second ? strchr(word, '/') : NULL;

		if (slash)
			*slash = '\0';
		if (!palette_parse(word, depth, &first[n * step]) ||
		    (second && !palette_parse(slash ? slash + 1 : word, depth,
					      &second[n * step]))) {
			warn_line(r, "no such colour", word);
			return 0;
		}
		n++;
	}
	if (n == 0)
		warn_line(r, "a list of colours is missing", "");
	return n;
}

static void read_calm(struct reader *r, char *value)
{
	int16_t list[THEME_CALM_MAX];
	int n = read_colors(r, value, list, NULL, THEME_CALM_MAX);

	if (n > 0) {
		memcpy(r->theme->calm, list, sizeof(list[0]) * (size_t)n);
		r->theme->calm_count = n;
	}
}

static void read_vivid(struct reader *r, char *value)
{
	int16_t list[THEME_VIVID_MAX][2];
	int n = read_colors(r, value, &list[0][0], &list[0][1], THEME_VIVID_MAX);

	if (n > 0) {
		memcpy(r->theme->vivid, list, sizeof(list[0]) * (size_t)n);
		r->theme->vivid_count = n;
	}
}

static void read_ramp(struct reader *r, char *value, int16_t *ramp, int *count)
{
	int16_t list[THEME_RAMP_MAX];
	int n = read_colors(r, value, list, NULL, THEME_RAMP_MAX);

	if (n > 0) {
		memcpy(ramp, list, sizeof(list[0]) * (size_t)n);
		*count = n;
	}
}

/* The character of a quoted string "x" at *p; 0 if there is none of one column. */
static wchar_t read_quoted(const char **p)
{
	struct canvas c;
	const char *start, *end;
	char text[16];
	wchar_t ch = 0;

	*p += strspn(*p, " \t");
	start = *p + 1;
	end = **p == '"' ? strchr(start, '"') : NULL;
	if (!end || end == start || (size_t)(end - start) >= sizeof(text))
		return 0;
	memcpy(text, start, (size_t)(end - start));
	text[end - start] = '\0';
	*p = end + 1;
	/* Drawing it is the decoder. */
	if (text_width(text) == 1 && canvas_init(&c, 1, 1)) {
		struct view v = canvas_view(&c);
		struct style plain = {COLOR_DEFAULT, COLOR_DEFAULT, 0};

		view_text(&v, 0, 0, plain, text);
		ch = c.cells[0].ch;
		canvas_release(&c);
	}
	return ch;
}

/* "UTF-8" "ASCII"; one alone serves both if it is ASCII. */
static void read_glyph(struct reader *r, int id, const char *value)
{
	const char *p = value;
	wchar_t wide = read_quoted(&p), ascii = read_quoted(&p);

	if (ascii == 0)
		ascii = wide;
	if (wide == 0 || ascii < 0x20 || ascii > 0x7E || p[strspn(p, " \t")]) {
		warn_line(r, "wanted: two quoted glyphs, UTF-8 and ASCII, not", value);
		return;
	}
	r->theme->glyphs[id] = r->theme->utf8 ? wide : ascii;
}

static int find_style(const char *section, const char *key)
{
	for (int i = 0; i < STYLE_COUNT; i++)
		if (strcmp(style_keys[i].section, section) == 0 &&
		    strcmp(style_keys[i].key, key) == 0)
			return i;
	return -1;
}

static void read_key(struct reader *r, const char *section, const char *key, char *value)
{
	struct theme *t = r->theme;
	int id = find_style(strcmp(section, "glyphs") == 0 ? "map" : section, key);

	if (strcmp(section, "glyphs") == 0 && id >= 0)
		read_glyph(r, id, value);
	else if (id >= 0)
		read_style(r, id, value);
	else if (strcmp(section, "files") == 0 && strcmp(key, "calm") == 0)
		read_calm(r, value);
	else if (strcmp(section, "files") == 0 && strcmp(key, "vivid") == 0)
		read_vivid(r, value);
	else if (strcmp(section, "heat") == 0 && strcmp(key, "ramp") == 0)
		read_ramp(r, value, t->heat, &t->heat_count);
	else if (strcmp(section, "usage") == 0 && strcmp(key, "ramp") == 0)
		read_ramp(r, value, t->usage, &t->usage_count);
	else
		warn_line(r, "unknown key", key);
}

static void read_header(struct reader *r, const char *key, const char *value)
{
	if (strcmp(key, "name") == 0)
		snprintf(r->theme->name, sizeof(r->theme->name), "%.63s", value);
	else if (strcmp(key, "inherit") == 0)
		snprintf(r->inherit, sizeof(r->inherit), "%.63s", value);
	else
		warn_line(r, "unknown key", key);
}

/* 256, 8, mono; -1: none of them. */
static int parse_depth(const char *text)
{
	if (strcmp(text, "256") == 0)
		return DEPTH_256;
	if (strcmp(text, "8") == 0)
		return DEPTH_8;
	return strcmp(text, "mono") == 0 ? DEPTH_MONO : -1;
}

/* What a section says: in which pass it counts, and into which theme it is read (a
 * scratch copy if it is for another depth, so that its mistakes are still found). */
static void read_section(struct reader *r, char *section, const char *key, char *value)
{
	struct theme scratch = *r->theme, *own = r->theme;
	char *at = strchr(section, '@');
	int depth = -1;

	if (at) {
		*at = '\0';
		depth = parse_depth(at + 1);
	}
	if ((at != NULL) != (r->pass == PASS_DEPTH))
		return;
	if (at && depth < 0) {
		warn_line(r, "unknown depth (256, 8, mono)", at + 1);
		return;
	}
	if (at)
		scratch.depth = (enum theme_depth)depth;
	else if (own->depth == DEPTH_MONO && strcmp(section, "glyphs") != 0)
		scratch.depth = DEPTH_256;
	else
		scratch.depth = own->depth;
	r->theme = scratch.depth == own->depth ? own : &scratch;
	read_key(r, section, key, value);
	r->theme = own;
}

static int on_key(void *arg, const char *section, const char *key, const char *value)
{
	struct reader *r = arg;
	char name[64], copy[256];

	snprintf(name, sizeof(name), "%s", section);
	snprintf(copy, sizeof(copy), "%s", value);
	strip_comment(copy);
	for (size_t n = strlen(copy); n > 0 && isblank((unsigned char)copy[n - 1]); n--)
		copy[n - 1] = '\0';
	if (*name == '\0' && r->pass == PASS_HEADER)
		read_header(r, key, copy);
	else if (*name != '\0' && r->pass != PASS_HEADER)
		read_section(r, name, key, copy);
	return 1;
}

/* fgets over the text. Blanks in front go, or libinih would take the line for a
 * continuation. */
static char *next_line(char *buf, int size, void *arg)
{
	struct reader *r = arg;
	size_t n, len;

	if (*r->text == '\0')
		return NULL;
	r->line++;
	n = strcspn(r->text, "\n");
	len = strspn(r->text, " \t");
	if (len > n)
		len = n;
	if (n - len + 1 >= (size_t)size) {
		if (r->pass == PASS_HEADER)
			warn_line(r, "line too long, cut", "");
		snprintf(buf, (size_t)size, "%.*s", size - 1, r->text + len);
	} else {
		snprintf(buf, (size_t)size, "%.*s", (int)(n - len), r->text + len);
	}
	r->text += n + (r->text[n] == '\n');
	return buf;
}

/* One pass over a text. False: a line that is neither a section nor a key. */
static bool run_pass(struct reader *r, enum pass pass, const char *text, struct err *err)
{
	int bad;

	r->pass = pass;
	r->text = text;
	r->line = 0;
	bad = ini_parse_stream(next_line, r, on_key, r);
	if (bad == 0)
		return true;
	if (bad < 0)
		return err_nomem(err);
	err_set(err, ERR_USAGE, "%s:%d: neither a [section] nor KEY = VALUE", r->file,
		bad);
	return false;
}

void theme_default(struct theme *t, enum theme_depth depth, bool utf8)
{
	struct reader r = {.theme = t, .file = "default"};

	memset(t, 0, sizeof(*t));
	t->depth = depth;
	t->utf8 = utf8;
	for (int i = 0; i < STYLE_COUNT; i++) {
		t->styles[i].fg = t->styles[i].bg = COLOR_DEFAULT;
		t->glyphs[i] = L' ';
	}
	for (int pass = PASS_HEADER; pass < PASS_COUNT; pass++)
		run_pass(&r, (enum pass)pass, theme_builtin, NULL);
}

/* Reads a theme and, first, those it inherits. */
static bool load_chain(struct reader *r, const char *name, int level, struct err *err)
{
	struct reader own = *r;
	char path[PATH_MAX], *text = NULL;
	bool ok = false;

	if (level > INHERIT_MAX) {
		err_set(err, ERR_USAGE, "%s: themes inherit each other in a circle",
			name);
		return false;
	}
	if (!theme_find(name, path)) {
		if (strcmp(name, "default") == 0)
			return true; /* the built-in one is there already */
		err_set(err, ERR_USAGE, "no theme named \"%s\"", name);
		return false;
	}
	text = theme_read(path, err);
	if (!text)
		return false;
	own.file = path;
	own.inherit[0] = '\0';
	ok = run_pass(&own, PASS_HEADER, text, err) &&
	     (own.inherit[0] == '\0' || load_chain(r, own.inherit, level + 1, err)) &&
	     run_pass(&own, PASS_PLAIN, text, err) &&
	     run_pass(&own, PASS_DEPTH, text, err);
	own.warn = NULL;
	if (ok) /* again: the name is its own, not the inherited one */
		run_pass(&own, PASS_HEADER, text, NULL);
	free(text);
	return ok;
}

bool theme_load(struct theme *t, const char *name, enum theme_depth depth, bool utf8,
		void (*warn)(void *arg, const char *text), void *arg, struct err *err)
{
	struct theme next;
	struct reader r = {.theme = &next, .warn = warn, .arg = arg};

	theme_default(&next, depth, utf8);
	if (!load_chain(&r, name, 0, err))
		return false;
	*t = next;
	return true;
}
