/* SPDX-License-Identifier: GPL-3.0-or-later */
/* manual.c - see manual.h. */
#include "ui/manual.h"
#include <ctype.h>
#include <string.h>
#include "ui/cli.h"
#include "ui/cmd.h"
#include "ui/keymap.h"
#include "ui/options.h"

#define LINE_COLS 78

/* Text of the program on a line of mdoc: nothing in it may be taken for a request or an
 * escape. */
static void add_text(struct str *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		str_add(out, "\\&");
	for (; *text; text++) {
		if (*text == '\\')
			str_add(out, "\\e");
		else if (*text == '-')
			str_add(out, "\\-");
		else if (*text == '~')
			str_add(out, "\\(ti");
		else if (*text == '^')
			str_add(out, "\\(ha");
		else if (*text == '\'')
			str_add(out, "\\(aq");
		else if (*text == '`')
			str_add(out, "\\(ga");
		else
			str_addc(out, *text);
	}
}

/* One quoted argument of a macro. */
static void add_arg(struct str *out, const char *text)
{
	struct str s = STR_INIT;

	add_text(&s, text);
	str_add(out, " \"");
	if (ispunct((unsigned char)*text))
		str_add(out, "\\&"); /* else mdoc may take it for its own */
	for (const char *p = s.buf; *p; p++)
		str_add(out, *p == '"' ? "\\(dq" : (char[2]){*p, '\0'});
	str_add(out, ispunct((unsigned char)text[strlen(text) - 1]) ? "\\&\"" : "\"");
	str_release(&s);
}

static void add_item(struct str *out, const char *macro, const char *head,
		     const char *text)
{
	str_addf(out, ".It%s", macro);
	add_arg(out, head);
	str_addc(out, '\n');
	add_text(out, text);
	str_addc(out, '\n');
}

static void begin(struct str *out, const char *title, const char *text)
{
	str_addf(out, ".Sh %s\n%s.Bl -tag -width Ds\n", title, text);
}

static void add_options(struct str *out)
{
	begin(out, "OPTIONS", "");
	for (size_t i = 0; i < cli_option_count; i++) {
		const struct cli_option *o = &cli_options[i];

		if (!o->help)
			continue;
		str_add(out, ".It");
		if (o->value < 128)
			str_addf(out, " Fl %c", o->value);
		if (o->name)
			str_addf(out, "%s Fl \\-%s", o->value < 128 ? " ," : "", o->name);
		if (o->arg)
			str_addf(out, " Ar %s", o->arg);
		str_addc(out, '\n');
		add_text(out, o->help);
		str_addc(out, '\n');
	}
	str_add(out, ".El\n");
}

static void add_commands(struct str *out)
{
	begin(out, "COMMANDS",
	      "A verb may be shortened as long as it stays clear.\n"
	      "; parts commands, # begins a comment.\n"
	      "\"...\" and \\(aq...\\(aq keep blanks; {...} is one word.\n"
	      "With ! after the verb, what asks does not ask.\n");
	for (size_t i = 0; i < cmd_count; i++) {
		const struct cmd *c = &cmd_table[i];
		struct str head = STR_INIT;

		str_addf(&head, "%s%s%s%s", c->verb, c->forced ? "[!]" : "",
			 c->args[0] ? " " : "", c->args);
		add_item(out, " Ic", head.buf, c->help);
		str_release(&head);
	}
	str_add(out, ".El\n");
}

static void add_targets(struct str *out)
{
	static const struct {
		const char *form, *meaning;
	} targets[] = {
		{"/PATH", "a file of the volume, or a directory with all below it"},
		{"%", "every file"},
		{".", "the file under the cursor"},
		{"@tags", "the tagged files"},
		{"ino N", "an inode"},
		{"dir N", "the directory with this inode, and all below it"},
		{"BLOCK, a,b, a+len, gN", "the files that own these blocks"},
		{"'x, 'a,'b, region", "the same by marks, or the selected region"},
		{"{FILTER}", "the files that are like that"},
	};

	begin(out, "TARGETS", "What a command is about:\n");
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
		add_item(out, "", targets[i].form, targets[i].meaning);
	str_add(out,
		".El\n.Pp\n"
		"A filter is terms that must all hold; ! before a term negates it, | "
		"parts alternatives:\n"
		".Dl frag>4 size<1M name\\(ti*.log | type=dir age<30\n"
		"Figures (> >= < <= = !=): fragments, ideal, excess (fragments over the "
		"ideal), size, blocks,\n"
		"inode, first, group, score (percent), age (days since the last use; "
		"12h, "
		"2w, 1y).\n"
		"Words (= != \\(ti !\\(ti): type (file, dir, link), name, path.\n"
		"\\(ti is a pattern if it holds * ? or [, else a part; without letters "
		"in "
		"upper case, upper\n"
		"and lower case are the same.\n");
}

