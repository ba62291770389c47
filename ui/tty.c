/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tty.c - curses output, terminal modes, stderr; see tty.h. */
#define NCURSES_NOMACROS 1
#define NCURSES_WIDECHAR 1
#include "ui/tty.h"
#include <curses.h>
#include <errno.h>
#include <fcntl.h>
#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <unistd.h>
#include "ui/tty_signal.h"

#define COLOURS 257 /* COLOR_DEFAULT and the palette */

static const char mouse_on[] = "\033[?1000h\033[?1002h\033[?1006h";
static const char mouse_off[] = "\033[?1006l\033[?1002l\033[?1000l";
static const char paste_on[] = "\033[?2004h";
static const char modes_off[] = "\033[?2004l\033[?1006l\033[?1002l\033[?1000l";

static struct {
	bool started;
	SCREEN *screen;
	struct canvas shadow; /* what curses has been told */
	bool valid;	      /* shadow holds */
	bool utf8, color;
	bool no_mouse;
	bool defaults;	       /* the terminal has default colours */
	int (*pairs)[COLOURS]; /* [fg + 1][bg + 1], 0 = not made yet */
	int next_pair;
	int pipe[2];
	int real_stderr;
	struct termios modes;
	bool have_modes;
} tty = {.pipe = {-1, -1}, .real_stderr = -1};

/* --- what the terminal can do --- */

static bool locale_is_utf8(void)
{
	return !strcmp(nl_langinfo(CODESET), "UTF-8");
}

static enum theme_depth depth_now(void)
{
	int colors = tigetnum("colors");

	if (colors < 8)
		return DEPTH_MONO;
	return colors >= 256 ? DEPTH_256 : DEPTH_8;
}

void tty_probe(enum theme_depth *depth, bool *utf8)
{
	int rc;

	*utf8 = locale_is_utf8();
	*depth = DEPTH_MONO;
	if (tty.started) {
		*depth = depth_now();
	} else if (setupterm(NULL, STDOUT_FILENO, &rc) == OK) {
		*depth = depth_now();
		del_curterm(cur_term);
	}
}

void tty_size(int *rows, int *cols)
{
	struct winsize size;

	*rows = 24;
	*cols = 80;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		return;
	*rows = size.ws_row;
	*cols = size.ws_col;
}

int tty_backlog(void)
{
	int n = 0;

	return ioctl(STDOUT_FILENO, TIOCOUTQ, &n) ? 0 : n;
}

bool tty_add_keys(struct input *in)
{
	static const struct {
		const char *name;
		int key;
	} keys[] = {
		{"kcuu1", KEY_UI_UP},	  {"kcud1", KEY_UI_DOWN},
		{"kcub1", KEY_UI_LEFT},	  {"kcuf1", KEY_UI_RIGHT},
		{"khome", KEY_UI_HOME},	  {"kend", KEY_UI_END},
		{"kpp", KEY_UI_PGUP},	  {"knp", KEY_UI_PGDN},
		{"kich1", KEY_UI_INSERT}, {"kdch1", KEY_UI_DELETE},
		{"kcbt", KEY_UI_BACKTAB}, {"kf1", KEY_UI_F1},
		{"kf2", KEY_UI_F2},	  {"kf3", KEY_UI_F3},
		{"kf4", KEY_UI_F4},	  {"kf5", KEY_UI_F5},
		{"kf6", KEY_UI_F6},	  {"kf7", KEY_UI_F7},
		{"kf8", KEY_UI_F8},	  {"kf9", KEY_UI_F9},
		{"kf10", KEY_UI_F10},
	};

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const char *sequence = tigetstr(keys[i].name);

		if (sequence && sequence != (char *)-1 &&
		    !input_add_key(in, sequence, keys[i].key))
			return false;
	}
	return true;
}

/* --- modes --- */

static void write_all(const char *bytes, size_t n)
{
	while (n > 0) {
		ssize_t done = write(STDOUT_FILENO, bytes, n);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return;
		bytes += done;
		n -= (size_t)done;
	}
}

/* Adds a terminfo string without its padding marks. */
static void add_capability(struct tty_restore *r, const char *name)
{
	const char *p = tigetstr(name);

	if (!p || p == (char *)-1)
		return;
	while (*p && r->len < sizeof(r->bytes)) {
		const char *end = p[0] == '$' && p[1] == '<' ? strchr(p, '>') : NULL;

		if (end)
			p = end + 1;
		else
			r->bytes[r->len++] = *p++;
	}
}

