/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text_file.h - scripts. */
#ifndef UI_TEXT_FILE_H
#define UI_TEXT_FILE_H

#include "base/err.h"

/* A whole file, to be freed by the caller; NULL with ERR_USAGE if it cannot be read, is
 * longer than 1 MiB or holds NUL bytes. */
char *text_file_read(const char *path, struct err *err);

#endif
