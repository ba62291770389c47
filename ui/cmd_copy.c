/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_copy.c - clone, image, restore, compare: the safety copy and back. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/num.h"
#include "ui/app_priv.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"

static const char *const op_name[] = {"clone", "image", "restore", "compare"};

/* --- what it says of itself --- */

static double percent_cpu(const struct clone_report *r)
{
	return r->real_ms ? 100.0 * (double)(r->user_ms + r->sys_ms) / (double)r->real_ms
			  : 0.0;
}

static double mb_per_second(const struct clone_report *r)
{
	return r->real_ms ? (double)r->used_bytes / 1e3 / (double)r->real_ms : 0.0;
}

/* Used bytes at the sequential rate; 0 where too little was read to know it. */
static double ideal_ms(const struct clone_report *r)
{
	return r->rate ? (double)r->used_bytes * 1000 / (double)r->rate : 0.0;
}

static json_t *integer(uint64_t n)
{
	return json_integer((json_int_t)n);
}

static json_t *copied_json(const struct clone_report *r)
{
	json_t *o = json_pack(
		"{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:f, s:o, "
		"s:f}",
		"job", op_name[r->op], "volume_bytes", integer(r->volume_bytes),
		"used_bytes", integer(r->used_bytes), "used_runs", integer(r->used_runs),
		"bytes_read", integer(r->bytes_read), "bytes_written",
		integer(r->bytes_written), "reads", integer(r->reads), "jumps",
		integer(r->jumps), "real_ms", integer(r->real_ms), "user_ms",
		integer(r->user_ms), "sys_ms", integer(r->sys_ms), "cpu_percent",
		percent_cpu(r), "mb_per_second", mb_per_second(r), "sequential_rate",
		integer(r->rate), "ideal_ms", ideal_ms(r));

	if (r->op == CLONE_COMPARE) {
		json_object_set_new(o, "blocks_differ", integer(r->differ));
		json_object_set_new(o, "blocks_missing", integer(r->missing));
		json_object_set_new(o, "first_block",
				    r->first_differ == UINT64_MAX
					    ? json_null()
					    : integer(r->first_differ));
	}
	return o;
}

static void copied_text(const struct clone_report *r, struct str *out)
{
	char used[NUM_TEXT_MAX], volume[NUM_TEXT_MAX], runs[NUM_TEXT_MAX];

	str_addf(out, "%s: %s of %s in use, in %s runs; %llu reads, %llu jumps\n",
		 op_name[r->op], num_format_bytes(r->used_bytes, used),
		 num_format_bytes(r->volume_bytes, volume),
		 num_format_count(r->used_runs, runs), (unsigned long long)r->reads,
		 (unsigned long long)r->jumps);
	str_addf(out, "%9s %9s %9s %6s %9s %9s\n", "USER s", "SYSTEM s", "REAL s",
		 "CPU %", "MB/s", "IDEAL s");
	str_addf(out, "%9.2f %9.2f %9.2f %6.0f %9.1f ", (double)r->user_ms / 1000,
		 (double)r->sys_ms / 1000, (double)r->real_ms / 1000, percent_cpu(r),
		 mb_per_second(r));
	if (r->rate)
		str_addf(out, "%9.2f at %.1f MB/s\n", ideal_ms(r) / 1000,
			 (double)r->rate / 1e6);
	else
		str_addf(out, "%9s\n", "-");
}

/* Where a pipe takes standard output, the report goes to the other one. */
static void print_copied(struct app *a, const struct clone_report *r, bool to_stderr)
{
	struct str text = STR_INIT;
	char *json;

	if (!to_stderr && a->json) {
		json_print(a, copied_json(r));
		return;
	}
	copied_text(r, &text);
	if (!to_stderr) {
		app_print(a, "%s", text.buf);
	} else if (a->json) {
		json_t *o = copied_json(r);

		json = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(12));
		fprintf(stderr, "%s\n", json ? json : "");
		free(json);
		json_decref(o);
		a->json_done = true;
	} else {
		fputs(text.buf, stderr);
	}
	str_release(&text);
}

static bool verdict(struct app *a, const struct clone_report *r, const char *path,
		    struct err *err)
{
	if (!r->differ && !r->missing) {
		if (!a->json)
			app_print(a, "every block in use is the same in %s\n", path);
		return true;
	}
	err_set(err, ERR_CORRUPT,
		"%s: %llu blocks differ and %llu are not in it; the first is block %llu",
		path, (unsigned long long)r->differ, (unsigned long long)r->missing,
		(unsigned long long)r->first_differ);
	return false;
}

