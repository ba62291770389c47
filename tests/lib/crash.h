/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * crash.h - crash states of a session, built without its help.
 *
 * The hooks io_calls and journal_calls record what is written to the volume and to the
 * undo journal, and where each is made durable. From such a log a state is built: at a
 * point k all that a barrier covered is there; every other write may be there, gone, or
 * torn in 512-byte sectors, each on its own. What a barrier that failed should have covered can
 * still be read, but no later barrier makes it durable: only what is written again. A state is good if recovery, with no e2fsck,
 * leads to a volume without contradiction and with the same files, if a second recovery
 * writes nothing, and if undoing all brings every block in use at the start back byte for
 * byte.
 */
#ifndef TESTS_LIB_CRASH_H
#define TESTS_LIB_CRASH_H

#include "base/types.h"

enum crash_mode { CRASH_KILL, CRASH_LOSE, CRASH_RANDOM };

struct crash_op {
	int file; /* 0 volume, 1 journal */
	bool barrier, failed;
	uint64_t at;
	size_t n;
	uint8_t *data;
};

struct crash_log {
	struct crash_op *v;
	size_t n, cap;
};

/* A volume to try: image and journal paths are fixed names in $TMPDIR. */
struct crash_volume {
	const char *type;    /* "ext2", ... */
	uint32_t block_size; /* bytes */
	uint64_t bytes;
	const char *const *extra; /* for mke2fs */
	uint32_t pieces;	  /* of the file in most pieces */
};

struct crash_rig {
	uint8_t *base; /* the image before */
	size_t bytes;
	uint8_t *used; /* bitmap of it */
	uint64_t blocks, first_block;
	uint32_t block_size;
	uint64_t *sums; /* per inode: contents and everything in the inode that no move
			   may touch */
	uint32_t inodes;
	uint8_t *journal; /* journal before: nothing, or what an earlier crash left */
	size_t journal_bytes;
};

/* Makes the volume, and remembers what is in it. */
void crash_make(struct crash_rig *r, const struct crash_volume *v, uint64_t seed);
void crash_release(struct crash_rig *r);
/* Puts image and journal back as they were. */
void crash_reset(const struct crash_rig *r);
/* Takes image and journal as they are now for r's `before` (r->used and r->sums stay).
 * The old ones are not freed. */
void crash_take(struct crash_rig *r);

/* From now on sessions keep what lies in free blocks, and a state is good only if the whole
 * image comes back, free blocks too. */
void crash_keep_free(bool on);

/* From now on crash_life() counts, and lets fail, reads of the volume too. */
void crash_fail_reads(bool on);

/* Runs a whole life: defragments in small batches, ends; undoes two batches, does one
 * again, ends. fail_at >= 0: the call with that number fails with errno fail_with, once.
 * Returns whether all went well. */
bool crash_life(int fail_at, int fail_with);
/* Did the last crash_life() get as far as the call that was to fail? A life can go well all
 * the same: what is read ahead of its need may fail without harm. */
bool crash_call_failed(void);
/* Was the call that crash_life() made fail a barrier? */
bool crash_failed_barrier(const struct crash_log *log);
/* recover_volume on image and journal; NULL, or what went wrong. */
const char *crash_recover(void);
/* One step of a day: 'd' everything is defragmented, 'e' two batches and an end, 'k' two
 * batches and a kill, 'u' and 'r' one batch undone, done again, 'U' and 'R' all of them. What
 * was cut short before is recovered first, as the program does. NULL, or what went wrong. */
const char *crash_step(char step);
/* No contradiction, the same contents and attributes, right counts. */
const char *crash_check_clean(const struct crash_rig *r);
/* Undoes all that can be undone; NULL, or what went wrong. */
const char *crash_undo(void);
/* Is the state in image and journal a good one? NULL, or the reason. fsck: ask e2fsck
 * too. */
const char *crash_check(const struct crash_rig *r, bool fsck);

/* The same without recovery, as if the journal were lost: NULL, or the reason. Blocks may be
 * marked that nobody owns, checksums of bitmaps and descriptors be of different moments; no
 * inode may have lost anything, and what an inode owns is marked. */
const char *crash_check_raw(const struct crash_rig *r);

/* Everything until crash_stop_recording() goes into log, and is carried out too. */
void crash_record(struct crash_log *log);
void crash_stop_recording(void);
void crash_log_release(struct crash_log *log);

/* Builds the state at point k (operations before it were called) in image and journal. */
void crash_build(const struct crash_rig *r, const struct crash_log *log, size_t k,
		 enum crash_mode mode, uint64_t seed);

#endif
