/* SPDX-License-Identifier: GPL-3.0-or-later */
/* world_model.c - see world_model.h. */
#include "src/lab/world_model.h"

static void mark(uint8_t *used, const struct geom *g, const struct build_piece *p)
{
	for (uint32_t i = 0; i < p->len; i++) {
		blkno_t bit = p->phys + i - g->first_block;

		used[bit / 8] |= (uint8_t)(1u << bit % 8);
	}
}

static bool is_used(const uint8_t *used, const struct geom *g, blkno_t b)
{
	return used[(b - g->first_block) / 8] >> (b - g->first_block) % 8 & 1;
}

/* What the format brought besides fixed metadata (journal, root, lost+found) as one file
 * of the system. */
static bool add_base(struct model *m, const struct geom *g, const uint8_t *used)
{
	struct inode_info info = {.type = INODE_FILE, .flags = INODE_SYSTEM};
	struct run r = {.ino = 8, .kind = OWNER_JOURNAL};
	size_t f = 0;

	if (!model_set_inode(m, 8, &info))
		return false;
	for (blkno_t b = g->first_block; b < g->blocks; b++) {
		while (f < g->fixed.n && g->fixed.v[f].start + g->fixed.v[f].len <= b)
			f++;
		if (f < g->fixed.n && b >= g->fixed.v[f].start) {
			b = g->fixed.v[f].start + g->fixed.v[f].len - 1;
			continue;
		}
		if (!is_used(used, g, b))
			continue;
		r.phys = b;
		for (r.len = 1; b + 1 < g->blocks && is_used(used, g, b + 1) &&
				!(f < g->fixed.n && b + 1 >= g->fixed.v[f].start);
		     r.len++)
			b++;
		if (!model_add_run(m, &r))
			return false;
		r.lblk += r.len;
	}
	return true;
}

static bool add_node(struct model *m, const struct geom *g, const struct world_node *n,
		     inum_t ino, uint8_t *used)
{
	struct inode_info info = {.type = n->is_dir ? INODE_DIR : INODE_FILE,
				  .size = n->size};

	if (!model_set_inode(m, ino, &info))
		return false;
	for (size_t i = 0; i < n->pieces.n; i++) {
		const struct build_piece *p = &n->pieces.v[i];
		struct run r = {.phys = p->phys,
				.len = p->len,
				.lblk = (lblk_t)p->lblk,
				.ino = ino,
				.kind = n->is_dir ? OWNER_DIR : OWNER_FILE};

		if (!model_add_run(m, &r))
			return false;
		mark(used, g, p);
	}
	return true;
}

struct model *world_model(const struct world *w, const struct geom *geom, uint8_t *used,
			  struct err *err)
{
	struct model *m = model_new(geom, err);
	inum_t ino = geom->first_inode + 1; /* after lost+found */
	struct flaw_list flaws = {.limit = 1};
	bool ok = m && (add_base(m, geom, used) || err_nomem(err));

	for (size_t i = 1; ok && i < w->nodes.n; i++)
		if (w->nodes.v[i].live && ino <= geom->inodes)
			ok = add_node(m, geom, &w->nodes.v[i], ino++, used) ||
			     err_nomem(err);
	ok = ok && model_seal(m, used, 1, &flaws, err);
	if (ok && flaws.count) {
		err_set(err, ERR_BUG, "the lab's volume contradicts itself: %s",
			flaws.list.n ? flaws.list.v[0].text : "?");
		ok = false;
	}
	vec_release(&flaws.list);
	if (ok)
		return m;
	model_free(m);
	return NULL;
}
