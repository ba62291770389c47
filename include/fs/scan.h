/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * scan.h - from the disk to the model, in slices.
 *
 * Order: bitmaps; inode tables (physical order, trimmed by bg_itable_unused,
 * uninitialised groups skipped); deeper tree nodes and indirect blocks level by level,
 * sorted by place; directory blocks, for the parents; seal. Reads are large and O_DIRECT
 * where the file allows it; up to `readers` threads read and check, and are joined before
 * a step returns.
 */
#ifndef FS_SCAN_H
#define FS_SCAN_H

#include "core/model.h"
#include "fs/volume.h"

/* What a first map is painted from while the scan runs: the volume cut into `cells` equal
 * parts (blocks_per_cell each, the last may be short), per part how many blocks of each
 * class. */
enum overview_class {
	OVER_FREE = 0,
	OVER_UNKNOWN,
	OVER_META,
	OVER_JOURNAL,
	OVER_DIR,
	OVER_FILE,
	OVER_FRAGMENTED,
	OVER_CLASSES
};
struct overview {
	uint32_t cells;
	uint64_t blocks_per_cell;
	uint32_t (*count)[OVER_CLASSES]; /* cells entries; OVER_UNKNOWN = used, owner not
					    known yet */
};
#define OVERVIEW_CELLS 16384u

enum scan_state { SCAN_MORE, SCAN_DONE, SCAN_FAILED };
enum scan_phase {
	SCAN_BITMAPS,
	SCAN_INODES,
	SCAN_NODES,
	SCAN_DIRS,
	SCAN_SEAL,
	SCAN_PHASES
};
const char *scan_phase_name(enum scan_phase phase);

struct scan;
/* readers: 0 = choose. NULL: out of memory. */
struct scan *scan_new(struct volume *v, int readers, struct err *err);
void scan_free(struct scan *s);
/* One slice: some tens of milliseconds. The first step reads just the bitmaps. */
enum scan_state scan_step(struct scan *s, struct err *err);
/* Phase, and done of total in bytes of this phase. */
enum scan_phase scan_progress(const struct scan *s, uint64_t *done, uint64_t *total);
/* Valid after the first step, updated by each; belongs to the scan. */
const struct overview *scan_overview(const struct scan *s);
uint64_t scan_bytes_read(const struct scan *s);
/* What a phase has cost so far; user and system time are those of the whole process. */
struct scan_cost {
	uint64_t bytes, real_us, user_us, sys_us;
};
const struct scan_cost *scan_costs(const struct scan *s); /* SCAN_PHASES of them */
/* After SCAN_DONE, once: the sealed model, the caller's to free; its geom is the
 * volume's. flaws (initialised to zero) receives the contradictions; if there are any the
 * volume has been forbidden to write. */
struct model *scan_take(struct scan *s, struct flaw_list *flaws);

#endif
