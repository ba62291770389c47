/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * loop.c - waits for keys, events, signals and the frame clock, and draws.
 *
 * It sleeps in poll() without a time-out as long as nothing flashes and nothing has
 * changed. However much happens, it draws at most 30 times a second, and 10 times while
 * the terminal does not keep up.
 */
#include "ui/loop.h"
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "base/num.h"
#include "ui/anim.h"
#include "ui/files.h"
#include "ui/lesson.h"
#include "ui/names.h"
#include "ui/prompt.h"
#include "ui/replay.h"
#include "ui/screen.h"
#include "ui/search.h"
#include "ui/tty.h"
#include "ui/watch.h"

#define FRAME_MS      33
#define ANSWER_MS     5 /* keys that repeat faster share a frame */
#define SLOW_FRAME_MS 100

enum { WAIT_KEYS, WAIT_ENGINE, WAIT_SIGNAL, WAIT_STDERR, WAIT_FSCK, WAIT_COUNT };

struct loop {
	struct app *app;
	struct canvas canvas;
	struct input *in;
	bool dirty;
	bool answer;	/* a key came: its frame does not wait for the clock */
	bool slow;	/* the last frame took the terminal long */
	uint64_t drawn; /* time of the last frame */
	int signal;	/* that ends the loop, 0 none */
	struct str stderr_line;
};

/* --- drawing --- */

static uint64_t frame_due(const struct loop *l)
{
	if (l->answer && tty_backlog() == 0)
		return l->drawn + ANSWER_MS;
	return l->drawn + (l->slow || tty_backlog() > 0 ? SLOW_FRAME_MS : FRAME_MS);
}

static bool wants_frame(struct loop *l, uint64_t now)
{
	return l->dirty || (l->app->anim && anim_active(l->app->anim, now));
}

static void fit_canvas(struct loop *l)
{
	int rows, cols;

	tty_size(&rows, &cols);
	if (rows != l->canvas.rows || cols != l->canvas.cols)
		canvas_resize(&l->canvas, rows, cols);
}

static void draw_frame(struct loop *l)
{
	uint64_t start = num_now_ms();

	fit_canvas(l);
	screen_draw(l->app, &l->canvas);
	tty_draw(&l->canvas);
	recorder_frame(l->app, &l->canvas, 0);
	l->dirty = l->answer = false;
	l->drawn = num_now_ms();
	l->slow = l->drawn - start > FRAME_MS;
	if (l->app->names)
		names_flush(l->app->names, l->app);
}

/* --- input --- */

static void handle_input(struct loop *l)
{
	struct input_event ev;

	while (!l->app->quit && input_next(l->in, num_now_ms(), &ev)) {
		l->dirty = l->answer = true;
		if (ev.kind == INPUT_KEY)
			screen_key(l->app, &l->canvas, ev.key);
		else if (ev.kind == INPUT_MOUSE)
			screen_mouse(l->app, &l->canvas, &ev.mouse);
		else
			prompt_paste(ev.text); /* outside of the prompt: dropped */
	}
}

static void read_keys(struct loop *l)
{
	char bytes[4096];
	ssize_t n = read(tty_fd(), bytes, sizeof(bytes));

	if (n > 0) {
		if (!input_feed(l->in, bytes, (size_t)n))
			app_say(l->app, "out of memory: a key was lost");
		handle_input(l);
	} else if (n == 0 || (errno != EINTR && errno != EAGAIN)) {
		l->signal = SIGHUP; /* the terminal is gone */
	}
}

/* What libraries print goes to the log, line by line. */
static void read_stderr(struct loop *l)
{
	char bytes[1024];
	ssize_t n;

	while ((n = read(tty_stderr_fd(), bytes, sizeof(bytes))) > 0)
		for (ssize_t i = 0; i < n; i++) {
			if (bytes[i] != '\n') {
				str_addc(&l->stderr_line, bytes[i]);
				continue;
			}
			app_log(l->app, true, "%s", l->stderr_line.buf);
			str_clear(&l->stderr_line);
			l->dirty = true;
		}
}

static void handle_signals(struct loop *l)
{
	struct tty_signals s;

	tty_signals(&s);
	if (s.end)
		l->signal = s.end;
	if (s.resumed)
		tty_resume();
	l->app->suspend = l->app->suspend || s.suspend;
	l->dirty = true;
}

static void grant_wishes(struct loop *l)
{
	struct app *a = l->app;

	if (a->suspend) {
		a->suspend = false;
		tty_suspend();
		l->dirty = true;
	}
	tty_mouse(a->mouse);
	if (a->redraw) {
		a->redraw = false;
		tty_forget();
		l->dirty = true;
	}
}

/* --- waiting --- */

static int wait_ms(struct loop *l)
{
	uint64_t now = num_now_ms(), due = frame_due(l);
	int ms = -1, watch;

	if ((files_busy(l->app->files) && !files_wait(l->app->files, l->app)) ||
	    app_may_release(l->app) || lesson_ready(l->app) || search_ready(l->app))
		return 0;
	if (wants_frame(l, now))
		ms = due > now ? (int)(due - now) : 0;
	watch = watch_wait(l->app);
	if (watch >= 0 && (ms < 0 || ms > watch))
		ms = watch;
	if (replay_due(l->app, now) >= 0 && (ms < 0 || ms > replay_due(l->app, now)))
		ms = replay_due(l->app, now);
	if (input_waiting(l->in) && (ms < 0 || ms > INPUT_ESCAPE_MS))
		ms = INPUT_ESCAPE_MS;
	return ms;
}

