/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_theme.c - themes: the shipped files, inheritance, depths, and what is wrong in
 * one. */
#include "tests/lib/test.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "ui/theme.h"

static char folder[] = "/tmp/cdefrag-theme-XXXXXX";
static char warnings[2000];

static void collect(void *arg, const char *text)
{
	size_t n = strlen(warnings);
	const char *base = strrchr(text, '/');

	(void)arg;
	snprintf(warnings + n, sizeof(warnings) - n, "%s\n", base ? base + 1 : text);
}

static void write_theme(const char *name, const char *text)
{
	char path[200];
	FILE *f;

	snprintf(path, sizeof(path), "%s/cdefrag/themes/%s.theme", folder, name);
	f = fopen(path, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
	assert_int_equal(fclose(f), 0);
}

static bool load(struct theme *t, const char *name, enum theme_depth depth, bool utf8,
		 struct err *err)
{
	warnings[0] = '\0';
	memset(err, 0, sizeof(*err));
	return theme_load(t, name, depth, utf8, collect, NULL, err);
}

static const enum theme_depth depths[] = {DEPTH_MONO, DEPTH_8, DEPTH_256};

static void test_file_is_builtin(void **state)
{
	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct theme builtin, file;
		struct err err;

		theme_default(&builtin, depths[i % 3], i < 3);
		assert_true(load(&file, "default", depths[i % 3], i < 3, &err));
		assert_string_equal(warnings, "");
		assert_string_equal(file.name, "Default");
		assert_memory_equal(&builtin, &file, sizeof(file));
	}
}

static void test_shipped_resolve(void **state)
{
	size_t n;
	char **names = theme_names(&n);
	const char *const shipped[] = {"default", "dos",  "high-contrast",
				       "light",	  "mono", "okabe"};

	(void)state;
	for (size_t k = 0; k < n * 6; k++) {
		enum theme_depth depth = depths[k % 3];
		bool utf8 = k / 3 % 2;
		struct theme t;
		struct err err;

		if (!load(&t, names[k / 6], depth, utf8, &err))
			fail_msg("%s", err.msg);
		assert_string_equal(warnings, "");
		for (int i = 0; i < STYLE_COUNT; i++) {
			int most = depth == DEPTH_256 ? 255 : depth == DEPTH_8 ? 7 : -1;

			assert_in_range(t.styles[i].fg + 1, 0, most + 1);
			assert_in_range(t.styles[i].bg + 1, 0, most + 1);
			if (i >= STYLE_MAP_FREE && depth != DEPTH_MONO)
				assert_int_not_equal(t.styles[i].fg, COLOR_DEFAULT);
			if (i >= STYLE_MAP_FREE && !utf8)
				assert_in_range(t.glyphs[i], 0x20, 0x7E);
		}
		if (depth != DEPTH_MONO)
			assert_int_not_equal(t.calm_count * t.vivid_count, 0);
	}
	for (size_t i = 0, k = 0; i < 6; i++) {
		while (k < n && strcmp(names[k], shipped[i]))
			k++;
		if (k == n)
			fail_msg("%s is not there", shipped[i]);
	}
	theme_names_free(names, n);
}

static void test_okabe_kinds(void **state)
{
	struct theme t;
	struct err err;

	(void)state;
	assert_true(load(&t, "okabe", DEPTH_256, true, &err));
	assert_int_equal(t.styles[STYLE_MAP_CONTIGUOUS].fg, 33);
	assert_int_equal(t.styles[STYLE_MAP_FRAGMENTED].fg, 208);
	assert_int_equal(t.styles[STYLE_MAP_DIR].fg, 219);
	assert_int_equal(t.styles[STYLE_MAP_JOURNAL].fg, 120);
	assert_int_equal(t.styles[STYLE_MAP_BAD].fg, 124);
	assert_int_equal(t.styles[STYLE_MAP_SOURCE].fg, 54);
	assert_int_equal(t.styles[STYLE_MAP_DESTINATION].fg, 57);
}

static void test_inherit_and_depths(void **state)
{
	struct theme t;
	struct err err;

	(void)state;
	write_theme("base", "name = Base\n[map]\nbad = #ff0000\ndir = 17\n"
			    "[map@8]\nbad = magenta\n");
	write_theme("mine", "inherit = base\n[files]\ncalm = 1 2 3 # three\n"
			    "vivid = 4/5 6\n[map@8]\ndir = green on red bold\n"
			    "[glyphs]\nfree = \"\u00b7\" \"o\" # both\nbad = \"#\"\n");
	assert_true(load(&t, "mine", DEPTH_256, true, &err));
	assert_string_equal(warnings, "");
	assert_int_equal(t.styles[STYLE_MAP_BAD].fg, 196);
	assert_int_equal(t.styles[STYLE_MAP_DIR].fg, 17);
	assert_int_equal(t.calm_count, 3);
	assert_int_equal(t.vivid_count, 2);
	assert_int_equal(t.vivid[0][1], 5);
	assert_int_equal(t.vivid[1][1], 6);
	assert_int_equal(t.glyphs[STYLE_MAP_FREE], 0xb7);
	assert_true(load(&t, "mine", DEPTH_8, false, &err));
	assert_int_equal(t.styles[STYLE_MAP_BAD].fg, 5);
	assert_int_equal(t.styles[STYLE_MAP_DIR].fg, 2);
	assert_int_equal(t.styles[STYLE_MAP_DIR].bg, 1);
	assert_int_equal(t.styles[STYLE_MAP_DIR].attr, ATTR_BOLD);
	assert_int_equal(t.glyphs[STYLE_MAP_FREE], 'o');
	assert_int_equal(t.glyphs[STYLE_MAP_BAD], '#');
	/* Without colours a colour theme changes nothing of the built-in looks. */
	assert_true(load(&t, "mine", DEPTH_MONO, false, &err));
	assert_int_equal(t.styles[STYLE_MAP_BAD].fg, COLOR_DEFAULT);
	assert_int_equal(t.styles[STYLE_MAP_BAD].attr, ATTR_REVERSE);
}

