/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan_text.c - see plan_text.h. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include "core/plan_text.h"

bool plan_write(const struct plan *p, const struct geom *g, const char *uuid,
		struct str *out)
{
	str_addf(out, "cdefrag plan 1\nvolume %s %" PRIu64 " %u\ntitle %s\n", uuid,
		 g->blocks, g->block_size, p->title);
	for (size_t i = 0; i < p->moves.n; i++) {
		const struct move *m = &p->moves.v[i];

		str_addf(out, "move %u %u %s %u %u ", m->batch, m->ino,
			 m->kind == MOVE_TREE ? "tree" : "data", m->lblk, m->len);
		if (m->from == BLKNO_NONE)
			str_add(out, "-");
		else
			str_addf(out, "%" PRIu64, m->from);
		str_addf(out, " %" PRIu64 " %u %u\n", m->to, m->reason, m->gain);
	}
	str_addf(out, "end %zu\n", p->moves.n);
	return !out->oom;
}

struct reader {
	const char *at;
	size_t line;
	char text[256]; /* the line */
	struct err *err;
};

static bool bad(struct reader *r, const char *why)
{
	err_set(r->err, ERR_USAGE, "line %zu of the plan: %s", r->line, why);
	return false;
}

static bool next_line(struct reader *r)
{
	size_t len = strcspn(r->at, "\n");

	r->line++;
	if (!*r->at)
		return bad(r, "it ends too early");
	if (len >= sizeof(r->text))
		return bad(r, "it is too long");
	memcpy(r->text, r->at, len);
	r->text[len] = '\0';
	r->at += len + (r->at[len] == '\n');
	return true;
}

static bool read_head(struct reader *r, const struct geom *g, const char *uuid,
		      struct plan *out)
{
	char id[64];
	uint64_t blocks;
	unsigned size;

	if (!next_line(r))
		return false;
	if (strcmp(r->text, "cdefrag plan 1"))
		return bad(r, "it is no plan of cdefrag");
	if (!next_line(r))
		return false;
	if (sscanf(r->text, "volume %63s %" SCNu64 " %u", id, &blocks, &size) != 3)
		return bad(r, "it should name the volume");
	if (strcmp(id, uuid) || blocks != g->blocks || size != g->block_size) {
		err_set(r->err, ERR_REFUSED,
			"the plan was made for volume %s of %" PRIu64
			" blocks, this is %s of %" PRIu64,
			id, blocks, uuid, g->blocks);
		return false;
	}
	if (!next_line(r))
		return false;
	if (strncmp(r->text, "title ", 6))
		return bad(r, "it should give the title");
	snprintf(out->title, sizeof(out->title), "%.79s", r->text + 6);
	return true;
}

/* Numbers that no model could be asked about are refused here; the rest is for
 * plan_check(). */
static bool read_move(struct reader *r, const struct geom *g, struct move *m)
{
	char kind[8], from[24];
	unsigned reason;
	int end = 0;

	*m = (struct move){0};
	if (sscanf(r->text,
		   "move %" SCNu32 " %" SCNu32 " %7s %" SCNu32 " %" SCNu32
		   " %23s %" SCNu64 " %u %" SCNu32 "%n",
		   &m->batch, &m->ino, kind, &m->lblk, &m->len, from, &m->to, &reason,
		   &m->gain, &end) != 9 ||
	    r->text[end])
		return bad(r, "it should be a move");
	m->kind = strcmp(kind, "tree") ? MOVE_DATA : MOVE_TREE;
	m->reason = reason < REASON_COUNT ? (uint8_t)reason : REASON_PLACE;
	m->from = BLKNO_NONE;
	if (m->kind == MOVE_DATA && sscanf(from, "%" SCNu64, &m->from) != 1)
		return bad(r, "it should say from where");
	if ((m->kind == MOVE_DATA && (strcmp(kind, "data") || m->from >= g->blocks ||
				      m->len > g->blocks - m->from)) ||
	    m->to >= g->blocks || m->len > g->blocks - m->to || !m->ino ||
	    m->ino > g->inodes)
		return bad(r, "there is no such block or inode");
	return true;
}

bool plan_read(const char *text, const struct geom *g, const char *uuid, struct plan *out,
	       struct err *err)
{
	struct reader r = {.at = text, .err = err};
	bool ok = read_head(&r, g, uuid, out);
	size_t count;
	struct move m;

	while (ok && (ok = next_line(&r))) {
		if (sscanf(r.text, "end %zu", &count) == 1) {
			ok = count == out->moves.n || bad(&r, "moves are missing");
			break;
		}
		ok = read_move(&r, g, &m) && (vec_push(&out->moves, m) || err_nomem(err));
	}
	if (ok) {
		plan_price(out, g->block_size);
		return true;
	}
	plan_release(out);
	plan_init(out);
	return false;
}
