/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * cmd_lab_hand.c - `lab new` and allocating by hand on an image of the lab.
 *
 * The volume is closed, changed and opened again; what the map shows stays where it was,
 * and the blocks that changed flash.
 */
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "lab/hand.h"
#include "ui/anim.h"
#include "ui/cmd_lab.h"

/* --- new --- */

bool lab_new(struct app *a, struct cmd_call *c, struct err *err)
{
	bool force = cmd_flag(c, "--force"), ok;
	struct str path = STR_INIT;
	struct age_options o;

	age_defaults(&o);
	o.size_min = o.size_max = 16384;
	if (!lab_age_options(c, &o, err) || !cmd_args(c, 1, 2, err))
		return false;
	if (!num_parse_bytes(c->argv[0], &o.bytes))
		return cmd_bad(c, 0, err, "\"%s\" is no size like 64M", c->argv[0]);
	ok = c->argc == 2 || cmd_state_folder(&path, err);
	str_add(&path, c->argc == 2 ? c->argv[1] : "/lab.img");
	ok = ok && lab_make(path.buf, &o, force, err);
	if (ok) {
		app_say(a, "made %s", path.buf);
		ok = app_open(a, path.buf, 0, false, err) && app_finish(a, err);
	}
	str_release(&path);
	return ok;
}

/* --- closing and opening around a step --- */

struct place {
	struct map_state map;
	char path[sizeof(((struct volume_info *)0)->path)];
	bool write;
};

static bool step_aside(struct app *a, struct place *p, struct err *err)
{
	if (!a->open) {
		err_set(err, ERR_USAGE,
			"no volume is open; make one with: lab new 64M, or open one that "
			"the lab made");
		return false;
	}
	if (a->volume.offset) {
		err_set(err, ERR_REFUSED,
			"the lab changes whole images only, not a partition in one");
		return false;
	}
	p->map = a->map;
	p->write = a->volume.write;
	memcpy(p->path, a->volume.path, sizeof(p->path));
	return hand_is_lab(p->path, err) && app_close(a, err) &&
	       app_await(a, a->job, err);
}

static void flash(struct app *a, const struct range_list *freed,
		  const struct range_list *taken)
{
	uint64_t now = num_now_ms();

	for (size_t i = 0; i < freed->n + taken->n; i++) {
		struct range r = i < freed->n ? freed->v[i] : taken->v[i - freed->n];
		struct move m = {.len = (uint32_t)r.len,
				 .from = i < freed->n ? r.start : BLKNO_NONE,
				 .to = r.start};

		anim_moves(a->anim, &m, 1, now);
	}
}

/* Opens it again, whatever the step said; the step's error wins. */
static bool step_back(struct app *a, const struct place *p, bool ok, struct err *err)
{
	struct err mine = ERR_INIT;

	if (!app_open(a, p->path, 0, p->write, &mine) || !app_finish(a, &mine)) {
		if (ok && err)
			*err = mine;
		return false;
	}
	a->map.cursor = p->map.cursor;
	a->map.top = p->map.top;
	a->map.blocks_per_cell = p->map.blocks_per_cell;
	return ok;
}

static json_t *ranges_json(const struct range_list *l)
{
	json_t *list = json_array();

	for (size_t i = 0; i < l->n; i++)
		json_array_append_new(list, json_pack("{s:I, s:I}", "first_block",
						      (json_int_t)l->v[i].start, "blocks",
						      (json_int_t)l->v[i].len));
	return list;
}

static void report(struct app *a, const char *text, const struct range_list *taken,
		   const struct range_list *freed, const char *said)
{
	json_t *lines;
	const char *p = said;

	if (!a->json) {
		app_print(a, "%s", said);
		return;
	}
	lines = json_array();
	while (*p) {
		char *line = strndup(p, strcspn(p, "\n"));

		json_array_append_new(lines, json_text(line ? line : ""));
		free(line);
		p += strcspn(p, "\n");
		p += *p == '\n';
	}
	json_print(a, json_pack("{s:o, s:o, s:o, s:o}", "step", json_text(text), "taken",
				ranges_json(taken), "freed", ranges_json(freed),
				"reasons", lines));
}

