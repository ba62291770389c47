/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_volumes.c - the machine's volumes: a list, or on a terminal the picker. */
#include <string.h>
#include "base/num.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"
#include "ui/picker.h"

static json_t *found_json(const struct volume_found *f)
{
	const struct volume_info *i = &f->info;
	json_t *reasons = json_array();

	for (size_t k = 0; k < i->reasons.n; k++)
		json_array_append_new(reasons, json_pack("{s:s, s:s}", "what",
							 i->reasons.v[k].what, "remedy",
							 i->reasons.v[k].remedy));
	return json_pack("{s:o, s:s, s:s, s:o, s:b, s:I, s:I, s:I, s:o, s:o}", "path",
			 json_text(i->path), "type", i->type, "uuid", i->uuid_text,
			 "label", json_text(i->label), "readable", f->readable,
			 "block_size", (json_int_t)i->block_size, "blocks",
			 (json_int_t)i->blocks, "free_blocks", (json_int_t)i->free_blocks,
			 "reasons", reasons, "why", json_text(f->why));
}

static void found_text(struct app *a, const struct volume_found *f)
{
	const struct volume_info *i = &f->info;
	char size[NUM_TEXT_MAX] = "-";
	struct str label = STR_INIT;

	if (f->readable)
		num_format_bytes(i->blocks * i->block_size, size);
	str_add_safe(&label, i->label, strlen(i->label));
	app_print(a, "%-20s %-4s %6s %3.0f%%  %-16s %s\n", i->path, i->type, size,
		  i->blocks ? 100.0 * (double)(i->blocks - i->free_blocks) /
				      (double)i->blocks
			    : 0.0,
		  label.buf, picker_state(f));
	str_release(&label);
}

bool cmd_volumes(struct app *a, struct cmd_call *c, struct err *err)
{
	struct volume_found_list list = {0};
	json_t *all = NULL;

	if (!cmd_args(c, 0, 0, err))
		return false;
	if (a->interactive)
		return picker_open(a, a->volume.write, err);
	if (!volumes_find(&list, err))
		return false;
	if (a->json)
		all = json_array();
	for (size_t i = 0; i < list.n; i++) {
		if (all)
			json_array_append_new(all, found_json(&list.v[i]));
		else
			found_text(a, &list.v[i]);
	}
	if (all)
		json_print(a, all);
	else if (!list.n)
		app_print(a, "no ext2, ext3 or ext4 volume that may be read; as root "
			     "there may be more\n");
	volumes_release(&list);
	return true;
}
