/* SPDX-License-Identifier: GPL-3.0-or-later */
/* alloc.c - see alloc.h. */
#include <stdlib.h>
#include <string.h>
#include "src/fs/alloc.h"

/* Descriptor blocks are written as libext2fs keeps them in memory. */
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
	       "volumes are little endian; writing them is not ported to anything else");

struct group_map {
	uint8_t *bits; /* NULL: not read yet */
	bool dirty;
	bool fresh;	    /* the disk may still call it BLOCK_UNINIT */
	const uint8_t *raw; /* written instead of bits (alloc_restore_uninit) */
};

struct alloc {
	struct volume *v;
	struct group_map *group;
	VEC(group_t) dirty;
	bool trust;
};

struct alloc *alloc_new(struct volume *v, struct err *err)
{
	struct alloc *a = calloc(1, sizeof(*a));

	if (a)
		a->group = calloc(v->geom.groups, sizeof(*a->group));
	if (!a || !a->group) {
		free(a);
		err_nomem(err);
		return NULL;
	}
	a->v = v;
	a->trust = true;
	return a;
}

void alloc_free(struct alloc *a)
{
	if (!a)
		return;
	for (group_t g = 0; g < a->v->geom.groups; g++)
		free(a->group[g].bits);
	free(a->group);
	vec_release(&a->dirty);
	free(a);
}

void alloc_trust_nothing(struct alloc *a)
{
	a->trust = false;
}

static struct group_map *load(struct alloc *a, group_t g, struct err *err)
{
	struct group_map *m = &a->group[g];

	if (m->bits)
		return m;
	m->bits = malloc(a->v->geom.block_size);
	if (!m->bits) {
		err_nomem(err);
		return NULL;
	}
	if (bitmap_read_group(a->v, g, m->bits, a->trust, NULL, err))
		return m;
	free(m->bits);
	m->bits = NULL;
	return NULL;
}

static bool set_dirty(struct alloc *a, group_t g)
{
	struct group_map *m = &a->group[g];

	if (m->dirty)
		return true;
	m->dirty = vec_push(&a->dirty, g);
	return m->dirty;
}

/* Walks a range group by group. */
typedef bool (*piece_fn)(struct alloc *a, group_t g, uint32_t from, uint32_t to,
			 void *arg, struct err *err);
static bool each_group(struct alloc *a, blkno_t start, uint32_t len, piece_fn fn,
		       void *arg, struct err *err)
{
	const struct geom *geom = &a->v->geom;

	if (start < geom->first_block || start >= geom->blocks ||
	    len > geom->blocks - start) {
		err_set(err, ERR_REFUSED, "blocks %llu+%u lie outside the volume",
			(unsigned long long)start, len);
		return false;
	}
	while (len) {
		group_t g = geom_group_of(geom, start);
		uint32_t from = (uint32_t)(start - geom_group_start(geom, g));
		uint32_t n = geom->blocks_per_group - from < len
				     ? geom->blocks_per_group - from
				     : len;

		if (!fn(a, g, from, from + n, arg, err))
			return false;
		start += n;
		len -= n;
	}
	return true;
}

static bool test_piece(struct alloc *a, group_t g, uint32_t from, uint32_t to, void *arg,
		       struct err *err)
{
	struct group_map *m = load(a, g, err);
	bool used = *(bool *)arg;

	if (!m)
		return false;
	for (uint32_t i = from; i < to; i++)
		if ((m->bits[i / 8] >> i % 8 & 1) != used) {
			err_set(err, ERR_REFUSED, "block %llu is %s; plan again",
				(unsigned long long)(geom_group_start(&a->v->geom, g) +
						     i),
				used ? "free, though a file should own it"
				     : "not free any more");
			return false;
		}
	return true;
}

bool alloc_is(struct alloc *a, blkno_t start, uint32_t len, bool used, struct err *err)
{
	return each_group(a, start, len, test_piece, &used, err);
}

static bool mark_piece(struct alloc *a, group_t g, uint32_t from, uint32_t to, void *arg,
		       struct err *err)
{
	struct group_map *m = load(a, g, err);
	bool used = *(bool *)arg;
	uint32_t changed = 0, free_blocks;

