/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * age.h - the ager: a new volume that has been lived in.
 *
 * Writers take turns: each appends a piece to its file, so files that grow at the same
 * time compete for the same blocks. Loops: fill to the target, delete a share of the
 * files, fill again; then churn at the target. All of it happens in memory through an
 * allocator of policy.h; only what is left at the end is written. The same options give
 * the same image, byte for byte.
 */
#ifndef LAB_AGE_H
#define LAB_AGE_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

/* Blocks that changed hands, for who watches. First come the holes that the format left,
 * as freed (format is true). */
struct age_event {
	uint64_t blocks; /* of the volume */
	uint32_t file;
	bool freed, format;
	struct range range;
};

struct age_options {
	/* the volume */
	uint64_t bytes;
	const char *type;     /* "ext2", "ext3", "ext4" */
	uint32_t block_size;  /* bytes */
	const char *features; /* for mke2fs -O, or NULL */
	const char *policy;   /* name of an allocator */
	uint64_t seed;
	/* the life */
	uint32_t writers, dirs;
	uint64_t size_min,
		size_max;    /* of a file, bytes; each power of two equally often */
	uint64_t piece;	     /* bytes appended in a turn */
	uint32_t grow;	     /* percent of turns that go on with an old file */
	uint32_t steady;     /* percent of turns that delete one */
	uint32_t loops;	     /* fill and delete so often */
	uint32_t delete;     /* percent of files deleted between loops */
	uint32_t fill;	     /* percent of the volume: the target */
	uint64_t churn;	     /* operations at the target, at the end */
	uint64_t operations; /* stop after so many, 0 = no limit */
	void (*watch)(void *arg, const struct age_event *e); /* or NULL */
	void *watch_arg;
	struct str
		*trace; /* NULL, or gets a line an operation: "D dir", "C path", "A path
			      bytes", "X path" (closed), "U path" (deleted), "S" (all that
			      waited was written out) */
};

/* A known way of life. */
struct age_preset {
	const char *name, *title;
	uint32_t writers, dirs;
	uint64_t size_min, size_max, piece;
	uint32_t grow, steady, loops, delete, fill;
	uint64_t churn;
};
extern const struct age_preset age_presets[];
extern const size_t age_preset_count;

/* The defaults: 256 MiB, ext4, blocks of 4 KiB, policy ext4, seed 1, preset fsmark. */
void age_defaults(struct age_options *o);
/* Takes the life from a preset; ERR_USAGE names the known ones. */
bool age_preset(struct age_options *o, const char *name, struct err *err);

/* Microseconds that calls took. */
struct age_calls {
	uint64_t count, total, min, max;
};
enum age_call { AGE_CREATE, AGE_WRITE, AGE_CLOSE, AGE_UNLINK, AGE_CALLS };
extern const char *const age_call_names[AGE_CALLS];

/* One loop, in fs_mark's columns. */
struct age_row {
	uint32_t use_percent;
	uint64_t count; /* files written in it */
	uint64_t size;	/* their average size in bytes */
	double files_per_second;
	uint64_t overhead; /* microseconds not spent in calls */
	struct age_calls call[AGE_CALLS];
};

#define AGE_HISTOGRAM 24

/* Runs of blocks and holes of the aged volume. */
struct age_report {
	VEC(struct age_row) rows;
	uint64_t operations, files, directories, bytes;
	uint64_t extents, fragmented; /* of files; files in more than one piece */
	uint64_t holes, free_blocks, largest_hole;
	uint64_t hole[AGE_HISTOGRAM]; /* holes of [2^i, 2^(i+1)) blocks */
	bool full;		      /* it ended because nothing fitted any more */
	uint64_t life_ms, write_ms;
};
void age_report_init(struct age_report *r);
void age_report_release(struct age_report *r);

/* ERR_USAGE: options that make no sense. */
bool age_check(const struct age_options *o, struct err *err);
/* An empty volume with the same options. */
bool lab_make(const char *path, const struct age_options *o, bool force, struct err *err);

/* Makes path, which must not exist or be a regular file and `force`. manifest: NULL, or
 * receives a line "SHA-256  ./path" a file, for sha256sum -c. ERR_USAGE: options that
 * make no sense; ERR_REFUSED, ERR_NOSPACE, ERR_IO. A half-made image is removed. */
bool age_make(const char *path, const struct age_options *o, bool force,
	      struct str *manifest, struct age_report *out, struct err *err);

#endif
