/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_panes.c - what each pane says, and that it keeps to its view at any size. */
#include "sample.h"
#include <stdio.h>

static struct app app;
static struct canvas canvas;

static int setup(void **state)
{
	(void)state;
	sample_app(&app);
	assert_true(canvas_init(&canvas, 24, 80));
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	canvas_release(&canvas);
	sample_release(&app);
	return 0;
}

static struct view draw(const struct pane *p, int rows, int cols)
{
	struct view v;

	assert_true(canvas_resize(&canvas, rows, cols));
	v = canvas_view(&canvas);
	p->draw(&app, &v);
	return v;
}

static void key(const struct pane *p, int k, int count)
{
	struct view v = canvas_view(&canvas);

	assert_true(p->key(&app, k, count, &v));
	p->draw(&app, &v);
}

static void test_files(void **state)
{
	(void)state;
	app.focus = FOCUS_FILES;
	draw(&pane_files, 6, 80);
	assert_shows(&canvas, "FRAG     SIZE       INO^     1ST BLK  SCORE    NAME");
	assert_shows(&canvas, ">     3      20K        12          100   89.5");
	assert_shows(&canvas, "    100      20K        15         1100   50.3");
	/* Heads tell the column and which way it is sorted. */
	app.files->sort = SORT_FRAGMENTS;
	draw(&pane_files, 6, 38);
	assert_shows(&canvas, "FRAGv");
	app.files->reverse = true;
	draw(&pane_files, 6, 38);
	assert_shows(&canvas, "FRAG^");
	app.files->reverse = false;
	assert_true(app_tag(&app, 13, true));
	draw(&pane_files, 6, 38);
	assert_shows(&canvas, "*   1   20K   inode 13");
}

static void test_files_scrolls(void **state)
{
	(void)state;
	draw(&pane_files, 3, 80);
	assert_int_equal(app.files->top, 0);
	key(&pane_files, 'j', 2);
	assert_int_equal(app.files->cursor, 2);
	assert_int_equal(app.files->top, 1);
	key(&pane_files, 'G', 0);
	assert_int_equal(app.files->top, 2);
	/* A higher view leaves no blank lines. */
	draw(&pane_files, 10, 80);
	assert_int_equal(app.files->top, 0);
}

static void test_inspect(void **state)
{
	(void)state;
	draw(&pane_inspect, 10, 38);
	assert_shows(&canvas, "no file is selected");
	assert_shows(&canvas, "under the cursor: inode table");
	app.selected = 12;
	app.map.cursor = 303;
	draw(&pane_inspect, 10, 38);
	assert_shows(&canvas, "ino 12");
	assert_shows(&canvas, "size 20K  fragments 3 (ideal 1)");
	assert_shows(&canvas, "blocks 20  tree 0");
	assert_shows(&canvas, "score 89.5  read ");
	assert_shows(&canvas, "     1          0        100     10");
	assert_shows(&canvas, ">    2         10        300      5");
	assert_shows(&canvas, "     3         15        400      5");
	draw(&pane_inspect, 10, 90);
	assert_shows(&canvas, "type file");
}

static void test_inspect_follows(void **state)
{
	struct view v;

	(void)state;
	app.selected = 15;
	app.map.cursor = 1100 + 80 * 4;
	v = draw(&pane_inspect, 10, 38);
	assert_shows(&canvas, ">   81        160       1420      2");
	/* Scrolling by hand lets go of it. */
	key(&pane_inspect, 'g', 0);
	assert_shows_not(&canvas, ">   81");
	assert_shows(&canvas, "     1          0       1100      2");
	key(&pane_inspect, 'G', 0);
	assert_shows(&canvas, "   100        198       1496      2");
	app.inspect_follow = true;
	pane_inspect.draw(&app, &v);
	assert_shows(&canvas, ">   81");
	/* Another file starts afresh. */
	app.selected = 12;
	pane_inspect.draw(&app, &v);
	assert_shows(&canvas, "     1          0        100     10");
}

