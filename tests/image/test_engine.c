/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_engine.c - the whole way on a real volume: open, scan, plan, run, check, undo,
 * redo; once pumped and once with the worker thread. Oracles: e2fsck -fn, contents read
 * by debugfs, cmp.
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include "engine/engine.h"
#include "lab/demo.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

struct rig {
	struct engine *engine;
	bool threaded;
	struct model *model;
	struct plan *plan;
	struct history *history;
	struct run_summary summary;
	struct err err;
	char *path;
	uint64_t flaws;
	size_t overviews, moved;
};

static void handle(struct rig *r, struct event *ev)
{
	struct err err = ERR_INIT;

	if (ev->kind == EV_MODEL) {
		model_free(r->model);
		r->model = ev->model;
		r->flaws = ev->flaws->count;
		ev->model = NULL;
	} else if (ev->kind == EV_PLAN) {
		r->plan = ev->plan;
		ev->plan = NULL;
	} else if (ev->kind == EV_HISTORY) {
		r->history = ev->history;
		ev->history = NULL;
	} else if (ev->kind == EV_OVERVIEW) {
		r->overviews++;
	} else if (ev->kind == EV_MOVED) {
		r->moved += ev->move_count;
		if (!engine_apply(r->model, ev->moves, ev->move_count, &err))
			fail_msg("%s", err.msg);
	} else if (ev->kind == EV_PATHS && ev->path_count && ev->paths[0]) {
		free(r->path);
		r->path = strdup(ev->paths[0]);
	} else if (ev->kind == EV_ENDED) {
		r->summary = ev->summary;
		r->err = ev->err;
	}
}

/* Submits and handles events until the request has ended. False if it ended in an error
 * (r->err). */
static bool ask(struct rig *r, struct request request)
{
	struct err err = ERR_INIT;
	uint32_t ticket = engine_submit(r->engine, &request, &err);

	assert_int_not_equal(ticket, 0);
	for (;;) {
		struct pollfd p = {engine_fd(r->engine), POLLIN, 0};
		struct event *ev = engine_next(r->engine);
		bool ended;

		if (!ev) {
			if (r->threaded)
				assert_int_equal(poll(&p, 1, 60000), 1);
			else
				engine_pump(r->engine);
			continue;
		}
		handle(r, ev);
		ended = ev->kind == EV_ENDED && ev->ticket == ticket;
		event_free(ev);
		if (ended)
			return !err_isset(&r->err);
	}
}

static void must(struct rig *r, struct request request)
{
	if (!ask(r, request))
		fail_msg("%s", r->err.msg);
}

static void open_rig(struct rig *r, const char *img, bool write)
{
	struct err err = ERR_INIT;

	r->engine = engine_new(r->threaded ? ENGINE_THREAD : 0, &err);
	assert_non_null(r->engine);
	must(r, (struct request){.kind = REQ_OPEN,
				 .path = img,
				 .write = write,
				 .journal = image_path("t.undo")});
	must(r, (struct request){.kind = REQ_SCAN});
	assert_non_null(r->model);
}

static void drop_plan(struct rig *r)
{
	if (r->plan)
		plan_release(r->plan);
	free(r->plan);
	r->plan = NULL;
}

static void close_rig(struct rig *r)
{
	engine_free(r->engine);
	model_free(r->model);
	drop_plan(r);
	if (r->history)
		history_release(r->history);
	free(r->history);
	free(r->path);
	memset(r, 0, sizeof(*r));
}

static void defrag_all(struct rig *r)
{
	struct inum_list all = {0};

	assert_true(model_tree(r->model, 2, &all));
	must(r, (struct request){.kind = REQ_PLAN,
				 .model = r->model,
				 .goal = {.inos = all.v, .ino_count = all.n},
				 .title = "defrag %"});
	free(all.v);
	assert_non_null(r->plan);
}

static void assert_metrics(const struct metrics *a, const struct metrics *b)
{
	assert_int_equal(a->fragments, b->fragments);
	assert_int_equal(a->files_fragmented, b->files_fragmented);
	assert_int_equal(a->pairs_close, b->pairs_close);
	assert_int_equal(a->free_runs, b->free_runs);
	assert_int_equal(a->free_blocks, b->free_blocks);
	assert_int_equal(a->largest_hole_blocks, b->largest_hole_blocks);
}

