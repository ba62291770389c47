/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * history.h - the undo journal of a volume seen from outside: what was done, whether it
 * can still be taken back, and what becomes of the file. Nothing here writes to a volume.
 *
 * Every function names the journal by its path. ERR_REFUSED: there is none, it belongs to
 * another volume, or another program is using it; ERR_CORRUPT: it is damaged; ERR_RECOVER:
 * a session was cut short, and the journal is needed as it is.
 */
#ifndef FS_HISTORY_H
#define FS_HISTORY_H

#include <stdio.h>
#include "base/str.h"
#include "fs/volume.h"

struct history_action {
	char name[80];
	int64_t time;	  /* seconds since 1970 */
	uint32_t batches; /* all of them */
	uint32_t undone;  /* of these, the last so many are undone */
	uint64_t moves, blocks;
	bool full; /* free blocks come back too (session_options.keep_free) */
};
struct history {
	VEC(struct history_action)
	actions;	/* oldest first; an action whose redo was lost is gone */
	uint64_t bytes; /* length of the journal file */
	bool open;	/* a session was cut short: recovery is due */
	bool fits;	/* the volume is as the journal left it: undo is possible */
	char why[200];	/* if !fits: what changed, in words */
};
void history_init(struct history *h);
void history_release(struct history *h);
/* A missing journal gives an empty history. v may be NULL: then fits is false. */
bool history_read(const char *journal, struct volume *v, struct history *out,
		  struct err *err);

/* --- one action --- */

struct history_file {
	uint32_t batch; /* from 1 */
	inum_t ino;
	uint32_t pieces; /* copied as so many extents */
	uint64_t blocks;
	blkno_t from, to; /* of its first piece */
	bool undone;
};
struct history_files {
	struct history_file *v;
	size_t n, cap;
};
/* Appends the files that an action (from 1, as history_read() lists them) has moved. */
bool history_files(const char *journal, struct volume *v, uint32_t action,
		   struct history_files *out, struct err *err);

/* --- is it whole, and does every file stand where it left it? --- */

struct history_verdict {
	uint64_t records, bytes;
	uint32_t batches, undone; /* of them */
	uint32_t inodes;	  /* that were compared with the disk */
	uint32_t changed;	  /* of these are not as the journal left them */
	inum_t first_changed;
	bool fits; /* the superblock is as the journal left it */
	char why[200];
};
/* Reads every record, and compares every inode that it speaks of with the disk. */
bool history_verify(const char *journal, struct volume *v, struct history_verdict *out,
		    struct err *err);

/* --- the file --- */

/* All that is in it as JSON, one record a line. `to` must not exist. */
bool history_export(const char *journal, struct volume *v, const char *to,
		    struct err *err);
/* Gives it another name (appended to `name`), so that the next session begins a new one.
 * A damaged one too. */
bool history_archive(const char *journal, struct str *name, struct err *err);
/* Deletes it: nothing can be undone any more. Not a damaged one. */
bool history_forget(const char *journal, struct err *err);

#endif