void cmd_copied(struct app *a)
{
	struct err err = ERR_INIT;

	if (!a->copied)
		return;
	print_copied(a, a->copied, false);
	if (a->copied->op == CLONE_COMPARE && !verdict(a, a->copied, "the copy", &err))
		app_fail(a, &err);
	app_flush(a);
	free(a->copied);
	a->copied = NULL;
}

/* --- running --- */

static bool run_copy(struct app *a, struct request *r, struct err *err)
{
	bool to_stderr = r->copy.op == CLONE_IMAGE && !strcmp(r->path, "-");
	bool ok;

	if (to_stderr && (a->interactive || isatty(STDOUT_FILENO))) {
		err_set(err, ERR_REFUSED,
			"standard output is a terminal; name a file, or use a pipe");
		return false;
	}
	r->kind = REQ_COPY;
	app_flush(a);
	if (!app_submit(a, r, op_name[r->copy.op], err))
		return false;
	if (a->interactive) {
		app_show_tab(a, TAB_JOBS);
		return true;
	}
	ok = app_finish(a, err);
	if (ok && a->copied) {
		print_copied(a, a->copied, to_stderr);
		if (a->copied->op == CLONE_COMPARE)
			ok = verdict(a, a->copied, r->title, err);
	}
	free(a->copied);
	a->copied = NULL;
	return ok;
}

/* A mounted volume changes while it is read. */
static bool may_copy(struct app *a, bool force, struct err *err)
{
	if (!a->open) {
		err_set(err, ERR_USAGE, "no volume is open; open one with: open PATH");
		return false;
	}
	for (size_t i = 0; !force && i < a->volume.reasons.n; i++)
		if (strstr(a->volume.reasons.v[i].what, "mounted")) {
			err_set(err, ERR_REFUSED,
				"%s is mounted: a copy would mix what is there now with "
				"what comes; unmount it, or copy it as it is with an "
				"exclamation mark behind the command",
				a->volume.path);
			return false;
		}
	return true;
}

static bool copy_out(struct app *a, struct cmd_call *c, enum clone_op op, struct err *err)
{
	struct request r = {.copy = {.op = op}};

	if (cmd_flag(c, "--force") || c->force)
		r.copy.flags |= CLONE_FORCE;
	if (cmd_flag(c, "--metadata"))
		r.copy.flags |= CLONE_METADATA;
	if (cmd_flag(c, "--scramble"))
		r.copy.flags |= CLONE_METADATA | CLONE_SCRAMBLE;
	if (!cmd_args(c, 1, 1, err) || !may_copy(a, r.copy.flags & CLONE_FORCE, err))
		return false;
	if ((r.copy.flags & CLONE_METADATA) && !app_need_sound(a, err))
		return false;
	if ((r.copy.flags & CLONE_SCRAMBLE) &&
	    strstr(a->volume.features, "inline_data")) {
		err_set(err, ERR_REFUSED,
			"names in inodes (inline_data) cannot be scrambled; use "
			"--metadata if they may be seen");
		return false;
	}
	r.model = a->model;
	r.path = c->argv[0];
	return run_copy(a, &r, err);
}

bool cmd_clone(struct app *a, struct cmd_call *c, struct err *err)
{
	return copy_out(a, c, CLONE_RAW, err);
}

bool cmd_image(struct app *a, struct cmd_call *c, struct err *err)
{
	return copy_out(a, c, CLONE_IMAGE, err);
}

bool cmd_restore(struct app *a, struct cmd_call *c, struct err *err)
{
	struct request r = {.copy = {.op = CLONE_RESTORE}};

	if (cmd_flag(c, "--force") || c->force)
		r.copy.flags |= CLONE_FORCE;
	if (!cmd_args(c, 2, 2, err))
		return false;
	r.title = c->argv[0];
	r.path = c->argv[1];
	return run_copy(a, &r, err);
}

bool cmd_compare(struct app *a, struct cmd_call *c, struct err *err)
{
	struct request r = {.copy = {.op = CLONE_COMPARE}};

	if (!cmd_args(c, 1, 1, err) || !may_copy(a, true, err))
		return false;
	r.title = c->argv[0];
	return run_copy(a, &r, err);
}
