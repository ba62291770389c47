/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cli.c - see cli.h. */
#include "ui/cli.h"
#include <getopt.h>
#include <string.h>
#include "base/num.h"

const char cli_usage[] =
	"usage: cdefrag [OPTION...] VOLUME\n"
	"Look at an ext2, ext3 or ext4 volume (image file or block device) and "
	"defragment it\n"
	"by hand: on the terminal, or with -c, -s or commands on stdin without one.\n"
	"\n"
	"  -w, --write           open the volume for moving blocks\n"
	"  -c, --command CMD     run a command; may be repeated\n"
	"  -s, --script FILE     run the commands of a file\n"
	"      --lesson NAME     play a lesson first; `lesson` lists them\n"
	"      --batch           no screen, even on a terminal\n"
	"      --json            answers as JSON, one object a line\n"
	"      --color           colours in batch mode, and despite NO_COLOR\n"
	"      --no-color        no colours\n"
	"      --theme NAME      colours and glyphs\n"
	"      --ascii           no characters beyond ASCII\n"
	"      --offset BYTES    the volume starts there: a partition in a disk image\n"
	"  -z FILE               undo journal (default: "
	"$XDG_STATE_HOME/cdefrag/UUID.undo)\n"
	"      --undo full       the journal keeps what lies in free blocks too: undo "
	"gives "
	"the\n"
	"                        whole image back (it grows by as much as is moved)\n"
	"      --verify          read back from the device what was copied, before it "
	"counts\n"
	"      --make-demo FILE  make a fragmented ext4 image, unless FILE exists\n"
	"      --seed N          of the demo; the same seed gives the same image\n"
	"      --size BYTES      of the demo, 64M to 256M\n"
	"      --force           make the demo anew\n"
	"  -V, --version\n"
	"  -h, --help\n"
	"\n"
	"Exit codes: 0 ok, 1 refused or failed, 2 usage, 3 stopped safely, 4 the volume "
	"needs\n"
	"recovery. `cdefrag -c help` lists the commands.\n";

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
	OPT_VERIFY
};

static const struct option options[] = {
	{"write", no_argument, NULL, 'w'},
	{"command", required_argument, NULL, 'c'},
	{"script", required_argument, NULL, 's'},
	{"lesson", required_argument, NULL, OPT_LESSON},
	{"batch", no_argument, NULL, OPT_BATCH},
	{"json", no_argument, NULL, OPT_JSON},
	{"color", no_argument, NULL, OPT_COLOR},
	{"no-color", no_argument, NULL, OPT_NO_COLOR},
	{"theme", required_argument, NULL, OPT_THEME},
	{"ascii", no_argument, NULL, OPT_ASCII},
	{"offset", required_argument, NULL, OPT_OFFSET},
	{"make-demo", required_argument, NULL, OPT_DEMO},
	{"seed", required_argument, NULL, OPT_SEED},
	{"size", required_argument, NULL, OPT_SIZE},
	{"force", no_argument, NULL, OPT_FORCE},
	{"undo", required_argument, NULL, OPT_UNDO},
	{"verify", no_argument, NULL, OPT_VERIFY},
	{"version", no_argument, NULL, 'V'},
	{"help", no_argument, NULL, 'h'},
	{NULL, 0, NULL, 0},
};

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
	int option;

	memset(c, 0, sizeof(*c));
	c->demo_seed = 1;
	optind = 0; /* glibc: start anew */
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":wc:s:z:Vh", options, NULL)) != -1)
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
