/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * json.h - what commands print with --json. Keys are stable: programs rely on them.
 *
 * A path is given as "path". One that is not UTF-8 comes percent-escaped, and with its
 * bytes in base64 as "path_raw"; without "path_raw" a path is to be taken as it stands.
 * Out of memory gives NULL objects, which jansson's functions hand through; json_print()
 * says so.
 */
#ifndef UI_JSON_H
#define UI_JSON_H

#include <jansson.h>
#include "ui/app.h"

/* Prints one object or array on a line of its own, and frees it. */
void json_print(struct app *a, json_t *o);
/* The text that a command printed, as {"command": ..., "text": [lines]}. */
void json_print_text(struct app *a, const char *verb, const char *text);

/* Any text as a string; bytes that are not UTF-8 become \\xNN. */
json_t *json_text(const char *text);
void json_add_path(json_t *o, const char *path, size_t len);
/* "path" of an inode from the cache of names, null if it has none there. */
void json_add_name(json_t *o, struct app *a, inum_t ino);
json_t *json_metrics(const struct metrics *m);
json_t *json_volume(const struct volume_info *v);
/* "file", "directory", "symlink", "other". */
const char *json_type_name(enum inode_type type);
/* {"inode", "path", "type", "size_bytes" (20 significant bits, rounded up), "blocks",
 * "fragments", "ideal", "first_block"} */
json_t *json_file(struct app *a, inum_t ino);

#endif
