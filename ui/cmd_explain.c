/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_explain.c - why a file or a block lies where it does, what keeps it from its ideal,
 * and what the goals would do about it. Each goal is really planned, and thrown away.
 */
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "core/strategy.h"
#include "ui/app_priv.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"
#include "ui/names.h"

/* A trial looks at every inode for its figures: on larger volumes it would take long. */
#define TRIAL_INODES 3000000u

struct explain {
	struct app *a;
	json_t *o; /* NULL: text */
	inum_t ino;
	struct file_info f;
	struct run_list runs;
};

__attribute__((format(printf, 3, 4))) static void say(struct explain *e, const char *key,
						      const char *fmt, ...)
{
	char text[400];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (e->o)
		json_object_set_new(e->o, key, json_text(text));
	else
		app_print(e->a, "%s: %s\n", key, text);
}

/* --- a block without a file --- */

static void explain_block(struct explain *e, blkno_t b)
{
	const struct geom *g = model_geom(e->a->model);
	struct run r;

	model_at(e->a->model, b, &r);
	if (r.kind == OWNER_FREE) {
		say(e, "place", "block %llu is free, in a hole of %u blocks from %llu on",
		    (unsigned long long)b, r.len, (unsigned long long)r.phys);
		return;
	}
	say(e, "place", "block %llu of group %u holds: %s", (unsigned long long)b,
	    geom_group_of(g, b), owner_name(r.kind));
	say(e, "why", "%s",
	    owner_is_fixed(r.kind)
		    ? "the geometry of the volume puts it there; nothing moves it, files "
		      "go around it"
		    : "nobody known owns it, so nothing moves it");
}

/* --- a file --- */

static void say_place(struct explain *e)
{
	const struct geom *g = model_geom(e->a->model);
	blkno_t goal = geom_data_goal(g, e->ino, e->f.inode.type == INODE_DIR);
	blkno_t last = e->f.first;
	struct run at;

	for (size_t i = 0; i < e->runs.n && owner_is_data(e->runs.v[i].kind); i++)
		last = e->runs.v[i].phys + e->runs.v[i].len - 1;
	say(e, "place",
	    "%llu blocks in %u fragments, from block %llu (group %u) to %llu (group %u)",
	    (unsigned long long)e->f.blocks, e->f.fragments,
	    (unsigned long long)e->f.first, geom_group_of(g, e->f.first),
	    (unsigned long long)last, geom_group_of(g, last));
	model_at(e->a->model, goal, &at);
	say(e, "why",
	    "for inode %u of group %u the kernel starts to look at block %llu, which "
	    "holds: %s; "
	    "the file begins %llu blocks %s it",
	    e->ino, geom_group_of_inode(g, e->ino), (unsigned long long)goal,
	    owner_name(at.kind),
	    (unsigned long long)(e->f.first > goal ? e->f.first - goal
						   : goal - e->f.first),
	    e->f.first >= goal ? "behind" : "before");
}

static void say_obstacle(struct explain *e)
{
	const struct metrics *m = &e->a->metrics;
	uint64_t need = e->f.blocks + e->f.map_blocks;

	if (e->f.inode.flags & (INODE_PINNED | INODE_SYSTEM))
		say(e, "obstacle",
		    "it must not move: immutable, append-only or of the system");
	else if (e->f.fragments <= e->f.ideal)
		say(e, "obstacle", "none: it is as whole as can be");
	else if (m->largest_hole_blocks >= need)
		say(e, "obstacle",
		    "none: the longest hole has %llu blocks and takes it in one piece",
		    (unsigned long long)m->largest_hole_blocks);
	else if (m->free_blocks >= need)
		say(e, "obstacle",
		    "the longest hole has %llu blocks, it needs %llu: others have to "
		    "make room",
		    (unsigned long long)m->largest_hole_blocks, (unsigned long long)need);
	else
		say(e, "obstacle",
		    "only %llu blocks are free, it needs %llu: it can go only piece by "
		    "piece",
		    (unsigned long long)m->free_blocks, (unsigned long long)need);
}

