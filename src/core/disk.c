/* SPDX-License-Identifier: GPL-3.0-or-later */
/* disk.c - see disk.h. */
#include <string.h>
#include "core/disk.h"

/* hdd: 7200 rpm, 8.5 ms average seek and 4.17 ms half a turn. The others
 * are round figures for a kind of device, not for a product. */
const struct disk disk_presets[] = {
	{"hdd", 8.5 + 4.17, 150e3, 256u << 10,
	 "7200 rpm disk: 12.67 ms a jump, 150 MB/s"},
	{"ssd", 0.1, 500e3, 32u << 10, "SATA flash: 0.1 ms a jump, 500 MB/s"},
	{"nvme", 0.02, 3000e3, 64u << 10, "NVMe flash: 0.02 ms a jump, 3 GB/s"},
	{"sd", 0.8, 40e3, 32u << 10, "SD card: 0.8 ms a jump, 40 MB/s"},
};
const size_t disk_preset_count = sizeof(disk_presets) / sizeof(disk_presets[0]);

const struct disk *disk_find(const char *name)
{
	for (size_t i = 0; i < disk_preset_count; i++)
		if (!strcmp(disk_presets[i].name, name))
			return &disk_presets[i];
	return NULL;
}

static struct disk chosen;

const struct disk *disk_now(void)
{
	return chosen.name ? &chosen : &disk_presets[0];
}

void disk_choose(const struct disk *d)
{
	chosen = *d;
}

static void jump(struct disk_walk *w, blkno_t to)
{
	uint64_t gap = to > w->at ? to - w->at : w->at - to;

	w->reads++;
	if (w->begun && to > w->at && gap * w->block_size <= w->disk->read_over_bytes) {
		w->read_over += gap;
		w->ms += (double)gap * w->block_size / w->disk->bytes_per_ms;
		return;
	}
	w->jumps++;
	w->distance += w->begun ? gap : 0;
	w->ms += w->disk->jump_ms;
}

void disk_read(struct disk_walk *w, blkno_t start, uint64_t len)
{
	if (!len)
		return;
	w->pairs += len - 1 + w->begun;
	w->pairs_close += len - 1;
	if (w->begun && start == w->at)
		w->pairs_close++;
	else
		jump(w, start);
	w->blocks += len;
	w->ms += (double)len * w->block_size / w->disk->bytes_per_ms;
	w->at = start + len;
	w->begun = true;
}

void disk_read_file(struct disk_walk *w, const struct run *runs, size_t n)
{
	for (size_t i = 0; i < n && owner_is_data(runs[i].kind); i++)
		disk_read(w, runs[i].phys, runs[i].len);
}

bool disk_read_order(struct disk_walk *w, const struct model *m, const inum_t *inos,
		     size_t n)
{
	struct run_list runs = {0};
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++) {
		runs.n = 0;
		ok = model_runs(m, inos[i], &runs);
		disk_read_file(w, runs.v, runs.n);
	}
	vec_release(&runs);
	return ok;
}

double disk_dynamic_score(const struct disk_walk *w)
{
	return w->pairs ? (double)w->pairs_close / (double)w->pairs : 1.0;
}

double disk_ideal_ms(const struct disk_walk *w)
{
	if (!w->blocks)
		return 0;
	return w->disk->jump_ms +
	       (double)w->blocks * w->block_size / w->disk->bytes_per_ms;
}
