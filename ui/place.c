/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place.c - marks and the region. */
#include "ui/place.h"
#include <stdio.h>
#include <string.h>
#include "base/num.h"
#include "ui/cmd.h"

#define COUNT_MAX_BLOCKS \
	(1u << 24) /* a longer region is not looked into for each frame */

int mark_index(int name)
{
	if (name >= 'a' && name <= 'z')
		return name - 'a';
	if (name >= 'A' && name <= 'Z')
		return name - 'A' + 26;
	return name == '\'' ? MARK_JUMP : -1;
}

void marks_clear(struct app *a)
{
	memset(a->map.marks, 0, sizeof(a->map.marks));
}

char mark_in(const struct app *a, struct range r)
{
	for (int i = 0; i < MARK_JUMP; i++) {
		blkno_t b = a->map.marks[i].block;

		if (a->map.marks[i].set && b >= r.start && b - r.start < r.len)
			return (char)(i < 26 ? 'a' + i : 'A' + i - 26);
	}
	return '\0';
}

void mark_jump(struct app *a, blkno_t from)
{
	a->map.marks[MARK_JUMP].set = true;
	a->map.marks[MARK_JUMP].block = from;
}

void region_clear(struct app *a)
{
	a->map.region = (struct range){0, 0};
	a->map.selecting = a->map.dragging = false;
}

/* --- what lies in it --- */

struct tally {
	uint64_t free, pieces;
	inum_t last;
};

static bool tally_run(void *arg, const struct run *r)
{
	struct tally *t = arg;

	if (r->kind == OWNER_FREE)
		t->free += r->len;
	else if (r->ino && r->ino != t->last)
		t->pieces++;
	t->last = r->ino;
	return true;
}

void region_text(const struct app *a, struct str *out)
{
	const struct range *r = &a->map.region;
	struct tally t = {0};
	char num[NUM_TEXT_MAX];

	if (r->len == 0)
		return;
	str_addf(out, "region %llu..%llu: %s blocks", (unsigned long long)r->start,
		 (unsigned long long)(r->start + r->len - 1),
		 num_format_count(r->len, num));
	if (!a->model || r->len > COUNT_MAX_BLOCKS)
		return;
	model_walk(a->model, r->start, r->len, tally_run, &t);
	str_addf(out, ", %s free", num_format_count(t.free, num));
	str_addf(out, ", %s piece%s of files", num_format_count(t.pieces, num),
		 t.pieces == 1 ? "" : "s");
}

/* --- moving by hand --- */

/* The data run under the cursor, joined with the rest of its fragment where that follows. */
static struct range fragment_here(const struct app *a)
{
	struct range r = {a->map.cursor, 0};
	struct fragment f;
	struct run at;

	model_at(a->model, a->map.cursor, &at);
	if (!at.ino || owner_is_fixed(at.kind) || !owner_is_data(at.kind))
		return r;
	r = (struct range){at.phys, at.len};
	if (model_fragment_at(a->model, a->map.cursor, &f)) {
		struct run last;

		model_at(a->model, f.phys + f.len - 1, &last);
		if (last.ino == at.ino) /* no tree blocks in between */
			r = (struct range){f.phys, f.len};
	}
	return r;
}

bool pick_up(struct app *a)
{
	const struct geom *g = a->model ? model_geom(a->model) : NULL;

	if (!g || a->map.cursor < g->first_block || a->map.cursor >= g->blocks)
		return false;
	a->map.pick = a->map.region.len ? a->map.region : fragment_here(a);
	region_clear(a);
	a->message[0] = '\0';
	if (!a->map.pick.len)
		app_say(a,
			"nothing here that could be moved; x picks up a fragment or the "
			"region");
	return a->map.pick.len > 0;
}

void pick_drop(struct app *a)
{
	char line[100], repeat[sizeof(a->repeat)];

	snprintf(repeat, sizeof(repeat), "%s", a->repeat);
	snprintf(line, sizeof(line), "move %llu+%llu %llu",
		 (unsigned long long)a->map.pick.start,
		 (unsigned long long)a->map.pick.len, (unsigned long long)a->map.cursor);
	a->map.pick.len = 0;
	a->message[0] = '\0';
	cmd_run_line(a, line);
	snprintf(a->repeat, sizeof(a->repeat), "%s", repeat); /* it could not be done twice */
}

struct landing {
	struct range pick;
	uint64_t taken, fixed;
};

static bool look_below(void *arg, const struct run *r)
{
	struct landing *l = arg;
	bool own = r->phys >= l->pick.start && r->phys - l->pick.start < l->pick.len;

	if (r->kind != OWNER_FREE && !own)
		l->taken += r->len;
	if (owner_is_fixed(r->kind))
		l->fixed += r->len;
	return true;
}

void pick_text(const struct app *a, struct str *out)
{
	struct landing l = {.pick = a->map.pick};
	char num[NUM_TEXT_MAX];

	str_addf(out, "%s blocks from %llu picked up; ",
		 num_format_count(l.pick.len, num), (unsigned long long)l.pick.start);
	if (a->map.cursor + l.pick.len > model_geom(a->model)->blocks) {
		str_add(out, "here: too near to the end");
		return;
	}
	if (l.pick.len <= COUNT_MAX_BLOCKS)
		model_walk(a->model, a->map.cursor, l.pick.len, look_below, &l);
	if (l.fixed)
		str_addf(out, "here: %s blocks that never move",
			 num_format_count(l.fixed, num));
	else if (l.taken)
		str_addf(out, "here: %s blocks in the way",
			 num_format_count(l.taken, num));
	else
		str_add(out, "here: free");
	str_add(out, "; x drops them, Esc lets go");
}
