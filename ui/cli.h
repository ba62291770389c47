/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli.h - the command line of the program. */
#ifndef UI_CLI_H
#define UI_CLI_H

#include "base/err.h"
#include "base/str.h"
#include "base/vec.h"

struct cli {
	const char *volume; /* NULL: none given */
	bool write;
	uint64_t offset;
	VEC(const char *) commands; /* -c */
	const char *script;
	const char *lesson; /* played once the volume is read */
	bool batch, json;
	bool color, no_color; /* asked for */
	bool ascii;
	const char *theme;
	const char *journal; /* -z */
	bool verify;	     /* --verify */
	bool undo_full;	     /* --undo full */
	const char *demo;    /* --make-demo */
	uint64_t demo_seed, demo_bytes;
	bool force;
	bool no_rc;
	bool version, help;
	bool print_man, print_completion;
};

/* The options: usage, manual and shell completion are printed from this table. */
struct cli_option {
	const char *name; /* long, or NULL */
	int value;	  /* the short letter, or a number beyond them */
	const char *arg;  /* or NULL */
	const char *help; /* NULL: for the build */
};
extern const struct cli_option cli_options[];
extern const size_t cli_option_count;

/* ERR_USAGE. Pointers go into argv. */
bool cli_parse(struct cli *c, int argc, char **argv, struct err *err);
void cli_release(struct cli *c);
/* What --help prints, appended to out. */
void cli_usage(struct str *out);

#endif
