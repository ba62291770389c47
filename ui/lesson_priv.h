/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lesson_priv.h - what the files lesson*.c share. */
#ifndef UI_LESSON_PRIV_H
#define UI_LESSON_PRIV_H

#include <limits.h>
#include "ui/lesson.h"

struct lesson {
	char name[64];
	char dir[PATH_MAX];
	char *text, *at; /* the script, and its next line */
	int line;
	char *journal; /* the app's own, while the lesson has its journal in dir */
	struct lesson_notes notes;
	struct str caption;
	bool fresh;	/* the next caption begins a new box */
	bool waiting;	/* for a key */
	bool job;	/* a command began a job: judge it when it has ended */
	bool must_fail; /* that command should fail */
	bool over;	/* nothing more to play; the box stays */
	bool closed;	/* the box was closed */
};

#endif
