/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build_step.h - the file of one step by hand.
 *
 *   head | text | records: where, length, the other bytes | crc32c of text and records
 *
 * "The other bytes": those before the step if it is done, those after it if it is undone.
 * Numbers are in the byte order of the machine: steps stay with the image they are of.
 */
#ifndef FS_BUILD_STEP_H
#define FS_BUILD_STEP_H

#include <stdio.h>
#include "src/fs/build_priv.h"

#define STEP_MAGIC "cdflab1\n"
#define CHUNK	   (1u << 20) /* bytes of a record at most */
#define NO_RECORD  UINT64_MAX

struct step_head {
	char magic[8];
	uint32_t undone;
	uint32_t text_len;
	uint32_t fingerprint; /* of the image after the exchange */
	uint32_t turn;	      /* the highest one is the last exchange */
};

struct record {
	uint64_t at;   /* bytes; NO_RECORD: the end, len is the checksum of all before */
	uint32_t len;  /* bytes */
	uint32_t zero; /* 1: they are zeros, and not stored */
};

/* --- writing --- */

struct pen {
	FILE *f;
	uint32_t crc;
	bool failed; /* sticks */
};
bool pen_open(struct pen *p, const char *path, bool undone, const char *text,
	      struct err *err);
/* n <= CHUNK; zeros are not stored. */
void pen_record(struct pen *p, uint64_t at, const void *bytes, size_t n);
/* Durable, its name too. Frees in every case. */
bool pen_close(struct pen *p, const char *path, struct err *err);
/* The folder that path lies in. */
bool sync_folder(const char *path);

/* --- reading --- */

struct step_file {
	FILE *f; /* fclose() it */
	struct step_head head;
	char text[200]; /* cut */
	uint32_t crc;
};
bool step_open(struct step_file *s, const char *path);
/* 1: a record, its bytes in buf (CHUNK); 0: the end, and all was whole; -1: damaged. */
int step_next(struct step_file *s, struct record *r, char *buf);
/* Is the file whole? */
bool step_whole(const char *path);

#endif
