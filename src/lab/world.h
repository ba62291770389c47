/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * world.h - files and directories in memory that live on the blocks of a space: they
 * grow, shrink and vanish through an allocator. Nothing touches a disk until world_put().
 *
 * Nodes are numbered from 0 (the root). With a policy that delays, data waits until it is
 * written out: when too much of it waits, at world_sync(), or when the volume fills up.
 */
#ifndef SRC_LAB_WORLD_H
#define SRC_LAB_WORLD_H

#include "fs/build.h"
#include "lab/policy.h"

#define WORLD_NAME 32

struct world_node {
	char name[WORLD_NAME];
	uint32_t parent;
	bool is_dir, live, open, waiting;
	group_t group;	 /* of its inode */
	uint64_t size;	 /* bytes; of a directory: of its blocks */
	uint32_t blocks; /* placed so far, from the start without holes */
	uint32_t writer;
	VEC(struct build_piece) pieces; /* by logical block, merged */
	uint32_t room; /* of a directory: bytes left in its last block, */
	uint32_t gaps; /* and bytes of names that are gone */
	int64_t mtime, atime;
};

/* What happened to blocks, for those who want to watch or to play it again. */
struct world_note {
	uint32_t node;
	bool freed;
	lblk_t lblk;
	struct range range;
	const char *why; /* NULL when freed */
};
typedef void (*world_note_fn)(void *arg, const struct world_note *note);

struct world {
	struct space space;
	struct policy policy;
	VEC(struct world_node) nodes;
	VEC(uint32_t) waiting; /* nodes with data that has no blocks yet, oldest first */
	uint64_t waiting_blocks;
	uint64_t waiting_max; /* more than so many blocks are written out */
	int64_t now;	      /* seconds since 1970; advances with every change */
	uint64_t seed;	      /* of the contents */
	world_note_fn on_note;
	void *note_arg;
	uint64_t placed, pieces; /* blocks handed out, in so many answers */
};

/* Takes over the space. */
void world_init(struct world *w, struct space *space, const struct policy_kind *kind,
		uint64_t seed, int64_t now);
void world_release(struct world *w);

#define WORLD_NONE UINT32_MAX

/* A new empty file or directory, or WORLD_NONE: no block, inode or memory left. */
uint32_t world_create(struct world *w, uint32_t parent, const char *name, bool is_dir);
/* Appends bytes. False: no room; what fitted is kept. */
bool world_append(struct world *w, uint32_t node, uint64_t bytes);
/* The writer has finished with it. */
void world_close(struct world *w, uint32_t node);
/* Cuts it down to so many bytes. */
void world_truncate(struct world *w, uint32_t node, uint64_t bytes);
/* A file, or an empty directory. */
void world_delete(struct world *w, uint32_t node);
/* All waiting data gets its blocks. */
bool world_sync(struct world *w);

/* Share of used blocks, data that waits counted in; 0 to 1. */
double world_fill(const struct world *w);
/* Blocks that are not used and not spoken for. */
uint64_t world_left(const struct world *w);
uint64_t world_content_seed(const struct world *w, uint32_t node);

/* Puts all live nodes on a freshly formatted volume. shas: NULL, or room for nodes.n
 * SHA-256 sums of the files. */
bool world_put(struct world *w, struct build *b, uint8_t (*shas)[32], struct err *err);

#endif
