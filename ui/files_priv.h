/* SPDX-License-Identifier: GPL-3.0-or-later */
/* files_priv.h - what files.c and files_build.c share: a rebuild under way. */
#ifndef UI_FILES_PRIV_H
#define UI_FILES_PRIV_H

#include "ui/files.h"
#include "ui/files_sort.h"

enum files_phase { BUILD_COLLECT, BUILD_NAMES, BUILD_FINISH };

struct files_build {
	enum files_phase phase;
	struct sort_keys keys;
	struct inum_list open; /* the filter wants to know their names */
	struct run_list runs;  /* of one file, kept for the next */
	inum_t next;	       /* inode; 0: all have been looked at */
	size_t row;	       /* with rows that are there already */
	size_t asked;	       /* names: of `open`, then of keys */
	uint64_t total;
	bool from_rows;
	bool top; /* the cursor stays at the top */
};

/* wait: for names, where they decide; otherwise a step asks for them and returns. On
 * error the rebuild is dropped. */
bool files_build_step(struct files *f, struct app *a, bool wait, struct err *err);
void files_build_drop(struct files *f);

#endif
