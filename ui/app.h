/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * app.h - the state that panes show and commands change. No curses, no readline.
 *
 * One struct for the terminal and for batch mode: a key, a click and a command all end in
 * the same handlers (cmd_*.c). Panes read it; only command handlers and app_event() write
 * it.
 */
#ifndef UI_APP_H
#define UI_APP_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"
#include "core/metric.h"
#include "engine/engine.h"
#include "ui/census.h"
#include "ui/strips.h"
#include "ui/theme.h"

struct names;	  /* names.h: cache inode -> path, asks the engine for what it lacks */
struct files;	  /* files.h: the sorted list of files */
struct anim;	  /* anim.h: cells that flash */
struct map_cache; /* map_cell.h: the cells of the map on screen */
struct groups;	  /* groups.h: figures of the block groups */
struct forecast;  /* core/forecast.h: the volume as the plan will make it */
struct fsck;
struct replay;	/* replay.h: what was done, being shown again */
struct recorder; /* replay.h */
struct lesson; /* lesson.h: one that is being played */
struct app_waiter;
struct watch;	   /* watch.h: a mounted volume is looked at again and again */
struct picker;	   /* picker.h: the list of volumes, when it is open */
struct tree;	   /* tree.h: directories and what they cost */
struct user_key;   /* bind.h: keys and words of the user's own */
struct user_alias;
struct run_record; /* run_record.h: the last run in figures */

enum app_color {
	COLOR_BY_FILE,
	COLOR_BY_KIND,
	COLOR_BY_FRAG,
	COLOR_BY_USAGE,
	COLOR_BY_AGE,  /* since the last use */
	COLOR_BY_PLAN, /* what the plan takes and puts; c passes it over without a plan */
	COLOR_MODES
};
/* How the map pane shows the volume. */
enum app_view { VIEW_GROUPS, VIEW_LINEAR, VIEW_TABLE, VIEW_COUNT };
enum app_focus { FOCUS_MAP, FOCUS_FILES, FOCUS_INSPECT, FOCUS_BOTTOM, FOCUS_COUNT };
enum app_tab { TAB_PLAN, TAB_JOBS, TAB_JOURNAL, TAB_LOG, TAB_TREE, TAB_COUNT };

/* Places with names: a to z, A to Z, and where the last jump came from. */
enum { MARK_JUMP = 52, MARK_COUNT };

/* What part of the volume the map shows, kept by map_layout. */
struct map_state {
	blkno_t cursor;	     /* block under the cursor */
	struct range region; /* the target "region"; len 0: none */
	struct range pick;   /* picked up, to be dropped at the cursor; len 0: nothing */
	bool selecting; /* the region reaches from the anchor to the cursor as it moves */
	bool dragging;	/* the mouse does that; letting go ends it */
	blkno_t anchor;
	struct {
		bool set;
		blkno_t block;
	} marks[MARK_COUNT];
	uint64_t blocks_per_cell; /* 0 = fit */
	blkno_t top;		  /* first block shown (start of a row) */
	enum app_view view;
	enum app_color color;
	bool after; /* as the plan will make it; without a plan it does not count */
	bool split; /* the same below the map of now */
	group_t table_top; /* first group that the table shows */
	bool spotlight;	   /* the selected file lit, the rest dimmed */
	bool glyphs; /* whole cells with glyphs even where half blocks are possible */
};

struct log_line {
	int64_t time; /* seconds since 1970 */
	bool error;
	char *text;
};

struct app {
	struct engine *engine;
	struct theme theme;
	char theme_id[256];	   /* the name or path that it was loaded by */
	struct volume_info volume; /* path empty: no volume open */
	bool open;
	struct overview *overview; /* until the model is there */
	struct model *model;	   /* NULL until scanned */
	struct metrics metrics;	   /* of the model; kept up to date by app_event */
	double heat_days;	   /* half-life of a use, see core/heat.h */
	struct scan_cost scan_costs[SCAN_PHASES]; /* of the scan that made it */
	struct flaw_list flaws;
	struct plan *plan;	  /* pending, or NULL */
	struct history *history;  /* as last read, or NULL */
	struct progress progress; /* of the running job */
	uint32_t job; /* ticket of the running scan, plan, run, undo...; 0 = none */
	enum request_kind job_kind;
	char job_name[32];
	size_t job_moves; /* of the pending plan, done by the running job */
	struct strips strips; /* of the running job, or the last */
	struct run_summary last_run;
	bool run_ended; /* last_run means something */
	struct run_record *record;   /* of the last run, or NULL */
	struct clone_report *copied; /* of a copy that has ended, until it is shown */
	struct metrics before_run;

