/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_cmd.c - the command language on a model made by hand: words, verbs, suggestions,
 * carets, completions, targets, and what handlers answer.
 *
 * Group 0 holds metadata in blocks 0..9. Then
 *	inode 12  file, 2 fragments: 100..109, 200..204
 *	inode 13  file, whole: 110..119
 *	inode 14  directory, whole: 8192 (group 1)
 *	inode 15  file, 3 fragments in reverse order: 300, 290, 280
 */
#include "tests/lib/test.h"
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ui/cmd_priv.h"
#include "ui/files.h"
#include "ui/json.h"
#include "ui/names.h"

static struct geom geom;
static struct app app;

static void add_run(inum_t ino, enum owner_kind kind, lblk_t lblk, blkno_t phys,
		    uint32_t len)
{
	struct run r = {.phys = phys, .len = len, .lblk = lblk, .ino = ino, .kind = kind};

	assert_true(model_add_run(app.model, &r));
}

static void add_inode(inum_t ino, enum inode_type type, unsigned flags)
{
	struct inode_info info = {.type = type, .size = 4096, .flags = flags};

	assert_true(model_set_inode(app.model, ino, &info));
	model_set_parent(app.model, ino, ino == 2 ? 2 : ino == 15 ? 14 : 2);
}

static void fill_model(void)
{
	struct fixed meta = {.start = 0, .len = 10, .kind = OWNER_INODE_TABLE};
	struct err err = ERR_INIT;

	geom_init(&geom);
	geom.block_size = 4096;
	geom.cluster_ratio = geom.flex_groups = 1;
	geom.blocks = 16384;
	geom.blocks_per_group = 8192;
	geom.groups = 2;
	geom.inodes = 64;
	geom.inodes_per_group = 32;
	geom.first_inode = 11;
	assert_true(vec_push(&geom.fixed, meta));
	app.model = model_new(&geom, &err);
	assert_non_null(app.model);
	add_inode(2, INODE_DIR, 0);
	add_inode(12, INODE_FILE, 0);
	add_inode(13, INODE_FILE, 0);
	add_inode(14, INODE_DIR, 0);
	add_inode(15, INODE_FILE, 0);
	add_run(12, OWNER_FILE, 0, 100, 10);
	add_run(12, OWNER_FILE, 10, 200, 5);
	add_run(13, OWNER_FILE, 0, 110, 10);
	add_run(14, OWNER_DIR, 0, 8192, 1);
	add_run(15, OWNER_FILE, 0, 300, 1);
	add_run(15, OWNER_FILE, 1, 290, 1);
	add_run(15, OWNER_FILE, 2, 280, 1);
	assert_true(model_seal(app.model, NULL, 1, NULL, &err));
	metrics_compute(app.model, &app.metrics);
}

static int setup(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_true(app_init(&app, 0, &err));
	fill_model();
	app.open = true;
	app.interactive = true; /* messages are kept, not printed */
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	app_release(&app);
	geom_release(&geom);
	return 0;
}

/* Runs a line; the message that is left must hold `text`. */
static void says(const char *line, const char *text)
{
	app.message[0] = '\0';
	cmd_run_line(&app, line);
	if (!strstr(app.message, text))
		fail_msg("%s: \"%s\" instead of \"%s\"", line, app.message, text);
}

static void works(const char *line)
{
	app.message[0] = '\0';
	if (!cmd_run_line(&app, line))
		fail_msg("%s: %s", line, app.message);
}

/* --- words --- */

static void expect_words(const char *line, int n, const char *const *words, const int *at)
{
	struct cmd_words w = {.buf = malloc(strlen(line) + 2)};
	struct err err = ERR_INIT;
	size_t pos = 0;

	assert_int_equal(cmd_parse(line, &pos, &w, &err), PARSE_COMMAND);
	assert_int_equal(w.n, n);
	for (int i = 0; i < n; i++) {
		assert_string_equal(w.word[i], words[i]);
		assert_int_equal(w.at[i], at[i]);
	}
	free(w.buf);
}

