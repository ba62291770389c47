/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pin.h - marks the files of fs/pins.h in a model that is being filled. */
#ifndef FS_PIN_H
#define FS_PIN_H

#include "fs/pins.h"
#include "src/fs/fs.h"

/* Directories that cannot be read are passed over: a scan has its own word for them. */
void pin_files(struct volume *v, struct model *m);

#endif