static void prepare_restore(void)
{
	static const char *const names[] = {"sgr0", "cnorm", "rmkx", "rmcup"};
	struct tty_restore r;

	memset(&r, 0, sizeof(r));
	r.fd = STDOUT_FILENO;
	memcpy(r.bytes, modes_off, sizeof(modes_off) - 1);
	r.len = sizeof(modes_off) - 1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		add_capability(&r, names[i]);
	r.modes = tty.modes;
	r.stderr_fd = tty.real_stderr;
	r.pipe_fd = tty.pipe[0];
	tty_signal_restore(&r);
}

/* Only a terminal's stderr: one that the operator sent to a file stays there. */
static void redirect_stderr(void)
{
	if (!isatty(STDERR_FILENO) || pipe2(tty.pipe, O_CLOEXEC | O_NONBLOCK))
		return;
	fflush(stderr);
	tty.real_stderr = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
	if (tty.real_stderr >= 0)
		dup2(tty.pipe[1], STDERR_FILENO);
}

static void give_back_stderr(void)
{
	if (tty.real_stderr >= 0) {
		fflush(stderr);
		dup2(tty.real_stderr, STDERR_FILENO);
		close(tty.real_stderr);
	}
	for (int i = 0; i < 2; i++) {
		if (tty.pipe[i] >= 0)
			close(tty.pipe[i]);
		tty.pipe[i] = -1;
	}
	tty.real_stderr = -1;
}

int tty_fd(void)
{
	return STDIN_FILENO;
}

int tty_stderr_fd(void)
{
	return tty.pipe[0];
}

/* --- start and stop --- */

static void forget_pairs(void)
{
	memset(tty.pairs, 0, sizeof(*tty.pairs) * COLOURS);
	tty.next_pair = 1;
}

static void set_up_curses(void)
{
	raw();
	noecho();
	nonl();
	keypad(stdscr, TRUE);
	leaveok(stdscr, FALSE);
	typeahead(-1);
	curs_set(0);
	tty.utf8 = locale_is_utf8();
	tty.color = depth_now() != DEPTH_MONO && start_color() == OK;
	if (tty.color)
		tty.defaults = use_default_colors() == OK;
	forget_pairs();
	tty.valid = false;
}

static void send_modes(void)
{
	if (!tty.no_mouse)
		write_all(mouse_on, sizeof(mouse_on) - 1);
	write_all(paste_on, sizeof(paste_on) - 1);
}

void tty_mouse(bool on)
{
	if (on == !tty.no_mouse)
		return;
	tty.no_mouse = !on;
	if (tty.started && on)
		write_all(mouse_on, sizeof(mouse_on) - 1);
	else if (tty.started)
		write_all(mouse_off, sizeof(mouse_off) - 1);
}

bool tty_start(struct err *err)
{
	const char *term = getenv("TERM");

	if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
		err_set(err, ERR_REFUSED, "no terminal; without one use -c or --batch");
		return false;
	}
	tty.pairs = calloc(COLOURS, sizeof(*tty.pairs));
	if (!tty.pairs || !canvas_init(&tty.shadow, 1, 1)) {
		free(tty.pairs);
		return err_nomem(err);
	}
	tcgetattr(STDIN_FILENO, &tty.modes);
	if (!tty_signal_start(err))
		goto fail;
	tty.screen = newterm(NULL, stdout, stdin);
	if (!tty.screen) {
		err_set(err, ERR_REFUSED,
			"the terminal type \"%s\" is unknown or too simple; use -c or "
			"--batch",
			term ? term : "");
		tty_signal_stop();
		goto fail;
	}
	redirect_stderr();
	prepare_restore();
	set_up_curses();
	tty.started = true;
	refresh();
	send_modes();
	return true;
fail:
	canvas_release(&tty.shadow);
	free(tty.pairs);
	tty.pairs = NULL;
	return false;
}

void tty_stop(void)
{
	if (!tty.started)
		return;
	tty.started = false;
	write_all(modes_off, sizeof(modes_off) - 1);
	endwin();
	tty_signal_stop();
	give_back_stderr();
	delscreen(tty.screen);
	tty.screen = NULL;
	canvas_release(&tty.shadow);
	free(tty.pairs);
	tty.pairs = NULL;
}

