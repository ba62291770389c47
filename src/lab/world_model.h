/* SPDX-License-Identifier: GPL-3.0-or-later */
/* world_model.h - a world as the model that figures and maps are made of. */
#ifndef SRC_LAB_WORLD_MODEL_H
#define SRC_LAB_WORLD_MODEL_H

#include "src/lab/world.h"

/* geom must outlive the model. used: the bitmap of the volume before the world lived in
 * it (as volume_read_bitmap gives it); gets the world's blocks too. NULL with err. */
struct model *world_model(const struct world *w, const struct geom *geom, uint8_t *used,
			  struct err *err);

#endif
