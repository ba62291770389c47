/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * age_preset.c - ways of life that are known from measurements.
 *
 *   fsmark     the test behind ext4's fsck figures: fs_mark, 4 writers, files of 20 KB in
 *              256 directories, written 16 KiB at a time, nothing deleted
 *   mail       a spool in Maildir's manner: one message a file, most of a few KB, many
 *              short-lived (Postmark's premise)
 *   downloads  several files of megabytes that grow side by side
 *   database   few files that grow by small steps beside temporary ones
 *   vm-images  large images that fill as their guests write
 *   git        loose objects of a few hundred bytes to some KB in 256 directories, gone
 *              when they are packed (Conway et al., FAST'17)
 *   logs       many files that grow a block at a time and are rotated
 */
#include <string.h>
#include "base/str.h"
#include "lab/age.h"

#define KIB 1024ull
#define MIB (1024 * KIB)

const struct age_preset age_presets[] = {
	{"fsmark", "4 writers, files of 20 KB in 256 directories", 4, 256, 20480, 20480,
	 16 * KIB, 0, 0, 1, 0, 80, 0},
	{"mail", "a mail spool: small files that come and go", 4, 16, 1 * KIB, 64 * KIB,
	 16 * KIB, 5, 25, 3, 40, 80, 4000},
	{"downloads", "large files that grow side by side", 6, 4, 1 * MIB, 24 * MIB,
	 256 * KIB, 0, 3, 3, 35, 85, 200},
	{"database", "few files that grow by small steps", 3, 4, 256 * KIB, 16 * MIB,
	 32 * KIB, 60, 5, 2, 30, 80, 3000},
	{"vm-images", "large images that fill as their guests write", 3, 2, 8 * MIB,
	 128 * MIB, 1 * MIB, 30, 2, 2, 30, 85, 50},
	{"git", "loose objects that are packed and vanish", 2, 256, 256, 16 * KIB,
	 16 * KIB, 0, 20, 4, 70, 70, 4000},
	{"logs", "many files that grow a block at a time", 12, 8, 64 * KIB, 2 * MIB,
	 4 * KIB, 30, 4, 3, 40, 80, 2000},
};
const size_t age_preset_count = sizeof(age_presets) / sizeof(age_presets[0]);

void age_defaults(struct age_options *o)
{
	memset(o, 0, sizeof(*o));
	o->bytes = 256 * MIB;
	o->type = "ext4";
	o->block_size = 4096;
	o->policy = "ext4";
	o->seed = 1;
	age_preset(o, "fsmark", NULL);
}

static void take(struct age_options *o, const struct age_preset *p)
{
	o->writers = p->writers;
	o->dirs = p->dirs;
	o->size_min = p->size_min;
	o->size_max = p->size_max;
	o->piece = p->piece;
	o->grow = p->grow;
	o->steady = p->steady;
	o->loops = p->loops;
	o->delete = p->delete;
	o->fill = p->fill;
	o->churn = p->churn;
}

bool age_preset(struct age_options *o, const char *name, struct err *err)
{
	struct str known = STR_INIT;

	for (size_t i = 0; i < age_preset_count; i++) {
		if (!strcmp(age_presets[i].name, name)) {
			take(o, &age_presets[i]);
			str_release(&known);
			return true;
		}
		str_addf(&known, "%s%s", i ? ", " : "", age_presets[i].name);
	}
	err_set(err, ERR_USAGE, "there is no preset \"%s\"; there are: %s", name,
		known.buf);
	str_release(&known);
	return false;
}
