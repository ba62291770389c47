/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * hand.h - changing an image that the lab made, one step at a time, each of which can be
 * taken back.
 *
 * hand_open() gives a struct build whose writes are held in memory. hand_commit() first
 * saves what the touched bytes were (IMAGE.lab/NNNN.step, durable), then writes them. An
 * interrupted commit is rolled back at the next hand_open(). Undo and redo exchange the
 * saved bytes with those of the image.
 *
 * Only regular files with the lab's label and UUID end are opened, and only if a session
 * could open them for writing too (clean, not mounted, not in use).
 */
#ifndef FS_HAND_H
#define FS_HAND_H

#include "base/str.h"
#include "base/vec.h"
#include "fs/build.h"

/* Is this an image that the lab made? Otherwise ERR_REFUSED says why not. */
bool hand_is_lab(const char *path, struct err *err);
/* NULL: ERR_REFUSED, ERR_IO. build_free() drops all changes. */
struct build *hand_open(const char *path, struct err *err);
/* Writes the step and frees b in every case. text: one line, what was done. */
bool hand_commit(struct build *b, const char *text, struct err *err);

/* Whom the library asks for blocks of its own (extent and indirect blocks, longer
 * directories): BLKNO_NONE when there is none. freed: blocks that it gives back. */
struct hand_blocks {
	blkno_t (*pick)(void *arg, blkno_t goal);
	void (*freed)(void *arg, blkno_t block);
	void *arg;
};
void hand_on_blocks(struct build *b, const struct hand_blocks *blocks);

struct hand_file {
	inum_t ino;
	bool is_dir;
	uint64_t size;	 /* bytes */
	uint64_t blocks; /* that size covers, rounded up */
	uint64_t owned;	 /* blocks it owns, of its map too */
	blkno_t last;	 /* block of the last mapped logical block, BLKNO_NONE */
	lblk_t last_lblk;
	group_t group;
};
/* 0 <= result: false with ERR_REFUSED if there is no such file. */
bool hand_find(struct build *b, const char *path, struct hand_file *out, struct err *err);
/* Splits /a/b into the directory /a (found) and the name b, which must not exist. */
bool hand_new_name(struct build *b, const char *path, struct hand_file *dir,
		   char name[256], struct err *err);
/* Maps free blocks to the file from lblk on, and marks them used. */
bool hand_map(struct build *b, inum_t ino, lblk_t lblk, struct range r, struct err *err);
/* New contents for the bytes [from, to) of the file, and its size at least `to`. */
bool hand_fill(struct build *b, inum_t ino, uint64_t from, uint64_t to, struct err *err);
bool hand_set_size(struct build *b, inum_t ino, uint64_t size, struct err *err);
/* Frees the blocks [first, last] of the file, appending where they were to freed. */
struct range_list {
	struct range *v;
	size_t n, cap;
};
bool hand_cut(struct build *b, inum_t ino, lblk_t first, lblk_t last,
	      struct range_list *freed, struct err *err);
/* Takes the name away and frees the inode: a file with one name, or an empty directory. */
bool hand_remove(struct build *b, const char *path, const struct hand_file *f,
		 struct range_list *freed, struct err *err);

/* --- steps --- */

struct hand_step {
	unsigned number;
	bool undone;
	char text[200];
};
struct hand_steps {
	VEC(struct hand_step) list; /* oldest first */
	bool fits; /* nobody else has changed the image since the last step */
};
/* A missing folder gives an empty list. */
bool hand_steps_read(const char *image, struct hand_steps *out, struct err *err);
void hand_steps_release(struct hand_steps *s);
/* Takes the last step back, or does the first undone one again. ERR_REFUSED if there is
 * none, or the image has been changed by something else since. text, ranges (may be NULL)
 * tell what was done and which blocks changed. */
bool hand_undo(const char *image, struct str *text, struct range_list *changed,
	       struct err *err);
bool hand_redo(const char *image, struct str *text, struct range_list *changed,
	       struct err *err);
/* "IMAGE.lab", where steps and the allocator's memory are kept; made if `make`. */
bool hand_folder(const char *image, bool make, struct str *out, struct err *err);

#endif
