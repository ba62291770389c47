/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_watch.c - watch: on a terminal until it is ended, in batch mode so many rounds. */
#include <string.h>
#include <unistd.h>
#include "base/num.h"
#include "ui/batch.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"
#include "ui/watch.h"

#define SECONDS 2

static void print_round(struct app *a)
{
	struct watch_result r;

	if (!watch_last(a, &r))
		return;
	if (a->json)
		json_print(a, json_pack("{s:I, s:I, s:I, s:b, s:I}", "time_s",
					(json_int_t)r.time, "changed_blocks",
					(json_int_t)r.blocks, "changed_ranges",
					(json_int_t)r.ranges, "synced", r.synced,
					"fragments", (json_int_t)a->metrics.fragments));
	else
		app_print(a, "%lld: %llu blocks changed in %llu places, %llu fragments\n",
			  (long long)r.time, (unsigned long long)r.blocks,
			  (unsigned long long)r.ranges,
			  (unsigned long long)a->metrics.fragments);
	app_flush(a);
}

static bool rounds(struct app *a, uint64_t n, uint64_t seconds, struct err *err)
{
	bool ok = true;

	for (uint64_t i = 0; ok && i < n; i++) {
		for (uint64_t s = 0; s < seconds * 10 && !batch_interrupted(); s++)
			usleep(100000);
		if (batch_interrupted())
			break;
		ok = watch_round(a, err);
		if (ok)
			print_round(a);
	}
	watch_stop(a);
	return ok;
}

bool cmd_watch(struct app *a, struct cmd_call *c, struct err *err)
{
	uint64_t seconds = SECONDS, times = 1;
	const char *times_text;

	if (!cmd_option(c, "--times", &times_text, err) || !cmd_args(c, 0, 1, err))
		return false;
	if (times_text && (!num_parse_u64(times_text, &times) || !times))
		return cmd_bad(c, -1, err, "\"%s\" is not a number of rounds",
			       times_text);
	if (c->argc && !strcmp(c->argv[0], "off")) {
		watch_stop(a);
		app_say(a, "no longer watching");
		return true;
	}
	if ((c->argc && !cmd_number(c, 0, 1, 86400, &seconds, err)) ||
	    !app_need_model(a, err) || !watch_start(a, seconds * 1000, err))
		return false;
	return a->interactive || rounds(a, times, seconds, err);
}
