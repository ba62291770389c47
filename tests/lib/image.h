/* SPDX-License-Identifier: GPL-3.0-or-later */
/* image.h - what image tests share: paths in the private temporary folder, commands,
 * judgements. */
#ifndef TESTS_LIB_IMAGE_H
#define TESTS_LIB_IMAGE_H

#include <stdbool.h>
#include <stddef.h>

/* "$TMPDIR/name" in a static ring of 8 buffers. */
const char *image_path(const char *name);
/* Runs a shell command (printf format); returns its exit code, output only if it is not
 * 0. */
int image_run(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* First line that a command prints, without its newline, in a static buffer; "" if none.
 */
const char *image_ask(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* e2fsck -fn says clean; prints its words if not. */
bool image_is_clean(const char *path);
/* Are both files byte for byte the same? */
bool image_same(const char *a, const char *b);

#endif
