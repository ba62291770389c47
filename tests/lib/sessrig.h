/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sessrig.h - a small volume with files in pieces, and sessions on it, for tests that look
 * at single batches. Image and journal have fixed names in $TMPDIR. All of it asserts
 * (cmocka) that it works. */
#ifndef TESTS_LIB_SESSRIG_H
#define TESTS_LIB_SESSRIG_H

#include "fs/session.h"
#include "src/fs/fs.h"

#define SESS_IMAGE   image_path("s.img")
#define SESS_JOURNAL image_path("s.undo")

enum sess_file {
	SESS_SMALL = 0, /* 30 pieces */
	SESS_DEEP,	/* 300 pieces: a mapping tree */
	SESS_HOLES,
	SESS_FAR,  /* its second block far out: triple indirect on 1 KiB blocks */
	SESS_TINY, /* the first of SESS_TINIES files of two blocks in two pieces */
};
#define SESS_TINIES 40
#define SESS_FILES  (SESS_TINY + SESS_TINIES)

struct sess_moves {
	struct move *v;
	size_t n, cap;
};

struct sessrig {
	inum_t ino[SESS_FILES];
	struct volume *v;
	struct session *s;
	uint32_t block_size;
	/* seen at io_calls since sess_open() */
	uint64_t bytes_written;
	uint32_t super_writes, writes;
};

/* A new image, no journal; what is in it is remembered. extra: for mke2fs, or NULL. */
void sess_make(struct sessrig *r, const char *type, uint32_t block_size, uint64_t bytes,
	       const char *const *extra);
/* Remembers the image as it is now (it was changed on purpose). */
void sess_remember(void);
/* Volume for writing, and a session on it; false with err: neither is open. */
bool sess_try_open(struct sessrig *r, struct err *err);
void sess_open(struct sessrig *r);
/* Closes both; e2fsck -fn must find nothing. */
void sess_close(struct sessrig *r);
/* Ends both as a kill would. */
void sess_kill(struct sessrig *r);

/* The first of n free blocks in a row, at or after `from`. */
blkno_t sess_free_run(struct sessrig *r, uint32_t n, blkno_t from);
/* Appends moves that put a file in one piece from `to` on, its tree in front; returns how
 * many blocks that takes. */
uint32_t sess_gather(struct sessrig *r, inum_t ino, blkno_t to, struct sess_moves *out);
/* One file whole to the first place that holds it, as a batch of its own. */
void sess_move(struct sessrig *r, inum_t ino);
/* steps: 'u' undo, 'r' redo, one batch each. Returns the blocks that had to be copied. */
uint32_t sess_back(struct sessrig *r, const char *steps);

/* Every block that was in use is as it was, byte for byte. */
void sess_assert_as_before(void);
/* The whole image is. */
void sess_assert_untouched(void);
/* All files hold what they held, with their attributes. */
void sess_assert_contents(void);

#endif
