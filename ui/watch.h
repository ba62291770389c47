/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * watch.h - a volume that others write to, looked at again and again, read-only: what has
 * changed flashes.
 *
 * Each round asks the kernel to write out what it holds of the mounted volume (syncfs),
 * reads the metadata through the device's buffers and compares who owns which block with
 * the round before. What is read while others write may be torn: a picture has the time
 * it was taken, and the next one puts right what was wrong in it.
 */
#ifndef UI_WATCH_H
#define UI_WATCH_H

#include "ui/app.h"

struct watch;

/* Begins, every so many milliseconds. ERR_REFUSED: the volume is open for writing. */
bool watch_start(struct app *a, uint64_t interval_ms, struct err *err);
void watch_stop(struct app *a);
/* Milliseconds until the next round; -1: nothing to wait for. */
int watch_wait(const struct app *a);
/* Begins a round if it is time and nothing else is under way; true if it did. */
bool watch_step(struct app *a);
/* One round now (batch mode): the new picture is there on return. */
bool watch_round(struct app *a, struct err *err);
/* A model has come: if a round waits for it, puts the view back, and compares. */
void watch_model(struct app *a);
/* Of the last round: blocks whose owner is another one, runs of them, when (seconds since
 * 1970). */
struct watch_result {
	uint64_t blocks, ranges;
	int64_t time;
	bool synced; /* it was mounted, and the kernel wrote out what it held */
};
bool watch_last(const struct app *a, struct watch_result *out);

#endif
