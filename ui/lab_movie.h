/* SPDX-License-Identifier: GPL-3.0-or-later */
/* lab_movie.h - a life of the lab as a moving picture: the map, coloured by file. */
#ifndef UI_LAB_MOVIE_H
#define UI_LAB_MOVIE_H

#include "lab/age.h"
#include "ui/record.h"

struct lab_movie {
	struct recording rec;
	char title[100];
	uint32_t *owner; /* a block's file + 2; 0 free, 1 used by the format */
	uint64_t blocks, used;
	uint64_t changed, every; /* blocks changed since the last frame; a frame every */
	bool failed;
};

#define LAB_MOVIE_BLOCKS (16u << 20) /* at most */

bool lab_movie_init(struct lab_movie *m, int rows, int cols, const char *title);
void lab_movie_release(struct lab_movie *m);
/* For age_options.watch. */
void lab_movie_watch(void *movie, const struct age_event *e);
/* The last frame. */
void lab_movie_end(struct lab_movie *m);

#endif
