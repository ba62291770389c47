/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io_trace.c - see io_trace.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/io_trace.h"

const char io_kind_letter[IO_KINDS] = {'R', 'W', 'B'};

static bool parse_line(const char *line, struct io_call *out)
{
	unsigned long long at, bytes, us;
	const char *letter;
	char kind;
	int end = 0;

	if (sscanf(line, "%lf %c %llu %llu %llu%n", &out->begun, &kind, &at, &bytes, &us,
		   &end) != 5 ||
	    line[end] || !(out->begun >= 0 && out->begun < 1e9) || us > 1000000000000ull)
		return false;
	letter = memchr(io_kind_letter, kind, IO_KINDS);
	if (!letter || __builtin_add_overflow(at, bytes, &out->at))
		return false;
	out->kind = (enum io_kind)(letter - io_kind_letter);
	out->at = at;
	out->bytes = bytes;
	out->took = (double)us / 1e6;
	return true;
}

static int by_begin(const void *a, const void *b)
{
	const struct io_call *x = a, *y = b;

	return (x->begun > y->begun) - (x->begun < y->begun);
}

static bool add_line(struct io_trace *t, const char *line, size_t number, struct err *err)
{
	struct io_call call;

	if (number == 1 && strcmp(line, IO_TRACE_HEAD)) {
		err_set(err, ERR_USAGE, "this is no trace: it does not begin with \"%s\"",
			IO_TRACE_HEAD);
		return false;
	}
	if (!line[0] || line[0] == '#')
		return true;
	if (parse_line(line, &call))
		return vec_push(&t->calls, call) || err_nomem(err);
	err_set(err, ERR_USAGE, "line %zu is no call: \"%.60s\"; want: %s", number, line,
		IO_TRACE_COLUMNS);
	return false;
}

bool io_trace_read(struct io_trace *t, FILE *f, struct err *err)
{
	size_t number = 0, room = 0;
	char *line = NULL;
	bool ok = true;
	ssize_t n;

	memset(t, 0, sizeof(*t));
	while (ok && (n = getline(&line, &room, f)) > 0) {
		if (line[n - 1] == '\n')
			line[n - 1] = '\0';
		ok = add_line(t, line, ++number, err);
	}
	free(line);
	if (ok && (ferror(f) || !number)) {
		err_set(err, ERR_USAGE, "there is nothing in it that can be read");
		ok = false;
	}
	if (!ok)
		io_trace_release(t);
	else if (t->calls.n)
		qsort(t->calls.v, t->calls.n, sizeof(*t->calls.v), by_begin);
	return ok;
}

void io_trace_release(struct io_trace *t)
{
	vec_release(&t->calls);
}

/* How far the head goes for this call; *head moves behind it. 0: it stays. */
static uint64_t jump(const struct io_call *c, uint64_t *head, bool *begun)
{
	uint64_t far = !*begun ? 0 : c->at > *head ? c->at - *head : *head - c->at;

	*head = c->at + c->bytes;
	*begun = true;
	return far;
}

void io_trace_figures(const struct io_trace *t, struct io_figures *out)
{
	double first = 0, last = 0;
	uint64_t head = 0;
	bool begun = false;

	memset(out, 0, sizeof(*out));
	for (size_t i = 0; i < t->calls.n; i++) {
		const struct io_call *c = &t->calls.v[i];
		double from = c->begun > last || !i ? c->begun : last;
		double to = c->begun + c->took;

		if (!i)
			first = last = c->begun;
		if (to > from)
			out->busy += to - from;
		if (to > last)
			last = to;
		out->count[c->kind]++;
		out->bytes[c->kind] += c->bytes;
		if (c->kind != IO_BARRIER) {
			uint64_t far = jump(c, &head, &begun);

			out->seeks += far > 0;
			out->distance += far;
			if (head > out->end)
				out->end = head;
		}
	}
	out->seconds = last - first;
}

void io_trace_slices(const struct io_trace *t, double seconds, struct io_slice *out,
		     size_t n)
{
	double first = t->calls.n ? t->calls.v[0].begun : 0;
	uint64_t head = 0;
	bool begun = false;

	memset(out, 0, n * sizeof(*out));
	for (size_t i = 0; i < t->calls.n; i++) {
		const struct io_call *c = &t->calls.v[i];
		double share = seconds > 0 ? (c->begun - first) / seconds : 0;
		size_t at = share >= 1 ? n - 1 : (size_t)(share * (double)n);

		out[at].bytes[c->kind] += c->bytes;
		if (c->kind != IO_BARRIER)
			out[at].seeks += jump(c, &head, &begun) > 0;
	}
}
