/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * run_record.h - a run, an undo or a redo in figures: the volume before and after it.
 *
 * The record of the last one is kept for `report run`, until the next begins or the volume
 * is closed.
 */
#ifndef UI_RUN_RECORD_H
#define UI_RUN_RECORD_H

#include "core/disk.h"
#include "core/place.h"
#include "core/space.h"
#include "ui/app.h"

#define RECORD_COLS  96
#define RECORD_ROWS  40
#define RECORD_CELLS (RECORD_COLS * RECORD_ROWS)

/* What most blocks of a cell are, the used ones first. */
enum record_class {
	RECORD_FREE,
	RECORD_META,
	RECORD_DIR,
	RECORD_FILE,
	RECORD_FRAGMENTED,
	RECORD_CLASSES
};

struct run_figures {
	struct metrics metrics;
	struct place place;
	struct space space;
	struct disk_walk order[3]; /* by enum survey_order */
	uint8_t cell[RECORD_CELLS];
};

struct run_record {
	char job[16], title[80];
	bool ended;
	bool ordered; /* the orders are known: not on a terminal for a huge volume */
	struct inum_list order[3];
	struct run_figures before, after;
	struct run_summary summary;
	uint64_t evicted_files, evicted_blocks; /* moved to make room for others */
	uint64_t user_ms, sys_ms; /* of the process; at the start until it ends */
};

/* Before the job: takes the figures. plan: of a run, else NULL. False with err. */
bool run_record_begin(struct app *a, const char *job, const struct plan *plan,
		      struct err *err);
/* The job has ended, the model is up to date. */
void run_record_end(struct app *a);
void run_record_drop(struct app *a);

/* The bottom of what a run prints, and its part of the JSON. */
void run_record_print(struct app *a);
/* A page of its own: tables and both maps. False with err. */
bool run_record_html(struct app *a, const char *path, struct err *err);

#endif
