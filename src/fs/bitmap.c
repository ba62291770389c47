/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bitmap.c - allocation bitmaps: one group as the writer needs it, or the whole volume
 * for the scan.
 *
 * Neighbouring bitmap blocks (flex_bg) are read in one go. A BLOCK_UNINIT group's bitmap
 * is not on the disk: it is what the geometry says lies in the group
 * (ext4_init_block_bitmap).
 */
#include <stdlib.h>
#include <string.h>
#include "src/fs/fs.h"

static void set_bits(uint8_t *map, uint64_t from, uint64_t n)
{
	for (; n && from % 8; from++, n--)
		map[from / 8] |= (uint8_t)(1 << from % 8);
	memset(map + from / 8, 0xFF, n / 8);
	for (from += n - n % 8, n %= 8; n; from++, n--)
		map[from / 8] |= (uint8_t)(1 << from % 8);
}

static bool is_uninit(const struct volume *v, group_t group)
{
	return ext2fs_has_group_desc_csum(v->fs) &&
	       ext2fs_bg_flags_test(v->fs, group, EXT2_BG_BLOCK_UNINIT);
}

/* In clusters: the fixed metadata inside the group, and the padding of a short last
 * group. */
static void compute_group(const struct volume *v, group_t group, uint8_t *map)
{
	const struct geom *g = &v->geom;
	blkno_t start = geom_group_start(g, group),
		end = start + geom_group_len(g, group);
	uint32_t ratio = g->cluster_ratio, bits = g->blocks_per_group / ratio;
	uint64_t have = (end - start + ratio - 1) / ratio;

	memset(map, 0, g->block_size);
	for (size_t i = geom_fixed_after(g, start); i < g->fixed.n; i++) {
		blkno_t from = g->fixed.v[i].start, to = from + g->fixed.v[i].len;

		if (from >= end)
			break;
		from = from < start ? start : from;
		to = to > end ? end : to;
		set_bits(map, (from - start) / ratio,
			 (to - 1 - start) / ratio - (from - start) / ratio + 1);
	}
	if (have < bits)
		set_bits(map, have, bits - have);
	if (bits < g->block_size * 8)
		set_bits(map, bits, g->block_size * 8 - bits);
}

static bool csum_ok(struct volume *v, group_t group, void *buf)
{
	uint32_t bytes = v->geom.blocks_per_group / v->geom.cluster_ratio / 8;

	return ext2fs_block_bitmap_csum_verify(v->fs, group, buf, (int)bytes);
}

bool bitmap_read_group(struct volume *v, group_t group, void *buf, bool verify,
		       bool *uninit, struct err *err)
{
	bool none = is_uninit(v, group);

	if (uninit)
		*uninit = none;
	if (none) {
		compute_group(v, group, buf);
		return true;
	}
	if (!io_read(v, ext2fs_block_bitmap_loc(v->fs, group), 1, buf, err))
		return false;
	if (!verify || csum_ok(v, group, buf))
		return true;
	err_set(err, ERR_CORRUPT,
		"the checksum of the block bitmap of group %u is wrong; run: e2fsck -f "
		"%s",
		group, v->info.path);
	return false;
}

/* --- the whole volume --- */

struct wanted {
	blkno_t block;
	group_t group;
};

static int by_block(const void *a, const void *b)
{
	const struct wanted *x = a, *y = b;

	return x->block < y->block ? -1 : x->block > y->block;
}

/* Puts one group's bitmap (in clusters) at its place in the volume's (in blocks). */
static void place_group(const struct volume *v, group_t group, const uint8_t *map,
			uint8_t *out)
{
	const struct geom *g = &v->geom;
	uint64_t first = (uint64_t)group * g->blocks_per_group;
	uint32_t len = geom_group_len(g, group), ratio = g->cluster_ratio;

	if (ratio == 1 && first % 8 == 0) {
		memcpy(out + first / 8, map, len / 8);
		for (uint32_t i = len & ~7u; i < len; i++)
			if (map[i / 8] >> i % 8 & 1)
				set_bits(out, first + i, 1);
		return;
	}
	for (uint32_t c = 0; c * ratio < len; c++)
		if (map[c / 8] >> c % 8 & 1) {
			uint32_t n = len - c * ratio < ratio ? len - c * ratio : ratio;

			set_bits(out, first + (uint64_t)c * ratio, n);
		}
}

/* Reads want[0..n), whose blocks follow each other, and places them. */
static bool read_row(struct volume *v, const struct wanted *want, size_t n, uint8_t *out,
		     struct flaw_list *flaws, struct err *err)
{
	uint8_t *buf =
		aligned_alloc(4096, ((n * v->geom.block_size + 4095) & ~(size_t)4095));
	bool ok = buf ? io_read(v, want[0].block, n, buf, err) : err_nomem(err);

	for (size_t i = 0; ok && i < n; i++) {
		uint8_t *map = buf + i * v->geom.block_size;

		if (!csum_ok(v, want[i].group, map))
			flaw_add(flaws, want[i].block, 0,
				 "the checksum of the block bitmap of group %u is wrong",
				 want[i].group);
		place_group(v, want[i].group, map, out);
	}
	free(buf);
	return ok;
}

#define ROW_MAX 256

static bool read_all(struct volume *v, struct wanted *want, size_t n, uint8_t *out,
		     struct flaw_list *flaws, struct err *err)
{
	qsort(want, n, sizeof(*want), by_block);
	for (size_t i = 0, end; i < n; i = end) {
		for (end = i + 1; end < n && end - i < ROW_MAX &&
				  want[end].block == want[i].block + (end - i);)
			end++;
		if (!read_row(v, want + i, end - i, out, flaws, err))
			return false;
	}
	return true;
}

uint8_t *volume_read_bitmap(struct volume *v, struct flaw_list *flaws, struct err *err)
{
	const struct geom *g = &v->geom;
	uint8_t *out = calloc(1, (g->blocks - g->first_block + 7) / 8 + 8);
	struct wanted *want = malloc(g->groups * sizeof(*want));
	uint8_t *map = malloc(g->block_size);
	size_t n = 0;
	bool ok = out && want && map;

	if (!ok)
		err_nomem(err);
	for (group_t i = 0; ok && i < g->groups; i++) {
		if (!is_uninit(v, i)) {
			want[n++] = (struct wanted){ext2fs_block_bitmap_loc(v->fs, i), i};
			continue;
		}
		compute_group(v, i, map);
		place_group(v, i, map, out);
	}
	ok = ok && (n == 0 || read_all(v, want, n, out, flaws, err));
	free(want);
	free(map);
	if (ok)
		return out;
	free(out);
	return NULL;
}