void tty_suspend(void)
{
	write_all(modes_off, sizeof(modes_off) - 1);
	endwin();
	if (tty.real_stderr >= 0)
		dup2(tty.real_stderr, STDERR_FILENO);
	tty_signal_suspend();
	if (tty.real_stderr >= 0)
		dup2(tty.pipe[1], STDERR_FILENO);
	/* refresh() after endwin() takes the terminal back. */
	clearok(curscr, TRUE);
	refresh();
	send_modes();
	tty.valid = false;
}

void tty_resume(void)
{
	reset_prog_mode();
	send_modes();
	tty_forget();
}

/* --- drawing --- */

void tty_forget(void)
{
	tty.valid = false;
	clearok(curscr, TRUE);
}

/* The colour pair, made when first asked for; -1: there are no more. */
static int pair_of(struct style s)
{
	int *pair;

	if (!tty.color || (s.fg == COLOR_DEFAULT && s.bg == COLOR_DEFAULT))
		return 0;
	if (s.fg < -1 || s.fg > 255 || s.bg < -1 || s.bg > 255)
		return 0;
	if (!tty.defaults) {
		s.fg = s.fg < 0 ? COLOR_WHITE : s.fg;
		s.bg = s.bg < 0 ? COLOR_BLACK : s.bg;
	}
	pair = &tty.pairs[s.fg + 1][s.bg + 1];
	if (*pair == 0) {
		if (tty.next_pair >= COLOR_PAIRS ||
		    init_extended_pair(tty.next_pair, s.fg, s.bg) == ERR)
			return -1;
		*pair = tty.next_pair++;
	}
	return *pair;
}

static attr_t attributes(unsigned attr)
{
	return (attr & ATTR_BOLD ? WA_BOLD : 0) |
	       (attr & ATTR_UNDERLINE ? WA_UNDERLINE : 0) |
	       (attr & ATTR_REVERSE ? WA_REVERSE : 0) | (attr & ATTR_DIM ? WA_DIM : 0);
}

/* False: out of colour pairs; make_do: then rather without colour. */
static bool put_cell(int row, int col, const struct cell *cell, bool make_do)
{
	wchar_t text[2] = {cell->ch, 0};
	int pair = pair_of(cell->style);
	cchar_t cc;

	/* What the locale shows otherwise than the canvas would shift the row. */
	if (text[0] > 0x7e && (!tty.utf8 || wcwidth(text[0]) != char_width(text[0])))
		text[0] = L'?';
	if (pair < 0 && !make_do)
		return false;
	if (pair < 0)
		pair = 0;
	if (setcchar(&cc, text, attributes(cell->style.attr), (short)0, &pair) == OK)
		mvadd_wch(row, col, &cc);
	if (char_width(cell->ch) == 2 && text[0] == L'?')
		mvadd_wch(row, col + 1, &cc);
	return true;
}

static bool same(const struct cell *a, const struct cell *b)
{
	return a->ch == b->ch && a->style.fg == b->style.fg &&
	       a->style.bg == b->style.bg && a->style.attr == b->style.attr;
}

/* False: out of colour pairs part of the way. */
static bool copy_cells(const struct canvas *c, bool make_do)
{
	for (int row = 0; row < c->rows; row++) {
		const struct cell *now = c->cells + (size_t)row * (size_t)c->cols;
		struct cell *was = tty.shadow.cells + (size_t)row * (size_t)c->cols;

		for (int col = 0; col < c->cols; col++) {
			bool half = col + 1 < c->cols && now[col + 1].ch == 0;

			if (now[col].ch == 0 ||
			    (tty.valid && same(&now[col], &was[col]) &&
			     (!half || was[col + 1].ch == 0)))
				continue;
			if (!put_cell(row, col, &now[col], make_do))
				return false;
		}
		memcpy(was, now, sizeof(*was) * (size_t)c->cols);
	}
	tty.valid = true;
	return true;
}

void tty_draw(const struct canvas *c)
{
	if (c->rows != tty.shadow.rows || c->cols != tty.shadow.cols) {
		if (!canvas_resize(&tty.shadow, c->rows, c->cols))
			return;
		resizeterm(c->rows, c->cols);
		tty.valid = false;
	}
	/* Pairs are never given back one by one: start over when they run out. */
	if (!copy_cells(c, false)) {
		forget_pairs();
		tty.valid = false;
		copy_cells(c, true);
	}
	if (c->cursor_row >= 0 && c->cursor_row < c->rows && c->cursor_col >= 0 &&
	    c->cursor_col < c->cols) {
		curs_set(1);
		move(c->cursor_row, c->cursor_col);
	} else {
		curs_set(0);
	}
	refresh();
}
