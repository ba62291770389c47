/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_view.c - cursor, selection, tags, and how the map looks. */
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include "base/num.h"
#include "core/extent.h"
#include "ui/ages.h"
#include "ui/cmd_priv.h"
#include "ui/map_frame.h"
#include "ui/pane.h"
#include "ui/place.h"
#include "ui/screen.h"

/* --- goto, next, prev --- */

/* First blocks of a file's fragments, in logical order, appended to out. */
static bool fragment_starts(const struct model *m, inum_t ino, blkno_t **out, size_t *n)
{
	struct run_list runs = {0};
	bool ok = model_runs(m, ino, &runs);

	*n = 0;
	*out = ok ? malloc((runs.n ? runs.n : 1) * sizeof(**out)) : NULL;
	for (size_t i = 0; *out && i < runs.n && owner_is_data(runs.v[i].kind); i++)
		if (extent_starts_fragment(runs.v, runs.n, i))
			(*out)[(*n)++] = runs.v[i].phys;
	vec_release(&runs);
	return *out != NULL;
}

/* Cursor to fragment `number` (from 1) of a file, which is selected. */
static bool goto_fragment(struct app *a, inum_t ino, uint64_t number, struct err *err)
{
	blkno_t *starts;
	size_t n;
	bool ok;

	if (!fragment_starts(a->model, ino, &starts, &n))
		return err_nomem(err);
	ok = number >= 1 && number <= n;
	if (ok) {
		app_select(a, ino, false);
		a->map.cursor = starts[number - 1];
	} else if (n == 0) {
		err_set(err, ERR_USAGE, "inode %u owns no blocks", ino);
	} else {
		err_set(err, ERR_USAGE, "inode %u has fragments 1 to %zu", ino, n);
	}
	free(starts);
	return ok;
}

/* "17/9" after ino: the inode and its fragment. */
static bool goto_ino(struct app *a, const char *text, struct err *err)
{
	size_t len = strcspn(text, "/");
	char number[16];
	struct inode_info info;
	uint64_t ino, fragment = 1;

	snprintf(number, sizeof(number), "%.*s", (int)len, text);
	if (len >= sizeof(number) || !num_parse_u64(number, &ino) ||
	    (text[len] && !num_parse_u64(text + len + 1, &fragment))) {
		err_set(err, ERR_USAGE, "\"%s\" is not INODE or INODE/FRAGMENT", text);
		return false;
	}
	if (ino > UINT32_MAX || !model_inode(a->model, (inum_t)ino, &info)) {
		err_set(err, ERR_USAGE, "inode %llu is not in use",
			(unsigned long long)ino);
		return false;
	}
	return goto_fragment(a, (inum_t)ino, fragment, err);
}

static bool goto_range(struct app *a, const char *word, struct err *err)
{
	struct range r;

	if (cmd_range(a, word, &r, err)) {
		a->map.cursor = r.start;
		return true;
	}
	err_set(err, ERR_USAGE, "\"%s\" is no place: BLOCK, gN, ino N[/FRAGMENT], /PATH",
		word);
	return false;
}

static void say_place(struct app *a)
{
	struct str s = STR_INIT;

	if (!a->interactive) {
		app_readout(a, a->map.cursor, 0, &s);
		app_print(a, "%s\n", s.buf);
	}
	str_release(&s);
}

bool cmd_goto(struct app *a, struct cmd_call *c, struct err *err)
{
	blkno_t from = a->map.cursor;
	const char *word;
	inum_t ino;
	bool ok;

	if (!cmd_args(c, 1, 2, err) || !app_need_model(a, err))
		return false;
	word = c->argv[0];
	if (!strcmp(word, "ino") && c->argc == 2)
		ok = goto_ino(a, c->argv[1], err);
	else if (c->argc == 2)
		return cmd_bad(c, 1, err, "one place is enough");
	else if (!strncmp(word, "ino ", 4))
		ok = goto_ino(a, word + 4, err);
	else if (word[0] == '/')
		ok = (ino = cmd_lookup(a, word, err)) && goto_fragment(a, ino, 1, err);
	else
		ok = goto_range(a, word, err);
	if (ok) {
		mark_jump(a, from);
		say_place(a);
	} else if (c->bad < 0) {
		c->bad = c->argc - 1;
	}
	return ok;
}

static bool step_fragment(struct app *a, struct cmd_call *c, int step, struct err *err)
{
	blkno_t *starts;
	struct fragment here;
	struct run r;
	int64_t at = step > 0 ? -1 : 0;
	size_t n;
	bool ok;

	if (!cmd_args(c, 0, 0, err) || !app_need_model(a, err))
		return false;
	if (!a->selected) {
		err_set(err, ERR_USAGE,
			"no file is selected; select one with: select TARGET");
		return false;
	}
	if (!fragment_starts(a->model, a->selected, &starts, &n))
		return err_nomem(err);
	model_at(a->model, a->map.cursor, &r);
	if (r.ino == a->selected && model_fragment_at(a->model, a->map.cursor, &here))
		at = here.index;
	at += step;
	ok = at >= 0 && at < (int64_t)n;
	if (ok) {
		a->map.cursor = starts[at];
		say_place(a);
	} else {
		err_set(err, ERR_REFUSED,
			step > 0 ? "that was the last fragment"
				 : "that was the first fragment");
	}
	free(starts);
	return ok;
}

bool cmd_next(struct app *a, struct cmd_call *c, struct err *err)
{
	return step_fragment(a, c, 1, err);
}

bool cmd_prev(struct app *a, struct cmd_call *c, struct err *err)
{
	return step_fragment(a, c, -1, err);
}

/* --- selected, tagged --- */