	inum_t selected;	 /* file in the inspector and spotlight, 0 none */
	VEC(inum_t) tags;	 /* sorted */
	VEC(struct move) recent; /* last moves done, newest last, at most 64 */

	struct map_state map;
	struct {
		char text[200]; /* looked for last, or empty */
		bool active, back;
		size_t from,
			done; /* where it began in the file list; how many it has seen */
	} search;
	enum app_focus focus;
	enum app_focus lower; /* what a narrow screen shows under the map: the last focus
				 but the map */
	enum app_tab tab;     /* changed by app_show_tab() */
	int bottom_scroll;
	int journal_cursor; /* line of the journal pane, 0 the newest action */
	int inspect_scroll;
	inum_t inspect_ino;  /* the file that inspect_scroll is about */
	bool inspect_follow; /* the fragment under the cursor is kept in sight */
	bool help_open;
	int help_scroll;

	struct names *names;
	struct watch *watch;
	struct picker *picker;
	struct tree *tree;
	struct files *files;
	struct anim *anim;
	struct map_cache *map_cache;
	struct groups *groups;
	struct census census;
	struct {
		uint8_t *v;	 /* by inode, NULL: not there */
		inum_t inodes;	 /* of them */
		uint32_t ticket; /* of the request under way, 0 none */
	} ages;			 /* see ages.h */
	struct {
		struct forecast *forecast;
		const struct plan *plan; /* that it was made for, and its marks */
		size_t moves;
		uint64_t blocks, batches;
	} after; /* see after.h */
	VEC(struct log_line) log;
	char message[400]; /* the one line under the readout; */
	bool message_is_error;
	char *confirm_line;	/* a question is being asked; y runs this command line */
	char confirm_text[200]; /* the question, without "(y/n)" */
	bool confirm_copy;	/* safety.h */
	bool copy_made;		/* of the open volume, since it was opened */
	char repeat[200]; /* the last command that made a plan; "{file}" as in keymap.h */
	bool repeat_fresh;    /* the line that ran last has set it */
	int key_count;	      /* digits typed before a key, 0 = none */
	int key_prefix;	      /* 'g' was typed, 0 = nothing */
	VEC(struct user_key *) user_keys;
	VEC(struct user_alias) aliases;
	bool redraw, suspend; /* wishes for the loop */
	bool quit;
	int exit_code; /* worst so far, err_exit_code */

	char *journal;	    /* -z, or NULL = default place */
	bool verify;	    /* what is copied is read back from the device */
	bool undo_full;	    /* the journal keeps the contents of free blocks too */
	bool json;	    /* batch output as JSON */
	bool json_done;	    /* the running command has printed its JSON */
	bool interactive;   /* curses is on */
	bool animate;	    /* moves flash */
	bool mouse;	    /* clicks are ours; off: the terminal selects text */
	bool color;	    /* batch: text maps may be coloured */
	const char *origin; /* batch: what comes before error messages */
	struct str *out;    /* what the running command prints; see app_flush() */
	struct str out_buf;

	/* how commands wait for the engine (app_wait.c) */
	struct app_waiter *waiters;
	VEC(struct event *) held;	/* moves that must not be applied yet */
	char *rest;			/* commands to run when the job has ended well */
	void (*on_wait)(struct app *a); /* batch: called now and then during app_wait */
	struct fsck *fsck;		/* fsck.h: a running e2fsck, or NULL */
	struct lesson *lesson;		/* lesson.h: being played, or NULL */
	struct replay *replay;		/* replay.h: the model is of another time; or NULL */
	struct recorder *recorder;	/* or NULL */
};

