/* SPDX-License-Identifier: GPL-3.0-or-later */
/* json.c - see json.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "ui/json.h"
#include "ui/names.h"

void json_print(struct app *a, json_t *o)
{
	char *text =
		json_dumps(o, JSON_COMPACT | JSON_ENCODE_ANY | JSON_REAL_PRECISION(12));
	struct err err = ERR_INIT;

	json_decref(o);
	a->json_done = true;
	if (text) {
		str_add(a->out, text);
		str_addc(a->out, '\n');
	} else {
		err_nomem(&err);
		a->json = false; /* an object for this error would fail as well */
		app_fail(a, &err);
		a->json = true;
	}
	free(text);
}

/* Text that may hold any bytes, as a JSON string. */
static json_t *any_text(const char *text, size_t n)
{
	struct str s = STR_INIT;
	json_t *o;

	if (str_is_utf8(text, n))
		return json_stringn(text, n);
	str_add_safe(&s, text, n);
	o = json_stringn(s.buf, s.len);
	str_release(&s);
	return o;
}

json_t *json_text(const char *text)
{
	return any_text(text, strlen(text));
}

void json_print_text(struct app *a, const char *verb, const char *text)
{
	json_t *lines = json_array();

	while (*text) {
		size_t len = strcspn(text, "\n");

		json_array_append_new(lines, any_text(text, len));
		text += len + (text[len] == '\n');
	}
	json_print(a, json_pack("{s:s, s:o}", "command", verb, "text", lines));
}

static void add_base64(struct str *s, const uint8_t *p, size_t n)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < n; i += 3) {
		uint32_t b = (uint32_t)p[i] << 16;

		b |= i + 1 < n ? (uint32_t)p[i + 1] << 8 : 0;
		b |= i + 2 < n ? p[i + 2] : 0;
		str_addc(s, digits[b >> 18]);
		str_addc(s, digits[b >> 12 & 63]);
		str_addc(s, i + 1 < n ? digits[b >> 6 & 63] : '=');
		str_addc(s, i + 2 < n ? digits[b & 63] : '=');
	}
}

void json_add_path(json_t *o, const char *path, size_t len)
{
	struct str s = STR_INIT;

	if (str_is_utf8(path, len)) {
		json_object_set_new(o, "path", json_stringn(path, len));
		return;
	}
	str_add_percent(&s, path, len);
	json_object_set_new(o, "path", json_stringn(s.buf, s.len));
	str_clear(&s);
	add_base64(&s, (const uint8_t *)path, len);
	json_object_set_new(o, "path_raw", json_stringn(s.buf, s.len));
	str_release(&s);
}

void json_add_name(json_t *o, struct app *a, inum_t ino)
{
	size_t len;
	const char *path = ino ? names_get(a->names, ino, &len) : NULL;

	if (path && path[0] == '/') /* "<ino 8>" stands for a name, but is none */
		json_add_path(o, path, len);
	else
		json_object_set_new(o, "path", json_null());
}

static json_t *count(uint64_t n)
{
	return json_integer((json_int_t)n);
}

json_t *json_metrics(const struct metrics *m)
{
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o, s:o, s:o, s:f}",
			 "inodes_used", count(m->inodes_used), "files", count(m->files),
			 "directories", count(m->directories), "fragments",
			 count(m->fragments), "best", count(m->best), "worst",
			 count(m->worst), "files_fragmented", count(m->files_fragmented),
			 "layout_score", metrics_layout_score(m), "free_blocks",
			 count(m->free_blocks), "free_runs", count(m->free_runs),
			 "largest_hole_blocks", count(m->largest_hole_blocks),
			 "read_time_ms", round(m->read_time_ms * 1000) / 1000);
}

static json_t *feature_list(const char *features)
{
	json_t *list = json_array();

	while (*features) {
		size_t len = strcspn(features, " ");

		if (len)
			json_array_append_new(list, any_text(features, len));
		features += len + (features[len] == ' ');
	}
	return list;
}

json_t *json_volume(const struct volume_info *v)
{
	json_t *o = json_object();

	json_add_path(o, v->path, strlen(v->path));
	json_object_set_new(o, "uuid", json_string(v->uuid_text));
	json_object_set_new(o, "label", json_text(v->label));
	json_object_set_new(o, "type", json_string(v->type));
	json_object_set_new(o, "block_size", count(v->block_size));
	json_object_set_new(o, "blocks", count(v->blocks));
	json_object_set_new(o, "features", feature_list(v->features));
	json_object_set_new(o, "state", json_text(v->state));
	return o;
}

const char *json_type_name(enum inode_type type)
{
	static const char *const names[] = {"none", "file", "directory", "symlink",
					    "other"};

	return names[type];
}

json_t *json_file(struct app *a, inum_t ino)
{
	json_t *o = json_object();
	struct file_info f;

	if (!model_file(a->model, ino, &f))
		memset(&f, 0, sizeof(f)), f.first = BLKNO_NONE;
	json_object_set_new(o, "inode", count(ino));
	json_add_name(o, a, ino);
	json_object_set_new(o, "type", json_string(json_type_name(f.inode.type)));
	json_object_set_new(o, "size_bytes", count(f.inode.size));
	json_object_set_new(o, "blocks", count(f.blocks));
	json_object_set_new(o, "fragments", count(f.fragments));
	json_object_set_new(o, "ideal", count(f.ideal));
	json_object_set_new(o, "first_block",
			    f.first == BLKNO_NONE ? json_null() : count(f.first));
	return o;
}