static void test_words(void **state)
{
	(void)state;
	expect_words("  a bb\tc ", 3, (const char *[]){"a", "bb", "c"}, (int[]){2, 4, 7});
	expect_words("x \"two words\" 'a\"b' c\\ d", 4,
		     (const char *[]){"x", "two words", "a\"b", "c d"},
		     (int[]){0, 2, 14, 20});
	expect_words("x \"a\\\"b\\\\c\\d\"", 2, (const char *[]){"x", "a\"b\\c\\d"},
		     (int[]){0, 2});
	/* bytes, as names are printed; \\x00 and what is no byte stay what they were */
	expect_words("x /a\\x0Ab\\xE2 \"\\xff \\\\x41\" '\\x41' \"\\x00\\xg0\" \\x4", 6,
		     (const char *[]){"x", "/a\nb\xE2", "\xff \\x41", "\\x41", "\\x00\\xg0",
				      "x4"},
		     (int[]){0, 2, 14, 27, 34, 45});
	expect_words("x a#b # comment", 2, (const char *[]){"x", "a#b"}, (int[]){0, 2});
	expect_words("; ;# nothing\n x\"\"", 1, (const char *[]){"x"}, (int[]){14});
	expect_words("a '' b", 3, (const char *[]){"a", "", "b"}, (int[]){0, 2, 5});
}

static void test_commands_of_a_line(void **state)
{
	const char *line = "one;two 2 ; # x; y\n three";
	struct cmd_words w = {.buf = malloc(strlen(line) + 2)};
	size_t pos = 0;

	(void)state;
	assert_int_equal(cmd_parse(line, &pos, &w, NULL), PARSE_COMMAND);
	assert_string_equal(w.word[0], "one");
	assert_int_equal(cmd_parse(line, &pos, &w, NULL), PARSE_COMMAND);
	assert_int_equal(w.n, 2);
	assert_int_equal(cmd_parse(line, &pos, &w, NULL), PARSE_COMMAND);
	assert_string_equal(w.word[0], "three");
	assert_int_equal(cmd_parse(line, &pos, &w, NULL), PARSE_END);
	free(w.buf);
}

static void test_bad_words(void **state)
{
	char many[200] = "echo";

	(void)state;
	says("echo 'abc", "the quote ' is not closed\n  echo 'abc\n       ^");
	for (int i = 0; i < 40; i++)
		strcat(many, " x");
	says(many, "more than 32 words");
}

/* --- verbs --- */

static void test_verbs(void **state)
{
	struct err err = ERR_INIT;

	(void)state;
	assert_string_equal(cmd_find("defrag", NULL)->verb, "defrag");
	assert_string_equal(cmd_find("ana", NULL)->verb, "analyze");
	assert_string_equal(cmd_find("tag", NULL)->verb, "tag");
	assert_string_equal(cmd_find("q", NULL)->verb, "quit");
	assert_string_equal(cmd_find("exit", NULL)->verb, "quit");
	assert_null(cmd_find("so", &err));
	assert_non_null(strstr(err.msg, "\"so\" may be sort, source"));
	err_clear(&err);
	assert_null(cmd_find("", &err));
	assert_int_equal(err.class, ERR_USAGE);
}

