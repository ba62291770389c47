/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model_file.c - file -> its runs, its attributes, its fragments. */
#include "src/core/model_priv.h"

struct inode_info slot_unpack(uint32_t attr)
{
	return (struct inode_info){
		.type = (enum inode_type)(attr >> 29),
		.flags = attr >> 25 & 0xF,
		.size = (uint64_t)(attr & 0xFFFFF) << (attr >> 20 & 0x1F),
	};
}

static const struct slot *slot_of(const struct model *m, inum_t ino)
{
	const struct chunk *c;
	uint32_t at;

	if (ino == 0 || ino > m->geom->inodes)
		return NULL;
	c = &m->chunk[(ino - 1) / m->per];
	at = (ino - 1) % m->per;
	return at < c->slots && c->slot[at].attr >> 29 ? &c->slot[at] : NULL;
}

bool model_runs(const struct model *m, inum_t ino, struct run_list *out)
{
	const struct refs *refs;
	uint32_t i, end;

	if (ino == 0 || ino > m->geom->inodes)
		return true;
	refs = &m->chunk[(ino - 1) / m->per].refs;
	refs_range(refs, (ino - 1) % m->per, &i, &end);
	if (!vec_reserve(out, out->n + (end - i)))
		return false;
	for (; i < end; i++) {
		blkno_t b = refs_get(refs, i);

		model_unpack(m, model_span_of(m, b), model_find(m, b), &out->v[out->n++]);
	}
	return true;
}

bool model_file(const struct model *m, inum_t ino, struct file_info *out)
{
	const struct slot *s = slot_of(m, ino);
	struct run_list runs = {0};

	if (!s)
		return false;
	*out = (struct file_info){
		.inode = slot_unpack(s->attr), .parent = s->parent, .first = BLKNO_NONE};
	if (!model_runs(m, ino, &runs))
		return true; /* without memory for its runs: known, but nothing to show */
	for (size_t i = 0; i < runs.n; i++)
		if (runs.v[i].kind == OWNER_TREE)
			out->map_blocks += runs.v[i].len;
	out->blocks = extent_blocks(runs.v, runs.n);
	out->fragments = extent_fragments(runs.v, runs.n);
	out->ideal = model_ideal(m, out->blocks);
	if (runs.n && owner_is_data(runs.v[0].kind))
		out->first = runs.v[0].phys;
	vec_release(&runs);
	return true;
}

bool model_inode(const struct model *m, inum_t ino, struct inode_info *out)
{
	const struct slot *s = slot_of(m, ino);

	if (s)
		*out = slot_unpack(s->attr);
	return s != NULL;
}

inum_t model_parent(const struct model *m, inum_t ino)
{
	const struct slot *s = slot_of(m, ino);

	return s ? s->parent : 0;
}

inum_t model_next_inode(const struct model *m, inum_t ino)
{
	uint32_t per = m->per;

	for (group_t g = ino / per; g < m->chunks; g++) {
		const struct chunk *c = &m->chunk[g];

		for (uint32_t at = g == ino / per ? ino % per : 0; at < c->slots; at++)
			if (c->slot[at].attr >> 29)
				return g * per + at + 1;
	}
	return 0;
}

uint32_t model_ideal(const struct model *m, uint64_t blocks)
{
	size_t lo = 0, hi = m->stretches;

	if (blocks == 0)
		return 0;
	while (lo < hi) { /* the first prefix that holds them all */
		size_t mid = lo + (hi - lo) / 2;

		if (m->stretch_sum[mid] >= blocks)
			hi = mid;
		else
			lo = mid + 1;
	}
	return (uint32_t)(lo + 1);
}

bool model_fragment_at(const struct model *m, blkno_t b, struct fragment *out)
{
	struct run_list runs = {0};
	struct run at;
	bool found = false;

	model_at(m, b, &at);
	if (!at.ino || !owner_is_data(at.kind) || !model_runs(m, at.ino, &runs))
		return false;
	*out = (struct fragment){.next = BLKNO_NONE};
	for (size_t i = 0; i < runs.n && owner_is_data(runs.v[i].kind); i++) {
		const struct run *r = &runs.v[i];

		if (extent_starts_fragment(runs.v, runs.n, i)) {
			if (found && out->next == BLKNO_NONE)
				out->next = r->phys;
			if (!found) {
				out->index = out->count;
				out->lblk = r->lblk;
				out->phys = r->phys;
				out->len = 0;
			}
			out->count++;
		}
		if (!found || out->count == out->index + 1)
			out->len += r->len;
		found = found || r->phys == at.phys;
	}
	vec_release(&runs);
	return found;
}

int model_run_by_place(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return x->phys < y->phys ? -1 : x->phys > y->phys;
}

int model_run_order(const void *a, const void *b)
{
	const struct run *x = a, *y = b;
	bool dx = owner_is_data(x->kind), dy = owner_is_data(y->kind);

	if (dx != dy)
		return dx ? -1 : 1;
	if (dx && x->lblk != y->lblk)
		return x->lblk < y->lblk ? -1 : 1;
	return model_run_by_place(a, b);
}

void model_mark_fragments(const struct model *m, struct run *runs, size_t n)
{
	uint32_t ideal = model_ideal(m, extent_blocks(runs, n));
	bool many = extent_fragments(runs, n) > ideal;
	uint32_t index = UINT32_MAX;

	for (size_t i = 0; i < n && owner_is_data(runs[i].kind); i++) {
		index += extent_starts_fragment(runs, n, i);
		runs[i].fragmented = many;
		runs[i].odd = index & 1;
	}
}
