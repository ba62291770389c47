/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * replay.h - what was done, again: batch by batch of the undo journal on the map, or frame
 * by frame of a recording. The volume is not touched.
 *
 * While a journal is replayed the model in memory is that of another time, so no job may
 * start; replay_end() brings it back to now.
 */
#ifndef UI_REPLAY_H
#define UI_REPLAY_H

#include "ui/app.h"
#include "ui/canvas.h"

struct replay;

/* Position 0 is before the first batch, or the first frame. */
bool replay_start_journal(struct app *a, struct err *err); /* at the end: now */
bool replay_start_cast(struct app *a, const char *path, struct err *err);
/* Without bringing the model back: it goes too. NULL is allowed. */
void replay_free(struct replay *r);
bool replay_end(struct app *a, struct err *err);

size_t replay_at(const struct replay *r);
size_t replay_last(const struct replay *r);
bool replay_is_cast(const struct replay *r);
/* "batch 3 of 12: defrag /var" */
void replay_text(const struct replay *r, struct str *out);
/* To a position within 0..replay_last(). */
bool replay_go(struct app *a, size_t to, struct err *err);
/* Plays from here (from the start, if it is at the end), a step every ms. */
void replay_play(struct app *a, unsigned ms);
/* The seconds that the step to this position took in a recording, 0.15 otherwise. */
double replay_seconds(const struct replay *r, size_t at);
/* Writes a recording anew by the path's ending. */
bool replay_convert(const struct replay *r, const char *path, struct err *err);

/* On a terminal: milliseconds until the next step of a playing replay, -1 none; and doing
 * it. */
int replay_due(const struct app *a, uint64_t now);
void replay_tick(struct app *a, uint64_t now);
/* Over the screen: the frame of a recording, and a line that says where it is. */
void replay_draw(const struct app *a, struct canvas *c);
/* Arrows, Home, End, Space, Escape; false: the key is not the replay's. */
bool replay_key(struct app *a, int key);

/* --- recording what is on the screen, recorder.c --- */

struct recorder;
bool recorder_start(struct app *a, const char *path, int rows, int cols, struct err *err);
/* Writes the file and ends it. */
bool recorder_stop(struct app *a, struct str *said, struct err *err);
void recorder_free(struct recorder *r);
/* One frame that stays for so many seconds; c NULL: the screen is drawn for it (batch).
 * With a canvas (on a terminal) the clock is the real one. Nothing without a recorder. */
void recorder_frame(struct app *a, const struct canvas *c, double seconds);

#endif
