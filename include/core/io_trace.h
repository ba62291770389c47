/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * io_trace.h - a trace of real I/O: its text, its figures, its course over time.
 *
 * A line a call, in the order in which they ended:
 *
 *	0.001234 R 4096 65536 210
 *
 * seconds since the trace began, Read, Write or Barrier, byte offset on the device or in
 * the file, bytes, microseconds that it took. '#' begins a comment; the first line is
 * IO_TRACE_HEAD.
 */
#ifndef CORE_IO_TRACE_H
#define CORE_IO_TRACE_H

#include <stdio.h>
#include "base/err.h"
#include "base/vec.h"

#define IO_TRACE_HEAD	 "# cdefrag I/O trace 1"
#define IO_TRACE_COLUMNS "seconds kind(R W B) byte-offset bytes microseconds"

enum io_kind { IO_READ, IO_WRITE, IO_BARRIER, IO_KINDS };
extern const char io_kind_letter[IO_KINDS];

struct io_call {
	double begun; /* seconds */
	double took;  /* seconds */
	uint64_t at, bytes;
	enum io_kind kind;
};

struct io_trace {
	VEC(struct io_call) calls; /* sorted by when they began */
};

/* Reads the text of a trace. ERR_USAGE with the number of the bad line. */
bool io_trace_read(struct io_trace *t, FILE *f, struct err *err);
void io_trace_release(struct io_trace *t);

/* A call that does not begin where the last read or write ended is a seek. */
struct io_figures {
	double seconds; /* from the first call's begin to the last one's end */
	double busy;	/* of them, at least one call was under way */
	uint64_t count[IO_KINDS], bytes[IO_KINDS];
	uint64_t seeks;
	uint64_t distance; /* bytes, over all seeks */
	uint64_t end;	   /* behind the last byte touched */
};
void io_trace_figures(const struct io_trace *t, struct io_figures *out);

/* One of n equal stretches of `seconds`, by when calls began. */
struct io_slice {
	uint64_t seeks, bytes[IO_KINDS];
};
void io_trace_slices(const struct io_trace *t, double seconds, struct io_slice *out,
		     size_t n);

#endif
