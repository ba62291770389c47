/* SPDX-License-Identifier: GPL-3.0-or-later */
/* options.h - what `set` sets. One table feeds the verb, completion, and the manual. */
#ifndef UI_OPTIONS_H
#define UI_OPTIONS_H

#include "ui/app.h"

struct ui_option {
	const char *name;
	const char
		*values; /* with blanks between; the first one is what `set NAME` means;
			       NULL: names of themes, or a number */
	const char *help;
	/* The present value; one of `values`. */
	const char *(*get)(const struct app *a);
	/* value: one of `values`. */
	bool (*set)(struct app *a, const char *value, struct err *err);
	const char *unit; /* of a number; NULL: none is wanted */
};
extern const struct ui_option ui_options[];
extern const size_t ui_option_count;

/* Another look; ERR_USAGE, nothing changed. What is wrong with the file goes to the log. */
bool options_theme(struct app *a, const char *name, enum theme_depth depth, bool utf8,
		   struct err *err);

/* options_model.c */
const char *options_get_disk(const struct app *a);
bool options_set_disk(struct app *a, const char *value, struct err *err);
const char *options_get_jump(const struct app *a);
bool options_set_jump(struct app *a, const char *value, struct err *err);
const char *options_get_rate(const struct app *a);
bool options_set_rate(struct app *a, const char *value, struct err *err);
const char *options_get_gap(const struct app *a);
bool options_set_gap(struct app *a, const char *value, struct err *err);
const char *options_get_heat_days(const struct app *a);
bool options_set_heat_days(struct app *a, const char *value, struct err *err);

#endif
