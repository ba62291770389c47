/* SPDX-License-Identifier: GPL-3.0-or-later */
/* io_svg.h - traces of I/O as a picture: where, how many seeks, how fast, over time. */
#ifndef UI_IO_SVG_H
#define UI_IO_SVG_H

#include "base/str.h"
#include "core/io_trace.h"

struct io_picture {
	const char *name; /* as it shall be printed */
	struct io_trace trace;
	struct io_figures figures;
};

/* One trace, or two on the same axes. */
void io_svg(const struct io_picture *p, size_t n, struct str *out);

#endif