bool cmd_select(struct app *a, struct cmd_call *c, struct err *err)
{
	inum_t ino;

	if (!cmd_args(c, 1, 2, err) || !app_need_model(a, err) ||
	    !cmd_inode(a, c, &ino, err))
		return false;
	app_select(a, ino, true);
	return true;
}

/* Two sorted lists become one, since a directory may bring a million files. */
static bool tag_all(struct app *a, const struct inum_list *list, bool on)
{
	VEC(inum_t) all = VEC_INIT;
	size_t i = 0, k = 0;

	if (!vec_reserve(&all, a->tags.n + list->n + 1))
		return false;
	while (i < a->tags.n || k < list->n) {
		bool both = i < a->tags.n && k < list->n && a->tags.v[i] == list->v[k];
		bool old = k == list->n || (i < a->tags.n && a->tags.v[i] <= list->v[k]);
		inum_t ino = old ? a->tags.v[i] : list->v[k];

		i += old;
		k += !old || both;
		if (on || (old && !both))
			all.v[all.n++] = ino;
	}
	free(a->tags.v);
	a->tags.v = all.v;
	a->tags.n = all.n;
	a->tags.cap = all.cap;
	return true;
}

static void say_tags(struct app *a)
{
	app_say(a, "%zu file%s tagged", a->tags.n, a->tags.n == 1 ? "" : "s");
}

bool cmd_tag(struct app *a, struct cmd_call *c, struct err *err)
{
	struct inum_list list = {0};
	bool ok;

	if (!cmd_args(c, 0, CMD_WORDS_MAX, err) || !app_need_model(a, err))
		return false;
	ok = cmd_targets(a, c, ".", &list, err) &&
	     (tag_all(a, &list, true) || err_nomem(err));
	vec_release(&list);
	if (ok)
		say_tags(a);
	return ok;
}

bool cmd_untag(struct app *a, struct cmd_call *c, struct err *err)
{
	struct inum_list list = {0};
	bool ok = true;

	if (!cmd_args(c, 0, CMD_WORDS_MAX, err))
		return false;
	if (!c->argc)
		vec_clear(&a->tags);
	else
		ok = app_need_model(a, err) && cmd_targets(a, c, ".", &list, err) &&
		     (tag_all(a, &list, false) || err_nomem(err));
	vec_release(&list);
	if (ok)
		say_tags(a);
	return ok;
}

/* --- the map --- */

static bool pick(struct cmd_call *c, const char *const *words, int n, int *out,
		 struct err *err)
{
	struct str all = STR_INIT;
	int hits = 0;

	for (int i = 0; i < n; i++) {
		str_addf(&all, "%s%s", i ? ", " : "", words[i]);
		if (strncmp(words[i], c->argv[0], strlen(c->argv[0])))
			continue;
		*out = i;
		hits++;
	}
	if (hits != 1 || !c->argv[0][0]) {
		cmd_bad(c, 0, err, "\"%s\" is not one of: %s", c->argv[0], all.buf);
		hits = 0;
	}
	str_release(&all);
	return hits == 1;
}

bool cmd_color(struct app *a, struct cmd_call *c, struct err *err)
{
	static const char *const modes[] = {"file",  "kind", "frag",
					    "usage", "age",  "plan"};
	int mode;

	if (!cmd_args(c, 1, 1, err) || !pick(c, modes, COLOR_MODES, &mode, err))
		return false;
	if (mode == COLOR_BY_AGE && !a->interactive &&
	    (!app_need_model(a, err) || !ages_fetch(a, err)))
		return false;
	a->map.color = (enum app_color)mode;
	return true;
}

bool cmd_spotlight(struct app *a, struct cmd_call *c, struct err *err)
{
	static const char *const states[] = {"off", "on"};
	int on;

	if (!cmd_args(c, 1, 1, err) || !pick(c, states, 2, &on, err))
		return false;
	a->map.spotlight = on;
	return true;
}

void cmd_screen_size(const struct app *a, int *rows, int *cols)
{
	struct winsize size;

	*rows = 24;
	*cols = 80;
	if (a->interactive && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 &&
	    size.ws_row && size.ws_col) {
		*rows = size.ws_row;
		*cols = size.ws_col;
	}
}

/* As the keys of the map pane do it, on the screen that there is. */
static void zoom_by_key(struct app *a, int key)
{
	struct screen_layout l;
	struct canvas canvas;
	struct view v;
	int rows, cols;

	cmd_screen_size(a, &rows, &cols);
	if (!canvas_init(&canvas, rows, cols))
		return;
	screen_layout(&l, rows, cols);
	v = canvas_view(&canvas);
	v = view_part(&v, l.part[PART_MAP].row, l.part[PART_MAP].col,
		      l.part[PART_MAP].rows, l.part[PART_MAP].cols);
	pane_map.key(a, key, 1, &v);
	canvas_release(&canvas);
}

bool cmd_zoom(struct app *a, struct cmd_call *c, struct err *err)
{
	static const char *const words[] = {"in", "out", "fit"};
	uint64_t n;
	int word;

	if (!cmd_args(c, 1, 1, err))
		return false;
	if (num_parse_u64(c->argv[0], &n)) {
		if (!cmd_number(c, 0, 1, UINT32_MAX, &n, err))
			return false;
		a->map.blocks_per_cell = n;
		return true;
	}
	if (!pick(c, words, 3, &word, err))
		return false;
	if (word < 2 && !app_need_model(a, err))
		return false;
	if (word == 2)
		a->map.glyphs = false, a->map.blocks_per_cell = 0;
	else
		zoom_by_key(a, word ? '-' : '+');
	return true;
}
