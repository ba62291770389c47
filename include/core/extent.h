/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * extent.h - arithmetic on the run list of one file. Pure; no model, no disk.
 *
 * Lists are in the order of model_runs(): data by logical block, then OWNER_TREE and
 * xattr by place.
 */
#ifndef CORE_EXTENT_H
#define CORE_EXTENT_H

#include "core/model.h"

/* On-disk limits: an initialised extent covers at most 32768 blocks, an unwritten one
 * 32767; the inode holds 4 extents, a node block (block_size - 12 - 4 tail) / 12
 * (ext4_extents.h). */
#define EXTENT_MAX_LEN	     32768u
#define EXTENT_MAX_UNWRITTEN 32767u
#define EXTENT_IN_INODE	     4u

/* Fragments of the data runs: a new one starts where a block does not directly follow its
 * predecessor; holes, unwritten runs and the file's own tree blocks in between do not
 * start one. */
uint32_t extent_fragments(const struct run *runs, size_t n);
/* Does data run i of the list start a fragment? The first always does. */
bool extent_starts_fragment(const struct run *runs, size_t n, size_t i);

/* Blocks of data; and the sum of distances over all jumps, in blocks. */
uint64_t extent_blocks(const struct run *runs, size_t n);
uint64_t extent_jump_distance(const struct run *runs, size_t n);

/* Joins data runs that continue each other logically, physically and in `unwritten`, and
 * neighbouring tree blocks, in place. Returns the new count. Lengths stay below 2^31. */
size_t extent_merge(struct run *runs, size_t n);

/* Extent records that the data runs need (each piece cut at the limits above). */
uint64_t extent_records(const struct run *runs, size_t n);

/* Node blocks of a minimal extent tree over so many records; 0 if they fit the inode. */
uint32_t extent_tree_blocks(uint64_t records, uint32_t block_size);

/* Indirect, double and triple indirect blocks that map the data runs of an ext2/3 file
 * (12 direct, then block_size / 4 pointers a block). */
uint32_t extent_indirect_blocks(const struct run *runs, size_t n, uint32_t block_size);

/* How an extent tree of exactly `total` blocks over so many records can look: nodes[0]
 * leaves, nodes[1] nodes above them, ...; returns its depth, 0 for none, or -1 if there is
 * no such tree. blocks: of data, since a leaf holds at least one record and a record maps
 * at least one block. */
#define EXTENT_DEPTH_MAX 5
int extent_tree_shape(uint64_t records, uint64_t blocks, uint32_t total,
		      uint32_t block_size, uint32_t nodes[EXTENT_DEPTH_MAX]);

/* Tree blocks that a file gets with this new layout: the fewest. keep: `had`, the number
 * that it has now, because quota usage counts them and must stay as it is; UINT32_MAX if
 * the layout cannot be mapped by so many. */
uint32_t extent_tree_planned(const struct run *runs, size_t n, uint32_t block_size,
			     bool indirect, bool keep, uint32_t had);

/* One relocation: `len` blocks of the file from logical block `lblk` on, now at `from`,
 * go to `to`. MOVE_TREE: the mapping tree is rebuilt in [to, to + len); an inode with a
 * MOVE_TREE in its set loses all its old tree blocks, and len 0 says that no tree is
 * needed any more. */
enum move_kind { MOVE_DATA = 0, MOVE_TREE };
struct move {
	inum_t ino;
	uint32_t len;
	lblk_t lblk;
	uint8_t kind;	/* enum move_kind */
	uint8_t reason; /* enum move_reason of plan.h */
	uint16_t spare;
	uint32_t batch; /* moves of one batch are consecutive; numbers only grow */
	uint32_t gain;	/* fragments of the file that this move removes, 0 if shared or
			   none */
	blkno_t from;	/* BLKNO_NONE for MOVE_TREE */
	blkno_t to;
};

/* Applies the moves of one inode (same ino, sorted by kind and lblk) to its run list and
 * appends the result to out. Every piece must be mapped at `from` as it says, else
 * ERR_REFUSED "the file has changed since the plan was made"; out is then unchanged. */
bool extent_apply(const struct run_list *runs, const struct move *moves, size_t n,
		  struct run_list *out, struct err *err);

#endif