	if (!m)
		return false;
	for (uint32_t i = from; i < to; i++)
		if ((m->bits[i / 8] >> i % 8 & 1) != used) {
			m->bits[i / 8] ^= (uint8_t)(1 << i % 8);
			changed++;
		}
	if (!changed && a->trust)
		return true; /* without trust the count may be wrong where the bits are
				right */
	free_blocks = ext2fs_bg_free_blocks_count(a->v->fs, g);
	ext2fs_bg_free_blocks_count_set(
		a->v->fs, g, used ? free_blocks - changed : free_blocks + changed);
	m->fresh = m->fresh || ext2fs_bg_flags_test(a->v->fs, g, EXT2_BG_BLOCK_UNINIT);
	ext2fs_bg_flags_clear(a->v->fs, g, EXT2_BG_BLOCK_UNINIT);
	m->raw = NULL;
	return set_dirty(a, g) || err_nomem(err);
}

bool alloc_mark(struct alloc *a, blkno_t start, uint32_t len, bool used, struct err *err)
{
	return each_group(a, start, len, mark_piece, &used, err);
}

/* --- groups without a bitmap --- */

static uint8_t *descriptor(const struct alloc *a, group_t g)
{
	return (uint8_t *)a->v->fs->group_desc +
	       (size_t)g * EXT2_DESC_SIZE(a->v->fs->super);
}

static size_t descriptor_bytes(const struct alloc *a)
{
	size_t n = EXT2_DESC_SIZE(a->v->fs->super);

	return n < 64 ? n : 64;
}

static bool is_uninit(const struct alloc *a, group_t g)
{
	return ext2fs_has_group_desc_csum(a->v->fs) &&
	       ext2fs_bg_flags_test(a->v->fs, g, EXT2_BG_BLOCK_UNINIT);
}

static bool note_piece(struct alloc *a, group_t g, uint32_t from, uint32_t to, void *arg,
		       struct err *err)
{
	struct change *c = arg;
	struct change_group note = {.group = g};

	(void)from, (void)to;
	for (size_t i = 0; i < c->groups.n; i++)
		if (c->groups.v[i].group == g)
			return true;
	if (!is_uninit(a, g))
		return true;
	memcpy(note.desc, descriptor(a, g), descriptor_bytes(a));
	note.bitmap = malloc(a->v->geom.block_size);
	if (!note.bitmap)
		return err_nomem(err);
	if (!io_read(a->v, ext2fs_block_bitmap_loc(a->v->fs, g), 1, note.bitmap, err)) {
		free(note.bitmap);
		return false;
	}
	if (vec_push(&c->groups, note))
		return true;
	free(note.bitmap);
	return err_nomem(err);
}

bool alloc_note_uninit(struct alloc *a, blkno_t start, uint32_t len, struct change *c,
		       struct err *err)
{
	return each_group(a, start, len, note_piece, c, err);
}

/* The bitmap that a group has with nothing in it but metadata. */
static bool bare_bitmap(struct alloc *a, group_t g, uint8_t *out, struct err *err)
{
	bool was = ext2fs_bg_flags_test(a->v->fs, g, EXT2_BG_BLOCK_UNINIT), ok;

	ext2fs_bg_flags_set(a->v->fs, g, EXT2_BG_BLOCK_UNINIT);
	ok = bitmap_read_group(a->v, g, out, false, NULL, err);
	if (!was)
		ext2fs_bg_flags_clear(a->v->fs, g, EXT2_BG_BLOCK_UNINIT);
	return ok;
}

bool alloc_restore_uninit(struct alloc *a, const struct change_group *g, struct err *err)
{
	struct group_map *m = load(a, g->group, err);
	uint32_t bs = a->v->geom.block_size;
	uint8_t *bare = malloc(bs);
	bool ok = m && (bare || err_nomem(err)) && bare_bitmap(a, g->group, bare, err);

	if (ok && !is_uninit(a, g->group) && memcmp(m->bits, bare, bs) == 0) {
		memcpy(descriptor(a, g->group), g->desc, descriptor_bytes(a));
		m->raw = g->bitmap;
		ok = set_dirty(a, g->group) || err_nomem(err);
	}
	free(bare);
	return ok;
}

static uint32_t count_free(const uint8_t *bits, uint32_t n)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < n; i++)
		count += !(bits[i / 8] >> i % 8 & 1);
	return count;
}

bool alloc_rebuild(struct alloc *a, group_t group, struct err *err)
{
	struct group_map *m = &a->group[group];

	if (!m->bits && !(m->bits = malloc(a->v->geom.block_size)))
		return err_nomem(err);
	if (!bare_bitmap(a, group, m->bits, err))
		return false;
	m->fresh = true;
	ext2fs_bg_flags_clear(a->v->fs, group, EXT2_BG_BLOCK_UNINIT);
	ext2fs_bg_free_blocks_count_set(
		a->v->fs, group, count_free(m->bits, geom_group_len(&a->v->geom, group)));
	return set_dirty(a, group) || err_nomem(err);
}

