/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_goal.c - the goals as commands: words and options into a goal_request, which the
 * engine plans. Nothing here writes to the volume.
 */
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "ui/cmd_goal.h"
#include "ui/cmd_plan.h"
#include "ui/cmd_priv.h"

/* A goal on its way from words to a request. */
struct wish {
	struct request r;
	struct inum_list inos;
	struct str title;
};

static void wish_init(struct wish *w, enum goal goal, const struct cmd_call *c)
{
	memset(w, 0, sizeof(*w));
	w->r.kind = REQ_PLAN;
	w->r.goal.goal = goal;
	str_init(&w->title);
	str_addf(&w->title, "%s", goal_name(goal));
	if (c->argc)
		str_add(&w->title, " ");
	cmd_words_text(c, &w->title);
}

/* Plans it if all went well so far. */
static bool wish_plan(struct wish *w, struct app *a, bool ok, struct err *err)
{
	w->r.goal.inos = w->inos.v;
	w->r.goal.ino_count = w->inos.n;
	ok = ok && plan_make(a, &w->r, w->title.buf, err);
	vec_release(&w->inos);
	str_release(&w->title);
	return ok;
}

/* --- places --- */

/* "64M" are bytes, "4096" blocks. */
static bool parse_blocks(struct app *a, const char *word, uint64_t *blocks)
{
	uint32_t bs = model_geom(a->model)->block_size;
	uint64_t n;

	if (num_parse_u64(word, blocks))
		return *blocks > 0;
	if (!num_parse_bytes(word, &n) || !n)
		return false;
	*blocks = (n + bs - 1) / bs;
	return true;
}

/* BLOCK, gN, 'x, start, end. */
static bool parse_place(struct app *a, struct cmd_call *c, int i, struct goal_request *g,
			struct err *err)
{
	const char *word = c->argv[i];
	struct range r;

	g->place = PLACE_BLOCK;
	if (!strcmp(word, "end")) {
		g->place = PLACE_END;
		return true;
	}
	if (!strcmp(word, "start")) {
		g->place = PLACE_FROM;
		g->dest = model_geom(a->model)->first_block;
		return true;
	}
	if (!strcmp(word, ".")) {
		g->dest = a->map.cursor;
		return true;
	}
	if (cmd_range(a, word, &r, err)) {
		g->dest = r.start;
		if (word[0] == 'g')
			g->place = PLACE_FROM;
		return true;
	}
	if (!err_isset(err))
		return cmd_bad(c, i, err,
			       "\"%s\" is no place: BLOCK, gN, 'x, start or end", word);
	c->bad = i;
	return false;
}

static bool parse_range(struct app *a, struct cmd_call *c, int i, struct range *out,
			struct err *err)
{
	const struct geom *g = model_geom(a->model);

	if (!strcmp(c->argv[i], "%")) {
		*out = (struct range){g->first_block, g->blocks - g->first_block};
		return true;
	}
	if (cmd_range(a, c->argv[i], out, err))
		return true;
	if (!err_isset(err))
		return cmd_bad(c, i, err, "\"%s\" is no range: a,b a+len gN %% or region",
			       c->argv[i]);
	c->bad = i;
	return false;
}

/* --- handlers --- */

bool cmd_defrag(struct app *a, struct cmd_call *c, struct err *err)
{
	const char *otherwise = a->tags.n ? "@tags" : ".";
	struct wish w;
	bool ok;

	wish_init(&w, GOAL_DEFRAG, c);
	if (!c->argc)
		str_addf(&w.title, " %s", otherwise);
	ok = app_need_sound(a, err) && goal_policies(c, &w.r.goal, err) &&
	     cmd_args(c, 0, CMD_WORDS_MAX, err) &&
	     cmd_targets(a, c, otherwise, &w.inos, err);
	return wish_plan(&w, a, ok, err);
}

bool cmd_gap(struct app *a, struct cmd_call *c, struct err *err)
{
	struct cmd_call targets = *c;
	uint64_t percent;
	struct wish w;
	bool ok;

	wish_init(&w, GOAL_GAP, c);
	ok = app_need_sound(a, err) && goal_policies(&targets, &w.r.goal, err) &&
	     cmd_args(&targets, 1, CMD_WORDS_MAX, err) &&
	     cmd_number(&targets, 0, 1, 1000, &percent, err);
	if (ok) {
		w.r.goal.percent = (uint32_t)percent;
		targets.argc--;
		memmove(targets.argv, targets.argv + 1,
			(size_t)targets.argc * sizeof(*targets.argv));
		ok = cmd_targets(a, &targets, a->tags.n ? "@tags" : ".", &w.inos, err);
	}
	c->bad = targets.bad < 0 ? targets.bad : targets.bad + (ok ? 0 : 1);
	return wish_plan(&w, a, ok, err);
}

bool cmd_pack(struct app *a, struct cmd_call *c, struct err *err)
{
	const char *list, *at = NULL;
	struct wish w;
	bool ok;

	wish_init(&w, GOAL_PACK, c);
	ok = app_need_sound(a, err) && goal_policies(c, &w.r.goal, err) &&
	     goal_order_option(c, &w.r.goal, &list, err) &&
	     cmd_option(c, "--at", &at, err);
	if (ok && at) {
		struct cmd_call place = {
			.cmd = c->cmd, .argc = 1, .argv = {at}, .bad = -1};

		ok = parse_place(a, &place, 0, &w.r.goal, err);
		if (ok && w.r.goal.place == PLACE_END)
			ok = cmd_bad(c, -1, err, "to the end: move TARGET end");
	}
	ok = ok && cmd_args(c, 0, CMD_WORDS_MAX, err);
	if (ok && list)
		ok = c->argc ? cmd_bad(c, 0, err, "list=FILE names the files itself")
			     : goal_list(a, list, &w.inos, err);
	else
		ok = ok && cmd_targets(a, c, a->tags.n ? "@tags" : ".", &w.inos, err);
	return wish_plan(&w, a, ok, err);
}

