/* SPDX-License-Identifier: GPL-3.0-or-later */
/* powercut.c - see powercut.h. Stands in for io_calls and journal_calls. */
#include <errno.h>
#include <pthread.h>
#include <string.h>
#include "base/file.h"
#include "base/vec.h"
#include "fs/powercut.h"
#include "journal/journal.h"
#include "src/fs/fs.h"

/* A write that no barrier has covered yet, and what was there before. */
struct risk {
	uint64_t at;
	size_t n;
	void *old;
};

static struct {
	struct io_calls io;
	struct journal_calls journal;
	bool armed;
	uint64_t left, random;
	VEC(struct risk) risks;
	struct powercut_report report;
} cut;

/* A session may write from several threads. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void forget_risks(void)
{
	for (size_t i = 0; i < cut.risks.n; i++)
		free(cut.risks.v[i].old);
	vec_clear(&cut.risks);
}

/* Every other write of the cache, drawn by lot, never reached the disk. */
static void lose(int fd)
{
	cut.report.happened = true;
	cut.report.at_risk = cut.risks.n;
	for (size_t i = cut.risks.n; i-- > 0;) {
		struct risk *r = &cut.risks.v[i];

		cut.random = cut.random * 6364136223846793005ull + 1442695040888963407ull;
		if (!(cut.random >> 63))
			continue;
		file_write(fd, r->old, r->n, r->at);
		cut.report.lost++;
	}
	forget_risks();
}

static int write_locked(int fd, const void *buf, size_t n, uint64_t at)
{
	struct risk r = {at, n, NULL};

	if (cut.report.happened)
		return EIO;
	if (!cut.left) {
		lose(fd);
		return EIO;
	}
	r.old = malloc(n);
	if (!r.old || file_read(fd, r.old, n, at) || !vec_push(&cut.risks, r)) {
		free(r.old);
		return ENOMEM;
	}
	cut.left--;
	cut.report.writes++;
	return cut.io.write(fd, buf, n, at);
}

static int cut_write(int fd, const void *buf, size_t n, uint64_t at)
{
	int rc;

	pthread_mutex_lock(&lock);
	rc = write_locked(fd, buf, n, at);
	pthread_mutex_unlock(&lock);
	return rc;
}

static int cut_barrier(int fd)
{
	bool dead;

	pthread_mutex_lock(&lock);
	dead = cut.report.happened;
	if (!dead)
		forget_risks();
	pthread_mutex_unlock(&lock);
	return dead ? EIO : cut.io.barrier(fd);
}

static int journal_write(int fd, const void *buf, size_t n, uint64_t at)
{
	return cut.report.happened ? EIO : cut.journal.write(fd, buf, n, at);
}

static int journal_sync_call(int fd)
{
	return cut.report.happened ? EIO : cut.journal.sync(fd);
}

void powercut_arm(uint64_t writes, uint64_t seed)
{
	struct powercut_report none;

	powercut_end(&none);
	cut.io = io_calls;
	cut.journal = journal_calls;
	cut.armed = true;
	cut.left = writes;
	cut.random = seed;
	io_calls.write = cut_write;
	io_calls.barrier = cut_barrier;
	journal_calls.write = journal_write;
	journal_calls.sync = journal_sync_call;
}

void powercut_end(struct powercut_report *out)
{
	*out = cut.report;
	if (!cut.armed)
		return;
	io_calls = cut.io;
	journal_calls = cut.journal;
	forget_risks();
	vec_release(&cut.risks);
	memset(&cut, 0, sizeof(cut));
}
