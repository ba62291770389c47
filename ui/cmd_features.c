/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_features.c - the rules: what each feature of a volume means here, and which blocks
 * are never moved. Printed from the tables that opening and planning go by. */
#include <string.h>
#include "core/owner.h"
#include "fs/features.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"

/* Is `name` among the features of the open volume? */
static bool is_here(const struct app *a, const char *name)
{
	size_t n = strlen(name);

	for (const char *p = a->open ? a->volume.features : ""; *p;) {
		size_t len = strcspn(p, " ");

		if (len == n && memcmp(p, name, n) == 0)
			return true;
		p += len + (p[len] == ' ');
	}
	return false;
}

/* As it has to be typed for the open volume. */
static void add_remedy(struct app *a, const struct feature *f, struct str *out)
{
	const char *hole = strstr(f->remedy, "PATH");

	if (!hole || !a->open) {
		str_add(out, f->remedy);
		return;
	}
	str_addn(out, f->remedy, (size_t)(hole - f->remedy));
	str_add_safe(out, a->volume.path, strlen(a->volume.path));
	str_add(out, hole + 4);
}

static void features_json(struct app *a)
{
	json_t *rows = json_array(), *fixed = json_array();

	for (size_t i = 0; i < feature_count(); i++) {
		const struct feature *f = feature_at(i);

		json_array_append_new(
			rows,
			json_pack("{s:s, s:s, s:I, s:s, s:s, s:s, s:b}", "name", f->name,
				  "set", feature_set_word(f->set), "mask",
				  (json_int_t)f->mask, "rule", feature_rule_word(f->rule),
				  "reason", f->why, "remedy", f->remedy, "here",
				  is_here(a, f->name)));
	}
	for (int k = 0; k < OWNER_KINDS; k++)
		if (owner_is_fixed((enum owner_kind)k))
			json_array_append_new(
				fixed, json_pack("{s:s, s:s}", "kind",
						 owner_word((enum owner_kind)k), "reason",
						 owner_why_fixed((enum owner_kind)k)));
	json_print(a, json_pack("{s:o, s:o}", "features", rows, "fixed", fixed));
}

static void features_text(struct app *a)
{
	app_print(a, "%-19s %-6s  what it means%s\n", "feature", "rule",
		  a->open ? "; * this volume has it" : "");
	for (size_t i = 0; i < feature_count(); i++) {
		const struct feature *f = feature_at(i);
		struct str remedy = STR_INIT;

		add_remedy(a, f, &remedy);
		app_print(a, "%c%-18s %-6s  %s%s%s\n", is_here(a, f->name) ? '*' : ' ',
			  f->name, feature_rule_word(f->rule), f->why,
			  remedy.len ? "; " : "", remedy.len ? remedy.buf : "");
		str_release(&remedy);
	}
	app_print(a, "\n%-26s why they stay\n", "blocks never moved");
	for (int k = 0; k < OWNER_KINDS; k++)
		if (owner_is_fixed((enum owner_kind)k))
			app_print(a, " %-25s %s\n", owner_name((enum owner_kind)k),
				  owner_why_fixed((enum owner_kind)k));
}

bool cmd_features(struct app *a, struct cmd_call *c, struct err *err)
{
	if (!cmd_args(c, 0, 0, err))
		return false;
	if (a->json)
		features_json(a);
	else
		features_text(a);
	return true;
}