static void test_warnings_have_lines(void **state)
{
	struct theme t, plain;
	struct err err;

	(void)state;
	write_theme("odd", "name = Odd\ncolour = 3\n\n[map]\n  free = bleu\n"
			   "bad = default\nnonsense = 3\nmeta = 3 on\n[map@9]\nbad = 1\n"
			   "[glyphs]\nfree = \"ab\" \".\"\nbad = \"x\" \"\u00b7\"\n"
			   "[heat]\nramp =\n[map@8]\ndir = 999\n");
	theme_default(&plain, DEPTH_256, true);
	assert_true(load(&t, "odd", DEPTH_256, true, &err));
	assert_string_equal(
		warnings,
		"odd.theme:2: unknown key \"colour\"\n"
		"odd.theme:5: no such colour or attribute \"bleu\"\n"
		"odd.theme:6: a map colour must be explicit, not \"default\"\n"
		"odd.theme:7: unknown key \"nonsense\"\n"
		"odd.theme:8: no such colour\n"
		"odd.theme:12: wanted: two quoted glyphs, UTF-8 and ASCII, not \"\"ab\" "
		"\".\"\"\n"
		"odd.theme:13: wanted: two quoted glyphs, UTF-8 and ASCII, not \"\"x\" "
		"\"\u00b7\"\"\n"
		"odd.theme:15: a list of colours is missing\n"
		"odd.theme:10: unknown depth (256, 8, mono) \"9\"\n"
		"odd.theme:17: no such colour or attribute \"999\"\n");
	/* What is wrong leaves the look as it was. */
	snprintf(t.name, sizeof(t.name), "%s", plain.name);
	assert_memory_equal(t.styles, plain.styles, sizeof(t.styles));
	assert_memory_equal(t.glyphs, plain.glyphs, sizeof(t.glyphs));
	assert_int_equal(t.heat_count, plain.heat_count);
}

static void test_errors_leave_theme(void **state)
{
	struct theme t, before;
	struct err err;

	(void)state;
	theme_default(&t, DEPTH_256, true);
	before = t;
	write_theme("broken", "name = B\n[map]\nfree = 17\nwhat is this\n");
	assert_false(load(&t, "broken", DEPTH_256, true, &err));
	assert_int_equal(err.class, ERR_USAGE);
	assert_non_null(strstr(err.msg, "broken.theme:4: neither"));
	write_theme("loop", "inherit = loop\n");
	assert_false(load(&t, "loop", DEPTH_256, true, &err));
	assert_non_null(strstr(err.msg, "circle"));
	assert_false(load(&t, "no-such", DEPTH_256, true, &err));
	assert_string_equal(err.msg, "no theme named \"no-such\"");
	assert_false(load(&t, "../themes/base", DEPTH_256, true, &err));
	assert_false(load(&t, "/no/such/file.theme", DEPTH_256, true, &err));
	assert_memory_equal(&t, &before, sizeof(t));
}

static void test_palette(void **state)
{
	uint8_t rgb[3];
	int16_t color;

	(void)state;
	palette_rgb(208, rgb);
	assert_int_equal(rgb[0] << 16 | rgb[1] << 8 | rgb[2], 0xff8700);
	palette_rgb(244, rgb);
	assert_int_equal(rgb[0], 128);
	for (int i = 16; i < 232; i++) { /* greys have twins in the cube */
		palette_rgb(i, rgb);
		assert_int_equal(palette_nearest(rgb, DEPTH_256), i);
	}
	assert_true(palette_parse("#00d7fe", DEPTH_256, &color));
	assert_int_equal(color, 45);
	assert_true(palette_parse("Bright-Red", DEPTH_8, &color));
	assert_int_equal(color, 1);
	assert_false(palette_parse("#00d7f", DEPTH_256, &color));
	assert_false(palette_parse("256", DEPTH_256, &color));
	assert_int_equal(palette_mix(16, 231, 1, 1), 16);
	assert_true(palette_luma(226) > palette_luma(21));
}

static int setup(void **state)
{
	char path[200];

	(void)state;
	if (!mkdtemp(folder))
		return -1;
	snprintf(path, sizeof(path), "%s/cdefrag", folder);
	if (mkdir(path, 0700) != 0)
		return -1;
	snprintf(path, sizeof(path), "%s/cdefrag/themes", folder);
	if (mkdir(path, 0700) != 0)
		return -1;
	return setenv("XDG_CONFIG_HOME", folder, 1);
}

static int teardown(void **state)
{
	static const char *const made[] = {"base", "mine", "odd", "broken", "loop"};
	char path[200];

	(void)state;
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		snprintf(path, sizeof(path), "%s/cdefrag/themes/%s.theme", folder,
			 made[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/cdefrag/themes", folder);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/cdefrag", folder);
	rmdir(path);
	return rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_file_is_builtin),
		cmocka_unit_test(test_shipped_resolve),
		cmocka_unit_test(test_okabe_kinds),
		cmocka_unit_test(test_inherit_and_depths),
		cmocka_unit_test(test_warnings_have_lines),
		cmocka_unit_test(test_errors_leave_theme),
		cmocka_unit_test(test_palette),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