/* What the plan does to this one file. */
static void say_trial(struct explain *e, const char *title, const struct plan *p)
{
	struct run_list fresh = {0}, now = {0};
	struct err err = ERR_INIT;
	char size[NUM_TEXT_MAX], time[NUM_TEXT_MAX];
	uint64_t moved = 0;
	bool ok = true;

	for (size_t i = 0; ok && i < e->runs.n; i++)
		ok = vec_push(&now, e->runs.v[i]);
	for (size_t i = 0, end; ok && i < p->moves.n; i = end) {
		for (end = i + 1; end < p->moves.n &&
				  p->moves.v[end].ino == p->moves.v[i].ino &&
				  p->moves.v[end].batch == p->moves.v[i].batch;)
			end++;
		if (p->moves.v[i].ino != e->ino)
			continue;
		for (size_t k = i; k < end; k++)
			moved += p->moves.v[k].kind == MOVE_DATA ? p->moves.v[k].len : 0;
		fresh.n = 0;
		ok = extent_apply(&now, p->moves.v + i, end - i, &fresh, &err);
		now.n = 0;
		for (size_t k = 0; ok && k < fresh.n; k++)
			ok = vec_push(&now, fresh.v[k]);
	}
	if (!ok)
		say(e, title, "out of memory");
	else if (!moved)
		say(e, title, "leaves it as it is");
	else
		say(e, title,
		    "moves %llu of its blocks, it then has %u fragment%s from block %llu "
		    "on; all "
		    "in all %s written, about %s",
		    (unsigned long long)moved, extent_fragments(now.v, now.n),
		    extent_fragments(now.v, now.n) == 1 ? "" : "s",
		    (unsigned long long)now.v[0].phys,
		    num_format_bytes(p->price.bytes_written, size),
		    num_format_seconds((uint64_t)(p->price.run_ms / 1000 + 0.5), time));
	vec_release(&fresh);
	vec_release(&now);
}

static void try_goal(struct explain *e, const char *title, const struct goal_request *g)
{
	struct err err = ERR_INIT;
	struct plan p;

	plan_init(&p);
	if (strategy_plan(e->a->model, g, NULL, &p, &err))
		say_trial(e, title, &p);
	else
		say(e, title, "cannot: %s", err.msg);
	plan_release(&p);
}

static bool try_goals(struct explain *e, struct err *err)
{
	const struct geom *g = model_geom(e->a->model);
	group_t group = geom_group_of(g, e->f.first);
	struct goal_request one = {.goal = GOAL_DEFRAG, .inos = &e->ino, .ino_count = 1};
	struct goal_request pack = {.goal = GOAL_PACK}, range = {.goal = GOAL_COMPACT};
	struct inum_list all = {0};
	char title[40];

	if (e->a->metrics.inodes_used > TRIAL_INODES) {
		say(e, "goals", "plan one to see: defrag, pack, compact, evacuate");
		return true;
	}
	try_goal(e, "defrag", &one);
	if (e->f.parent && !model_tree(e->a->model, e->f.parent, &all))
		return err_nomem(err);
	pack.inos = all.v;
	pack.ino_count = all.n;
	if (e->f.parent != 2)
		try_goal(e, "pack of its directory", &pack);
	vec_release(&all);
	range.range =
		(struct range){geom_group_start(g, group), geom_group_len(g, group)};
	snprintf(title, sizeof(title), "compact g%u", group);
	try_goal(e, title, &range);
	range.goal = GOAL_EVACUATE;
	snprintf(title, sizeof(title), "evacuate g%u", group);
	try_goal(e, title, &range);
	return true;
}

static bool explain_file(struct explain *e, struct err *err)
{
	bool ok = names_fetch(e->a->names, e->a, &e->ino, 1, err);

	if (!ok)
		return false;
	if (e->o)
		json_add_name(e->o, e->a, e->ino);
	else
		cmd_print_name(e->a, e->ino);
	if (!e->o)
		app_print(e->a, "\n");
	if (!model_file(e->a->model, e->ino, &e->f) || !e->f.blocks) {
		say(e, "place", "inode %u owns no blocks of data", e->ino);
		return true;
	}
	if (!model_runs(e->a->model, e->ino, &e->runs))
		return err_nomem(err);
	say_place(e);
	say_obstacle(e);
	ok = try_goals(e, err);
	vec_release(&e->runs);
	return ok;
}

bool cmd_explain(struct app *a, struct cmd_call *c, struct err *err)
{
	struct explain e = {.a = a};
	struct range r = {0, 0};
	struct run at;
	bool ok;

	if (!cmd_args(c, 0, 2, err) || !app_need_sound(a, err))
		return false;
	if (c->argc == 1 && c->argv[0][0] >= '0' && c->argv[0][0] <= '9') {
		if (!cmd_range(a, c->argv[0], &r, err))
			return err_isset(err) ? false
					      : cmd_bad(c, 0, err, "no such block");
		model_at(a->model, r.start, &at);
		e.ino = at.ino;
	} else if (!cmd_inode(a, c, &e.ino, err)) {
		return false;
	}
	e.o = a->json ? json_object() : NULL;
	if (e.ino) {
		ok = explain_file(&e, err);
	} else {
		explain_block(&e, r.start);
		ok = true;
	}
	if (e.o && ok)
		json_print(a, e.o);
	else
		json_decref(e.o);
	return ok;
}
