/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_tree.c - tree, trace. */
#include <stdlib.h>
#include <string.h>
#include "base/num.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"
#include "ui/names.h"
#include "ui/text_file.h"
#include "ui/tree.h"

#define LIMIT_TEXT 30

static bool take_sort(struct cmd_call *c, const char *word, enum tree_sort *sort,
		      struct err *err)
{
	for (int i = 0; i < TREE_SORTS; i++)
		if (*word &&
		    !strncmp(tree_sort_name((enum tree_sort)i), word, strlen(word))) {
			*sort = (enum tree_sort)i;
			return true;
		}
	return cmd_bad(
		c, -1, err,
		"\"%s\" is no order: heat, excess, read, fragments, blocks, files, "
		"name",
		word);
}

static json_t *row_json(struct app *a, const struct rollup_row *r)
{
	json_t *o = json_file(a, r->ino), *path = json_incref(json_object_get(o, "path"));

	json_decref(o);
	return json_pack("{s:I, s:o, s:s, s:I, s:I, s:I, s:I, s:I, s:f, s:f, s:f, s:o}",
			 "inode", (json_int_t)r->ino, "path", path, "type",
			 json_type_name(r->type), "files", (json_int_t)r->files, "blocks",
			 (json_int_t)r->blocks, "fragments", (json_int_t)r->fragments,
			 "excess_fragments", (json_int_t)r->excess_fragments, "jumps",
			 (json_int_t)r->jumps, "read_ms", r->read_ms, "excess_ms",
			 r->excess_ms, "heat", r->heat, "age_days",
			 r->age_days < 0 ? json_null() : json_real(r->age_days));
}

static void row_text(struct app *a, const struct rollup_row *r)
{
	char size[NUM_TEXT_MAX], files[NUM_TEXT_MAX], age[24] = "-";

	if (r->age_days >= 0)
		snprintf(age, sizeof(age), "%.0f", r->age_days);
	app_print(a, "%10.1f %9.1f %9.1f %8llu %7llu %6s %7s %6s  ", r->heat,
		  r->excess_ms, r->read_ms, (unsigned long long)r->jumps,
		  (unsigned long long)r->fragments,
		  num_format_bytes(r->blocks * model_geom(a->model)->block_size, size),
		  num_format_count(r->files, files), age);
	cmd_print_name(a, r->ino);
	app_print(a, "%s\n", r->type == INODE_DIR && r->ino != 2 ? "/" : "");
}

static bool print_rows(struct app *a, uint64_t limit, struct err *err)
{
	const struct rollup *rows = &a->tree->rows;
	size_t n = limit < rows->n ? (size_t)limit : rows->n;
	struct inum_list inos = {0};
	json_t *list = a->json ? json_array() : NULL;
	bool ok = true;

	for (size_t i = 0; ok && i < n; i++)
		ok = vec_push(&inos, rows->v[i].ino) || err_nomem(err);
	ok = ok && (!n || names_fetch(a->names, a, inos.v, n, err));
	vec_release(&inos);
	if (ok && !a->json)
		app_print(a, "%10s %9s %9s %8s %7s %6s %7s %6s  %s\n", "HEAT",
			  "EXCESS MS", "READ MS", "SEEKS", "FRAGM.", "SIZE", "FILES",
			  "DAYS", "PATH");
	for (size_t i = 0; ok && i < n; i++) {
		if (a->json)
			json_array_append_new(list, row_json(a, &rows->v[i]));
		else
			row_text(a, &rows->v[i]);
	}
	if (ok && !a->json && n < rows->n)
		app_print(a, "%zu of %zu; more with --limit N\n", n, rows->n);
	if (a->json && ok)
		json_print(a, list);
	else if (list)
		json_decref(list);
	return ok;
}

bool cmd_tree(struct app *a, struct cmd_call *c, struct err *err)
{
	const char *sort_text, *limit_text;
	bool flat = cmd_flag(c, "--flat");
	uint64_t limit = a->json ? UINT64_MAX : LIMIT_TEXT;
	enum tree_sort sort = a->tree->sort;
	struct inode_info info;
	inum_t dir = c->argc || !a->interactive ? 2 : a->tree->dir;

	if (!cmd_option(c, "--sort", &sort_text, err) ||
	    !cmd_option(c, "--limit", &limit_text, err) || !cmd_args(c, 0, 2, err) ||
	    (sort_text && !take_sort(c, sort_text, &sort, err)))
		return false;
	if (limit_text && !num_parse_u64(limit_text, &limit))
		return cmd_bad(c, -1, err, "\"%s\" is not a number", limit_text);
	if (!app_need_model(a, err) || (c->argc && !cmd_inode(a, c, &dir, err)))
		return false;
	if (!model_inode(a->model, dir, &info) || info.type != INODE_DIR)
		return cmd_bad(c, 0, err, "that is no directory");
	if (!tree_show(a, dir, flat, sort, err))
		return false;
	if (!a->interactive)
		return print_rows(a, limit, err);
	app_show_tab(a, TAB_TREE);
	a->focus = a->lower = FOCUS_BOTTOM;
	return true;
}

bool cmd_trace(struct app *a, struct cmd_call *c, struct err *err)
{
	const char *strip;
	char *text;
	bool ok;

	if (!cmd_option(c, "--strip", &strip, err) || !cmd_args(c, 1, 1, err) ||
	    !app_need_model(a, err))
		return false;
	if (!strcmp(c->argv[0], "off"))
		return tree_trace(a, NULL, NULL, err);
	text = text_file_read(c->argv[0], err);
	if (!text) {
		c->bad = 0;
		return false;
	}
	ok = tree_trace(a, text, strip, err);
	free(text);
	return ok;
}
