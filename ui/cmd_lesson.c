/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_lesson.c - `lesson`, and the power that goes while it plays. */
#include <stdlib.h>
#include <string.h>
#include "fs/hand.h"
#include "fs/powercut.h"
#include "ui/cmd_lab.h"
#include "ui/lesson.h"

static void list(struct app *a)
{
	size_t n;
	struct lesson_entry *l = lesson_list(&n);
	json_t *o = json_array();

	for (size_t i = 0; i < n; i++) {
		json_array_append_new(o, json_pack("{s:o, s:o}", "name",
						   json_text(l[i].name), "title",
						   json_text(l[i].title)));
		if (!a->json)
			app_print(a, "%-16s %s\n", l[i].name, l[i].title);
	}
	if (a->json)
		json_print(a, o);
	else
		json_decref(o);
	free(l);
}

bool cmd_lesson(struct app *a, struct cmd_call *c, struct err *err)
{
	if (!cmd_args(c, 0, 1, err))
		return false;
	if (!c->argc) {
		list(a);
		return true;
	}
	if (!strcmp(c->argv[0], "end"))
		return lesson_end(a, err);
	return lesson_start(a, c->argv[0], err);
}

/* lab powercut N: the power goes after N more writes to the open volume. */
bool lab_powercut(struct app *a, struct cmd_call *c, struct err *err)
{
	uint64_t writes, seed = 1;

	if (!lab_number(c, "--seed", 0, UINT64_MAX, &seed, err) ||
	    !cmd_args(c, 1, 1, err) || !cmd_number(c, 0, 0, UINT32_MAX, &writes, err))
		return false;
	if (!a->open || !a->volume.write) {
		err_set(err, ERR_REFUSED,
			"open an image that the lab made for writing first: open -w "
			"IMAGE");
		return false;
	}
	if (!hand_is_lab(a->volume.path, err))
		return false;
	powercut_arm(writes, seed);
	app_print(a, "the power will go after %llu more writes\n",
		  (unsigned long long)writes);
	return true;
}

/* lab power: it is back; the volume is closed, as it was when it went. */
bool lab_power(struct app *a, struct cmd_call *c, struct err *err)
{
	struct powercut_report r;

	if (!cmd_args(c, 0, 0, err))
		return false;
	if (a->open && !(app_close(a, err) && app_await(a, a->job, err)))
		return false;
	powercut_end(&r);
	if (r.happened)
		app_print(a,
			  "the power is back: %llu writes had been made, %llu since the "
			  "last barrier, of which %llu are lost\n",
			  (unsigned long long)r.writes, (unsigned long long)r.at_risk,
			  (unsigned long long)r.lost);
	else
		app_print(a, "the power never went\n");
	return true;
}