static void test_inspect_click(void **state)
{
	struct mouse m = {MOUSE_PRESS, 6, 10};
	struct view v;

	(void)state;
	app.selected = 12;
	v = draw(&pane_inspect, 10, 38);
	assert_true(pane_inspect.mouse(&app, &m, &v));
	assert_int_equal(app.map.cursor, 300);
}

/* A plan of two moves and a file left alone. */
static void make_plan(struct plan *p)
{
	struct move data = {.ino = 12, .len = 20, .from = 100, .to = 700, .gain = 2};
	struct move tree = {.ino = 15,
			    .len = 1,
			    .kind = MOVE_TREE,
			    .reason = REASON_TREE,
			    .from = BLKNO_NONE,
			    .to = 720};
	struct skip skip = {
		.ino = 13, .reason = SKIP_NO_HOLE, .figure = 50, .fragments = 4};

	plan_init(p);
	strcpy(p->title, "defrag /home");
	assert_true(vec_push(&p->moves, data) && vec_push(&p->moves, tree));
	assert_true(vec_push(&p->skips, skip));
	p->files = 1;
	p->data_blocks = 2913;
	p->price = (struct price){20480, 22528, 1, 2, 7000};
	metrics_compute(app.model, &p->before);
	p->after = p->before;
	p->after.files_fragmented = 1;
	p->after.fragments = 103;
	app.plan = p;
}

static void test_plan(void **state)
{
	struct plan plan;

	(void)state;
	draw(&pane_plan, 7, 100);
	assert_shows(&canvas, "no plan");
	make_plan(&plan);
	draw(&pane_plan, 7, 100);
	assert_shows(
		&canvas,
		" defrag /home  2 moves of 2 913 blk in 1 file, reads 20K, writes 22K, "
		"2 barriers, about 0:07");
	assert_shows(&canvas, "fragments 105 -> 103");
	assert_shows(&canvas, "frag 50.0 -> 25.0%");
	assert_shows(&canvas, "    #1        20        100 -> 700           2");
	assert_shows(&canvas, "    #2         1       tree -> 720");
	assert_shows(&canvas, "left as it is: ");
	assert_shows(&canvas, ", 4 fragments");
	draw(&pane_plan, 7, 120);
	assert_shows(&canvas, move_reason_text(REASON_TREE));
	/* While it runs, moves are ticked off. */
	app.job = 4;
	strcpy(app.progress.job, "run");
	app.progress.moves_done = 1;
	draw(&pane_plan, 7, 100);
	assert_shows(&canvas, "#1 ok");
	assert_shows(&canvas, "#2 >>");
	app.job = 0;
	app.plan = NULL;
	plan_release(&plan);
}

static void test_plan_scrolls(void **state)
{
	struct plan plan;

	(void)state;
	make_plan(&plan);
	for (int i = 0; i < 100; i++)
		assert_true(vec_push(&plan.moves, plan.moves.v[0]));
	draw(&pane_plan, 8, 80);
	key(&pane_plan, 'G', 0);
	assert_int_equal(app.bottom_scroll, 103 - 5);
	assert_shows(&canvas, "left as it is");
	key(&pane_plan, 'k', 3);
	assert_int_equal(app.bottom_scroll, 95);
	key(&pane_plan, KEY_UI_HOME, 0);
	assert_shows(&canvas, "#1 ");
	app.plan = NULL;
	plan_release(&plan);
}

