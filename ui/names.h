/* SPDX-License-Identifier: GPL-3.0-or-later */
/* names.h - paths of inodes for the screen: a cache that asks the engine for what it
 * lacks. */
#ifndef UI_NAMES_H
#define UI_NAMES_H

#include "ui/app.h"

struct names *names_new(void);
void names_free(struct names *n);
/* The path if known (valid until names_clear or the next names_flush), else NULL; what is
 * not known is wanted from now on. */
const char *names_get(struct names *n, inum_t ino, size_t *len);
/* Sends one request for all that is wanted (call once a frame); at most one is under way.
 */
void names_flush(struct names *n, struct app *a);
/* Sends a request for those of the first NAMES_ASK_MAX that are not known, unless one is
 * under way. Returns how many of the inodes need not be asked for again. */
#define NAMES_ASK_MAX 32768
size_t names_ask(struct names *n, struct app *a, const inum_t *inos, size_t count);
/* False while a volume comes or goes. */
bool names_may_ask(const struct app *a);
/* Takes over the paths of an EV_PATHS, and notes the end of the request. */
void names_event(struct names *n, struct event *ev);
/* Is a request under way (it reads the model), and is it this one? */
bool names_busy(const struct names *n);
bool names_owns(const struct names *n, uint32_t ticket);
/* Waits until no request is under way: before the model goes. */
bool names_settle(struct names *n, struct app *a, struct err *err);
void names_clear(struct names *n);
/* Blocks until the paths of all these are cached (batch mode, targets). */
bool names_fetch(struct names *n, struct app *a, const inum_t *inos, size_t count,
		 struct err *err);

#endif
