/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_skips.c - see cmd_skips.h. */
#include "ui/cmd_skips.h"
#include "ui/cmd_priv.h"

json_t *skips_json(struct app *a, const struct plan *p)
{
	json_t *list = json_array();

	for (size_t i = 0; i < p->skips.n; i++) {
		const struct skip *s = &p->skips.v[i];
		json_t *o = json_pack("{s:I}", "inode", (json_int_t)s->ino);

		json_add_name(o, a, s->ino);
		json_object_set_new(o, "reason",
				    json_string(skip_reason_text(s->reason)));
		json_object_set_new(o, "figure", json_integer((json_int_t)s->figure));
		json_object_set_new(o, "fragments", json_integer(s->fragments));
		json_object_set_new(o, "ideal", json_integer(s->ideal));
		json_array_append_new(list, o);
	}
	return list;
}

void skips_print_counts(struct app *a, const struct plan *p)
{
	size_t count[SKIP_COUNT] = {0};

	for (size_t i = 0; i < p->skips.n; i++)
		count[p->skips.v[i].reason]++;
	for (int i = 0; i < SKIP_COUNT; i++)
		if (count[i])
			app_print(a, "left as they are: %zu (%s)\n", count[i],
				  skip_reason_text((enum skip_reason)i));
}

void skips_print(struct app *a, const struct plan *p)
{
	for (size_t i = 0; i < p->skips.n; i++) {
		const struct skip *s = &p->skips.v[i];
		char figure[40];

		app_print(a, "left as it is: ");
		cmd_print_name(a, s->ino);
		app_print(a, ": %s", skip_reason_text(s->reason));
		skip_figure_text(s, figure, sizeof(figure));
		if (figure[0])
			app_print(a, " (%s)", figure);
		app_print(a, ", %u fragments, ideal %u\n", s->fragments, s->ideal);
	}
}
