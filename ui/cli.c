/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli.c - see cli.h. */
#include "ui/cli.h"
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include "base/num.h"

enum {
	OPT_BATCH = 256,
	OPT_LESSON,
	OPT_JSON,
	OPT_COLOR,
	OPT_NO_COLOR,
	OPT_THEME,
	OPT_ASCII,
	OPT_OFFSET,
	OPT_DEMO,
	OPT_SEED,
	OPT_SIZE,
	OPT_FORCE,
	OPT_UNDO,
	OPT_VERIFY,
	OPT_NO_RC,
	OPT_MAN,
	OPT_COMPLETION
};

const struct cli_option cli_options[] = {
	{"write", 'w', NULL, "open the volume for moving blocks"},
	{"command", 'c', "CMD", "run a command; may be repeated"},
	{"script", 's', "FILE", "run the commands of a file"},
	{"lesson", OPT_LESSON, "NAME", "play a lesson first; `lesson` lists them"},
	{"batch", OPT_BATCH, NULL, "no screen, even on a terminal"},
	{"json", OPT_JSON, NULL, "answers as JSON, one object a line"},
	{"color", OPT_COLOR, NULL, "colours in batch mode, and despite NO_COLOR"},
	{"no-color", OPT_NO_COLOR, NULL, "no colours"},
	{"theme", OPT_THEME, "NAME", "colours and glyphs"},
	{"ascii", OPT_ASCII, NULL, "no characters beyond ASCII"},
	{"offset", OPT_OFFSET, "BYTES",
	 "the volume starts there: a partition in a disk image"},
	{NULL, 'z', "FILE", "undo journal (default: $XDG_STATE_HOME/cdefrag/UUID.undo)"},
	{"undo", OPT_UNDO, "full",
	 "the journal keeps what lies in free blocks too: undo gives the whole image "
	 "back (it grows by as much as is moved)"},
	{"verify", OPT_VERIFY, NULL,
	 "read back from the device what was copied, before it counts"},
	{"no-rc", OPT_NO_RC, NULL, "do not run the start file"},
	{"make-demo", OPT_DEMO, "FILE",
	 "make a fragmented ext4 image, unless FILE exists"},
	{"seed", OPT_SEED, "N", "of the demo; the same seed gives the same image"},
	{"size", OPT_SIZE, "BYTES", "of the demo, 64M to 256M"},
	{"force", OPT_FORCE, NULL, "make the demo anew"},
	{"version", 'V', NULL, "print the version"},
	{"help", 'h', NULL, "print this"},
	{"print-man", OPT_MAN, NULL, NULL},
	{"print-completion", OPT_COMPLETION, NULL, NULL},
};
const size_t cli_option_count = sizeof(cli_options) / sizeof(cli_options[0]);
#define OPTIONS (sizeof(cli_options) / sizeof(cli_options[0]))

/* --- usage --- */

#define HELP_COL  24
#define LINE_COLS 78

/* The text from HELP_COL on, in lines. */
static void add_wrapped(struct str *out, const char *text)
{
	int room = LINE_COLS - HELP_COL;

	while ((int)strlen(text) > room) {
		int n = room;

		while (n > 1 && text[n] != ' ')
			n--;
		str_addf(out, "%.*s\n%*s", n, text, HELP_COL, "");
		text += n + 1;
	}
	str_addf(out, "%s\n", text);
}

void cli_usage(struct str *out)
{
	str_add(out,
		"usage: cdefrag [OPTION...] [VOLUME]\n"
		"Look at an ext2, ext3 or ext4 volume (image file or block device) and "
		"defragment it\n"
		"by hand: on the terminal, or with -c, -s or commands on stdin without "
		"one.\n\n");
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct cli_option *o = &cli_options[i];
		char left[40], letter[4] = {'-', (char)o->value, '\0', '\0'};
		bool brief = o->value < 128;

		if (!o->help)
			continue;
		snprintf(left, sizeof(left), "  %s%s%s%s%s%s", brief ? letter : "  ",
			 brief && o->name ? ", "
			 : o->name	  ? "  "
					  : "",
			 o->name ? "--" : "", o->name ? o->name : "", o->arg ? " " : "",
			 o->arg ? o->arg : "");
		str_addf(out, "%-*s", HELP_COL, left);
		add_wrapped(out, o->help);
	}
	str_add(out,
		"\nExit codes: 0 ok, 1 refused or failed, 2 usage, 3 stopped safely, 4 "
		"the volume needs\n"
		"recovery. `cdefrag -c help` lists the commands.\n");
}