static void test_suggestions(void **state)
{
	static const char *const pairs[][2] = {
		{"anaylze", "analyze"}, {"dfrag", "defrag"},	 {"hlep", "help"},
		{"qiut", "quit"},	{"journals", "journal"}, {"undoo", "undo"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		struct err err = ERR_INIT;
		char want[80];

		snprintf(want, sizeof(want), "did you mean \"%s\"?", pairs[i][1]);
		assert_null(cmd_find(pairs[i][0], &err));
		if (!strstr(err.msg, want))
			fail_msg("%s: %s", pairs[i][0], err.msg);
	}
	says("xyzzyplugh", "unknown command \"xyzzyplugh\"; see: help");
}

static void test_table(void **state)
{
	(void)state;
	for (size_t i = 0; i < cmd_count; i++) {
		const struct cmd *c = &cmd_table[i];

		assert_non_null(c->run);
		assert_true(strlen(c->help) > 8 && c->help[strlen(c->help) - 1] != '.');
		assert_ptr_equal(cmd_find(c->verb, NULL), c);
		if (i)
			assert_true(strcmp(cmd_table[i - 1].verb, c->verb) < 0);
	}
}

static void test_force(void **state)
{
	(void)state;
	says("files!", "files! means nothing");
	works("quit!");
	assert_true(app.quit);
}

/* --- errors point at the word --- */

static void test_message_caret(void **state)
{
	(void)state;
	says("color file; sort foo", "\n  color file; sort foo\n                   ^");
	says("goto 99999", "\n  goto 99999\n       ^");
	says("select ino 40", "inode 40 is not in use\n  select ino 40\n             ^");
	says("zoom sideways", "is not one of: in, out, fit\n  zoom sideways\n       ^");
	says("close now", "one word too many; usage: close\n  close now\n        ^");
	says("tag --foo", "tag has no option --foo\n  tag --foo\n      ^");
	says("echo a\nsort foo", "\n  sort foo\n       ^");
}

/* In batch mode on stderr: the line, and a caret in a line of its own. */
static void test_batch_caret(void **state)
{
	char path[] = "/tmp/cdefrag-caret-XXXXXX", text[400] = "";
	int file = mkstemp(path), kept = dup(2);

	(void)state;
	assert_true(file >= 0);
	fflush(stderr);
	dup2(file, 2);
	app.interactive = false;
	app.origin = "x:3: ";
	assert_false(cmd_run_line(&app, "echo ; sort \xC3\xA9\t foo"));
	fflush(stderr);
	dup2(kept, 2);
	assert_true(pread(file, text, sizeof(text) - 1, 0) > 0);
	close(file);
	close(kept);
	unlink(path);
	assert_string_equal(text, "cdefrag: x:3: one word too many; usage: sort KEY[-]\n"
				  "  echo ; sort \xC3\xA9\\x09 foo\n"
				  "                    ^\n");
	assert_int_equal(app.exit_code, 2);
}

/* --- completions --- */

static void completes(const char *line, int start, const char *list)
{
	struct str s = STR_INIT;
	int at;
	size_t n;
	char **words = cmd_complete(&app, line, (int)strlen(line), &at, &n);

	for (size_t i = 0; i < n; i++)
		str_addf(&s, "%s%s", i ? "|" : "", words[i]);
	if (strcmp(s.buf, list) || at != start)
		fail_msg("\"%s\": %d %s", line, at, s.buf);
	cmd_completions_free(words, n);
	str_release(&s);
}

static void test_completions(void **state)
{
	(void)state;
	completes("ana", 0, "analyze");
	completes("  se", 2, "search|select|set");
	completes("echo x; un", 8, "unalias|unbind|undo|untag");
	completes("sort s", 5, "score|size");
	completes("sort ", 5, "blocks|first|fragments|inode|name|score|size");
	completes("col f", 4, "file|frag");
	completes("plan dr", 5, "drop");
	completes("defrag @", 7, "@tags");
	completes("help mA", 5, "");
	completes("nonsense f", 9, "");
	completes("spotlight o", 10, "off|on");
	completes("set an", 4, "animate=");
	completes("set animate=", 4, "animate=off|animate=on");
	completes("set mouse=off color=k", 14, "color=kind");
	completes("set theme=ok", 4, "theme=okabe");
	completes("files siz", 6, "size<|size>");
	completes("files --so", 6, "--sort");
}

static void test_host_completions(void **state)
{
	char dir[] = "/tmp/cdefrag-complete-XXXXXX", line[200], want[300], path[200];

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(path, sizeof(path), "%s/two words", dir);
	assert_int_equal(mkdir(path, 0700), 0);
	snprintf(line, sizeof(line), "source %s/tw", dir);
	snprintf(want, sizeof(want), "\"%s/two words/", dir);
	completes(line, 7, want);
	snprintf(line, sizeof(line), "source \"%s/two w", dir); /* an open quote */
	completes(line, 7, want);
	rmdir(path);
	rmdir(dir);
}

/* --- targets --- */

static void targets(const char *word, const char *list)
{
	struct inum_list out = {0};
	struct err err = ERR_INIT;
	struct str s = STR_INIT;

	if (!cmd_target(&app, word, &out, &err))
		str_add(&s, err.msg);
	for (size_t i = 0; i < out.n; i++)
		str_addf(&s, "%s%u", i ? " " : "", out.v[i]);
	if (strcmp(s.buf, list))
		fail_msg("%s: %s", word, s.buf);
	str_release(&s);
	vec_release(&out);
}

static void test_targets(void **state)
{
	(void)state;
	targets("%", "2 12 13 14 15");
	targets("ino 13", "13");
	targets("ino 13x", "\"13x\" is not an inode number");
	targets("100", "12");
	targets("105,115", "12 13");
	targets("105+6", "12 13");
	targets("105+5", "12");
	targets("280,300", "15");
	targets("g0", "12 13 15");
	targets("g1", "14");
	targets("g2", "there is no group 2; the last is 1");
	targets("16383,16384", "blocks are 0 to 16383");
	targets("5000,6000", "no file owns a block of 5000,6000");
	targets("9,8", "blocks are 0 to 16383");
	targets("7+0", "blocks are 0 to 16383");
	targets("@", "nothing is tagged; tag files with: tag TARGET");
	app.map.cursor = 201;
	targets(".", "12");
	app.map.cursor = 5000;
	targets(".", "no file is under the cursor, and none is selected");
	app.selected = 14;
	targets(".", "14");
}

static void test_tags(void **state)
{
	(void)state;
	works("tag 280 ino 12 100,115");
	targets("@tags", "12 13 15");
	assert_true(app_is_tagged(&app, 13) && !app_is_tagged(&app, 14));
	works("untag ino 13");
	targets("@", "12 15");
	works("tag 300 8192 115 204"); /* 12 and 15 again, 13 between, 14 */
	targets("@", "12 13 14 15");
	works("untag 290 100 8192");
	targets("@", "13");
	works("untag ino 12"); /* it was not */
	targets("@", "13");
	works("untag");
	assert_int_equal(app.tags.n, 0);
}

/* --- moving about --- */

static void test_goto(void **state)
{
	(void)state;
	works("goto 1234");
	assert_int_equal(app.map.cursor, 1234);
	works("goto g1");
	assert_int_equal(app.map.cursor, 8192);
	works("goto ino 15/2");
	assert_int_equal(app.map.cursor, 290);
	assert_int_equal(app.selected, 15);
	works("next");
	assert_int_equal(app.map.cursor, 280);
	says("next", "that was the last fragment");
	works("prev; prev");
	assert_int_equal(app.map.cursor, 300);
	works("goto \"ino 12\"");
	assert_int_equal(app.map.cursor, 100);
	says("goto ino 12/3", "inode 12 has fragments 1 to 2");
	says("goto ino 2", "inode 2 owns no blocks");
	works("select 204,220 ; select 200");
	assert_int_equal(app.map.cursor, 100);
}

static void test_readout(void **state)
{
	struct str s = STR_INIT;

	(void)state;
	app_readout(&app, 202, 0, &s);
	assert_string_equal(s.buf,
			    "blk 202 g0+202 | ino 12 | fragment 2/2, block 3 of 5 | "
			    "logical 10..14");
	str_clear(&s);
	app_readout(&app, 300, 0, &s);
	assert_string_equal(s.buf,
			    "blk 300 g0+300 | ino 15 | fragment 1/3, block 1 of 1 | "
			    "logical 0..0 | next fragment -10");
	str_clear(&s);
	app_readout(&app, 300, 60, &s); /* in fewer words where there is less room */
	assert_string_equal(s.buf, "blk 300 g0+300 | ino 15 | frag 1/3 +0/1 | "
				   "L 0..0 | next -10");
	str_clear(&s);
	app_readout(&app, 3, 0, &s);
	assert_string_equal(s.buf, "blk 3 g0+3 | inode table of group 0");
	str_clear(&s);
	app_readout(&app, 8200, 0, &s);
	assert_string_equal(s.buf, "blk 8200 g1+8 | free, hole of 8191 from 8193 on");
	str_release(&s);
}

static void test_view(void **state)
{
	(void)state;
	works("color us; spotlight on; zoom 4");
	assert_int_equal(app.map.color, COLOR_BY_USAGE);
	assert_true(app.map.spotlight);
	assert_int_equal(app.map.blocks_per_cell, 4);
	works("zoom out");
	assert_int_equal(app.map.blocks_per_cell, 8);
	works("zoom in; zoom in");
	assert_int_equal(app.map.blocks_per_cell, 2);
	works("zoom fit");
	assert_int_equal(app.map.blocks_per_cell, 0);
	says("color blue", "is not one of: file, kind, frag, usage");
	works("sort fr-");
	assert_int_equal(app.files->sort, SORT_FRAGMENTS);
	assert_true(app.files->reverse);
	says("sort fi", ""); /* first */
	assert_int_equal(app.files->sort, SORT_FIRST);
	works("set animate=off");
	says("set animate?", "animate=off");
	says("set mouse?", "mouse=on");
	works("set mouse=off");
	assert_false(app.mouse);
	says("set mouse=perhaps", "mouse is one of: on off");
	works("set mouse");
	assert_true(app.mouse);
	says("set speed=9", "no option is called \"speed\"");
}

/* --- what must not happen --- */

static void test_refusals(void **state)
{
	(void)state;
	says("run!", "open for viewing only");
	says("undo", "open for viewing only");
	app.volume.write = true;
	says("run!", "there is no plan");
	app.flaws.count = 2;
	says("run!", "contradicts itself in 2 places");
	says("defrag %", "contradicts itself in 2 places");
	app.flaws.count = 0;
	app.open = false;
	model_free(app.model);
	app.model = NULL;
	says("defrag %", "no volume is open");
	says("journal", "no volume is open");
	assert_int_equal(app.exit_code, 0); /* on a terminal a refusal is no failure */
}

/* --- questions --- */

static void asks(const char *line, const char *text, const char *if_yes)
{
	works(line);
	assert_non_null(app.confirm_line);
	assert_string_equal(app.confirm_line, if_yes);
	if (!strstr(app.confirm_text, text))
		fail_msg("%s: \"%s\"", line, app.confirm_text);
	app_answer(&app, false);
	assert_null(app.confirm_line);
	assert_int_equal(app.job, 0);
}

static void test_questions(void **state)
{
	struct move move = {.ino = 12, .len = 5, .lblk = 10, .from = 200, .to = 400};
	struct plan *plan = calloc(1, sizeof(*plan));

	(void)state;
	assert_non_null(plan);
	plan_init(plan);
	assert_true(vec_push(&plan->moves, move));
	app.plan = plan;
	app.volume.write = true;
	asks("run", "run 1 moves", "run!");
	asks("run 3", "run the next 3 files of the plan", "run! 3");
	asks("undo", "undo one action?", "undo! 1");
	asks("undo 2", "undo 2 actions?", "undo! 2");
	asks("redo all", "redo all actions of the journal?", "redo! all");
	says("run 0", "0 is not in 1 to");
	works("undo!"); /* asks nothing: the engine has it */
	assert_true(app.job != 0 && !app.confirm_line);
}

/* --- while a job runs --- */

static void test_busy(void **state)
{
	(void)state;
	app.job = 7; /* the scan, or a run that somebody wants to stop */
	snprintf(app.job_name, sizeof(app.job_name), "run");
	works("color kind; zoom 4");
	assert_int_equal(app.map.color, COLOR_BY_KIND);
	assert_int_equal(app.map.blocks_per_cell, 4);
	says("stop; color frag", "stops at its next safe point");
	assert_int_equal(app.map.color, COLOR_BY_FRAG);
	assert_null(app.rest);
	says("defrag %", "run is running");
	app.job = 0;
}

/* What follows a command that started a job waits, in the order in which it was written.
 */
static void test_put_off(void **state)
{
	char path[] = "/tmp/cdefrag-test-XXXXXX", line[100];
	int fd = mkstemp(path);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, "defrag %\ncolor kind\n", 20), 20);
	close(fd);
	snprintf(line, sizeof(line), "zoom 4; source %s; color usage", path);
	works(line);
	unlink(path);
	assert_int_equal(app.map.blocks_per_cell, 4);
	assert_true(app.job != 0);
	assert_int_equal(app.map.color, COLOR_BY_FILE);
	assert_non_null(app.rest);
	assert_non_null(strstr(app.rest, "color kind"));
	assert_true(strstr(app.rest, "color usage") > strstr(app.rest, "color kind"));
}