static void make_demo(const char *type)
{
	struct demo_options opt = {.seed = 5, .type = type};
	struct err err = ERR_INIT;

	if (!demo_make(image_path("a.img"), &opt, true, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(image_run("rm -f '%s'* && cp --sparse=always '%s' '%s'",
				   image_path("t.undo"), image_path("a.img"),
				   image_path("before.img")),
			 0);
	assert_int_equal(image_run("tests/lib/manifest '%s' > '%s'", image_path("a.img"),
				   image_path("before")),
			 0);
}

static void assert_unharmed(void)
{
	assert_true(image_is_clean(image_path("a.img")));
	assert_int_equal(image_run("tests/lib/manifest '%s' > '%s' && diff '%s' '%s'",
				   image_path("a.img"), image_path("after"),
				   image_path("before"), image_path("after")),
			 0);
}

static void whole_way(const char *type, bool threaded)
{
	struct rig r = {.threaded = threaded};
	struct metrics before, after;

	make_demo(type);
	open_rig(&r, image_path("a.img"), true);
	assert_int_equal(r.flaws, 0);
	assert_true(r.overviews > 0);
	metrics_compute(r.model, &before);
	defrag_all(&r);
	assert_metrics(&r.plan->before, &before);
	assert_true(r.plan->after.fragments < before.fragments);

	must(&r, (struct request){.kind = REQ_RUN, .plan = r.plan});
	assert_int_equal(r.moved, r.plan->moves.n);
	assert_int_equal(r.summary.blocks_moved, r.plan->data_blocks);
	metrics_compute(r.model, &after);
	assert_metrics(&r.plan->after, &after);
	must(&r, (struct request){.kind = REQ_CHECK, .model = r.model});
	assert_unharmed();

	must(&r, (struct request){.kind = REQ_UNDO});
	metrics_compute(r.model, &after);
	assert_metrics(&after, &before);
	must(&r, (struct request){.kind = REQ_CHECK, .model = r.model});
	close_rig(&r);
	assert_unharmed();

	r.threaded = threaded; /* a later run of the program does it again */
	open_rig(&r, image_path("a.img"), true);
	must(&r, (struct request){.kind = REQ_REDO});
	must(&r, (struct request){.kind = REQ_HISTORY});
	assert_int_equal(r.history->actions.n, 1);
	assert_string_equal(r.history->actions.v[0].name, "defrag %");
	assert_int_equal(r.history->actions.v[0].undone, 0);
	assert_unharmed();
	close_rig(&r);
}

static void test_ext4_pumped(void **state)
{
	(void)state;
	whole_way("ext4", false);
}

static void test_ext2_threaded(void **state)
{
	(void)state;
	whole_way("ext2", true);
}

static void test_view_only_refuses(void **state)
{
	struct rig r = {0};
	inum_t ino = 2;

	(void)state;
	make_demo("ext4");
	open_rig(&r, image_path("a.img"), false);
	defrag_all(&r);
	assert_false(ask(&r, (struct request){.kind = REQ_RUN, .plan = r.plan}));
	assert_int_equal(r.err.class, ERR_REFUSED);
	assert_non_null(strstr(r.err.msg, "-w"));
	assert_false(ask(&r, (struct request){.kind = REQ_UNDO}));
	must(&r,
	     (struct request){
		     .kind = REQ_PATHS, .model = r.model, .inos = &ino, .ino_count = 1});
	assert_string_equal(r.path, "/");
	close_rig(&r);
	assert_true(image_same(image_path("a.img"), image_path("before.img")));
}

static void test_no_volume(void **state)
{
	struct rig r = {0};
	struct err err = ERR_INIT;

	(void)state;
	r.engine = engine_new(0, &err);
	assert_false(ask(&r, (struct request){.kind = REQ_SCAN}));
	assert_int_equal(r.err.class, ERR_USAGE);
	assert_false(
		ask(&r, (struct request){.kind = REQ_OPEN, .path = "/nowhere/at.all"}));
	assert_false(ask(&r, (struct request){.kind = REQ_HISTORY}));
	assert_false(engine_busy(r.engine));
	close_rig(&r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_volume),
		cmocka_unit_test(test_view_only_refuses),
		cmocka_unit_test(test_ext4_pumped),
		cmocka_unit_test(test_ext2_threaded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
