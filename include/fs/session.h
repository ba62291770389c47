/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * session.h - moving blocks for real: the only door through which a volume is written.
 *
 * A session is opened on a writable volume with an undo journal. It writes nothing to the
 * volume before its first batch. A batch is one crash-safe unit: intent -> journal,
 * durable | copy, new trees, mark destinations | barrier A | switch inodes | barrier B
 * The sources of a batch become free on disk with the next batch, or when the session
 * closes. A crash anywhere leaves every file wholly old or wholly new; recover_volume()
 * then makes the volume clean.
 *
 * After ERR_IO or ERR_RECOVER (an image file was attached or mounted meanwhile: nothing
 * more is written) from any call the session is dead: only session_free() may follow, and
 * the volume needs recover_volume() at the next open.
 */
#ifndef FS_SESSION_H
#define FS_SESSION_H

#include "base/str.h"
#include "core/plan.h"
#include "fs/history.h"

struct session;

struct session_options {
	const char *journal; /* path of the undo journal; created if missing, its folder
				too */
	bool verify;	     /* read back from the device what was copied, before the
				inodes are switched; ERR_IO if it is not the same */
	bool keep_free;	     /* also keep what lies in free blocks, so that undoing all
				gives the whole image back; the journal then grows by as
				much as is moved */
	uint64_t journal_limit; /* a journal longer than so many bytes is set aside when
				   the session opens, and `note` says so; 0: none is */
};
#define JOURNAL_LIMIT (1ull << 30)

/* What one batch did, for events and totals. The moves are the real ones (for undo and
 * redo: reversed where they must be), in the form that extent_apply() takes. */
struct batch_result {
	VEC(struct move) moves;
	uint64_t bytes_read, bytes_written; /* data and map blocks; and everything */
	uint64_t bytes_verified;	    /* read back and found right */
	uint32_t barriers;
	uint32_t number;	/* of the batch in the journal, from 1 */
	uint32_t copied_blocks; /* undo: blocks that really had to be copied back */
	bool action_done;	/* undo, redo: this was the last batch of its action */
};
void batch_result_init(struct batch_result *r);
void batch_result_release(struct batch_result *r);

/* A stage inside a batch, for the progress pane; done/total in bytes of that stage. */
enum batch_phase {
	BATCH_WAIT,
	BATCH_PREPARE,
	BATCH_COPY,
	BATCH_MARK,
	BATCH_BARRIER,
	BATCH_VERIFY,
	BATCH_SWITCH
};
const char *batch_phase_name(enum batch_phase phase);
typedef void (*batch_progress_fn)(void *arg, enum batch_phase phase, uint64_t done,
				  uint64_t total);

/* ERR_REFUSED: journal on the volume itself, of another volume, or damaged; ERR_RECOVER:
 * the last session was cut short. A closed journal that no longer fits the volume (it was
 * changed since) is set aside under a new name, and `note` (may be NULL) says so. */
struct session *session_open(struct volume *v, const struct session_options *opt,
			     struct str *note, struct err *err);
void session_free(struct session *s); /* without closing: as a crash would */
void session_on_progress(struct session *s, batch_progress_fn fn, void *arg);

/* Names what the next batches belong to: "defrag /var". */
bool session_action(struct session *s, const char *name, struct err *err);
/* Runs one batch. ERR_REFUSED (the disk is not as the moves say; nothing written) leaves
 * the session usable. */
bool session_batch(struct session *s, const struct move *moves, size_t n,
		   struct batch_result *out, struct err *err);
/* Takes back the last batch that is not undone / does the first undone one again.
 * ERR_REFUSED if there is none, or the inodes on disk are not as the journal left them:
 * says which and how. */
bool session_undo_batch(struct session *s, struct batch_result *out, struct err *err);
bool session_redo_batch(struct session *s, struct batch_result *out, struct err *err);
/* Frees the last sources, writes superblock and end record. Frees s in every case. When
 * all that the journal holds has been undone, the superblock comes back byte for byte as
 * before the first session. */
bool session_close(struct session *s, struct err *err);

/* --- after a crash --- */

struct recover_report {
	bool needed; /* false: nothing was to be done, nothing was written */
	bool superblock_mended;
	uint32_t batch;			 /* the batch that was cut */
	uint32_t inodes_new, inodes_old; /* of its inodes, how many had been switched */
	char text[300];			 /* the same in a sentence */
};
/* Brings a volume whose session was cut short back to a clean state, with the journal's
 * help and no e2fsck; copies no data; idempotent: it may be cut short itself. Opens and
 * closes the volume on its own, with the same checks as a write session. A missing or
 * closed journal that fits: not needed. ERR_CORRUPT or ERR_REFUSED: it stops rather than
 * guess, and says what to do. */
bool recover_volume(const char *path, uint64_t offset, const char *journal,
		    struct recover_report *out, struct err *err);

#endif
