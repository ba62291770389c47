/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_volume.c - opening and closing volumes, what they are, the demo. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "lab/demo.h"
#include "ui/cmd_priv.h"
#include "ui/watch.h"
#include "ui/json.h"

bool cmd_open(struct app *a, struct cmd_call *c, struct err *err)
{
	bool write = cmd_flag(c, "-w") || cmd_flag(c, "--write");
	const char *offset_text;
	uint64_t offset = 0;

	if (!cmd_option(c, "--offset", &offset_text, err))
		return false;
	if (offset_text && !num_parse_bytes(offset_text, &offset))
		return cmd_bad(c, -1, err, "\"%s\" is no number of bytes", offset_text);
	if (!cmd_args(c, 1, 1, err) || !app_open(a, c->argv[0], offset, write, err))
		return false;
	watch_stop(a);
	return app_finish(a, err);
}

bool cmd_close(struct app *a, struct cmd_call *c, struct err *err)
{
	if (!cmd_args(c, 0, 0, err))
		return false;
	if (!a->open) {
		err_set(err, ERR_USAGE, "no volume is open");
		return false;
	}
	if (!app_close(a, err))
		return false;
	watch_stop(a);
	return app_finish(a, err);
}

/* --- info --- */

static void info_json(struct app *a)
{
	const struct volume_info *v = &a->volume;
	json_t *reasons = json_array(), *o;

	for (size_t i = 0; i < v->reasons.n; i++)
		json_array_append_new(reasons,
				      json_pack("{s:o, s:o}", "what",
						json_text(v->reasons.v[i].what), "remedy",
						json_text(v->reasons.v[i].remedy)));
	o = json_pack("{s:o, s:b, s:I, s:I, s:I, s:I, s:I, s:b, s:o, s:I}", "volume",
		      json_volume(v), "writable", v->write, "offset_bytes",
		      (json_int_t)v->offset, "free_blocks", (json_int_t)v->free_blocks,
		      "inodes", (json_int_t)v->inodes, "inodes_free",
		      (json_int_t)v->inodes_free, "groups", (json_int_t)v->groups,
		      "rotational", v->rotational, "reasons", reasons, "flaws",
		      (json_int_t)a->flaws.count);
	json_print(a, o);
}

static void info_text(struct app *a)
{
	const struct volume_info *v = &a->volume;
	char size[NUM_TEXT_MAX], blocks[NUM_TEXT_MAX], spare[NUM_TEXT_MAX];
	struct str path = STR_INIT, label = STR_INIT;

	str_add_safe(&path, v->path, strlen(v->path));
	str_add_safe(&label, v->label, strlen(v->label));
	app_print(a, "volume    %s\n", path.buf);
	if (v->offset)
		app_print(a, "offset    %llu bytes\n", (unsigned long long)v->offset);
	app_print(a, "type      %s, uuid %s%s%s\n", v->type, v->uuid_text,
		  v->label[0] ? ", label " : "", label.buf);
	app_print(a, "size      %s, %s blocks of %u bytes, %u groups\n",
		  num_format_bytes(v->blocks * v->block_size, size),
		  num_format_count(v->blocks, blocks), v->block_size, v->groups);
	app_print(a, "free      %s blocks, %u of %u inodes\n",
		  num_format_count(v->free_blocks, spare), v->inodes_free, v->inodes);
	app_print(a, "features  %s\n", v->features);
	app_print(a, "state     %s\n", v->state);
	app_print(a, "access    %s\n",
		  v->write	      ? "open for moving blocks"
		  : v->reasons.n == 0 ? "open for viewing; could be opened with -w"
				      : "open for viewing; cannot be written because:");
	for (size_t i = 0; !v->write && i < v->reasons.n; i++)
		app_print(a, "          - %s%s%s\n", v->reasons.v[i].what,
			  v->reasons.v[i].remedy[0] ? "; " : "", v->reasons.v[i].remedy);
	cmd_print_flaws(a);
	str_release(&path);
	str_release(&label);
}

bool cmd_info(struct app *a, struct cmd_call *c, struct err *err)
{
	if (!cmd_args(c, 0, 0, err))
		return false;
	if (!a->open) {
		err_set(err, ERR_USAGE, "no volume is open; open one with: open PATH");
		return false;
	}
	if (a->json)
		info_json(a);
	else
		info_text(a);
	return true;
}

/* --- demo --- */

bool cmd_state_folder(struct str *out, struct err *err)
{
	static const uint8_t none[16];
	char *slash;

	if (!engine_default_journal(none, out, err))
		return false;
	slash = strrchr(out->buf, '/');
	*slash = '\0';
	out->len = (size_t)(slash - out->buf);
	for (char *p = out->buf + 1; p; p = strchr(p + 1, '/')) {
		char kept = *p;

		if (kept != '/')
			continue;
		*p = '\0';
		mkdir(out->buf, 0700);
		*p = '/';
	}
	if (mkdir(out->buf, 0700) == 0 || errno == EEXIST)
		return true;
	err_set_errno(err, ERR_IO, errno, "cannot make the folder %s", out->buf);
	return false;
}

bool cmd_demo(struct app *a, struct cmd_call *c, struct err *err)
{
	struct demo_options opt = {.seed = 1};
	struct str path = STR_INIT;
	struct stat st;
	bool ok;

	ok = cmd_args(c, 0, 1, err) &&
	     (!c->argc || cmd_number(c, 0, 0, UINT32_MAX, &opt.seed, err)) &&
	     cmd_state_folder(&path, err);
	if (!ok)
		goto out;
	str_addf(&path, "/demo-%llu.img", (unsigned long long)opt.seed);
	if (!c->force && stat(path.buf, &st) == 0)
		app_say(a, "kept as it is: %s (demo! makes it anew)", path.buf);
	else if (!(ok = demo_make(path.buf, &opt, c->force, err)))
		goto out;
	else
		app_say(a, "made %s", path.buf);
	ok = app_open(a, path.buf, 0, true, err) && app_finish(a, err);
out:
	str_release(&path);
	return ok;
}
