/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd.c - the table of commands, finding one by a part of its name, running lines. */
#include "ui/cmd.h"
#include <stdlib.h>
#include <string.h>
#include "ui/app_priv.h"
#include "ui/bind.h"
#include "ui/cmd_priv.h"
#include "ui/json.h"
#include "ui/replay.h"

/* clang-format off */
const struct cmd cmd_table[] = {
	{"alias", "[NAME LINE...]", "a word of your own for the beginning of a line",
	 COMPLETE_VERB, NULL, cmd_alias, false},
	{"analyze", "", "figures of the volume: fragments, score, free space (! reads it again)",
	 COMPLETE_NONE, NULL, cmd_analyze, true},
	{"arrange", "[--order KEY] [--min-gain MS] [--budget SIZE|TIME]",
	 "plan: the whole volume in tree order, free space behind",
	 COMPLETE_NONE, "--order --min-gain --budget", cmd_arrange, false},
	{"bind", "[[--in PANE] KEY LINE...]",
	 "a key of your own; {file}: the file at hand, : before LINE: leave it to be edited",
	 COMPLETE_VERB, "--in", cmd_bind, false},
	{"blocks", "[TARGET]", "the extents of a file",
	 COMPLETE_TARGET, NULL, cmd_blocks, false},
	{"check", "", "compare with a fresh scan, and run e2fsck -fn",
	 COMPLETE_NONE, NULL, cmd_check, false},
	{"clone", "[--metadata] [--scramble] DEST",
	 "copy blocks in use to their places in a sparse file or device (! over what is there)",
	 COMPLETE_HOST_PATH, "--metadata --scramble --force", cmd_clone, true},
	{"close", "", "close the volume", COMPLETE_NONE, NULL, cmd_close, false},
	{"color", "MODE", "colour the map by file, kind, frag, usage, age or plan",
	 COMPLETE_COLOR, NULL, cmd_color, false},
	{"compact", "RANGE|gN|% [--budget SIZE|TIME]",
	 "plan: slide the used blocks of a range together",
	 COMPLETE_NONE, "--budget", cmd_compact, false},
	{"compare", "FILE", "compare the blocks in use with a clone or an image",
	 COMPLETE_HOST_PATH, NULL, cmd_compare, false},
	{"compare-runs", "FILE FILE", "two runs side by side, as --json has written them",
	 COMPLETE_HOST_PATH, NULL, cmd_compare_runs, false},
	{"defrag", "[TARGET...] [--min-gain MS] [--limit N] [--budget SIZE|TIME]",
	 "plan: put each file in one piece",
	 COMPLETE_TARGET, "--min-gain --limit --budget", cmd_defrag, false},
	{"demo", "[SEED]", "make a fragmented ext4 image and open it (! makes it anew)",
	 COMPLETE_NONE, NULL, cmd_demo, true},
	{"echo", "[WORD...]", "print words", COMPLETE_NONE, NULL, cmd_echo, false},
	{"evacuate", "RANGE|gN|tail SIZE [--budget SIZE|TIME]",
	 "plan: empty a range, or the end of the volume",
	 COMPLETE_NONE, "tail --budget", cmd_evacuate, false},
	{"explain", "[FILE|BLOCK]", "why it lies where it does, and what each goal would do about it",
	 COMPLETE_TARGET, NULL, cmd_explain, false},
	{"features", "", "what each feature of a volume means here, and what is never moved",
	 COMPLETE_NONE, NULL, cmd_features, false},
	{"files", "[FILTER...] [--sort KEY] [--limit N] [--fragmented]",
	 "list files, as in: files frag>4 size<1M name~*.log",
	 COMPLETE_FILTER, "--sort --limit --fragmented", cmd_files, false},
	{"filter", "[FILTER...]", "list only the files that are like that; alone: all again",
	 COMPLETE_FILTER, NULL, cmd_filter, false},
	{"gap", "PERCENT [TARGET...] [--min-gain MS] [--limit N] [--budget SIZE|TIME]",
	 "plan: as defrag, with so much free room behind each file",
	 COMPLETE_TARGET, "--min-gain --limit --budget", cmd_gap, false},
	{"goto", "BLOCK|gN|'x|ino N[/FRAGMENT]|PATH", "move the cursor",
	 COMPLETE_TARGET, "ino", cmd_goto, false},
	{"groups", "", "the block groups: used, holes, files, fragments",
	 COMPLETE_NONE, NULL, cmd_groups, false},
	{"help", "[COMMAND]", "list the commands, or explain one",
	 COMPLETE_VERB, NULL, cmd_help, false},
	{"hole", "SIZE [--at RANGE|BLOCK]", "plan: one free run of so many blocks, or bytes as in 64M",
	 COMPLETE_NONE, "--at", cmd_hole, false},
	{"image", "[--metadata] [--scramble] DEST.qcow2|-",
	 "copy blocks in use to an image in one pass, also into a pipe (! over what is there)",
	 COMPLETE_HOST_PATH, "--metadata --scramble --force", cmd_image, true},
	{"info", "", "what volume this is, and what may be done to it",
	 COMPLETE_NONE, NULL, cmd_info, false},
	{"iotrace", "FILE|stop|show FILE [FILE] [--svg FILE.svg]",
	 "write down every read and write of the volume; figures and a picture of one or two traces",
	 COMPLETE_HOST_PATH, "stop show --svg", cmd_iotrace, false},
	{"journal", "[list|show [N]|verify|recover|export FILE|archive|forget]",
	 "what was done and can be undone (! forgets without asking)",
	 COMPLETE_HOST_PATH, "list show verify recover export archive forget", cmd_journal, true},
	{"lab", "[VERB ...]", "teach allocation: age volumes, compare allocators; alone: its verbs",
	 COMPLETE_HOST_PATH, "new age compare policies policy write append truncate delete mkdir punch fill undo redo steps powercut power", cmd_lab, false},
	{"lesson", "[NAME|FILE.lesson|end]", "play a lesson; alone: list them",
	 COMPLETE_HOST_PATH, "end", cmd_lesson, false},
	{"log", "", "what the program has said so far",
	 COMPLETE_NONE, NULL, cmd_log, false},
	{"map", "[groups|linear|table] [now|after|split] [--width N]",
	 "the block map: with a row start for each group, without, or as a table; of the plan",
	 COMPLETE_NONE, "groups linear table now after split --width", cmd_map, false},
	{"mark", "LETTER [PLACE]", "name the block under the cursor, or another; 'a goes there",
	 COMPLETE_NONE, NULL, cmd_mark, false},
	{"marks", "", "list the marks", COMPLETE_NONE, NULL, cmd_marks, false},
	{"move", "RANGE|TARGET... BLOCK|gN|start|end [--swap]",
	 "plan: these blocks or files, exactly there",
	 COMPLETE_TARGET, "start end --swap", cmd_move, false},
	{"next", "", "cursor to the next fragment of the file",
	 COMPLETE_NONE, NULL, cmd_next, false},
	{"open", "[-w] [--offset BYTES] PATH", "open a volume; -w: to move blocks",
	 COMPLETE_HOST_PATH, "-w --offset", cmd_open, false},
	{"owner", "BLOCK|a,b|a+len|gN", "who owns a block",
	 COMPLETE_NONE, NULL, cmd_owner, false},
	{"pack", "[TARGET...] [--order KEY|list=FILE] [--at PLACE]",
	 "plan: files one behind the other, in an order",
	 COMPLETE_TARGET, "--order --at --min-gain --limit --budget", cmd_pack, false},
	{"plan", "[show|check|clear|drop TARGET|keep TARGET|first TARGET|save FILE|load FILE]",
	 "the pending moves; change, keep and read them again",
	 COMPLETE_TARGET, "show check clear drop keep first save load", cmd_plan, false},
	{"prev", "", "cursor to the previous fragment of the file",
	 COMPLETE_NONE, NULL, cmd_prev, false},
	{"quit", "", "leave (! without asking)", COMPLETE_NONE, NULL, cmd_quit, true},
	{"readtest", "[DIR] [--order readdir|name|inode] [--planned] [--disk KIND] [--real]",
	 "what reading all files of a tree costs (--real: reads them from this disk too)",
	 COMPLETE_TARGET, "--order readdir name inode --planned --disk --real", cmd_readtest,
	 false},
	{"record", "FILE.cast|FILE.svg|stop [--size COLSxROWS]", "record the screen as a moving picture",
	 COMPLETE_HOST_PATH, "stop --size", cmd_record, false},
	{"redo", "[N|all]", "do the next N undone actions again (! without asking)",
	 COMPLETE_NONE, "all", cmd_redo, true},
	{"region", "[a,b|a+len|gN|'a,'b|clear]", "select blocks: the target \"region\"",
	 COMPLETE_NONE, "clear", cmd_region, false},
	{"replay", "[on [N]|back [N]|first|last|play|end|FILE.cast [FILE.svg]] [--speed PERCENT]",
	 "what was done, again on the map; or a recording",
	 COMPLETE_HOST_PATH, "on back first last play end --speed", cmd_replay, false},
	{"report", "[NAME [TARGET...] [--planned] [--limit N] [--by WHAT] [--disk KIND]]",
	 "figures in depth: place, free, layout, heat, walk...; alone: a list",
	 COMPLETE_TARGET,
	 "place free layout heat pinned blockers walk readtest run --planned --limit --by --days --disk --real --html",
	 cmd_report, false},
	{"restore", "FILE DEST", "write a clone or an image back (! over what is there)",
	 COMPLETE_HOST_PATH, "--force", cmd_restore, true},
	{"run", "[N]", "carry the plan out, or its next N files (! without asking)",
	 COMPLETE_NONE, NULL, cmd_run, true},
	{"search", "[TEXT] [--back]", "go to the next file with this in its path; * and ? match",
	 COMPLETE_NONE, "--back", cmd_search, false},
	{"select", "TARGET", "select a file everywhere",
	 COMPLETE_TARGET, "ino", cmd_select, false},
	{"set", "[OPTION[=VALUE]|OPTION?]...", "options, and what they are set to",
	 COMPLETE_OPTION, NULL, cmd_set, false},
	{"shot", "FILE.txt|FILE.ansi|FILE.svg [--size COLSxROWS]", "save the screen",
	 COMPLETE_HOST_PATH, "--size", cmd_shot, false},
	{"sort", "KEY[-]", "sort files by fragments, size, inode, first, score, blocks or name; -: reversed",
	 COMPLETE_SORT, NULL, cmd_sort, false},
	{"source", "FILE", "run the commands of a file",
	 COMPLETE_HOST_PATH, NULL, cmd_source, false},
	{"spotlight", "on|off", "light the selected file, dim the rest",
	 COMPLETE_NONE, "on off", cmd_spotlight, false},
	{"step", "[N]", "carry out the next N files of the plan, one batch each",
	 COMPLETE_NONE, NULL, cmd_step, false},
	{"stop", "", "stop the running job at its next safe point",
	 COMPLETE_NONE, NULL, cmd_stop, false},
	{"tag", "TARGET...", "tag files", COMPLETE_TARGET, "ino", cmd_tag, false},
	{"theme", "NAME", "change the colours", COMPLETE_THEME, NULL, cmd_theme, false},
	{"trace", "FILE|off [--strip PREFIX]",
	 "heat of the tree from a trace: paths, or output of fatrace or strace",
	 COMPLETE_HOST_PATH, "off --strip", cmd_trace, false},
	{"tree", "[DIR] [--flat] [--sort KEY] [--limit N]",
	 "directories with blocks, fragments, read time and heat of all below them",
	 COMPLETE_TREE, "--flat --sort --limit", cmd_tree, false},
	{"unalias", "NAME", "forget an alias", COMPLETE_ALIAS, NULL, cmd_unalias, false},
	{"unbind", "KEY [--in PANE]", "a key does what it did before bind",
	 COMPLETE_NONE, "--in", cmd_unbind, false},
	{"undo", "[N|all]", "take the last N actions back (! without asking)",
	 COMPLETE_NONE, "all", cmd_undo, true},
	{"untag", "[TARGET...]", "untag files, all without a target",
	 COMPLETE_TARGET, "ino", cmd_untag, false},
	{"version", "", "print the version", COMPLETE_NONE, NULL, cmd_version, false},
	{"volumes", "", "the ext volumes of this machine, to open one",
	 COMPLETE_NONE, NULL, cmd_volumes, false},
	{"watch", "[SECONDS|off] [--times N]",
	 "look again and again at a volume that others write to; what changes flashes",
	 COMPLETE_NONE, "off --times", cmd_watch, false},
	{"zoom", "N|in|out|fit", "blocks per cell of the map",
	 COMPLETE_NONE, "in out fit", cmd_zoom, false},
};
/* clang-format on */
const size_t cmd_count = sizeof(cmd_table) / sizeof(cmd_table[0]);

