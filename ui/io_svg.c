/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * io_svg.c - see io_svg.h. Three strips above each other, time from left to right: a dot
 * where each call lies, seeks a second, bytes a second. Dots that share a pixel are drawn
 * once, so that a million calls are still a small file.
 */
#include "ui/io_svg.h"
#include <stdlib.h>
#include "base/num.h"

#define LEFT	 70
#define WIDTH	 800
#define DOTS_TOP 60
#define DOTS_H	 280
#define SEEK_TOP 380
#define RATE_TOP 500
#define STRIP_H	 80
#define HEIGHT	 620
#define SLICES	 200

static const struct {
	const char *read, *write, *line;
} colors[2] = {{"#2f6fb0", "#d9552b", "#444444"}, {"#55a868", "#b05fb0", "#2a9d4a"}};

static void add_name(struct str *s, const char *name)
{
	for (; *name; name++)
		if (*name == '<' || *name == '&')
			str_add(s, *name == '<' ? "&lt;" : "&amp;");
		else
			str_addc(s, *name);
}

static void label(struct str *s, int x, int y, const char *anchor, const char *text)
{
	str_addf(s, "<text x=\"%d\" y=\"%d\" text-anchor=\"%s\">%s</text>\n", x, y,
		 anchor, text);
}

/* A frame with what it shows above, and its values at the left. */
static void frame(struct str *s, int top, int height, const char *what, const char *upper,
		  const char *lower)
{
	str_addf(s,
		 "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"none\" "
		 "stroke=\"#bbb\"/>\n",
		 LEFT, top, WIDTH, height);
	label(s, LEFT, top - 5, "start", what);
	label(s, LEFT - 5, top + 10, "end", upper);
	label(s, LEFT - 5, top + height, "end", lower);
}

static int column(double begun, double first, double seconds)
{
	int x = seconds > 0 ? (int)((begun - first) / seconds * WIDTH) : 0;

	return x < WIDTH ? x : WIDTH - 1;
}

/* The pixels of one kind of call, each once. */
static void dots(struct str *s, const struct io_picture *p, enum io_kind kind,
		 double seconds, uint64_t end, const char *color)
{
	uint8_t *seen = calloc((size_t)WIDTH * DOTS_H, 1);
	const struct io_trace *t = &p->trace;

	if (!seen) {
		s->oom = true;
		return;
	}
	str_addf(s, "<path stroke=\"%s\" stroke-width=\"1.5\" d=\"", color);
	for (size_t i = 0; i < t->calls.n; i++) {
		const struct io_call *c = &t->calls.v[i];
		int x = column(c->begun, t->calls.v[0].begun, seconds);
		int y = end ? (int)((double)c->at / (double)end * DOTS_H) : 0;

		y = y < DOTS_H ? y : DOTS_H - 1;
		if (c->kind != kind || seen[y * WIDTH + x]++)
			continue;
		str_addf(s, "M%d %dh1", LEFT + x, DOTS_TOP + y);
		seen[y * WIDTH + x] = 1;
	}
	str_add(s, "\"/>\n");
	free(seen);
}

static double value(const struct io_slice *s, bool rate, double per)
{
	double n = rate ? (double)(s->bytes[IO_READ] + s->bytes[IO_WRITE])
			: (double)s->seeks;

	return per > 0 ? n / per : 0;
}

static double highest(const struct io_slice *s, bool rate, double per)
{
	double most = 0;

	for (int i = 0; i < SLICES; i++)
		if (value(&s[i], rate, per) > most)
			most = value(&s[i], rate, per);
	return most;
}

static void line(struct str *s, const struct io_slice *v, bool rate, double per,
		 double most, const char *color)
{
	int top = rate ? RATE_TOP : SEEK_TOP;

	str_addf(s, "<polyline fill=\"none\" stroke=\"%s\" points=\"", color);
	for (int i = 0; i < SLICES; i++)
		str_addf(s, "%d,%d ", LEFT + i * WIDTH / SLICES + WIDTH / SLICES / 2,
			 top + STRIP_H -
				 (int)(most > 0 ? value(&v[i], rate, per) / most * STRIP_H
						: 0));
	str_add(s, "\"/>\n");
}

static void strips(struct str *s, const struct io_picture *p, size_t n, double seconds)
{
	struct io_slice v[2][SLICES];
	double per = seconds / SLICES, most;
	char text[NUM_TEXT_MAX], number[32];

	for (size_t i = 0; i < n; i++)
		io_trace_slices(&p[i].trace, seconds, v[i], SLICES);
	for (int rate = 0; rate < 2; rate++) {
		most = 0;
		for (size_t i = 0; i < n; i++)
			if (highest(v[i], rate, per) > most)
				most = highest(v[i], rate, per);
		snprintf(number, sizeof(number), "%.0f", most);
		frame(s, rate ? RATE_TOP : SEEK_TOP, STRIP_H,
		      rate ? "bytes a second, read and written" : "seeks a second",
		      rate ? num_format_bytes((uint64_t)most, text) : number, "0");
		for (size_t i = 0; i < n; i++)
			line(s, v[i], rate, per, most, colors[i].line);
	}
}

static void legend(struct str *s, const struct io_picture *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		int y = 18 + 18 * (int)i;

		str_addf(
			s,
			"<text x=\"%d\" y=\"%d\"><tspan fill=\"%s\">&#9632; read</tspan> "
			"<tspan fill=\"%s\">&#9632; written</tspan> <tspan fill=\"%s\">",
			LEFT, y, colors[i].read, colors[i].write, colors[i].line);
		add_name(s, p[i].name);
		str_addf(s, ", %.2f s</tspan></text>\n", p[i].figures.seconds);
	}
}

void io_svg(const struct io_picture *p, size_t n, struct str *out)
{
	char text[NUM_TEXT_MAX], seconds_text[32];
	double seconds = 0;
	uint64_t end = 0;

	for (size_t i = 0; i < n; i++) {
		if (p[i].figures.seconds > seconds)
			seconds = p[i].figures.seconds;
		if (p[i].figures.end > end)
			end = p[i].figures.end;
	}
	str_addf(out,
		 "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" "
		 "font-family=\"sans-serif\" font-size=\"12\">\n"
		 "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
		 LEFT + WIDTH + 20, HEIGHT);
	legend(out, p, n);
	frame(out, DOTS_TOP, DOTS_H, "offset", "0", num_format_bytes(end, text));
	for (size_t i = 0; i < n; i++) {
		dots(out, &p[i], IO_READ, seconds, end, colors[i].read);
		dots(out, &p[i], IO_WRITE, seconds, end, colors[i].write);
	}
	strips(out, p, n, seconds);
	snprintf(seconds_text, sizeof(seconds_text), "%.2f s", seconds);
	label(out, LEFT + WIDTH, HEIGHT - 20, "end", seconds_text);
	str_add(out, "</svg>\n");
}
