/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manual.h - cdefrag(8) and the completion for bash, printed from the tables that the
 * program runs by: options, commands, keys, settings. */
#ifndef UI_MANUAL_H
#define UI_MANUAL_H

#include "base/str.h"

/* mdoc(7), appended to out. */
void manual_page(struct str *out);
/* A script for bash, appended to out. */
void manual_completion(struct str *out);

#endif
