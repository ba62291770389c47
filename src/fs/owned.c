/* SPDX-License-Identifier: GPL-3.0-or-later */
/* owned.c - see owned.h. */
#include "fs/scan.h"
#include "src/fs/owned.h"

struct look {
	struct volume *v;
	struct alloc *a;
	struct model *m;
	bool ok;
	struct err *err;
};

static struct model *scan_now(struct volume *v, struct err *err)
{
	struct flaw_list flaws = {0}; /* bitmaps of different moments: expected here */
	struct scan *scan = scan_new(v, 0, err);
	enum scan_state state = SCAN_FAILED;
	struct model *m = NULL;

	if (!scan)
		return NULL;
	do
		state = scan_step(scan, err);
	while (state == SCAN_MORE);
	if (state == SCAN_DONE)
		m = scan_take(scan, &flaws);
	vec_release(&flaws.list);
	scan_free(scan);
	return m;
}

static bool check_run(void *arg, const struct run *r)
{
	struct look *l = arg;

	if (r->kind == OWNER_FREE || r->kind == OWNER_UNKNOWN ||
	    r->kind == OWNER_CLUSTER_PAD)
		return true;
	l->ok = alloc_is(l->a, r->phys, r->len, true, NULL);
	if (!l->ok)
		err_set(l->err, ERR_CORRUPT,
			"the undo journal lacks the end of what was done: it takes block "
			"%llu for free, but inode %u lies there; run: e2fsck -f %s",
			(unsigned long long)r->phys, r->ino, l->v->info.path);
	return l->ok;
}

static bool check_range(void *arg, blkno_t start, uint32_t len)
{
	struct look *l = arg;

	model_walk(l->m, start, len, check_run, l);
	return l->ok;
}

static bool check_change(struct look *l, const struct change *c)
{
	for (size_t i = 0; i < c->inodes.n; i++)
		if (!change_each_taken(&c->inodes.v[i], check_range, l) ||
		    !change_each_freed(&c->inodes.v[i], check_range, l))
			return false;
	for (size_t i = 0; i < c->groups.n; i++)
		if (!check_range(l, geom_group_start(&l->v->geom, c->groups.v[i].group),
				 geom_group_len(&l->v->geom, c->groups.v[i].group)))
			return false;
	return true;
}

bool owned_are_marked(struct volume *v, struct alloc *a, const struct change *const *c,
		      size_t n, struct err *err)
{
	struct look l = {v, a, NULL, true, err};
	bool ok = true, any = false;

	for (size_t i = 0; i < n; i++)
		any = any || c[i]->inodes.n || c[i]->groups.n;
	if (!any)
		return true;
	l.m = scan_now(v, err);
	ok = l.m != NULL;

	for (size_t i = 0; ok && i < n; i++)
		ok = check_change(&l, c[i]);

	model_free(l.m);
	return ok;
}