bool app_init(struct app *a, unsigned engine_flags, struct err *err);
void app_release(struct app *a);

/* Handles one event and frees it. Returns true if something on the screen may have
 * changed. */
bool app_event(struct app *a, struct event *ev);
/* Handles all waiting events. Returns true as above. */
bool app_drain(struct app *a);
/* The same, but leaves the rest for the next call after so many milliseconds. */
bool app_drain_for(struct app *a, uint64_t ms);
/* Are there held events whose time has come? app_drain handles them first. */
bool app_may_release(const struct app *a);
/* Runs the engine (pump or wait on its fd) until the ticket has ended, handling events;
 * for batch mode and for short questions (ms >= 0: give up after so long, returns false).
 */
bool app_wait(struct app *a, uint32_t ticket, int ms);

/* Starts a job: one at a time, ERR_REFUSED while another runs. */
bool app_submit(struct app *a, const struct request *r, const char *name,
		struct err *err);
/* Batch: waits for the job and tells how it ended. On a terminal true at once: the job
 * goes on, app_event() finishes it, and the rest of the command line waits for it. */
bool app_finish(struct app *a, struct err *err);
/* Waits for any ticket; false with err if it ended badly. */
bool app_await(struct app *a, uint32_t ticket, struct err *err);
/* Asks a question of the engine and waits for its answer (ms as in app_wait): the
 * EV_LOOKUP or EV_LISTING, to be freed by the caller; NULL with err. */
struct event *app_query(struct app *a, const struct request *r, int ms, struct err *err);
/* Opens a volume in place of the present one; app_finish() tells how it went. On a
 * terminal the scan follows by itself, and what may not be written is opened for viewing.
 */
bool app_open(struct app *a, const char *path, uint64_t offset, bool write,
	      struct err *err);
bool app_close(struct app *a, struct err *err);
/* True once there is a model; in batch mode the volume is scanned now if it has to be. */
bool app_need_model(struct app *a, struct err *err);
/* As app_need_model; ERR_CORRUPT if the scan found contradictions: nothing is moved then.
 */
bool app_need_sound(struct app *a, struct err *err);

/* `check` on a terminal: its e2fsck's descriptor (-1 none) for the loop, and what to do
 * when it is readable; true if something on the screen may have changed. */
int app_fsck_fd(const struct app *a);
bool app_poll_fsck(struct app *a);

/* Output of a command, and sending it where it belongs: stdout in batch mode, message
 * line or log pane in curses. */
void app_print(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_flush(struct app *a);

void app_log(struct app *a, bool error, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* Shows a message line (and logs it if it is an error). */
void app_say(struct app *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_fail(struct app *a, const struct err *err);
/* The same with the line and a caret under its byte `at`. */
void app_fail_at(struct app *a, const struct err *err, const char *line, int at);

/* Asks y/n under the readout; on y the command line is run, which should not ask again.
 * Without a terminal the answer is no. A later question replaces an earlier one. */
void app_ask(struct app *a, const char *question, const char *line_if_yes);
/* The answer: forgets the question and runs its line on yes. */
void app_answer(struct app *a, bool yes);
/* Shows a tab of the bottom pane (at its top). The focus stays where it is, unless a
 * narrow screen no longer shows that pane. */
void app_show_tab(struct app *a, enum app_tab tab);

/* Selects a file everywhere (0: none); moves the map cursor to its first block if `jump`.
 */
void app_select(struct app *a, inum_t ino, bool jump);
bool app_is_tagged(const struct app *a, inum_t ino);
bool app_tag(struct app *a, inum_t ino, bool on); /* false: out of memory */

/* "blk 19745 g2+3361 | ino 17 /x | fragment 9/23, block 4 of 41 | logical 352..392 | next
 * fragment +367"; in fewer words, and with less of the path, if that takes more than cols
 * columns (0: any number). */
void app_readout(struct app *a, blkno_t block, int cols, struct str *out);

#endif
