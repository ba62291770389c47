/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * iotrace.h - every read, write and barrier on a volume, as it happens, into a text file.
 *
 * One trace at a time, of all volumes of this process; journals and copies are other
 * files and not in it. core/io_trace.h reads what is written here and describes the lines.
 * Any thread may do I/O meanwhile.
 */
#ifndef FS_IOTRACE_H
#define FS_IOTRACE_H

#include "base/err.h"

/* Begins. path must not exist, or be an earlier trace. ERR_REFUSED (something else lies
 * there, a trace is running), ERR_IO. */
bool iotrace_start(const char *path, struct err *err);
bool iotrace_running(void);
/* Ends; *calls: how many it holds. ERR_REFUSED: none is running; ERR_IO: it is not whole. */
bool iotrace_stop(uint64_t *calls, struct err *err);

#endif