/* --- parsing --- */

/* The table as getopt wants it. letters: ":wc:..." */
static void make_getopt(struct option options[OPTIONS + 1], char letters[2 * OPTIONS + 2])
{
	char *to = letters;
	size_t n = 0;

	*to++ = ':';
	for (size_t i = 0; i < OPTIONS; i++) {
		const struct cli_option *o = &cli_options[i];

		if (o->value < 128)
			*to++ = (char)o->value;
		if (o->value < 128 && o->arg)
			*to++ = ':';
		if (o->name)
			options[n++] = (struct option){
				o->name, o->arg ? required_argument : no_argument, NULL,
				o->value};
	}
	*to = '\0';
	options[n] = (struct option){NULL, 0, NULL, 0};
}

static bool number(const char *option, const char *text, uint64_t *out, struct err *err)
{
	if (num_parse_bytes(text, out))
		return true;
	err_set(err, ERR_USAGE, "%s: \"%s\" is not a number", option, text);
	return false;
}

static bool take_undo(struct cli *c, const char *word, struct err *err)
{
	c->undo_full = !strcmp(word, "full");
	if (c->undo_full || !strcmp(word, "blocks"))
		return true;
	err_set(err, ERR_USAGE, "--undo is blocks or full, not \"%s\"", word);
	return false;
}

static bool take_long(struct cli *c, int option, struct err *err)
{
	switch (option) {
	case OPT_BATCH:
		c->batch = true;
		return true;
	case OPT_LESSON:
		c->lesson = optarg;
		return true;
	case OPT_JSON:
		c->json = true;
		return true;
	case OPT_COLOR:
		c->color = true;
		return true;
	case OPT_VERIFY:
		c->verify = true;
		return true;
	case OPT_NO_COLOR:
		c->no_color = true;
		return true;
	case OPT_THEME:
		c->theme = optarg;
		return true;
	case OPT_ASCII:
		c->ascii = true;
		return true;
	case OPT_OFFSET:
		return number("--offset", optarg, &c->offset, err);
	case OPT_DEMO:
		c->demo = optarg;
		return true;
	case OPT_SEED:
		return number("--seed", optarg, &c->demo_seed, err);
	case OPT_UNDO:
		return take_undo(c, optarg, err);
	case OPT_SIZE:
		return number("--size", optarg, &c->demo_bytes, err);
	case OPT_NO_RC:
		c->no_rc = true;
		return true;
	case OPT_MAN:
		c->print_man = true;
		return true;
	case OPT_COMPLETION:
		c->print_completion = true;
		return true;
	default:
		c->force = true;
		return true;
	}
}

static bool take(struct cli *c, int option, char **argv, struct err *err)
{
	switch (option) {
	case 'w':
		c->write = true;
		return true;
	case 'c':
		return vec_push(&c->commands, optarg) || err_nomem(err);
	case 's':
		c->script = optarg;
		return true;
	case 'z':
		c->journal = optarg;
		return true;
	case 'V':
		c->version = true;
		return true;
	case 'h':
		c->help = true;
		return true;
	case '?':
	case ':':
		err_set(err, ERR_USAGE, "%s %s; see: cdefrag --help",
			option == ':' ? "a value is missing after" : "unknown option",
			argv[optind - 1]);
		return false;
	default:
		return take_long(c, option, err);
	}
}

bool cli_parse(struct cli *c, int argc, char **argv, struct err *err)
{
	struct option options[OPTIONS + 1];
	char letters[2 * OPTIONS + 2];
	int option;

	make_getopt(options, letters);
	memset(c, 0, sizeof(*c));
	c->demo_seed = 1;
	optind = 0; /* glibc: start anew */
	opterr = 0;
	while ((option = getopt_long(argc, argv, letters, options, NULL)) != -1)
		if (!take(c, option, argv, err))
			return false;
	if (argc - optind > 1) {
		err_set(err, ERR_USAGE, "one volume at a time, not %s as well",
			argv[optind + 1]);
		return false;
	}
	c->volume = argv[optind];
	return true;
}

void cli_release(struct cli *c)
{
	vec_release(&c->commands);
}
