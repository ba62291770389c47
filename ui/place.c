/* SPDX-License-Identifier: GPL-3.0-or-later */
/* place.c - marks and the region. */
#include "ui/place.h"
#include <string.h>
#include "base/num.h"

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
