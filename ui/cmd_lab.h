/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_lab.h - the verbs below `lab`, and what their handlers share. */
#ifndef UI_CMD_LAB_H
#define UI_CMD_LAB_H

#include "lab/age.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"

/* One verb: c->argv begins after it. */
struct lab_verb {
	const char *verb, *args, *help;
	bool (*run)(struct app *a, struct cmd_call *c, struct err *err);
};

/* --name N within limits, --name SIZE; *out stays as it is without the option. */
bool lab_number(struct cmd_call *c, const char *name, uint64_t min, uint64_t max,
		uint64_t *out, struct err *err);
bool lab_bytes(struct cmd_call *c, const char *name, uint64_t *out, struct err *err);
/* Everything that age.h's options know, the preset first. */
bool lab_age_options(struct cmd_call *c, struct age_options *o, struct err *err);
/* "[12, 3, ...]", with the last zeros left out. */
json_t *lab_histogram(const uint64_t *v, size_t n);

HANDLER(lab_age);
HANDLER(lab_append);
HANDLER(lab_compare_run);
HANDLER(lab_delete);
HANDLER(lab_fill);
HANDLER(lab_mkdir);
HANDLER(lab_new);
HANDLER(lab_policies);
HANDLER(lab_policy);
HANDLER(lab_power);
HANDLER(lab_powercut);
HANDLER(lab_punch);
HANDLER(lab_redo);
HANDLER(lab_steps);
HANDLER(lab_truncate);
HANDLER(lab_undo);
HANDLER(lab_write);

#endif