static void add_keys(struct str *out)
{
	begin(out, "KEYS", "");
	for (size_t i = 0; i < keymap_count; i++) {
		const struct keymap_row *k = &keymap_table[i];
		struct str text = STR_INIT;
		const char *sep = "";

		for (unsigned bit = 1; k->where != IN_ALL && bit & IN_ALL; bit <<= 1)
			if (k->where & bit) {
				str_addf(&text, "%s%s", sep, keymap_where_name(bit));
				sep = ", ";
			}
		str_addf(&text, "%s%s", text.len ? ": " : "", k->help);
		add_item(out, " Ic", k->name, text.buf);
		str_release(&text);
	}
	str_add(out, ".El\n");
}

static void add_settings(struct str *out)
{
	begin(out, "SETTINGS",
	      "As in\n.Ic set animate=off .\n.Ic set\nalone lists them.\n");
	for (size_t i = 0; i < ui_option_count; i++) {
		struct str head = STR_INIT;

		str_addf(&head, "%s=%s", ui_options[i].name,
			 ui_options[i].values ? ui_options[i].values
			 : ui_options[i].unit ? ui_options[i].unit
					      : "NAME");
		for (char *p = head.buf; *p; p++)
			*p = *p == ' ' ? '|' : *p;
		add_item(out, "", head.buf, ui_options[i].help);
		str_release(&head);
	}
	str_add(out, ".El\n");
}

static const char head[] =
	".Dd $Mdocdate$\n"
	".Dt CDEFRAG 8\n"
	".Os\n"
	".Sh NAME\n"
	".Nm cdefrag\n"
	".Nd see and defragment ext2, ext3 and ext4 volumes by hand\n"
	".Sh SYNOPSIS\n"
	".Nm\n"
	".Op Ar option ...\n"
	".Op Ar volume\n"
	".Sh DESCRIPTION\n"
	".Nm\n"
	"draws the block map of a volume, names the owner of any block, shows what a "
	"move would cost\n"
	"and gain, moves the blocks, and can put everything back, also after a power "
	"cut.\n"
	"The\n"
	".Ar volume\n"
	"is an image file or a block device, or a partition in a disk image with\n"
	".Fl \\-offset .\n"
	"Without an argument, a terminal shows the volumes of the machine.\n"
	"Without a terminal it runs the commands of\n"
	".Fl c , s\n"
	"or standard input.\n"
	".Pp\n"
	"Nothing is written without\n"
	".Fl w ,\n"
	"and never to a volume that is mounted, in use, unclean or not understood.\n";

