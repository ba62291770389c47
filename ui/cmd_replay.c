/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_replay.c - `replay` and `record`. */
#include <string.h>
#include "base/num.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"
#include "ui/replay.h"

static void tell(struct app *a)
{
	struct str s = STR_INIT;

	replay_text(a->replay, &s);
	if (a->json)
		json_print(a, json_pack("{s:I, s:I, s:o}", "at",
					(json_int_t)replay_at(a->replay), "last",
					(json_int_t)replay_last(a->replay), "text",
					json_text(s.buf)));
	else if (!a->interactive)
		app_print(a, "%s\n", s.buf);
	str_release(&s);
}

/* On a terminal the loop plays; in batch mode every step becomes a frame of a recording.
 */
static bool play(struct app *a, uint64_t speed, struct err *err)
{
	if (a->interactive) {
		replay_play(a, (unsigned)(15000 / speed));
		return true;
	}
	if (replay_at(a->replay) == replay_last(a->replay) && !replay_go(a, 0, err))
		return false;
	recorder_frame(a, NULL, 1);
	while (replay_at(a->replay) < replay_last(a->replay)) {
		if (!replay_go(a, replay_at(a->replay) + 1, err))
			return false;
		recorder_frame(a, NULL,
			       replay_seconds(a->replay, replay_at(a->replay)) * 100 /
				       (double)speed);
	}
	return true;
}

static bool is_recording(const char *word)
{
	size_t n = strlen(word);

	return n > 5 && !strcmp(word + n - 5, ".cast");
}

static bool begin(struct app *a, struct cmd_call *c, struct err *err)
{
	if (c->argc && is_recording(c->argv[0])) {
		if (!replay_start_cast(a, c->argv[0], err))
			return false;
		if (c->argc == 2)
			return replay_convert(a->replay, c->argv[1], err) &&
			       replay_end(a, err);
		tell(a);
		return a->interactive || replay_end(a, err);
	}
	if (!cmd_args(c, 0, 0, err) || !replay_start_journal(a, err))
		return false;
	tell(a);
	return true;
}

bool cmd_replay(struct app *a, struct cmd_call *c, struct err *err)
{
	const char *word = c->argc ? c->argv[0] : "", *speed_text;
	uint64_t n = 1, speed = 100;
	size_t at, last;
	bool ok = true;

	if (!cmd_option(c, "--speed", &speed_text, err) || !cmd_args(c, 0, 2, err))
		return false;
	if (speed_text && (!num_parse_u64(speed_text, &speed) || !speed || speed > 10000))
		return cmd_bad(c, -1, err, "--speed wants percent: 100, 50, 400");
	if (!c->argc || is_recording(word))
		return begin(a, c, err);
	if (c->argc == 2 && !cmd_number(c, 1, 1, UINT32_MAX, &n, err))
		return false;
	if (!a->replay && !strcmp(word, "end"))
		return true;
	if (!a->replay && !replay_start_journal(a, err))
		return false;
	at = replay_at(a->replay);
	last = replay_last(a->replay);
	if (!strcmp(word, "on"))
		ok = replay_go(a, last - at > n ? at + n : last, err);
	else if (!strcmp(word, "back"))
		ok = replay_go(a, at > n ? at - n : 0, err);
	else if (!strcmp(word, "first"))
		ok = replay_go(a, 0, err);
	else if (!strcmp(word, "last"))
		ok = replay_go(a, last, err);
	else if (!strcmp(word, "play"))
		ok = play(a, speed, err);
	else if (!strcmp(word, "end"))
		return replay_end(a, err);
	else
		return cmd_bad(c, 0, err,
			       "replay goes on, back, first, last, play, end, or plays "
			       "FILE.cast");
	if (ok)
		tell(a);
	return ok;
}

bool cmd_record(struct app *a, struct cmd_call *c, struct err *err)
{
	struct str said = STR_INIT;
	const char *size;
	int rows, cols;
	bool ok;

	if (!cmd_option(c, "--size", &size, err) || !cmd_args(c, 1, 1, err))
		return false;
	cmd_screen_size(a, &rows, &cols);
	if (size && !cmd_parse_size(size, &rows, &cols))
		return cmd_bad(c, -1, err, "\"%s\" is no size; COLUMNSxROWS, as 120x40",
			       size);
	if (strcmp(c->argv[0], "stop"))
		return recorder_start(a, c->argv[0], rows, cols, err);
	ok = recorder_stop(a, &said, err);
	if (ok)
		app_print(a, "%s\n", said.buf);
	str_release(&said);
	return ok;
}
