/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * lesson.h - scenarios for a class: a text file that shows, waits, asks and checks.
 *
 *   title TEXT           what the list of lessons says
 *   say TEXT             a caption; several make a paragraph
 *   pause                until a key is pressed (on a terminal)
 *   ask TEXT             a question to the class, then a pause
 *   answer TEXT          the answer
 *   remember NAME        keeps the figures of the open volume
 *   expect A OP B [* N]  the stated state: figures, NAME.figure or numbers; < <= > >= ==
 *   fails COMMAND        a command that must fail
 *   COMMAND              any command; $DIR is a folder of the lesson's own
 *
 * A line that begins with # is a comment. Figures: files fragments pieces holes
 * largest_hole average_hole free layout read_ms moved written barriers batches dir_groups.
 *
 * Headless all of it runs through, and a command or an expectation that does not hold
 * ends it with an error.
 */
#ifndef UI_LESSON_H
#define UI_LESSON_H

#include "ui/app.h"
#include "ui/canvas.h"

struct lesson;

/* Loads a lesson by name or path (ends in .lesson) and begins it in place of the present
 * one. On a terminal lesson_tick() plays it; without one it is over when this returns. */
bool lesson_start(struct app *a, const char *name, struct err *err);
/* Ends it and removes its folder; NULL is allowed. */
void lesson_free(struct lesson *l);
/* Ends the lesson of the app: the volume it left open is closed first. */
bool lesson_end(struct app *a, struct err *err);

/* On a terminal: is a line waiting to be played now? */
bool lesson_ready(const struct app *a);
/* Plays lines until a pause or a job. */
void lesson_tick(struct app *a);
/* The caption over the lower part of the screen. */
void lesson_draw(const struct app *a, struct canvas *c);
/* Space or Enter goes on, Escape ends; false: the key is not the lesson's. */
bool lesson_key(struct app *a, int key);

/* Names and titles of all lessons, for the list and completion. */
struct lesson_entry {
	char name[64], title[120];
};
struct lesson_entry *lesson_list(size_t *n);

/* --- figures, lesson_figures.c --- */

#define LESSON_FIGURES 14
struct lesson_figures {
	double v[LESSON_FIGURES];
};
struct lesson_note {
	char name[32];
	struct lesson_figures figures;
};
struct lesson_notes {
	VEC(struct lesson_note) list;
};
/* Of the open volume, scanned now if it has to be. */
bool lesson_figures_now(struct app *a, struct lesson_figures *out, struct err *err);
/* "A OP B [* N]"; said: the same with the numbers. */
bool lesson_expect(struct app *a, const struct lesson_notes *notes, const char *text,
		   struct str *said, struct err *err);

#endif
