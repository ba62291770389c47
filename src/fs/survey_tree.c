/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * survey_tree.c - the files of a tree in the order in which a walk meets them.
 *
 * The kernel lists a directory with dir_index by (hash, minor hash) of its names, one of
 * a single block too (ext4_dx_readdir); without dir_index in the order of its blocks.
 */
#include <stdlib.h>
#include <string.h>
#include "fs/dirs.h"
#include "fs/survey.h"
#include "src/fs/dirent.h"

struct entry {
	uint32_t hash[2];
	uint32_t turn; /* in the order of the blocks */
	inum_t ino;
	char *name; /* ORDER_NAME only */
	size_t len;
};

/* A directory that is being walked through. */
struct level {
	struct entry *v;
	size_t n, at;
};

struct walk {
	struct volume *v;
	const struct model *m;
	enum survey_order order;
	struct inum_list *out;
	uint8_t *seen; /* one bit an inode */
	VEC(struct level) levels;
	VEC(struct entry) fresh; /* of the directory that is being listed */
	bool oom;
};

static bool see(struct walk *w, inum_t ino)
{
	uint8_t bit = (uint8_t)(1u << ino % 8);

	if (ino > model_geom(w->m)->inodes || (w->seen[ino / 8] & bit))
		return false;
	w->seen[ino / 8] |= bit;
	return true;
}

static bool note(void *arg, const char *name, size_t len, inum_t ino,
		 enum inode_type type, const uint32_t hash[2])
{
	struct walk *w = arg;
	struct entry e = {
		.hash = {hash[0], hash[1]}, .turn = (uint32_t)w->fresh.n, .ino = ino};

	(void)type;
	if (w->order == ORDER_NAME) {
		e.name = malloc(len ? len : 1);
		e.len = len;
		if (e.name)
			memcpy(e.name, name, len);
		w->oom = !e.name;
	}
	if (!w->oom && !vec_push(&w->fresh, e)) {
		free(e.name);
		w->oom = true;
	}
	return !w->oom;
}

static int by_hash(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;

	for (int i = 0; i < 2; i++)
		if (x->hash[i] != y->hash[i])
			return x->hash[i] < y->hash[i] ? -1 : 1;
	return x->turn < y->turn ? -1 : x->turn > y->turn;
}

static int by_name(const void *a, const void *b)
{
	const struct entry *x = a, *y = b;
	int c = memcmp(x->name, y->name, x->len < y->len ? x->len : y->len);

	return c ? c : x->len < y->len ? -1 : x->len > y->len;
}

static void free_entries(struct entry *v, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(v[i].name);
	free(v);
}

/* Lists a directory and makes it the one to go on with. */
static bool enter(struct walk *w, inum_t dir, struct err *err)
{
	struct err own = ERR_INIT;
	struct level level;
	bool ok = dir_list_hashed(w->v, dir, note, w, &own);

	if (!w->oom && !ok && own.class != ERR_CORRUPT && own.class != ERR_USAGE) {
		err_set(err, own.class, "%s", own.msg);
		return false;
	}
	if (w->fresh.n)
		qsort(w->fresh.v, w->fresh.n, sizeof(*w->fresh.v),
		      w->order == ORDER_NAME ? by_name : by_hash);
	level = (struct level){w->fresh.v, w->fresh.n, 0};
	w->fresh.v = NULL;
	w->fresh.n = w->fresh.cap = 0;
	if (w->oom || !vec_push(&w->levels, level)) {
		free_entries(level.v, level.n);
		return err_nomem(err);
	}
	return true;
}

static bool visit(struct walk *w, inum_t ino, struct err *err)
{
	struct inode_info info;

	if (!model_inode(w->m, ino, &info) || !see(w, ino))
		return true;
	if (!vec_push(w->out, ino))
		return err_nomem(err);
	return info.type != INODE_DIR || enter(w, ino, err);
}

static bool walk_tree(struct walk *w, inum_t dir, struct err *err)
{
	bool ok = visit(w, dir, err);

	while (ok && w->levels.n) {
		struct level *l = &w->levels.v[w->levels.n - 1];

		if (l->at < l->n) {
			ok = visit(w, l->v[l->at++].ino, err);
			continue;
		}
		free_entries(l->v, l->n);
		w->levels.n--;
	}
	return ok;
}

bool survey_tree(struct volume *v, const struct model *m, inum_t dir,
		 enum survey_order order, struct inum_list *out, struct err *err)
{
	struct walk w = {.v = v, .m = m, .order = order, .out = out};
	bool ok;

	if (order == ORDER_INODE)
		return model_tree(m, dir, out) || err_nomem(err);
	w.seen = calloc(1, model_geom(m)->inodes / 8 + 1);
	ok = w.seen ? walk_tree(&w, dir, err) : err_nomem(err);
	while (w.levels.n) {
		w.levels.n--;
		free_entries(w.levels.v[w.levels.n].v, w.levels.v[w.levels.n].n);
	}
	free_entries(w.fresh.v, w.fresh.n);
	vec_release(&w.levels);
	free(w.seen);
	return ok;
}
