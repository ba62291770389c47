/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * ages.h - how long ago each file was used, for the colours of the map: a byte an inode.
 *
 * The model has no times; they are read when they are first wanted. They do not change by
 * moving blocks.
 */
#ifndef UI_AGES_H
#define UI_AGES_H

#include "ui/app.h"

/* Used within a day, a week, 30 days, a year, or longer ago; not known. */
enum { AGE_DAY, AGE_WEEK, AGE_MONTH, AGE_YEAR, AGE_OLDER, AGE_UNKNOWN };

/* Asks for the times unless they are there or on their way. While a job runs nothing is
 * asked: the next frame tries again. */
void ages_want(struct app *a);
/* The same, and waits for them (batch mode). */
bool ages_fetch(struct app *a, struct err *err);
int ages_get(const struct app *a, inum_t ino);
/* Takes EV_TIMES of ages_want(); notes the end of any request. True: it was ours. */
bool ages_event(struct app *a, struct event *ev);
/* Waits until no request is under way: before the model goes. */
bool ages_settle(struct app *a, struct err *err);
void ages_forget(struct app *a);

/* Place in a ramp of so many steps that ends with what is hot. */
int ages_step(int age, int steps);
extern const char *const age_words[AGE_UNKNOWN + 1];
extern const char age_letters[AGE_UNKNOWN + 1];

#endif
