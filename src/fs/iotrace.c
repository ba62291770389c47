/* SPDX-License-Identifier: GPL-3.0-or-later */
/* iotrace.c - see iotrace.h. io.c tells of each call when it has ended. */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/num.h"
#include "fs/iotrace.h"
#include "core/io_trace.h"
#include "src/fs/fs.h"

static struct {
	pthread_mutex_t lock;
	bool on; /* read without the lock: a call more or less at the ends is no matter */
	FILE *out;
	uint64_t begun_us, calls;
	int errnum; /* the first failure */
} trace = {.lock = PTHREAD_MUTEX_INITIALIZER};

uint64_t iotrace_clock(void)
{
	return iotrace_running() ? num_now_us() : 0;
}

void iotrace_note(enum io_kind kind, uint64_t at, size_t bytes, uint64_t begun_us)
{
	uint64_t now = begun_us ? iotrace_clock() : 0;

	if (!now)
		return;
	pthread_mutex_lock(&trace.lock);
	if (trace.out && begun_us >= trace.begun_us) {
		uint64_t since = begun_us - trace.begun_us;

		if (fprintf(trace.out, "%llu.%06llu %c %llu %zu %llu\n",
			    (unsigned long long)(since / 1000000),
			    (unsigned long long)(since % 1000000), io_kind_letter[kind],
			    (unsigned long long)at, bytes,
			    (unsigned long long)(now - begun_us)) < 0 &&
		    !trace.errnum)
			trace.errnum = errno ? errno : EIO;
		trace.calls++;
	}
	pthread_mutex_unlock(&trace.lock);
}

/* Is there nothing, or an earlier trace? */
static bool may_replace(const char *path, struct err *err)
{
	char line[sizeof(IO_TRACE_HEAD)] = "";
	struct stat st;
	FILE *f;

	if (lstat(path, &st))
		return true;
	f = S_ISREG(st.st_mode) ? fopen(path, "re") : NULL;
	if (f) {
		if (!fgets(line, sizeof(line), f))
			line[0] = '\0';
		fclose(f);
	}
	if (!strcmp(line, IO_TRACE_HEAD))
		return true;
	err_set(err, ERR_REFUSED, "%s exists and is no trace; name another file", path);
	return false;
}

bool iotrace_start(const char *path, struct err *err)
{
	FILE *out;

	if (trace.out) {
		err_set(err, ERR_REFUSED,
			"a trace is running; end it with: iotrace stop");
		return false;
	}
	if (!may_replace(path, err))
		return false;
	out = fopen(path, "we");
	if (!out) {
		err_set_errno(err, ERR_IO, errno, "cannot write %s", path);
		return false;
	}
	fprintf(out, "%s\n# %s\n", IO_TRACE_HEAD, IO_TRACE_COLUMNS);
	pthread_mutex_lock(&trace.lock);
	trace.out = out;
	trace.calls = 0;
	trace.errnum = 0;
	__atomic_store_n(&trace.on, true, __ATOMIC_RELAXED);
	trace.begun_us = iotrace_clock();
	pthread_mutex_unlock(&trace.lock);
	return true;
}

bool iotrace_running(void)
{
	return __atomic_load_n(&trace.on, __ATOMIC_RELAXED);
}

bool iotrace_stop(uint64_t *calls, struct err *err)
{
	int errnum;
	FILE *out;

	pthread_mutex_lock(&trace.lock);
	__atomic_store_n(&trace.on, false, __ATOMIC_RELAXED);
	out = trace.out;
	trace.out = NULL;
	errnum = trace.errnum;
	*calls = trace.calls;
	pthread_mutex_unlock(&trace.lock);
	if (!out) {
		err_set(err, ERR_REFUSED,
			"no trace is running; begin one with: iotrace FILE");
		return false;
	}
	if (fclose(out) && !errnum)
		errnum = errno;
	if (errnum)
		err_set_errno(err, ERR_IO, errnum, "the trace is not whole");
	return !errnum;
}
