/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fsck.c - see fsck.h. */
#include "ui/fsck.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_MAX 65536 /* of its output is kept */

struct fsck {
	pid_t pid; /* 0: has ended */
	int fd;
	struct str text;
	int exit_code;
};

static bool spawn(struct fsck *f, const char *volume, int out, struct err *err)
{
	static char *const environment[] = {
		"PATH=/usr/sbin:/sbin:/usr/bin:/bin:/usr/local/sbin", "LC_ALL=C", NULL};
	char *const words[] = {"e2fsck", "-fn", (char *)volume, NULL};
	static const char *const places[] = {"/usr/sbin/e2fsck", "/sbin/e2fsck",
					     "/usr/local/sbin/e2fsck"};
	posix_spawn_file_actions_t actions;
	int rc = ENOENT;

	if (posix_spawn_file_actions_init(&actions))
		return err_nomem(err);
	posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	posix_spawn_file_actions_adddup2(&actions, out, 1);
	posix_spawn_file_actions_adddup2(&actions, out, 2);
	for (size_t i = 0; rc == ENOENT && i < sizeof(places) / sizeof(places[0]); i++)
		rc = posix_spawn(&f->pid, places[i], &actions, NULL, words, environment);
	posix_spawn_file_actions_destroy(&actions);
	if (rc == ENOENT)
		err_set(err, ERR_REFUSED, "e2fsck is not installed");
	else if (rc)
		err_set_errno(err, ERR_IO, rc, "cannot run e2fsck");
	return rc == 0;
}

struct fsck *fsck_start(const char *path, uint64_t offset, struct err *err)
{
	struct fsck *f = calloc(1, sizeof(*f));
	struct str volume = STR_INIT;
	int fds[2];

	if (!f || pipe2(fds, O_CLOEXEC)) {
		err_nomem(err);
		free(f);
		return NULL;
	}
	str_init(&f->text);
	f->fd = fds[0];
	fcntl(f->fd, F_SETFL, O_NONBLOCK);
	str_add(&volume, path);
	if (offset)
		str_addf(&volume, "?offset=%llu", (unsigned long long)offset);
	if (!spawn(f, volume.buf, fds[1], err)) {
		f->pid = 0;
		fsck_free(f);
		f = NULL;
	}
	close(fds[1]);
	str_release(&volume);
	return f;
}

int fsck_fd(const struct fsck *f)
{
	return f->fd;
}

static void reap(struct fsck *f)
{
	int status = 0;

	while (waitpid(f->pid, &status, 0) < 0 && errno == EINTR)
		;
	f->pid = 0;
	f->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

bool fsck_poll(struct fsck *f, struct fsck_result *out)
{
	char bytes[4096];
	ssize_t n;

	while ((n = read(f->fd, bytes, sizeof(bytes))) != 0) {
		if (n > 0 && f->text.len < TEXT_MAX)
			str_addn(&f->text, bytes, (size_t)n);
		if (n < 0 && errno == EAGAIN)
			return false;
		if (n < 0 && errno != EINTR)
			break;
	}
	reap(f);
	*out = (struct fsck_result){f->exit_code, f->text};
	str_init(&f->text);
	return true;
}

void fsck_free(struct fsck *f)
{
	if (!f)
		return;
	if (f->pid > 0) {
		kill(f->pid, SIGTERM);
		reap(f);
	}
	close(f->fd);
	str_release(&f->text);
	free(f);
}