static const struct {
	const char *word, *verb;
} aliases[] = {{"exit", "quit"}, {"q", "quit"}, {"h", "help"}, {"?", "help"}};

/* --- finding --- */

static int min3(int a, int b, int c)
{
	int m = a < b ? a : b;

	return m < c ? m : c;
}

/* Letters to change, add, drop or swap with their neighbour to get from a to b. */
static int distance(const char *a, const char *b)
{
	int d[17][17], la = (int)strlen(a), lb = (int)strlen(b);

	if (la > 16 || lb > 16)
		return 99;
	for (int i = 0; i <= la; i++)
		for (int k = 0; k <= lb; k++) {
			if (!i || !k) {
				d[i][k] = i + k;
				continue;
			}
			d[i][k] = min3(d[i - 1][k] + 1, d[i][k - 1] + 1,
				       d[i - 1][k - 1] + (a[i - 1] != b[k - 1]));
			if (i > 1 && k > 1 && a[i - 1] == b[k - 2] &&
			    a[i - 2] == b[k - 1] && d[i - 2][k - 2] + 1 < d[i][k])
				d[i][k] = d[i - 2][k - 2] + 1;
		}
	return d[la][lb];
}

static void set_unknown(const char *word, struct err *err)
{
	int best = 1 + (int)strlen(word) / 2;
	const char *near = NULL;

	for (size_t i = 0; i < cmd_count; i++) {
		int d = distance(word, cmd_table[i].verb);

		if (d < best) {
			best = d;
			near = cmd_table[i].verb;
		}
	}
	if (near)
		err_set(err, ERR_USAGE, "unknown command \"%s\"; did you mean \"%s\"?",
			word, near);
	else
		err_set(err, ERR_USAGE, "unknown command \"%s\"; see: help", word);
}

