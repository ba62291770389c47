/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_tree.c - lines of traces; what the tree pane says before there is anything. */
#include "tests/screen/sample.h"
#include "ui/cmd.h"
#include "ui/tree.h"

static void path_is(const char *line, const char *want)
{
	char *path = trace_path(line, strlen(line));

	if ((path != NULL) != (want != NULL) || (path && strcmp(path, want)))
		fail_msg("%s: %s", line, path ? path : "none");
	free(path);
}

static void test_paths(void **state)
{
	(void)state;
	path_is("/etc/passwd", "/etc/passwd");
	path_is("  /two words\t\r", "/two words");
	path_is("", NULL);
	path_is("# comment", NULL);
	/* fatrace */
	path_is("cat(1234): RO /usr/bin/cat", "/usr/bin/cat");
	path_is("bash(7): O   /x (y)/z", "/x (y)/z");
	path_is("12:00:01.5 systemd(1): CW /var/log/a b", "/var/log/a b");
	path_is("cat(1234): C <unknown>", NULL);
	/* strace */
	path_is("openat(AT_FDCWD, \"/etc/ld.so.cache\", O_RDONLY|O_CLOEXEC) = 3",
		"/etc/ld.so.cache");
	path_is("[pid 9] open(\"/a \\\"b\\\"\", O_RDONLY) = 4", "/a \"b\"");
	path_is("execve(\"/usr/bin/ls\", [\"ls\"], 0x7ffd /* 20 vars */) = 0",
		"/usr/bin/ls");
	path_is("access(\"/etc/ld.so.preload\", R_OK) = -1 ENOENT (No such file)", NULL);
	path_is("openat(AT_FDCWD, \"relative\", O_RDONLY) = 3", NULL);
}

static void test_empty(void **state)
{
	struct canvas c;
	struct app a;

	(void)state;
	sample_app(&a);
	assert_true(canvas_init(&c, 24, 80));
	a.focus = a.lower = FOCUS_BOTTOM;
	a.tab = TAB_TREE;
	screen_draw(&a, &c);
	assert_shows(&c, "[Tree]");
	assert_shows(&c, "Enter works out what the directories hold");
	a.message[0] = '\0';
	assert_false(cmd_run_line(&a, "tree --sort colour"));
	assert_non_null(strstr(a.message, "\"colour\" is no order"));
	canvas_release(&c);
	sample_release(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths),
		cmocka_unit_test(test_empty),
	};

	return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
