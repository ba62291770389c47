/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli.h - the command line of the program. */
#ifndef UI_CLI_H
#define UI_CLI_H

#include "base/err.h"
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
	bool version, help;
};

/* ERR_USAGE. Pointers go into argv. */
bool cli_parse(struct cli *c, int argc, char **argv, struct err *err);
void cli_release(struct cli *c);
extern const char cli_usage[];

#endif
