/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_goal.h - options of goals, taken out of the words; false with ERR_USAGE. */
#ifndef UI_CMD_GOAL_H
#define UI_CMD_GOAL_H

#include "core/strategy.h"
#include "ui/cmd.h"

/* --budget. */
bool goal_budget(struct cmd_call *c, struct goal_request *g, struct err *err);
/* --budget, --min-gain, --limit. */
bool goal_policies(struct cmd_call *c, struct goal_request *g, struct err *err);
/* --order; *list: the FILE of list=FILE, or NULL. */
bool goal_order_option(struct cmd_call *c, struct goal_request *g, const char **list,
		       struct err *err);
/* Paths, one a line, from a file or "-", the standard input; those that are not on the
 * volume are counted and passed over, as a trace names others too. */
bool goal_list(struct app *a, const char *name, struct inum_list *out, struct err *err);

#endif