/* --- JSON --- */

/* What a command prints with --json. */
static json_t *answer(const char *line)
{
	const struct cmd *cmd = cmd_find(line, NULL);
	struct cmd_call call = {.cmd = cmd, .bad = -1};
	struct err err = ERR_INIT;
	json_t *o;

	assert_non_null(cmd);
	app.interactive = false;
	app.json = true;
	if (!cmd->run(&app, &call, &err))
		fail_msg("%s: %s", line, err.msg);
	o = json_loads(app.out->buf, 0, NULL);
	assert_non_null(o);
	str_clear(app.out);
	return o;
}

static json_int_t number_at(const json_t *o, const char *key)
{
	const json_t *x = json_object_get(o, key);

	if (!json_is_integer(x))
		fail_msg("no number \"%s\"", key);
	return json_integer_value(x);
}

static void test_json_analyze(void **state)
{
	static const char *const volume_keys[] = {"path",     "uuid",	    "label",
						  "type",     "block_size", "blocks",
						  "features", "state"};
	json_t *o, *volume;

	(void)state;
	snprintf(app.volume.features, sizeof(app.volume.features), "extent 64bit");
	o = answer("analyze");
	assert_int_equal(number_at(o, "fragments"), 7);
	assert_int_equal(number_at(o, "best"), 4);
	assert_int_equal(number_at(o, "worst"), 29);
	assert_int_equal(number_at(o, "files"), 3);
	assert_int_equal(number_at(o, "directories"), 2);
	assert_int_equal(number_at(o, "files_fragmented"), 2);
	assert_int_equal(number_at(o, "free_blocks"), 16384 - 10 - 29);
	assert_int_equal(number_at(o, "inodes_used"), 5);
	assert_true(number_at(o, "free_runs") > 0);
	assert_int_equal(number_at(o, "largest_hole_blocks"), 16384 - 8193);
	assert_true(json_is_real(json_object_get(o, "read_time_ms")));
	assert_true(json_is_real(json_object_get(o, "layout_score")));
	volume = json_object_get(o, "volume");
	for (size_t i = 0; i < sizeof(volume_keys) / sizeof(volume_keys[0]); i++)
		assert_non_null(json_object_get(volume, volume_keys[i]));
	assert_int_equal(json_array_size(json_object_get(volume, "features")), 2);
	json_decref(o);
}