/* --- the operations --- */

static bool run_op(struct app *a, struct cmd_call *c, struct lab_op *op, struct str *text,
		   struct err *err)
{
	struct lab_result result;
	struct place place;
	bool ok;

	(void)c;
	op->text = text->buf;
	if (!step_aside(a, &place, err))
		return false;
	lab_result_init(&result);
	ok = lab_do(place.path, op, &result, err);
	ok = step_back(a, &place, ok, err);
	if (ok) {
		flash(a, &result.freed, &result.taken);
		report(a, op->text, &result.taken, &result.freed, result.said.buf);
		if (a->interactive)
			app_say(a, "%s", op->text);
	}
	lab_result_release(&result);
	return ok;
}

/* PATH SIZE pairs */
static bool pairs(struct cmd_call *c, struct lab_target *t, size_t *n, struct err *err)
{
	if (c->argc < 2 || c->argc % 2)
		return cmd_bad(c, -1, err, "usage: lab write PATH SIZE [PATH SIZE...]");
	for (int i = 0; i < c->argc; i += 2) {
		t[i / 2].path = c->argv[i];
		if (!num_parse_bytes(c->argv[i + 1], &t[i / 2].bytes))
			return cmd_bad(c, i + 1, err, "\"%s\" is no size like 48K",
				       c->argv[i + 1]);
	}
	*n = (size_t)c->argc / 2;
	return true;
}

static bool act(struct app *a, struct cmd_call *c, const char *verb,
		enum lab_op_kind kind, struct err *err)
{
	struct lab_target targets[CMD_WORDS_MAX];
	struct lab_op op = {.kind = kind, .targets = targets};
	struct str text = STR_INIT, words = STR_INIT;
	uint64_t n = 0;
	bool ok;

	cmd_words_text(c, &words);
	str_addf(&text, "%s %s", verb, words.buf);
	str_release(&words);
	ok = cmd_option(c, "--policy", &op.policy, err) &&
	     lab_bytes(c, "--piece", &op.piece, err) &&
	     cmd_args(c, 1, CMD_WORDS_MAX, err);
	if (!ok) {
		;
	} else if (kind == LAB_WRITE || kind == LAB_APPEND || kind == LAB_TRUNCATE) {
		ok = pairs(c, targets, &op.n, err);
	} else if (kind == LAB_FILL) {
		ok = cmd_args(c, 1, 1, err) && cmd_number(c, 0, 1, 100, &n, err);
		op.percent = (unsigned)n;
	} else if (kind == LAB_PUNCH) {
		ok = cmd_args(c, 3, 3, err);
		targets[op.n++].path = c->argv[0];
		if (ok && (!num_parse_bytes(c->argv[1], &op.offset) ||
			   !num_parse_bytes(c->argv[2], &targets[0].bytes)))
			ok = cmd_bad(c, 1, err, "usage: lab punch PATH OFFSET LENGTH");
	} else {
		for (; op.n < (size_t)c->argc; op.n++)
			targets[op.n] = (struct lab_target){c->argv[op.n], 0};
	}
	ok = ok && run_op(a, c, &op, &text, err);
	str_release(&text);
	return ok;
}

bool lab_write(struct app *a, struct cmd_call *c, struct err *err)
{
	return act(a, c, "write", LAB_WRITE, err);
}

bool lab_append(struct app *a, struct cmd_call *c, struct err *err)
{
	return act(a, c, "append", LAB_APPEND, err);
}

bool lab_truncate(struct app *a, struct cmd_call *c, struct err *err)
{
	return act(a, c, "truncate", LAB_TRUNCATE, err);
}

bool lab_delete(struct app *a, struct cmd_call *c, struct err *err)
{
	return act(a, c, "delete", LAB_DELETE, err);
}