bool cmd_arrange(struct app *a, struct cmd_call *c, struct err *err)
{
	const char *list;
	struct wish w;
	bool ok;

	wish_init(&w, GOAL_ARRANGE, c);
	ok = app_need_sound(a, err) && goal_policies(c, &w.r.goal, err) &&
	     goal_order_option(c, &w.r.goal, &list, err) && cmd_args(c, 0, 0, err);
	if (ok && w.r.goal.limit)
		ok = cmd_bad(c, -1, err, "--limit is for: defrag, pack");
	if (ok && list)
		ok = cmd_bad(c, -1, err, "a list is for: pack --order list=FILE");
	ok = ok && (model_tree(a->model, 2, &w.inos) || err_nomem(err));
	return wish_plan(&w, a, ok, err);
}

bool cmd_compact(struct app *a, struct cmd_call *c, struct err *err)
{
	struct wish w;
	bool ok;

	wish_init(&w, GOAL_COMPACT, c);
	ok = app_need_sound(a, err) && goal_budget(c, &w.r.goal, err) &&
	     cmd_args(c, 1, 1, err) && parse_range(a, c, 0, &w.r.goal.range, err);
	return wish_plan(&w, a, ok, err);
}

bool cmd_hole(struct app *a, struct cmd_call *c, struct err *err)
{
	const char *at = NULL;
	struct wish w;
	bool ok;

	wish_init(&w, GOAL_HOLE, c);
	ok = app_need_sound(a, err) && cmd_option(c, "--at", &at, err) &&
	     cmd_args(c, 1, 1, err);
	if (ok && !parse_blocks(a, c->argv[0], &w.r.goal.blocks))
		ok = cmd_bad(c, 0, err,
			     "\"%s\" is no size: so many blocks, or bytes as in 64M",
			     c->argv[0]);
	if (ok && at) {
		struct cmd_call place = {
			.cmd = c->cmd, .argc = 1, .argv = {at}, .bad = -1};
		struct range *r = &w.r.goal.range;

		ok = parse_range(a, &place, 0, r, err);
		if (ok && r->len == 1) /* a block: the hole starts there */
			r->len = w.r.goal.blocks;
		if (ok && r->start + r->len > model_geom(a->model)->blocks)
			ok = cmd_bad(c, -1, err,
				     "that reaches over the end of the volume");
	}
	return wish_plan(&w, a, ok, err);
}

bool cmd_evacuate(struct app *a, struct cmd_call *c, struct err *err)
{
	const struct geom *g;
	struct wish w;
	uint64_t n;
	bool ok;

	wish_init(&w, GOAL_EVACUATE, c);
	ok = app_need_sound(a, err) && goal_budget(c, &w.r.goal, err) &&
	     cmd_args(c, 1, 2, err);
	g = ok ? model_geom(a->model) : NULL;
	if (ok && !strcmp(c->argv[0], "tail")) {
		if (c->argc < 2 || !parse_blocks(a, c->argv[1], &n) ||
		    n > g->blocks - g->first_block)
			ok = cmd_bad(
				c, c->argc - 1, err,
				"usage: evacuate tail SIZE; so many blocks, or bytes "
				"as in 64M, less than the volume has");
		else
			w.r.goal.range = (struct range){g->blocks - n, n};
	} else if (ok) {
		ok = c->argc == 1 ? parse_range(a, c, 0, &w.r.goal.range, err)
				  : cmd_bad(c, 1, err, "one word too many");
	}
	return wish_plan(&w, a, ok, err);
}

/* Is the one word before the place a range of blocks, and no file? */
static bool is_blocks(struct app *a, const struct cmd_call *c, struct range *r,
		      struct err *err)
{
	const char *word = c->argv[0];

	if (c->argc != 1 || !strcmp(word, ".") || !strcmp(word, "%") || word[0] == '@' ||
	    word[0] == '/' || word[0] == '{')
		return false;
	return cmd_range(a, word, r, err);
}

bool cmd_move(struct app *a, struct cmd_call *c, struct err *err)
{
	struct goal_request *g;
	struct wish w;
	bool ok;

	wish_init(&w, GOAL_MOVE, c);
	g = &w.r.goal;
	g->swap = cmd_flag(c, "--swap");
	ok = app_need_sound(a, err) && cmd_args(c, 2, CMD_WORDS_MAX, err) &&
	     parse_place(a, c, c->argc - 1, g, err);
	if (ok) {
		c->argc--;
		if (!is_blocks(a, c, &g->range, err))
			ok = !err_isset(err) && cmd_targets(a, c, ".", &w.inos, err);
		g->order = GOAL_ORDER_READDIR;
	}
	if (ok && g->swap && !g->range.len)
		ok = cmd_bad(c, 0, err, "--swap is for ranges of blocks: move a,b DEST");
	return wish_plan(&w, a, ok, err);
}