static void test_json_path(void **state)
{
	json_t *o = json_object();

	(void)state;
	json_add_path(o, "/a%b\xC3\xA9", 6);
	assert_string_equal(json_string_value(json_object_get(o, "path")),
			    "/a%b\xC3\xA9");
	assert_null(json_object_get(o, "path_raw"));
	json_add_path(o,
		      "/a%\xFF"
		      "b",
		      5);
	assert_string_equal(json_string_value(json_object_get(o, "path")), "/a%25%FFb");
	assert_string_equal(json_string_value(json_object_get(o, "path_raw")),
			    "L2El/2I=");
	json_decref(o);
}

static void test_json_nameless(void **state)
{
	inum_t ino = 12;
	json_t *o = json_object();
	struct event ev = {.kind = EV_ENDED, .err = {ERR_IO, 0, "no names today"}};

	(void)state;
	assert_null(names_get(app.names, ino, &(size_t){0}));
	names_flush(app.names, &app); /* asked, */
	names_event(app.names, &ev);  /* and answered: not known */
	assert_string_equal(names_get(app.names, ino, &(size_t){0}), "<ino 12>");
	json_add_name(o, &app, ino);
	assert_true(json_is_null(json_object_get(o, "path")));
	json_decref(o);
}

static void test_json_text(void **state)
{
	json_t *o;

	(void)state;
	app.interactive = false;
	app.json = true;
	json_print_text(&app, "echo", "a\n\xFF\n");
	o = json_loads(app.out->buf, 0, NULL);
	assert_string_equal(json_string_value(json_object_get(o, "command")), "echo");
	assert_string_equal(
		json_string_value(json_array_get(json_object_get(o, "text"), 1)),
		"\\xFF");
	json_decref(o);
	str_clear(app.out);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		T(test_words),
		T(test_commands_of_a_line),
		T(test_bad_words),
		T(test_verbs),
		T(test_suggestions),
		T(test_table),
		T(test_force),
		T(test_message_caret),
		T(test_batch_caret),
		T(test_completions),
		T(test_host_completions),
		T(test_targets),
		T(test_tags),
		T(test_goto),
		T(test_readout),
		T(test_view),
		T(test_refusals),
		T(test_questions),
		T(test_busy),
		T(test_put_off),
		T(test_json_analyze),
		T(test_json_path),
		T(test_json_nameless),
		T(test_json_text),
	};

	return cmocka_run_group_tests_name("commands", tests, NULL, NULL);
}
