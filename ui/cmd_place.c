/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_place.c - places by name: ranges of blocks, marks, the region. */
#include <string.h>
#include "base/num.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"
#include "ui/place.h"
#include "ui/search.h"

/* --- ranges --- */

/* A block number or 'x. False with err clear: neither. */
static bool parse_end(const struct app *a, const char *text, size_t len, blkno_t *out,
		      struct err *err)
{
	char copy[32];
	int mark;

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	if (copy[0] != '\'' || len != 2)
		return num_parse_u64(copy, out);
	mark = mark_index(copy[1]);
	if (mark < 0)
		return false;
	*out = a->map.marks[mark].block;
	if (!a->map.marks[mark].set)
		err_set(err, ERR_USAGE, "there is no mark %c; set one with: mark %c",
			copy[1], copy[1]);
	return a->map.marks[mark].set;
}

static bool group_range(const struct geom *g, const char *number, struct range *out,
			struct err *err)
{
	uint64_t n;

	if (!num_parse_u64(number, &n))
		return false;
	if (n >= g->groups) {
		err_set(err, ERR_USAGE, "there is no group %llu; the last is %u",
			(unsigned long long)n, g->groups - 1);
		return false;
	}
	out->start = geom_group_start(g, (group_t)n);
	out->len = geom_group_len(g, (group_t)n);
	return true;
}

static bool is_region(const char *word)
{
	return !strcmp(word, "region") || !strcmp(word, "sel");
}

bool cmd_range(const struct app *a, const char *word, struct range *out, struct err *err)
{
	const struct geom *g = model_geom(a->model);
	size_t len = strcspn(word, ",+");
	blkno_t from, to;

	if (word[0] == 'g')
		return group_range(g, word + 1, out, err);
	if (is_region(word)) {
		*out = a->map.region;
		if (!out->len)
			err_set(err, ERR_USAGE,
				"there is no region; v on the map selects one, or: "
				"region a,b");
		return out->len > 0;
	}
	if (!parse_end(a, word, len, &from, err))
		return false;
	to = from;
	if (word[len] && !parse_end(a, word + len + 1, strlen(word + len + 1), &to, err))
		return false;
	if (word[len] == '+')
		to = to && from + to > from ? from + to - 1 : BLKNO_NONE;
	if (word[len] == ',' && word[0] == '\'' && to < from) { /* marks in any order */
		blkno_t first = to;

		to = from;
		from = first;
	}
	if (from < g->first_block || to < from || to >= g->blocks) {
		err_set(err, ERR_USAGE, "blocks are %llu to %llu",
			(unsigned long long)g->first_block,
			(unsigned long long)g->blocks - 1);
		return false;
	}
	*out = (struct range){from, to - from + 1};
	return true;
}

/* Word i as a range; "." is the cursor. */
static bool range_arg(struct app *a, struct cmd_call *c, int i, struct range *out,
		      struct err *err)
{
	if (!strcmp(c->argv[i], ".")) {
		*out = (struct range){a->map.cursor, 1};
		return true;
	}
	if (cmd_range(a, c->argv[i], out, err))
		return true;
	if (!err_isset(err))
		return cmd_bad(c, i, err, "\"%s\" is no place: BLOCK, a,b, a+len, gN, 'x",
			       c->argv[i]);
	c->bad = i;
	return false;
}

bool cmd_search(struct app *a, struct cmd_call *c, struct err *err)
{
	bool back = cmd_flag(c, "--back");

	return cmd_args(c, 0, 1, err) && app_need_model(a, err) &&
	       search_start(a, c->argc ? c->argv[0] : NULL, back, err);
}

/* --- marks --- */

bool cmd_mark(struct app *a, struct cmd_call *c, struct err *err)
{
	struct range r = {a->map.cursor, 1};
	const char *name;
	int mark = -1;

	if (!cmd_args(c, 1, 2, err) || !app_need_model(a, err))
		return false;
	name = c->argv[0][0] == '\'' ? c->argv[0] + 1 : c->argv[0];
	if (name[0] && !name[1] && name[0] != '\'')
		mark = mark_index(name[0]);
	if (mark < 0)
		return cmd_bad(c, 0, err, "a mark is one letter, a to z or A to Z");
	if (c->argc == 2 && !range_arg(a, c, 1, &r, err))
		return false;
	a->map.marks[mark].set = true;
	a->map.marks[mark].block = r.start;
	if (a->interactive)
		app_say(a, "mark %s is block %llu", name, (unsigned long long)r.start);
	return true;
}

static json_t *mark_json(char name, blkno_t block)
{
	char text[2] = {name, '\0'};

	return json_pack("{s:s, s:I}", "mark", text, "block", (json_int_t)block);
}

bool cmd_marks(struct app *a, struct cmd_call *c, struct err *err)
{
	struct str s = STR_INIT;
	json_t *all;

	if (!cmd_args(c, 0, 0, err))
		return false;
	all = a->json ? json_array() : NULL;
	for (int i = 0; i < MARK_JUMP; i++) {
		char name = (char)(i < 26 ? 'a' + i : 'A' + i - 26);

		if (!a->map.marks[i].set)
			continue;
		str_clear(&s);
		app_readout(a, a->map.marks[i].block, 0, &s);
		if (all)
			json_array_append_new(all,
					      mark_json(name, a->map.marks[i].block));
		else
			app_print(a, "%c  %s\n", name, s.buf);
	}
	str_release(&s);
	if (all)
		json_print(a, all);
	else if (!a->out->len)
		app_print(a, "no mark is set; set one with: mark a\n");
	return true;
}

/* --- the region --- */

static void show_region(struct app *a)
{
	struct str s = STR_INIT;

	if (a->json) {
		json_print(a, a->map.region.len
				      ? json_pack("{s:I, s:I}", "first_block",
						  (json_int_t)a->map.region.start,
						  "blocks", (json_int_t)a->map.region.len)
				      : json_pack("{s:I}", "blocks", (json_int_t)0));
		return;
	}
	region_text(a, &s);
	app_print(a, "%s\n", s.len ? s.buf : "no region is selected");
	str_release(&s);
}

bool cmd_region(struct app *a, struct cmd_call *c, struct err *err)
{
	struct range r;

	if (!cmd_args(c, 0, 1, err) || !app_need_model(a, err))
		return false;
	if (c->argc && !strcmp(c->argv[0], "clear")) {
		region_clear(a);
		return true;
	}
	if (c->argc) {
		if (!range_arg(a, c, 0, &r, err))
			return false;
		a->map.region = r;
		a->map.selecting = false;
		if (a->interactive)
			return true;
	}
	show_region(a);
	return true;
}