static void set_ambiguous(const char *word, struct err *err)
{
	struct str s = STR_INIT;

	for (size_t i = 0; i < cmd_count; i++)
		if (!strncmp(cmd_table[i].verb, word, strlen(word)))
			str_addf(&s, "%s%s", s.len ? ", " : "", cmd_table[i].verb);
	err_set(err, ERR_USAGE, "\"%s\" may be %s", word, s.buf);
	str_release(&s);
}

const struct cmd *cmd_find(const char *word, struct err *err)
{
	const struct cmd *found = NULL;
	size_t len = strlen(word), hits = 0;

	for (size_t i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (!strcmp(word, aliases[i].word))
			return cmd_find(aliases[i].verb, err);
	for (size_t i = 0; i < cmd_count; i++) {
		if (!strcmp(cmd_table[i].verb, word))
			return &cmd_table[i];
		if (len && !strncmp(cmd_table[i].verb, word, len)) {
			found = &cmd_table[i];
			hits++;
		}
	}
	if (hits == 1)
		return found;
	if (hits)
		set_ambiguous(word, err);
	else
		set_unknown(word, err);
	return NULL;
}

/* --- running --- */

/* Words into a call. The verb may end in '!'. */
static bool make_call(struct cmd_words *w, struct cmd_call *call, struct err *err)
{
	size_t len = strlen(w->word[0]);
	bool force = len > 1 && w->word[0][len - 1] == '!';

	if (force)
		((char *)w->word[0])[len - 1] = '\0'; /* it lies in w->buf */
	call->cmd = cmd_find(w->word[0], err);
	call->force = force;
	call->argc = w->n - 1;
	call->bad = -1;
	if (call->cmd && force && !call->cmd->forced) {
		err_set(err, ERR_USAGE, "%s! means nothing; it is just: %s",
			call->cmd->verb, call->cmd->verb);
		return false;
	}
	for (int i = 1; i < w->n; i++) {
		call->argv[i - 1] = w->word[i];
		call->at[i - 1] = w->at[i];
	}
	return call->cmd != NULL;
}

static bool call_run(struct app *a, struct cmd_call *call, struct err *err)
{
	bool ok;

	a->json_done = false;
	ok = call->cmd->run(a, call, err);
	if (a->json && !a->json_done && a->out->len) {
		struct str text = *a->out;

		str_init(a->out);
		json_print_text(a, call->cmd->verb, text.buf);
		str_release(&text);
	}
	app_flush(a);
	if (!a->interactive)
		recorder_frame(a, NULL, 1);
	return ok;
}

/* The physical line around byte `at`, and where `at` is in it. */
static char *line_around(const char *text, int *at)
{
	int start = *at;
	char *line;

	while (start > 0 && text[start - 1] != '\n')
		start--;
	line = strndup(text + start, strcspn(text + start, "\n"));
	*at -= start;
	return line;
}

static void fail(struct app *a, const struct err *err, const char *text, int at)
{
	char *line = at >= 0 ? line_around(text, &at) : NULL;

	if (line)
		app_fail_at(a, err, line, at);
	else
		app_fail(a, err);
	free(line);
}

/* A command that makes a plan can be repeated by a key. */
static void note_repeat(struct app *a, const char *line, const struct cmd_words *w)
{
	int len = w->end[w->n - 1] - w->at[0];

	if (len >= (int)sizeof(a->repeat))
		return;
	snprintf(a->repeat, sizeof(a->repeat), "%.*s", len, line + w->at[0]);
	a->repeat_fresh = true;
}

/* A word of the user's for the beginning of a line; `tail` is what follows it. */
static bool run_alias(struct app *a, struct user_alias *u, const char *tail, size_t len)
{
	struct str line = STR_INIT, name = STR_INIT;
	bool ok;

	str_addf(&line, "%s%.*s", u->line, (int)len, tail);
	str_add(&name, u->name);
	u->busy = true; /* its line may move the list of aliases: found again by name */
	ok = !line.oom && cmd_run_line(a, line.buf);
	for (size_t i = 0; i < a->aliases.n; i++)
		if (!strcmp(a->aliases.v[i].name, name.buf))
			a->aliases.v[i].busy = false;
	str_release(&line);
	str_release(&name);
	return ok;
}

/* Runs one command. *at: where a caret belongs, -1 nowhere. */
static bool run_words(struct app *a, const char *line, struct cmd_words *w, int *at,
		      struct err *err)
{
	uint32_t before = a->job;
	struct cmd_call call;
	bool ok;

	*at = w->at[0];
	if (!make_call(w, &call, err))
		return false;
	ok = call_run(a, &call, err);
	if (ok && a->job && a->job != before && app_kind_plans(a->job_kind))
		note_repeat(a, line, w);
	if (!ok && !err_isset(err))
		err_set(err, ERR_BUG, "%s failed without a reason", call.cmd->verb);
	*at = call.bad >= 0 && call.bad < call.argc ? call.at[call.bad] : -1;
	return ok;
}

/* On a terminal the commands after one that started a job wait for its end; `running` is
 * the job that ran already when the line began. What a script inside the line has put off
 * comes first. */
static bool put_off(struct app *a, uint32_t running, const char *rest, struct err *err)
{
	struct str all = STR_INIT;

	if (!a->interactive || !a->job || a->job == running ||
	    !rest[strspn(rest, "; \t\r\n")])
		return false;
	if (a->rest)
		str_addf(&all, "%s\n", a->rest);
	str_add(&all, rest);
	free(a->rest);
	a->rest = NULL;
	if (all.oom)
		err_nomem(err);
	else
		a->rest = str_detach(&all);
	str_release(&all);
	return true;
}

bool cmd_run_line(struct app *a, const char *line)
{
	struct cmd_words w = {.buf = malloc(strlen(line) + 2)};
	enum parse_state state = PARSE_COMMAND;
	uint32_t running = a->job;
	struct err err = ERR_INIT;
	struct user_alias *alias;
	size_t at = 0;
	bool ok = true;
	int caret = -1;

	if (!w.buf)
		err_nomem(&err);
	while (ok && !err_isset(&err) && state == PARSE_COMMAND && !a->quit &&
	       !put_off(a, running, line + at, &err)) {
		state = cmd_parse(line, &at, &w, &err);
		if (state == PARSE_BAD)
			caret = w.n && w.n < CMD_WORDS_MAX ? w.at[w.n - 1] : -1;
		else if (state == PARSE_COMMAND && (alias = alias_find(a, w.word[0])))
			ok = run_alias(a, alias, line + w.end[0], at - (size_t)w.end[0]);
		else if (state == PARSE_COMMAND)
			run_words(a, line, &w, &caret, &err);
	}
	free(w.buf);
	if (err_isset(&err))
		fail(a, &err, line, caret);
	return ok && !err_isset(&err);
}
