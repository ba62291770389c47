/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * engine.h - the one facade that front ends use: requests down, events up.
 *
 * With a worker thread (ENGINE_THREAD) or without (the front end calls engine_pump): the
 * same steps run in the same order. The worker alone touches the volume and the journal.
 * The front end alone owns the model once EV_MODEL has handed it over, and changes it
 * only by applying EV_MOVED (engine_apply); a plan or names request borrows it for
 * reading until its EV_ENDED.
 *
 * Every request gets a ticket > 0; each event says whose it is. A request ends with
 * exactly one EV_ENDED. Requests are served one after the other, but questions about
 * names are answered between the steps of a running job.
 */
#ifndef ENGINE_ENGINE_H
#define ENGINE_ENGINE_H

#include "base/str.h"
#include "clone/clone.h"
#include "core/strategy.h"
#include "fs/scan.h"
#include "fs/session.h"
#include "fs/survey.h"

struct engine;

enum request_kind {
	REQ_OPEN, /* path, offset, write, journal (NULL = default place), recovers by
		     itself */
	REQ_SCAN,
	REQ_PLAN, /* model, goal, title: makes a plan */
	REQ_RUN,  /* plan, limit (0 = all, else so many moves as batches of one file) */
	REQ_UNDO, /* count actions, 0 = all */
	REQ_REDO, /* count actions, 0 = all */
	REQ_HISTORY,
	REQ_JOURNAL, /* op; count (show: which action), path (export: to where) */
	REQ_CHECK,   /* model: a fresh scan compared with it */
	REQ_PATHS,   /* model, inos -> EV_PATHS */
	REQ_LIST,    /* ino of a directory -> EV_LISTING */
	REQ_LOOKUP,  /* path -> EV_LOOKUP */
	REQ_TIMES,   /* model -> EV_TIMES */
	REQ_ORDER,   /* model, ino of a directory, count: enum survey_order -> EV_ORDER */
	REQ_READ,    /* model, inos: reads their data for real -> EV_READ */
	REQ_RATE,    /* model: reads its used blocks in a row, at most 256 MiB or 2 s
			-> EV_READ */
	REQ_COPY, /* copy: clone, image, restore or compare; path, source -> EV_COPIED */
	REQ_CLOSE,
};

/* What is to be done with the undo journal (fs/history.h). */
enum journal_op { OP_SHOW, OP_VERIFY, OP_EXPORT, OP_ARCHIVE, OP_FORGET };

/* What a request carries; engine_submit copies it all (goal.inos too) but the model and
 * the plan, which are borrowed until EV_ENDED. */
struct request {
	enum request_kind kind;
	const char *path;
	const char *journal;
	uint64_t offset;
	bool write;
	bool verify;	/* run, undo, redo: see session_options */
	bool keep_free; /* run: see session_options */
	const struct model *model;
	const struct plan *plan;
	struct goal_request goal; /* sorted by the worker as goal.order says */
	const inum_t *inos;
	size_t ino_count;
	uint32_t count; /* actions of undo and redo, moves of a limited run */
	enum journal_op op;
	const char *title;
	struct clone_request copy; /* op and flags; path: dest, title: source */
};

enum event_kind {
	EV_OPENED,   /* info (take it) */
	EV_OVERVIEW, /* overview (take it): a first map, then finer ones, at most ten a
			second */
	EV_PROGRESS, /* progress */
	EV_MODEL,    /* model, flaws (take them), metrics of the model, costs */
	EV_PLAN,     /* plan (take it) */
	EV_MOVED, /* moves of a finished batch, to be applied with engine_apply; a large
			batch comes in parts, an inode's moves in one of them */
	EV_PATHS, /* paths[i] belongs to the i-th inode of the request; NULL if unknown */
	EV_LISTING, /* entries of a directory */
	EV_LOOKUP,  /* ino */
	EV_TIMES,   /* times (take them) */
	EV_ORDER,   /* order (take it) */
	EV_READ,    /* read */
	EV_COPIED,  /* copied */
	EV_HISTORY, /* history (take it) */
	EV_JOURNAL, /* op; moved_files (show), verdict (verify), text (the path in question) */
	EV_LOG,	  /* text: one line for the log pane */
	EV_ENDED, /* err, summary */
};

struct progress {
	char job[32];	      /* "scan", "run", "undo" */
	char phase[24];	      /* "inode tables", "copy", "barrier" */
	uint64_t done, total; /* bytes of the whole job; total 0 = not known */
	uint64_t moves_done, moves_total;
	uint64_t bytes_per_second; /* smoothed over the last seconds */
	uint64_t eta_ms;	   /* 0 = not known */
	uint32_t batch;
};

/* Totals of a run, an undo or a redo. */
struct run_summary {
	uint64_t moves, blocks_moved, bytes_read, bytes_written, batches, barriers;
	uint64_t elapsed_ms;
	uint64_t copied_blocks; /* undo */
	uint64_t bytes_verified;
	uint64_t actions; /* undo, redo */
};

/* What reading files for real has cost; times in ms, of the whole process. */
struct read_report {
	uint64_t bytes, reads, real_ms, user_ms, sys_ms;
};

struct listing_entry {
	char *name;
	size_t len;
	inum_t ino;
	enum inode_type type;
};

struct event {
	enum event_kind kind;
	uint32_t ticket;
	struct volume_info *info;
	struct overview *overview;
	struct progress progress;
	struct model *model;
	struct flaw_list *flaws;
	struct metrics metrics;
	struct scan_cost costs[SCAN_PHASES];
	struct plan *plan;
	struct move *moves;
	size_t move_count;
	uint32_t batch;
	char **paths; /* NUL-terminated; lengths in path_len */
	size_t *path_len;
	size_t path_count;
	struct listing_entry *entries;
	size_t entry_count;
	inum_t ino;
	struct history *history;
	enum journal_op op;
	struct history_files moved_files;
	struct history_verdict verdict;
	struct times_list times;
	struct inum_list order;
	struct clone_report copied;
	struct read_report read;
	char text[400];
	struct err err; /* ERR_NONE when all went well */
	struct run_summary summary;
};

#define ENGINE_THREAD 0x1u

struct engine *engine_new(unsigned flags, struct err *err);
/* Stops at the next step boundary, closes session and volume, joins the worker. */
void engine_free(struct engine *e);

/* The ticket, or 0 (out of memory, queue closed). */
uint32_t engine_submit(struct engine *e, const struct request *r, struct err *err);
/* Readable while events wait. -1 without a thread. */
int engine_fd(const struct engine *e);
/* The next event or NULL; the caller frees it with event_free after taking (and nulling)
 * what it wants to keep. */
struct event *engine_next(struct engine *e);
void event_free(struct event *ev);
/* Without a thread: runs one step. False when there is nothing to do. */
bool engine_pump(struct engine *e);
/* Ends the running job at its next step boundary (EV_ENDED says ERR_STOPPED). */
void engine_stop(struct engine *e);
bool engine_busy(const struct engine *e);

/* Applies the moves of an EV_MOVED to the front end's model. */
bool engine_apply(struct model *m, const struct move *moves, size_t n, struct err *err);

/* Default journal of a volume: $XDG_STATE_HOME/cdefrag/UUID.undo, else ~/.local/state/...
 * Under sudo the invoking user's home is left alone: root's own is used. Appends to out.
 */
bool engine_default_journal(const uint8_t uuid[16], struct str *out, struct err *err);

#endif
