/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * powercut.h - the power goes while a session writes: for lessons, on images.
 *
 * After so many writes to the volume every further call fails; of the writes since the
 * last barrier some are lost, as a disk's cache loses them, picked by a seed. What a
 * barrier has covered stays. One at a time, for the whole program.
 */
#ifndef FS_POWERCUT_H
#define FS_POWERCUT_H

#include "base/types.h"

void powercut_arm(uint64_t writes, uint64_t seed);

struct powercut_report {
	bool happened;
	uint64_t writes;	/* that reached the disk's cache */
	uint64_t at_risk, lost; /* since the last barrier; of these, gone */
};
/* The power is back; tells what happened. Harmless if nothing was armed. */
void powercut_end(struct powercut_report *out);

#endif
