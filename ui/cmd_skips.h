/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_skips.h - the files that a plan leaves as they are, and why. */
#ifndef UI_CMD_SKIPS_H
#define UI_CMD_SKIPS_H

#include "ui/json.h"

/* [{"inode", "path", "reason", "figure", "fragments", "ideal"}]; names must be there. */
json_t *skips_json(struct app *a, const struct plan *p);
/* One line a reason. */
void skips_print_counts(struct app *a, const struct plan *p);
/* One line a file. */
void skips_print(struct app *a, const struct plan *p);

#endif
