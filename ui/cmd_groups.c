/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_groups.c - the block groups and their figures, as text and JSON. */
#include "base/num.h"
#include "ui/cmd_priv.h"
#include "ui/groups.h"
#include "ui/json.h"

static json_t *group_json(group_t group, blkno_t first, const struct group_stat *s)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:I}", "group",
			 (json_int_t)group, "first_block", (json_int_t)first, "blocks",
			 (json_int_t)s->blocks, "free_blocks", (json_int_t)s->free,
			 "meta_blocks", (json_int_t)s->meta, "free_runs",
			 (json_int_t)s->holes, "largest_hole_blocks",
			 (json_int_t)s->largest, "files", (json_int_t)s->files,
			 "files_fragmented", (json_int_t)s->in_pieces, "fragments",
			 (json_int_t)s->fragments);
}

static void print_group(struct app *a, group_t group, blkno_t first,
			const struct group_stat *s)
{
	app_print(a, "%8u %12llu %7u %5.1f%% %7u %7u %8u %8u %8u\n", group,
		  (unsigned long long)first, s->blocks,
		  100.0 * (s->blocks - s->free) / s->blocks, s->holes, s->largest,
		  s->files, s->in_pieces, s->fragments);
}

bool cmd_groups(struct app *a, struct cmd_call *c, struct err *err)
{
	const struct geom *g;
	json_t *all;

	if (!cmd_args(c, 0, 0, err) || !app_need_model(a, err))
		return false;
	if (a->interactive) {
		a->map.view = VIEW_TABLE;
		a->focus = FOCUS_MAP;
		return true;
	}
	g = model_geom(a->model);
	all = a->json ? json_array() : NULL;
	if (!a->json)
		app_print(a, "   GROUP        FIRST  BLOCKS   USED   HOLES LARGEST    FILES "
			     "  PIECED    FRAGS\n");
	for (group_t i = 0; i < g->groups; i++) {
		const struct group_stat *s = groups_get(a->groups, a->model, i);

		if (!s) {
			json_decref(all);
			return err_nomem(err);
		}
		if (a->json)
			json_array_append_new(all,
					      group_json(i, geom_group_start(g, i), s));
		else
			print_group(a, i, geom_group_start(g, i), s);
	}
	if (a->json)
		json_print(a, all);
	return true;
}