static void test_jobs(void **state)
{
	struct move move = {.ino = 12, .len = 12, .from = 19020, .to = 18731};

	(void)state;
	draw(&pane_jobs, 7, 80);
	assert_shows(&canvas, "no job is running");
	app.job = 1;
	strcpy(app.job_name, "defrag /var");
	app.progress = (struct progress){.job = "run",
					 .phase = "barrier",
					 .done = 1024,
					 .total = 4096,
					 .moves_done = 3,
					 .moves_total = 96,
					 .bytes_per_second = 2048,
					 .eta_ms = 61000,
					 .batch = 5};
	assert_true(vec_push(&app.recent, move));
	move.len = 77;
	assert_true(vec_push(&app.recent, move));
	draw(&pane_jobs, 8, 80);
	assert_shows(&canvas, "defrag /var  phase barrier  batch 5  move 3 of 96");
	assert_shows(&canvas, " 25.0%");
	assert_shows(&canvas, "1.0K of 4.0K   2.0K/s   eta 1:01   ^C stops");
	/* The newest move first. */
	assert_true(sample_find(&canvas, "77 blk") < sample_find(&canvas, "12 blk"));
	assert_shows(&canvas, "19020 -> 18731");
	app.job = 0;
	app.run_ended = true;
	app.last_run = (struct run_summary){.moves = 96,
					    .blocks_moved = 2913,
					    .bytes_read = 1024,
					    .bytes_written = 2048,
					    .batches = 4,
					    .barriers = 9,
					    .elapsed_ms = 1500};
	draw(&pane_jobs, 7, 80);
	assert_shows(&canvas, "last run: 96 moves, 2 913 blk in 0:02");
	assert_shows(&canvas, "read 1.0K, wrote 2.0K, 4 batches, 9 barriers");
}

/* Moves and progress over two seconds, at times of our own. */
static void test_strips(void **state)
{
	struct move far[] = {{.ino = 12, .len = 10, .from = 100, .to = 1000},
			     {.ino = 12, .len = 5, .from = 110, .to = 1010},
			     {.ino = 12, .len = 5, .from = 400, .to = 1500}};
	struct progress p = {.bytes_per_second = 1 << 20, .job = "run", .total = 100};

	(void)state;
	app.job = 1;
	app.job_kind = REQ_RUN;
	app.progress = p;
	strcpy(app.progress.job, "run");
	strips_reset(&app.strips, 1000);
	strips_progress(&app.strips, &p, 1100); /* too early for a sample */
	assert_int_equal(app.strips.n, 0);
	strips_progress(&app.strips, &p, 1300);
	strips_moves(&app.strips, far, 3, 2000);
	/* To the first source and destination, then both again for the third: 4 in 1 s. */
	assert_int_equal((int)(app.strips.now[STRIP_SEEKS] + 0.5), 4);
	for (int i = 0; i < 2 * STRIP_SAMPLES; i++)
		strips_progress(&app.strips, &p, 2000 + 250 * (uint64_t)(i + 1));
	assert_int_equal(app.strips.n, STRIP_SAMPLES);
	draw(&pane_jobs, 9, 80);
	assert_shows(&canvas, "offset");
	assert_shows(&canvas, "1 500");
	assert_shows(&canvas, "4/s");
	assert_shows(&canvas, "1.0M/s");
	assert_shows(&canvas, "@@@@@@@@"); /* the speed was the same all the time */
	app.job = 0;
	draw(&pane_jobs, 9, 80);
	assert_shows_not(&canvas, "offset");
}

static void test_journal(void **state)
{
	struct history_action one = {"defrag /var", 0, 3, 0, 96, 2913, false};
	struct history_action two = {"defrag\033[2J", 0, 3, 3, 1, 1, false};
	struct history_action part = {"defrag /srv", 0, 3, 1, 1, 1, false};
	struct history h = {.fits = true, .bytes = 2048};

	(void)state;
	draw(&pane_journal, 5, 80);
	assert_shows(&canvas, "has not been read");
	app.history = &h;
	draw(&pane_journal, 5, 80);
	assert_shows(&canvas, "nothing to undo");
	assert_true(vec_push(&h.actions, one) && vec_push(&h.actions, part) &&
		    vec_push(&h.actions, two));
	draw(&pane_journal, 5, 80);
	assert_shows(&canvas, "2.0K, fits the volume");
	assert_shows(&canvas, "96 moves     2 913 blk  defrag /var");
	assert_shows(&canvas, "1/3 undone");
	assert_shows(&canvas, "defrag\\x1B[2J");
	/* Newest first. */
	assert_int_equal(sample_find(&canvas, "   3 "), 1);
	assert_int_equal(sample_find(&canvas, "defrag /var"), 3);
	/* Enter: back to before a line, or forward to it. */
	app.focus = FOCUS_BOTTOM;
	app.journal_cursor = 2;
	assert_true(
		pane_journal.key(&app, '\r', 0, &(struct view){&canvas, 0, 0, 5, 80}));
	assert_string_equal(app.confirm_line, "undo! 2");
	assert_non_null(strstr(app.confirm_text, "back to before \"defrag /var\""));
	assert_true(pane_journal.key(&app, 'k', 2, &(struct view){&canvas, 0, 0, 5, 80}));
	assert_int_equal(app.journal_cursor, 0);
	assert_true(
		pane_journal.key(&app, '\r', 0, &(struct view){&canvas, 0, 0, 5, 80}));
	assert_string_equal(app.confirm_line, "redo! 2");
	app_answer(&app, false);
	h.fits = false;
	strcpy(h.why, "it was mounted since");
	draw(&pane_journal, 5, 80);
	assert_shows(&canvas, "cannot be undone: it was mounted since");
	app.history = NULL;
	vec_release(&h.actions);
}

