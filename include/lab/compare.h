/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * compare.h - one life, several allocators: each starts on its own copy of the same
 * freshly formatted volume, and the figures and a small map tell how it went.
 */
#ifndef LAB_COMPARE_H
#define LAB_COMPARE_H

#include "core/metric.h"
#include "lab/age.h"
#include "lab/policy.h"

/* What a cell of the small map holds most of. */
enum compare_cell {
	CELL_FREE,   /* at least half of it is free */
	CELL_META,   /* fixed metadata and the journal */
	CELL_WHOLE,  /* files in one piece */
	CELL_PIECES, /* files in pieces */
};

struct compare_result {
	const struct policy_kind *policy;
	struct metrics metrics;
	struct age_report report;
	uint8_t *cells; /* enum compare_cell */
	size_t cell_count;
};

/* Fills results[i] for policies[i]. folder: where the scratch image is formatted; it is
 * removed again. ERR_USAGE, ERR_REFUSED, ERR_NOSPACE, ERR_IO; then nothing has to be
 * released. */
bool lab_compare(const char *folder, const struct age_options *o,
		 const struct policy_kind *const *policies, size_t n, size_t cells,
		 struct compare_result *results, struct err *err);
void compare_result_release(struct compare_result *r);

#endif
