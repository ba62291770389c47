/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * model_priv.h - the memory of the model, shared by model.c (filling, asking),
 * model_seal.c and model_edit.c.
 *
 * Invariants of a sealed model
 *   M1  runs of a span are sorted by place and do not overlap
 *   M2  a run never crosses a span; a span is a block group (or 2^19 blocks where groups
 * are larger) M3  refs of an inode chunk are sorted by inode; those of one inode: data by
 * logical block, then the rest by place M4  each run with an inode has exactly one ref,
 * and the other way round
 */
#ifndef CORE_MODEL_PRIV_H
#define CORE_MODEL_PRIV_H

#include "core/extent.h"

/* Bits of packed.where: offset in span 20, length 20, kind 6, unwritten, fragmented, odd.
 */
struct packed {
	uint64_t where;
	inum_t ino;
	lblk_t lblk;
};

#define PACK_OFF(p)    ((uint32_t)((p)->where & 0xFFFFF))
#define PACK_LEN(p)    ((uint32_t)((p)->where >> 20 & 0xFFFFF))
#define PACK_KIND(p)   ((enum owner_kind)((p)->where >> 40 & 0x3F))
#define PACK_UNWRITTEN (1ull << 46)
#define PACK_FRAG      (1ull << 47)
#define PACK_ODD       (1ull << 48)
#define SPAN_MAX       (1u << 19)

struct span {
	struct packed *v;
	uint32_t n, cap;
};

/* attr: size as mantissa (20 bits) << exponent (5 bits, shifted by 20), flags 4 bits at
 * 25, type 3 at 29. */
struct slot {
	inum_t parent;
	uint32_t attr;
};

struct chunk {
	struct slot *slot; /* of the first `slots` inodes of the group */
	uint32_t slots, slot_cap;
	uint64_t *ref; /* inode offset << 48 | physical block */
	uint32_t refs, ref_cap;
};

struct model {
	const struct geom *geom;
	uint32_t span_blocks;
	uint32_t spans, chunks;
	struct span *span;
	struct chunk *chunk;
	blkno_t *stretch;      /* lengths of obstacle-free stretches, longest first */
	uint64_t *stretch_sum; /* of the first i + 1 of them */
	size_t stretches;
	uint64_t inodes, runs;
	bool sealed;
};

#define REF_BLOCK_BITS 48
#define REF_INODE(ref) ((uint32_t)((ref) >> REF_BLOCK_BITS))
#define REF_PHYS(ref)  ((blkno_t)((ref) & ((1ull << REF_BLOCK_BITS) - 1)))

uint32_t model_span_of(const struct model *m, blkno_t b);
blkno_t model_span_start(const struct model *m, uint32_t span);
/* Index of the first run of the span that ends after offset off, or n. */
uint32_t span_after(const struct span *s, uint32_t off);
void model_unpack(const struct model *m, uint32_t span, const struct packed *p,
		  struct run *out);
struct packed model_pack(uint32_t off, const struct run *r);
/* The packed run that starts exactly at b; NULL if there is none. */
struct packed *model_find(const struct model *m, blkno_t b);
/* Refs of an inode: [*first, *end) of its chunk; NULL chunk if it has no slot. */
struct chunk *model_refs(const struct model *m, inum_t ino, uint32_t *first,
			 uint32_t *end);
/* Sets fragmented and odd of the data runs of one inode, given as model_runs orders them.
 */
void model_mark_fragments(const struct model *m, struct run *runs, size_t n);
/* Sorts runs as M3 says. */
int model_run_order(const void *a, const void *b);
bool span_reserve(struct span *s, uint32_t need);

#endif