bool lab_mkdir(struct app *a, struct cmd_call *c, struct err *err)
{
	return act(a, c, "mkdir", LAB_MKDIR, err);
}

bool lab_punch(struct app *a, struct cmd_call *c, struct err *err)
{
	return act(a, c, "punch", LAB_PUNCH, err);
}

bool lab_fill(struct app *a, struct cmd_call *c, struct err *err)
{
	return act(a, c, "fill", LAB_FILL, err);
}

/* --- the allocator, and the steps --- */

bool lab_policy(struct app *a, struct cmd_call *c, struct err *err)
{
	struct str name = STR_INIT;
	bool ok = cmd_args(c, 0, 1, err);

	if (ok && !a->open) {
		err_set(err, ERR_USAGE, "no volume is open; open one that the lab made");
		ok = false;
	}
	if (ok && c->argc)
		ok = lab_policy_set(a->volume.path, c->argv[0], err);
	ok = ok && lab_policy_get(a->volume.path, &name, err);
	if (ok)
		app_print(a, "the allocator of this image is %s\n", name.buf);
	str_release(&name);
	return ok;
}

static bool travel(struct app *a, struct cmd_call *c, bool undo, struct err *err)
{
	struct range_list changed = {0}, none = {0};
	struct str said = STR_INIT;
	struct place place;
	uint64_t n = 1;
	bool ok, all;

	all = c->argc == 1 && !strcmp(c->argv[0], "all");
	ok = cmd_args(c, 0, 1, err) &&
	     (!c->argc || all || cmd_number(c, 0, 1, 1000000, &n, err)) &&
	     step_aside(a, &place, err);
	if (!ok)
		return false;
	for (uint64_t i = 0; ok && (all || i < n); i++) {
		struct err mine = ERR_INIT;
		struct str text = STR_INIT;

		ok = undo ? hand_undo(place.path, &text, &changed, &mine)
			  : hand_redo(place.path, &text, &changed, &mine);
		if (ok)
			str_addf(&said, "%s: %s\n", undo ? "undone" : "done again",
				 text.buf);
		str_release(&text);
		if (!ok && i && mine.class == ERR_REFUSED) {
			ok = true; /* so many there were */
			break;
		}
		if (!ok && err)
			*err = mine;
	}
	ok = step_back(a, &place, ok, err);
	if (ok) {
		flash(a, &none, &changed);
		report(a, undo ? "undo" : "redo", &none, &none, said.buf);
	}
	vec_release(&changed);
	str_release(&said);
	return ok;
}

bool lab_undo(struct app *a, struct cmd_call *c, struct err *err)
{
	return travel(a, c, true, err);
}

bool lab_redo(struct app *a, struct cmd_call *c, struct err *err)
{
	return travel(a, c, false, err);
}

bool lab_steps(struct app *a, struct cmd_call *c, struct err *err)
{
	struct hand_steps steps;
	json_t *list;

	if (!cmd_args(c, 0, 0, err))
		return false;
	if (!a->open) {
		err_set(err, ERR_USAGE, "no volume is open; open one that the lab made");
		return false;
	}
	if (!hand_is_lab(a->volume.path, err) ||
	    !hand_steps_read(a->volume.path, &steps, err))
		return false;
	list = json_array();
	for (size_t i = 0; i < steps.list.n; i++) {
		const struct hand_step *s = &steps.list.v[i];

		json_array_append_new(list, json_pack("{s:i, s:b, s:o}", "number",
						      (int)s->number, "undone", s->undone,
						      "text", json_text(s->text)));
		if (!a->json)
			app_print(a, "%4u %-7s %s\n", s->number,
				  s->undone ? "undone" : "done", s->text);
	}
	if (a->json)
		json_print(a, list);
	else
		json_decref(list);
	if (!a->json && !steps.list.n)
		app_print(a, "no steps yet\n");
	if (!steps.fits && !a->json)
		app_print(a, "the image was changed by something else since: they can no "
			     "longer be undone\n");
	hand_steps_release(&steps);
	return true;
}
