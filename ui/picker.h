/* SPDX-License-Identifier: GPL-3.0-or-later */
/* picker.h - the list of the machine's volumes, to open one. */
#ifndef UI_PICKER_H
#define UI_PICKER_H

#include "fs/volumes.h"
#include "ui/app.h"
#include "ui/canvas.h"

struct picker {
	struct volume_found_list list;
	size_t cursor, top;
	bool write; /* open for moving blocks */
};

/* Looks for volumes and shows them over the screen. */
bool picker_open(struct app *a, bool write, struct err *err);
void picker_close(struct app *a);
void picker_draw(struct app *a, const struct view *v);
/* Every key is the picker's while it is open. */
void picker_key(struct app *a, int key, const struct view *v);
/* "mounted on /" or "ready": what stands first against writing. */
const char *picker_state(const struct volume_found *f);

#endif
