/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model_priv.h - the memory of the model.
 *
 *   model.c        life and filling       model_seal.c   sorting, contradictions
 *   model_place.c  block -> owner         model_index.c  stretches, file -> its runs
 *   model_file.c   file -> its runs       model_edit.c   one file's runs for others
 *   model_refs.c   the packed list of runs of an inode group
 *
 * Invariants of a sealed model
 *
 *   M1  runs of a span are sorted by place and do not overlap
 *
 *   M2  a run never crosses a span; a span is a block group, or 2^19 blocks where groups
 *       are larger
 *
 *   M3  refs of an inode chunk are sorted by inode; those of one inode: data by logical
 *       block, then the rest by place
 *
 *   M4  each run with an inode has exactly one ref, and the other way round
 *
 *   M5  bit i of busy: span i has runs; bit i of busier: word i of busy is not 0
 */
#ifndef CORE_MODEL_PRIV_H
#define CORE_MODEL_PRIV_H

#include "core/extent.h"

/* Bits of packed.where: offset in span 20, length 20, kind 6, unwritten, fragmented, odd.
 * While sealing, threads set flags of their own runs as others search among them: `where`
 * is read and written whole (relaxed). */
struct packed {
	uint64_t where;
	inum_t ino;
	lblk_t lblk;
};

#define PACK_UNWRITTEN (1ull << 46)
#define PACK_FRAG      (1ull << 47)
#define PACK_ODD       (1ull << 48)
#define SPAN_MAX       (1u << 19)

static inline uint64_t pack_where(const struct packed *p)
{
	return __atomic_load_n(&p->where, __ATOMIC_RELAXED);
}

static inline uint32_t pack_off(const struct packed *p)
{
	return (uint32_t)(pack_where(p) & 0xFFFFF);
}

static inline uint32_t pack_len(const struct packed *p)
{
	return (uint32_t)(pack_where(p) >> 20 & 0xFFFFF);
}

static inline uint32_t pack_end(const struct packed *p)
{
	return pack_off(p) + pack_len(p);
}

static inline enum owner_kind pack_kind(const struct packed *p)
{
	return (enum owner_kind)(pack_where(p) >> 40 & 0x3F);
}

struct span {
	struct packed *v;
	uint32_t n, cap;
	bool clash;   /* while sealing: two claims overlap; still in order of claim */
	bool differs; /* while sealing: not what the bitmap says */
};

/* attr: size as mantissa (20 bits) << exponent (5 bits, shifted by 20), flags 4 bits at
 * 25, type 3 at 29. */
struct slot {
	inum_t parent;
	uint32_t attr;
};

/*
 * The places where the runs of a chunk's inodes start: 4 bytes each (6 on volumes of more
 * than 2^32 blocks), in the order of M3. Which belong to which inode is said in unary, at
 * a bit a run and a bit an inode: a 1 for each inode, followed by a 0 for each of its
 * runs, and a 1 behind the last. sample[i] is the position of the 1 of inode 64 i.
 */
struct refs {
	uint32_t *low;
	uint16_t *high; /* NULL unless the volume is wide */
	uint64_t *marks;
	uint32_t *sample;
	uint32_t n, cap;
	uint32_t words; /* of marks */
};

struct chunk {
	struct slot *slot; /* of the first `slots` inodes of the group */
	uint32_t slots, slot_cap;
	struct refs refs;
};

struct model {
	const struct geom *geom;
	uint32_t span_blocks;
	uint32_t spans, chunks;
	uint32_t per; /* inodes in a chunk */
	bool wide;    /* block numbers need more than 32 bits */
	struct span *span;
	uint64_t *busy, *busier; /* a bit a span, a bit a word: holes may be long */
	struct chunk *chunk;
	blkno_t *stretch;      /* lengths of obstacle-free stretches, longest first */
	uint64_t *stretch_sum; /* of the first i + 1 of them */
	size_t stretches;
	uint64_t inodes;
};

/* --- model_place.c --- */
uint32_t model_span_of(const struct model *m, blkno_t b);
blkno_t model_span_start(const struct model *m, uint32_t span);
uint32_t model_span_len(const struct model *m, uint32_t span);
/* Index of the first run of the span that ends after offset off, or n. */
uint32_t span_after(const struct span *s, uint32_t off);
bool span_reserve(struct span *s, uint32_t need);
/* Keeps M5 for a span whose n has changed; for all of them. */
void model_note_span(struct model *m, uint32_t span);
void model_note_spans(struct model *m);
struct packed model_pack(uint32_t off, const struct run *r);
void model_unpack(const struct model *m, uint32_t span, const struct packed *p,
		  struct run *out);
/* The packed run that starts exactly at b; NULL if there is none. */
struct packed *model_find(const struct model *m, blkno_t b);

/* --- model_refs.c --- */
/* Empty refs for so many inodes; start[k] is the index of the first run of inode k,
 * start[inodes] their number. The places are left to be set. */
bool refs_build(struct refs *r, uint32_t inodes, const uint32_t *start, bool wide);
void refs_release(struct refs *r);
/* Room for n runs; makes empty refs of what was never built. */
bool refs_reserve(struct refs *r, uint32_t inodes, uint32_t n, bool wide);
/* The runs of inode `at` are [*first, *end). */
void refs_range(const struct refs *r, uint32_t at, uint32_t *first, uint32_t *end);
/* Gives inode `at` count runs, to be set by the caller; room must be reserved. */
void refs_resize(struct refs *r, uint32_t inodes, uint32_t at, uint32_t count);
blkno_t refs_get(const struct refs *r, uint32_t i);
void refs_set(struct refs *r, uint32_t i, blkno_t b);
size_t refs_bytes(const struct refs *r, uint32_t inodes);

/* --- model_file.c --- */
struct inode_info slot_unpack(uint32_t attr);
/* Sorts runs as M3 says. */
int model_run_order(const void *a, const void *b);
int model_run_by_place(const void *a, const void *b);
/* Sets fragmented and odd of the data runs of one inode, given as model_runs orders
 * them. */
void model_mark_fragments(const struct model *m, struct run *runs, size_t n);

/* --- sealing --- */
/* fn(ctx, i) for all i < n, by so many threads. False: one of them ran out of memory. */
bool model_for_all(void *ctx, uint32_t n, int threads, bool (*fn)(void *ctx, uint32_t i));
/* Phase 2 of the seal: the obstacle-free stretches, and M3, M4. */
bool model_index(struct model *m, int threads);

#endif