static const char tail[] =
	".Sh ENVIRONMENT\n"
	".Bl -tag -width Ds\n"
	".It Ev XDG_STATE_HOME\n"
	"Folder of history and undo journals instead of\n"
	".Pa \\(ti/.local/state .\n"
	".It Ev XDG_CONFIG_HOME\n"
	"Folder of the start file and of themes instead of\n"
	".Pa \\(ti/.config .\n"
	".It Ev NO_COLOR\n"
	"If not empty, no colours.\n"
	".It Ev TERM\n"
	"With\n"
	".Li dumb\n"
	"no screen.\n"
	".El\n"
	".Sh FILES\n"
	".Bl -tag -width Ds\n"
	".It Pa $XDG_CONFIG_HOME/cdefrag/rc\n"
	"The start file: commands, run before anything else.\n"
	".It Pa $XDG_CONFIG_HOME/cdefrag/themes/NAME.theme\n"
	"Themes.\n"
	".It Pa $XDG_STATE_HOME/cdefrag/UUID.undo\n"
	"The undo journal of a volume.\n"
	".It Pa $XDG_STATE_HOME/cdefrag/history\n"
	"Lines of the prompt.\n"
	".El\n"
	".Sh EXIT STATUS\n"
	".Bl -tag -width Ds\n"
	".It 0\n"
	"All went well.\n"
	".It 1\n"
	"Refused or failed; nothing is lost.\n"
	".It 2\n"
	"A mistyped option or command.\n"
	".It 3\n"
	"Stopped safely, as asked.\n"
	".It 4\n"
	"A session was cut short: open the volume with\n"
	".Fl w ,\n"
	"it recovers.\n"
	".El\n"
	".Sh EXAMPLES\n"
	".Bd -literal\n"
	"cdefrag disk.img\n"
	"cdefrag \\-c 'files frag>4 size<1M' disk.img\n"
	"cdefrag \\-w \\-c 'defrag /var' \\-c 'run!' \\-c check disk.img\n"
	"cdefrag \\-w \\-c 'undo! all' disk.img\n"
	".Ed\n"
	".Sh SEE ALSO\n"
	".Xr e2fsck 8 ,\n"
	".Xr e4defrag 8 ,\n"
	".Xr filefrag 8\n";

/* Lines of text get a length that a page may have; those of macros stay. */
static void add_wrapped(struct str *out, const char *text)
{
	while (*text) {
		size_t len = strcspn(text, "\n"), n = len;

		if (*text != '.' && len > LINE_COLS)
			for (n = LINE_COLS; n > 0 && text[n] != ' ';)
				n--;
		if (!n)
			n = len;
		str_addn(out, text, n);
		str_addc(out, '\n');
		text += n + (text[n] != '\0');
		if (n < len && (*text == '.' || *text == '\''))
			str_add(out, "\\&");
	}
}

void manual_page(struct str *out)
{
	struct str page = STR_INIT;

	str_add(&page, head);
	add_options(&page);
	add_commands(&page);
	add_targets(&page);
	add_keys(&page);
	add_settings(&page);
	str_add(&page, tail);
	add_wrapped(out, page.buf);
	str_release(&page);
}

/* --- bash --- */

static void add_verbs(struct str *out)
{
	for (size_t i = 0; i < cmd_count; i++)
		str_addf(out, "%s%s", i ? " " : "", cmd_table[i].verb);
}

void manual_completion(struct str *out)
{
	size_t n;
	char **themes = theme_names(&n);

	str_add(out, "# bash completion for cdefrag; printed by: cdefrag "
		     "--print-completion\n"
		     "_cdefrag() {\n"
		     "\tlocal cur=${COMP_WORDS[COMP_CWORD]} "
		     "prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		     "\tCOMPREPLY=()\n"
		     "\tcase $prev in\n"
		     "\t-c|--command) COMPREPLY=($(compgen -W '");
	add_verbs(out);
	str_add(out, "' -- \"$cur\")); return ;;\n"
		     "\t--theme) COMPREPLY=($(compgen -W '");
	for (size_t i = 0; themes && i < n; i++)
		str_addf(out, "%s%s", i ? " " : "", themes[i]);
	str_add(out, "' -- \"$cur\")); return ;;\n"
		     "\t--undo) COMPREPLY=($(compgen -W 'blocks full' -- \"$cur\")); "
		     "return ;;\n"
		     "\t--offset|--seed|--size) return ;;\n"
		     "\tesac\n"
		     "\tcase $cur in\n"
		     "\t-*) COMPREPLY=($(compgen -W '");
	for (size_t i = 0; i < cli_option_count; i++) {
		const struct cli_option *o = &cli_options[i];

		if (!o->help)
			continue;
		if (o->value < 128)
			str_addf(out, "-%c ", o->value);
		if (o->name)
			str_addf(out, "--%s ", o->name);
	}
	str_add(out, "' -- \"$cur\")) ;;\n"
		     "\t*) COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
		     "\tesac\n"
		     "}\n"
		     "complete -o filenames -F _cdefrag cdefrag\n");
	theme_names_free(themes, n);
}
