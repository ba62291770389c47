/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * clone_priv.h - what the files of src/clone share.
 *
 *   clone.c     threads, and the pieces that they take
 *   probe.c     how fast the source is
 *   source.c    where bytes come from: the volume, a raw file      qcow2_read.c: an image
 *   sink.c      where they go, and what may not be overwritten    qcow2_write.c: an image
 *   compare.c   instead of a sink
 *
 * A source is cut into units, the least that is copied: 4 KiB, or a cluster of an image.
 */
#ifndef CLONE_CLONE_PRIV_H
#define CLONE_CLONE_PRIV_H

#include <pthread.h>
#include <stdatomic.h>
#include "clone/clone.h"

#define UNIT_BYTES  4096u
#define CLUSTER_MAX 65536u
#define PIECE_BYTES (4u << 20)
#define WORKERS_MAX 4
#define GATHER_MAX  256
/* Unwanted bytes that are read over rather than left out: about what the device reads in
 * the time of a request (probe.c). Up to JOIN_BYTES are written as zeros. */
#define GAP_MAX	   (256u << 10)
#define GAP_MIN	   (32u << 10)
#define JOIN_BYTES (64u << 10)

struct source {
	uint64_t bytes; /* of the volume */
	uint32_t unit;	/* bytes */
	uint64_t units;
	uint8_t *used; /* a bit a unit: it holds something wanted */
	/* Reads n bytes at `at`; both multiples of 4096 but at the end of the volume. */
	bool (*read)(struct source *s, uint64_t at, size_t n, uint8_t *buf,
		     struct err *err);

	struct volume *v; /* of the volume: its blocks ... */
	uint8_t *want;	  /* ... and a bit for each that is wanted, from block 0 on */
	uint32_t block;	  /* bytes */
	const struct model *model; /* names are scrambled by what it says */

	int fd, direct_fd; /* of a file, -1 */
	char path[512];
	uint64_t *cluster; /* of an image: where each cluster lies in it, 0 = nowhere */
};

/* Which blocks are wanted; source_cut() must follow. */
bool source_of_volume(struct source *s, struct volume *v, const struct clone_request *r,
		      struct err *err);
/* Units of so many bytes, a power of two, at least a block; may be called again. */
bool source_cut(struct source *s, uint32_t unit, struct err *err);
uint64_t source_wanted(const struct source *s); /* bytes */
uint64_t source_runs(const struct source *s);
/* A raw file or an image, told apart by its first bytes. */
bool source_of_file(struct source *s, const char *path, struct err *err);
bool source_qcow2(struct source *s, const uint8_t header[72], struct err *err);
void source_release(struct source *s);
bool source_has(const struct source *s, uint64_t unit);
/* Bytes of a file, direct where it works. */
bool source_read_file(struct source *s, uint64_t at, size_t n, uint8_t *buf,
		      struct err *err);

/* How large a gap to read over, and the rate of reading in a row (bytes a second, 0 = not
 * known). rotational: what to believe where it cannot be measured. */
void probe_source(struct source *s, bool rotational, uint32_t *gap, uint64_t *rate);

/* Units [unit, unit + units) in memory; unwanted blocks are zeros. */
struct piece {
	uint64_t unit;
	uint32_t units;
	uint64_t turn;	/* counted from 0 */
	uint64_t place; /* byte of an image */
	uint8_t *buf;	/* PIECE_BYTES, aligned to 4096 */
	uint8_t *spare; /* compare: the same of the copy */
};

struct sink {
	int fd;
	bool direct; /* opened so; ends when a device says no */
	bool stream; /* a pipe: no offsets */
	bool device;
	char path[4096];       /* what is asked for */
	char part[4096];       /* what is written until then; "" = path itself */
	uint64_t at;	       /* image: end of its tables */
	atomic_ullong written; /* bytes */
};

bool sink_open(struct sink *k, const struct clone_request *r, const struct volume *v,
	       uint64_t bytes, struct err *err);
/* buf aligned to 4096; n and at too, but for the end of a device. */
bool sink_write(struct sink *k, const uint8_t *buf, size_t n, uint64_t at,
		struct err *err);
/* The same for several stretches of memory, one after another at `at`; v is used up. */
struct iovec;
bool sink_gather(struct sink *k, struct iovec *v, int n, uint64_t at, struct err *err);
bool sink_zero(struct sink *k, uint64_t at, uint64_t n, struct err *err);
/* Sets the size of a file (0: as it is), makes it durable and gives it its name. */
bool sink_finish(struct sink *k, uint64_t bytes, struct err *err);
/* Without finishing: removes what was half made. */
void sink_drop(struct sink *k);

/* Header and tables of an image of this source; the data clusters follow in order. */
bool qcow2_write_tables(struct sink *k, const struct source *s, struct err *err);

struct worker {
	struct clone *clone;
	pthread_t thread;
	uint8_t *buf, *spare;
};

struct clone {
	struct clone_request r;
	struct source source, other; /* other: compare */
	struct sink sink;
	bool has_sink;
	uint32_t gap; /* bytes that are read over */
	struct worker worker[WORKERS_MAX];
	atomic_bool stop, over;
	atomic_ullong done;
	uint64_t total;
	uint64_t started_ms, user_ms, sys_ms;

	pthread_mutex_t lock; /* of all below */
	pthread_cond_t turn;  /* `written` or `failed` has changed */
	int threads, home;
	uint64_t at;		 /* first unit that nobody has taken */
	uint64_t taken, written; /* pieces */
	uint64_t place;		 /* of the next piece in an image */
	uint64_t read_end;	 /* unit */
	struct clone_report report;
	bool failed;
	struct err err;
};

/* Counts what differs in one piece. */
bool clone_compare_piece(struct clone *c, const struct piece *p, struct err *err);

#endif