static void test_log(void **state)
{
	char text[40];
	size_t before = app.log.n;

	(void)state;
	for (int i = 0; i < 50; i++) {
		snprintf(text, sizeof(text), "line %02d.", i);
		app_log(&app, i == 49, "%s", text);
	}
	assert_int_equal(app.log.n, before + 50);
	draw(&pane_log, 5, 60);
	assert_shows(&canvas, "line 49.");
	assert_shows(&canvas, "line 45.");
	assert_shows_not(&canvas, "line 44.");
	key(&pane_log, 'k', 10);
	assert_shows(&canvas, "line 39.");
	assert_shows_not(&canvas, "line 40.");
	key(&pane_log, 'G', 0);
	assert_shows(&canvas, "line 49.");
	/* A new line stays in sight. */
	app_log(&app, false, "bell\a");
	draw(&pane_log, 5, 60);
	assert_shows(&canvas, "bell\\x07");
}

/* No pane draws outside of its view, whatever its size. */
static void test_stays_inside(void **state)
{
	static const struct pane *const panes[] = {&pane_files, &pane_inspect, &pane_plan,
						   &pane_jobs,	&pane_journal, &pane_log,
						   &pane_help,	&pane_map};
	struct style mark = {5, 6, 7};
	struct plan plan;

	(void)state;
	make_plan(&plan);
	app.selected = 12;
	app_log(&app, true, "a line that is rather long for a narrow view, %d", 1);
	assert_true(canvas_resize(&canvas, 20, 130));
	for (int rows = 0; rows <= 16; rows++)
		for (int cols = 0; cols <= 120; cols += 7)
			for (size_t p = 0; p < sizeof(panes) / sizeof(panes[0]); p++) {
				struct view all = canvas_view(&canvas);
				struct view v = view_part(&all, 2, 3, rows, cols);

				view_fill(&all, L'~', mark);
				panes[p]->draw(&app, &v);
				for (int i = 0; i < 20 * 130; i++) {
					int r = i / 130 - 2, c = i % 130 - 3;
					bool in =
						r >= 0 && r < rows && c >= 0 && c < cols;

					if (!in)
						assert_int_equal(
							canvas.cells[i].style.attr, 7);
				}
			}
	app.plan = NULL;
	plan_release(&plan);
}

static void test_without_model(void **state)
{
	(void)state;
	model_free(app.model);
	app.model = NULL;
	app.selected = 12;
	draw(&pane_files, 5, 60);
	assert_shows(&canvas, "the files come when the scan is done");
	draw(&pane_inspect, 5, 60);
	assert_shows(&canvas, "owners come with the scan");
	draw(&pane_plan, 5, 60);
	assert_shows(&canvas, "no plan");
	app.open = false;
	draw(&pane_files, 5, 60);
	assert_shows(&canvas, "no volume is open");
}

#define WITH_APP(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_APP(test_files),	      WITH_APP(test_files_scrolls),
		WITH_APP(test_inspect),	      WITH_APP(test_inspect_follows),
		WITH_APP(test_inspect_click), WITH_APP(test_plan),
		WITH_APP(test_plan_scrolls),  WITH_APP(test_jobs),
		WITH_APP(test_journal),	      WITH_APP(test_strips),
		WITH_APP(test_log),	      WITH_APP(test_stays_inside),
		WITH_APP(test_without_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
