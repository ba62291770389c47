/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * input.c - the decoder of input.h.
 *
 * One function per form looks at the start of the buffer and says how many bytes it took:
 * NEED_MORE while the sequence may still go on. `flush` (nothing more came in time) turns
 * a lone Escape into a key and throws away the start of any other sequence.
 *
 * Sequences read:
 *   ESC [ params final   keys, ESC [ < b;x;y M|m mouse, ESC [ M b x y mouse
 *   ESC [ 200 ~ text ESC [ 201 ~   paste
 *   ESC [ [ A-E          F1 to F5 of the Linux console
 *   ESC O final          keys in application mode
 *   ESC char             Alt
 */
#include "ui/input.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>
#include "base/vec.h"

#define NEED_MORE    (-1)
#define ESC	     0x1b
#define SEQUENCE_MAX 64 /* longer ones are noise */

struct key_sequence {
	char bytes[16];
	size_t len;
	int key;
};

struct input {
	bool utf8;
	bool flush;
	bool pasting;
	struct str buf;
	size_t at; /* bytes of buf that are done with */
	struct str paste;
	VEC(struct key_sequence) keys;
	/* the last press, for double clicks */
	uint64_t press_time;
	int press_row, press_col;
	bool pressed;
};

struct input *input_new(bool utf8)
{
	struct input *in = calloc(1, sizeof(*in));

	if (!in)
		return NULL;
	in->utf8 = utf8;
	str_init(&in->buf);
	str_init(&in->paste);
	return in;
}

void input_free(struct input *in)
{
	if (!in)
		return;
	str_release(&in->buf);
	str_release(&in->paste);
	vec_release(&in->keys);
	free(in);
}

bool input_add_key(struct input *in, const char *sequence, int key)
{
	struct key_sequence k = {.len = strlen(sequence), .key = key};

	/* A plain character is no sequence: it would shadow itself. */
	if (k.len < 2 || k.len > sizeof(k.bytes) || sequence[0] != ESC)
		return true;
	memcpy(k.bytes, sequence, k.len);
	return vec_push(&in->keys, k);
}

bool input_feed(struct input *in, const char *bytes, size_t n)
{
	if (in->at > 0) {
		memmove(in->buf.buf, in->buf.buf + in->at, in->buf.len - in->at + 1);
		in->buf.len -= in->at;
		in->at = 0;
	}
	in->flush = false;
	str_addn(&in->buf, bytes, n);
	return !in->buf.oom;
}

bool input_waiting(const struct input *in)
{
	return in->at < in->buf.len && !in->pasting;
}

void input_timeout(struct input *in)
{
	in->flush = true;
}

/* --- keys --- */

static const struct {
	char final;
	int key;
} final_keys[] = {
	{'A', KEY_UI_UP},   {'B', KEY_UI_DOWN}, {'C', KEY_UI_RIGHT},   {'D', KEY_UI_LEFT},
	{'H', KEY_UI_HOME}, {'F', KEY_UI_END},	{'Z', KEY_UI_BACKTAB}, {'P', KEY_UI_F1},
	{'Q', KEY_UI_F2},   {'R', KEY_UI_F3},	{'S', KEY_UI_F4},      {'M', '\r'},
	{'a', KEY_UI_UP},   {'b', KEY_UI_DOWN}, {'c', KEY_UI_RIGHT},   {'d', KEY_UI_LEFT},
};

/* ESC [ n ~ (rxvt: n ^, n $ with Shift or Control) */
static const struct {
	int number, key;
} tilde_keys[] = {
	{1, KEY_UI_HOME}, {2, KEY_UI_INSERT}, {3, KEY_UI_DELETE}, {4, KEY_UI_END},
	{5, KEY_UI_PGUP}, {6, KEY_UI_PGDN},   {7, KEY_UI_HOME},	  {8, KEY_UI_END},
	{11, KEY_UI_F1},  {12, KEY_UI_F2},    {13, KEY_UI_F3},	  {14, KEY_UI_F4},
	{15, KEY_UI_F5},  {17, KEY_UI_F6},    {18, KEY_UI_F7},	  {19, KEY_UI_F8},
	{20, KEY_UI_F9},  {21, KEY_UI_F10},
};

/* 0: no key of ours. */
static int key_of_final(char final)
{
	for (size_t i = 0; i < sizeof(final_keys) / sizeof(final_keys[0]); i++)
		if (final_keys[i].final == final)
			return final_keys[i].key;
	return 0;
}

static int key_of_number(int number)
{
	for (size_t i = 0; i < sizeof(tilde_keys) / sizeof(tilde_keys[0]); i++)
		if (tilde_keys[i].number == number)
			return tilde_keys[i].key;
	return 0;
}

static void set_key(struct input_event *ev, int key)
{
	ev->kind = INPUT_KEY;
	ev->key = key;
}

/* --- mouse --- */

/* button: as X10 codes it, 32 already taken off. */
static bool set_mouse(struct input *in, struct input_event *ev, int button, bool release)
{
	struct mouse *m = &ev->mouse;

	ev->kind = INPUT_MOUSE;
	if (button & 64) {
		if ((button & 3) > 1)
			return false; /* sideways */
		m->kind = button & 1 ? MOUSE_DOWN : MOUSE_UP;
	} else if (release || (!(button & 32) && (button & 3) == 3)) {
		m->kind = MOUSE_RELEASE;
	} else if (button & 32) {
		if ((button & 3) == 3)
			return false; /* moved with no button down */
		m->kind = MOUSE_DRAG;
	} else if ((button & 3) == 0) {
		m->kind = MOUSE_PRESS;
	} else {
		return false; /* only the first button means something */
	}
	if (m->kind != MOUSE_RELEASE && m->kind != MOUSE_PRESS)
		in->pressed = false;
	return m->row >= 0 && m->col >= 0;
}

static void time_double_click(struct input *in, struct mouse *m, uint64_t now)
{
	if (m->kind != MOUSE_PRESS)
		return;
	if (in->pressed && now - in->press_time <= INPUT_DOUBLE_MS &&
	    in->press_row == m->row && in->press_col == m->col) {
		m->kind = MOUSE_DOUBLE;
		in->pressed = false;
		return;
	}
	in->pressed = true;
	in->press_time = now;
	in->press_row = m->row;
	in->press_col = m->col;
}

/* --- forms --- */

/* Each take_* looks at n > 0 bytes, returns how many are done with or NEED_MORE, and sets
 * *got if ev is an event. */

static int take_terminfo(const struct input *in, const char *p, size_t n,
			 struct input_event *ev, bool *got)
{
	bool maybe = false;
	const struct key_sequence *best = NULL;

	for (size_t i = 0; i < in->keys.n; i++) {
		const struct key_sequence *k = &in->keys.v[i];

		if (n >= k->len && !memcmp(p, k->bytes, k->len)) {
			if (!best || k->len > best->len)
				best = k;
		} else if (n < k->len && !memcmp(p, k->bytes, n)) {
			maybe = true;
		}
	}
	if (maybe && !in->flush)
		return NEED_MORE;
	if (!best)
		return 0;
	set_key(ev, best->key);
	*got = true;
	return (int)best->len;
}

static int take_old_mouse(struct input *in, const char *p, size_t n,
			  struct input_event *ev, bool *got)
{
	const unsigned char *b = (const unsigned char *)p + 3;

	if (n < 6)
		return NEED_MORE;
	ev->mouse.col = b[1] - 33;
	ev->mouse.row = b[2] - 33;
	*got = set_mouse(in, ev, b[0] - 32, false);
	return 6;
}

static bool take_sgr_mouse(struct input *in, const char *params, char final,
			   struct input_event *ev)
{
	int button, col, row;

	if (sscanf(params, "%d;%d;%d", &button, &col, &row) != 3)
		return false;
	ev->mouse.col = col - 1;
	ev->mouse.row = row - 1;
	return set_mouse(in, ev, button, final == 'm');
}

static bool csi_event(struct input *in, const char *params, char final,
		      struct input_event *ev)
{
	int number = atoi(params), key;

	if (params[0] == '<')
		return (final == 'M' || final == 'm') &&
		       take_sgr_mouse(in, params + 1, final, ev);
	if (params[0] == '?' || params[0] == '>' || params[0] == '=')
		return false; /* an answer to a question that nobody asked */
	if (final == '~' && number == 200) {
		in->pasting = true;
		str_clear(&in->paste);
		return false;
	}
	if (final == 'M')
		return false;
	key = final == '~' || final == '^' || final == '$' || final == '@'
		      ? key_of_number(number)
		      : key_of_final(final);
	set_key(ev, key);
	return key != 0;
}

static int take_csi(struct input *in, const char *p, size_t n, struct input_event *ev,
		    bool *got)
{
	char params[SEQUENCE_MAX];
	size_t i = 2;

	if (n > 2 && p[2] == 'M')
		return take_old_mouse(in, p, n, ev, got);
	if (n > 2 && p[2] == '[') {
		if (n < 4)
			return NEED_MORE;
		if (p[3] >= 'A' && p[3] <= 'E') {
			set_key(ev, KEY_UI_F1 + (p[3] - 'A'));
			*got = true;
		}
		return 4;
	}
	/* '$' is an intermediate byte for xterm and a final one for rxvt. */
	while (i < n && p[i] >= 0x20 && p[i] < 0x40 && p[i] != '$')
		i++;
	if (i >= SEQUENCE_MAX)
		return (int)i;
	if (i >= n)
		return NEED_MORE;
	if (p[i] < 0x20 || p[i] == 0x7f)
		return (int)i; /* broken off: what follows is read afresh */
	memcpy(params, p + 2, i - 2);
	params[i - 2] = '\0';
	*got = csi_event(in, params, p[i], ev);
	return (int)i + 1;
}

static int take_ss3(const char *p, size_t n, struct input_event *ev, bool *got)
{
	int key;

	if (n < 3)
		return NEED_MORE;
	if (p[2] < 0x20)
		return 2;
	key = key_of_final(p[2]);
	set_key(ev, key);
	*got = key != 0;
	return 3;
}

/* One character in the locale's or the UTF-8 encoding. */
static int take_char(const struct input *in, const char *p, size_t n,
		     struct input_event *ev, bool *got)
{
	unsigned char first = (unsigned char)p[0];
	int need, ch;

	if (first < 0x80) {
		set_key(ev, first == 0x7f || first == 8 ? KEY_UI_BACKSPACE : first);
		*got = true;
		return 1;
	}
	if (!in->utf8) {
		wint_t wide = btowc(first);

		set_key(ev, (int)wide);
		*got = wide != WEOF;
		return 1;
	}
	need = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
	for (int i = 1; i < need && (size_t)i < n; i++)
		if (((unsigned char)p[i] & 0xC0) != 0x80)
			return i; /* not UTF-8: dropped */
	if (n < (size_t)need)
		return NEED_MORE;
	if (!str_is_utf8(p, (size_t)need))
		return need;
	ch = first & (0x7F >> need);
	for (int i = 1; i < need; i++)
		ch = ch << 6 | (p[i] & 0x3F);
	set_key(ev, ch);
	*got = true;
	return need;
}

static int take_escape(struct input *in, const char *p, size_t n, struct input_event *ev,
		       bool *got)
{
	int used = take_terminfo(in, p, n, ev, got);

	if (used != 0)
		return used;
	if (n == 1)
		return NEED_MORE;
	if (p[1] == '[')
		return n == 2 ? NEED_MORE : take_csi(in, p, n, ev, got);
	if (p[1] == 'O')
		return take_ss3(p, n, ev, got);
	if (p[1] == ESC) {
		set_key(ev, ESC);
		*got = true;
		return 1;
	}
	used = take_char(in, p + 1, n - 1, ev, got);
	if (*got)
		ev->key += KEY_UI_META;
	return used == NEED_MORE ? NEED_MORE : used + 1;
}

/* What a held-back sequence means when nothing follows: Escape alone, Alt+[ and Alt+O;
 * the start of anything longer is thrown away. */
static size_t take_stale(const char *p, size_t n, struct input_event *ev, bool *got)
{
	if ((unsigned char)p[0] != ESC)
		return n;
	if (n > 2)
		return n;
	set_key(ev, n == 1 ? ESC : (unsigned char)p[1] + KEY_UI_META);
	*got = true;
	return n;
}

static bool paste_end(struct input *in, struct input_event *ev)
{
	static const char end[] = "\033[201~";
	const size_t end_len = sizeof(end) - 1;
	const char *p = in->buf.buf + in->at;
	size_t n = in->buf.len - in->at, take = n;
	const char *found = memmem(p, n, end, end_len);

	if (found)
		take = (size_t)(found - p);
	else
		take = n < end_len ? 0 : n - end_len + 1; /* the mark may be cut */
	for (size_t i = 0; i < take && in->paste.len < INPUT_PASTE_MAX; i++)
		if (p[i])
			str_addc(&in->paste, p[i]);
	in->at += take;
	if (!found)
		return false;
	in->at += end_len;
	in->pasting = false;
	ev->kind = INPUT_PASTE;
	ev->text = in->paste.buf;
	return true;
}

bool input_next(struct input *in, uint64_t now, struct input_event *ev)
{
	bool got = false;

	memset(ev, 0, sizeof(*ev));
	while (!got && in->at < in->buf.len) {
		const char *p = in->buf.buf + in->at;
		size_t n = in->buf.len - in->at;
		int used;

		if (in->pasting) {
			if (!paste_end(in, ev))
				return false;
			return true;
		}
		used = p[0] == ESC ? take_escape(in, p, n, ev, &got)
				   : take_char(in, p, n, ev, &got);
		if (used == NEED_MORE) {
			if (!in->flush)
				return false;
			used = (int)take_stale(p, n, ev, &got);
		}
		in->at += (size_t)used;
	}
	if (got && ev->kind == INPUT_MOUSE)
		time_double_click(in, &ev->mouse, now);
	return got;
}