static void wait_and_handle(struct loop *l)
{
	struct pollfd fds[WAIT_COUNT] = {
		[WAIT_KEYS] = {tty_fd(), POLLIN, 0},
		[WAIT_ENGINE] = {engine_fd(l->app->engine), POLLIN, 0},
		[WAIT_SIGNAL] = {tty_wake_fd(), POLLIN, 0},
		[WAIT_STDERR] = {tty_stderr_fd(), POLLIN, 0},
		[WAIT_FSCK] = {app_fsck_fd(l->app), POLLIN, 0},
	};
	bool waiting = input_waiting(l->in);
	int n = poll(fds, WAIT_COUNT, wait_ms(l));

	if (n < 0)
		return; /* EINTR: the wake pipe is readable next time */
	if (fds[WAIT_SIGNAL].revents)
		handle_signals(l);
	if (fds[WAIT_KEYS].revents) {
		read_keys(l);
	} else if (waiting && input_waiting(l->in)) {
		input_timeout(l->in);
		handle_input(l);
	}
	/* Many moves take their time to apply: keys come first. */
	if ((fds[WAIT_ENGINE].revents || app_may_release(l->app)) &&
	    app_drain_for(l->app, FRAME_MS / 4))
		l->dirty = true;
	if (fds[WAIT_FSCK].revents && app_poll_fsck(l->app))
		l->dirty = true;
	if (fds[WAIT_STDERR].revents & POLLIN)
		read_stderr(l);
}

/* A slice of what takes long, whenever nothing waits. */
static void work(struct loop *l)
{
	struct err err = ERR_INIT;

	if (replay_due(l->app, num_now_ms()) == 0) {
		replay_tick(l->app, num_now_ms());
		l->dirty = true;
	}
	if (lesson_ready(l->app)) {
		lesson_tick(l->app);
		l->dirty = true;
	}
	if (search_ready(l->app) && search_step(l->app))
		l->dirty = true;
	if (!files_busy(l->app->files) || files_wait(l->app->files, l->app))
		return;
	if (!files_step(l->app->files, l->app, &err))
		app_fail(l->app, &err);
	l->dirty = true;
}

/* --- start and end --- */

/* Brings the theme down to what this terminal has. */
static void fit_theme(struct app *a)
{
	enum theme_depth depth;
	struct err err = ERR_INIT;
	bool utf8;

	tty_probe(&depth, &utf8);
	if (a->theme.depth <= depth && (!a->theme.utf8 || utf8))
		return;
	if (depth > a->theme.depth)
		depth = a->theme.depth;
	if (!a->theme.utf8)
		utf8 = false;
	if (!theme_load(&a->theme, a->theme_id, depth, utf8, NULL, NULL, &err))
		theme_default(&a->theme, depth, utf8);
}

static bool start(struct loop *l, struct err *err)
{
	struct str path = STR_INIT;
	bool ok;

	str_init(&l->stderr_line);
	if (!tty_start(err))
		return false;
	fit_theme(l->app);
	l->in = input_new(l->app->theme.utf8);
	ok = l->in && tty_add_keys(l->in) && canvas_init(&l->canvas, 1, 1);
	if (!ok)
		err_nomem(err);
	ok = ok && prompt_init(l->app, prompt_history_path(&path) ? path.buf : NULL, err);
	str_release(&path);
	l->app->interactive = ok;
	l->dirty = true;
	return ok;
}

static void end(struct loop *l)
{
	l->app->interactive = false;
	prompt_release();
	if (tty_stderr_fd() >= 0)
		read_stderr(l);
	tty_stop();
	input_free(l->in);
	canvas_release(&l->canvas);
	str_release(&l->stderr_line);
}

/* A job that runs ends at its next safe point; a second signal does not wait for that. */
static void stop_job(struct loop *l)
{
	struct app *a = l->app;

	if (a->job == 0)
		return;
	engine_stop(a->engine);
	app_say(a, "stopping at the next safe point");
	draw_frame(l);
	while (a->job != 0 && engine_busy(a->engine)) {
		struct pollfd fd = {engine_fd(a->engine), POLLIN, 0};

		poll(&fd, 1, 100);
		app_drain(a);
	}
}

int loop_run(struct app *a)
{
	struct loop l = {.app = a};
	struct err err = ERR_INIT;

	if (!start(&l, &err)) {
		end(&l);
		app_fail(a, &err);
		return 1;
	}
	while (!a->quit && !l.signal) {
		if (wants_frame(&l, num_now_ms()) && frame_due(&l) <= num_now_ms())
			draw_frame(&l);
		wait_and_handle(&l);
		work(&l);
		watch_step(a);
		grant_wishes(&l);
	}
	stop_job(&l);
	end(&l);
	return l.signal ? 128 + l.signal : a->exit_code;
}
