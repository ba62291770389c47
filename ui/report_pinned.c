/* SPDX-License-Identifier: GPL-3.0-or-later */
/* report_pinned.c - files that are never moved, and why. */
#include "base/num.h"
#include "fs/pins.h"
#include "ui/names.h"
#include "ui/report.h"

static const char *reason_of(struct report *r, inum_t ino)
{
	size_t len = 0;
	const char *name = names_get(r->a->names, ino, &len), *why = NULL;
	struct str path = STR_INIT;

	if (name)
		str_addn(&path, name, len);
	if (path.len && !path.oom)
		why = pins_reason(path.buf);
	str_release(&path);
	return why ? why : "immutable or append-only; allow it with: chattr -i -a FILE";
}

static bool collect(struct report *r, struct inum_list *out)
{
	inum_t ino = 0;

	while ((ino = model_next_inode(r->m, ino)) != 0) {
		struct inode_info info;

		if (model_inode(r->m, ino, &info) && info.flags & INODE_PINNED &&
		    !(info.flags & INODE_SYSTEM) && !vec_push(out, ino))
			return false;
	}
	return true;
}

static void pinned_json(struct report *r, const struct inum_list *l, size_t n)
{
	json_t *o = report_json_head(r), *list = json_array();

	for (size_t i = 0; i < n; i++) {
		json_t *row = json_pack("{s:o, s:s}", "inode", report_json_count(l->v[i]),
					"reason", reason_of(r, l->v[i]));

		json_add_name(row, r->a, l->v[i]);
		json_array_append_new(list, row);
	}
	json_object_set_new(o, "count", report_json_count(l->n));
	json_object_set_new(o, "pinned", list);
	json_print(r->a, o);
}

static void pinned_text(struct report *r, const struct inum_list *l, size_t n)
{
	report_title(r, "Pinned files");
	for (size_t i = 0; i < n; i++) {
		struct file_info info;
		char blocks[NUM_TEXT_MAX];

		if (!model_file(r->m, l->v[i], &info))
			continue;
		app_print(r->a, "%12s blocks  ", num_format_count(info.blocks, blocks));
		cmd_print_name(r->a, l->v[i]);
		app_print(r->a, ": %s\n", reason_of(r, l->v[i]));
	}
	if (n < l->n)
		app_print(r->a, "and %zu more; see: report pinned --limit %zu\n",
			  l->n - n, l->n);
	if (!l->n)
		app_print(r->a, "none; reserved inodes and metadata: see features\n");
}

bool report_pinned(struct report *r, struct err *err)
{
	struct inum_list list = {0};
	bool ok = collect(r, &list) || err_nomem(err);
	size_t n = r->limit && r->limit < list.n ? (size_t)r->limit : list.n;

	ok = ok && names_fetch(r->a->names, r->a, list.v, n, err);
	if (ok && r->a->json)
		pinned_json(r, &list, n);
	else if (ok)
		pinned_text(r, &list, n);
	vec_release(&list);
	return ok;
}