/* --- writing --- */

static bool write_bitmap(struct alloc *a, group_t g, struct err *err)
{
	struct group_map *m = &a->group[g];
	ext2_filsys fs = a->v->fs;
	uint32_t bytes = a->v->geom.blocks_per_group / 8;

	if (m->raw) /* with its old descriptor, checksums and all */
		return io_write(a->v, ext2fs_block_bitmap_loc(fs, g), 1, m->raw, err);
	if (!a->trust) /* counted anew: the old count may be of another moment */
		ext2fs_bg_free_blocks_count_set(
			fs, g, count_free(m->bits, geom_group_len(&a->v->geom, g)));
	ext2fs_block_bitmap_csum_set(fs, g, (char *)m->bits, (int)bytes);
	ext2fs_group_desc_csum_set(fs, g);
	return io_write(a->v, ext2fs_block_bitmap_loc(fs, g), 1, m->bits, err);
}

/* The descriptor block with index i, as it is in memory. */
static bool write_descriptors(struct alloc *a, uint32_t i, struct err *err)
{
	ext2_filsys fs = a->v->fs;
	blkno_t place =
		ext2fs_descriptor_block_loc2(fs, fs->super->s_first_data_block, i);

	if (a->v->geom.block_size == 1024 && a->v->geom.first_block == 0)
		place = ext2fs_descriptor_block_loc2(fs, 1, i);
	return io_write(a->v, place, 1,
			(uint8_t *)fs->group_desc + (size_t)i * a->v->geom.block_size,
			err);
}

static int by_number(const void *a, const void *b)
{
	const group_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

enum order { FIRST_BITMAPS, OTHER_BITMAPS, LAST_BITMAPS };

static enum order order_of(const struct group_map *m)
{
	return m->raw ? LAST_BITMAPS : m->fresh ? FIRST_BITMAPS : OTHER_BITMAPS;
}

/* *any: there was one. */
static bool write_bitmaps(struct alloc *a, enum order which, bool *any, struct err *err)
{
	*any = false;
	for (size_t i = 0; i < a->dirty.n; i++) {
		if (order_of(&a->group[a->dirty.v[i]]) != which)
			continue;
		*any = true;
		if (!write_bitmap(a, a->dirty.v[i], err))
			return false;
	}
	return true;
}

static bool has_raw(const struct alloc *a)
{
	for (size_t i = 0; i < a->dirty.n; i++)
		if (a->group[a->dirty.v[i]].raw)
			return true;
	return false;
}

static bool write_all_descriptors(struct alloc *a, struct err *err)
{
	uint32_t per = EXT2_DESC_PER_BLOCK(a->v->fs->super), last = UINT32_MAX;

	for (size_t i = 0; i < a->dirty.n; i++) {
		if (a->dirty.v[i] / per != last &&
		    !write_descriptors(a, a->dirty.v[i] / per, err))
			return false;
		last = a->dirty.v[i] / per;
	}
	return true;
}

static void set_clean(struct alloc *a)
{
	for (size_t i = 0; i < a->dirty.n; i++)
		a->group[a->dirty.v[i]].dirty = a->group[a->dirty.v[i]].fresh = false;
	vec_clear(&a->dirty);
}

bool alloc_flush(struct alloc *a, struct err *err)
{
	bool any, ok;

	if (a->dirty.n)
		qsort(a->dirty.v, a->dirty.n, sizeof(*a->dirty.v), by_number);
	ok = write_bitmaps(a, FIRST_BITMAPS, &any, err) &&
	     (!any || io_barrier(a->v, err)) &&
	     write_bitmaps(a, OTHER_BITMAPS, &any, err) &&
	     write_all_descriptors(a, err) && (!has_raw(a) || io_barrier(a->v, err)) &&
	     write_bitmaps(a, LAST_BITMAPS, &any, err);
	if (ok)
		set_clean(a);
	return ok;
}

uint64_t alloc_free_blocks(const struct alloc *a)
{
	uint64_t n = 0;

	for (group_t g = 0; g < a->v->geom.groups; g++)
		n += ext2fs_bg_free_blocks_count(a->v->fs, g);
	return n;
}
