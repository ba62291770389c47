/* SPDX-License-Identifier: GPL-3.0-or-later */
/* build_step_file.c - see build_step.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/crc32c.h"
#include "src/fs/build_step.h"

/* --- writing a step file --- */

static void pen_put(struct pen *p, const void *bytes, size_t n)
{
	if (fwrite(bytes, 1, n, p->f) != n)
		p->failed = true;
	p->crc = crc32c(p->crc, bytes, n);
}

static bool all_zero(const char *p, size_t n)
{
	return !n || (p[0] == 0 && !memcmp(p, p + 1, n - 1));
}

void pen_record(struct pen *p, uint64_t at, const void *bytes, size_t n)
{
	struct record r = {at, (uint32_t)n, all_zero(bytes, n)};

	pen_put(p, &r, sizeof(r));
	if (!r.zero)
		pen_put(p, bytes, n);
}

bool pen_open(struct pen *p, const char *path, bool undone, const char *text,
	      struct err *err)
{
	struct step_head head = {STEP_MAGIC, undone, (uint32_t)strlen(text), 0, 0};

	*p = (struct pen){fopen(path, "we"), ~0u, false};
	if (!p->f) {
		err_set_errno(err, ERR_IO, errno, "cannot write %s", path);
		return false;
	}
	if (fwrite(&head, 1, sizeof(head), p->f) != sizeof(head))
		p->failed = true;
	pen_put(p, text, strlen(text));
	return true;
}

bool sync_folder(const char *path)
{
	char *copy = strdup(path), *slash = copy ? strrchr(copy, '/') : NULL;
	int fd;
	bool ok;

	if (slash)
		*slash = '\0';
	fd = copy ? open(copy, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	ok = fd >= 0 && fsync(fd) == 0;
	if (fd >= 0)
		close(fd);
	free(copy);
	return ok;
}

bool pen_close(struct pen *p, const char *path, struct err *err)
{
	struct record end = {NO_RECORD, p->crc, 0};
	bool ok = !p->failed && fwrite(&end, 1, sizeof(end), p->f) == sizeof(end) &&
		  fflush(p->f) == 0 && fsync(fileno(p->f)) == 0;

	if (fclose(p->f))
		ok = false;
	ok = ok && sync_folder(path);
	if (!ok)
		err_set_errno(err, ERR_IO, errno ? errno : EIO, "cannot write %s", path);
	return ok;
}

/* --- reading one --- */

static bool get(struct step_file *s, void *bytes, size_t n)
{
	if (fread(bytes, 1, n, s->f) != n)
		return false;
	s->crc = crc32c(s->crc, bytes, n);
	return true;
}

bool step_open(struct step_file *s, const char *path)
{
	size_t keep;

	memset(s, 0, sizeof(*s));
	s->f = fopen(path, "re");
	s->crc = ~0u;
	if (!s->f)
		return false;
	if (fread(&s->head, 1, sizeof(s->head), s->f) != sizeof(s->head) ||
	    memcmp(s->head.magic, STEP_MAGIC, 8) || s->head.text_len > 4096)
		goto bad;
	for (size_t i = 0; i < s->head.text_len; i++) {
		char c;

		if (!get(s, &c, 1))
			goto bad;
		keep = i < sizeof(s->text) - 1 ? i : sizeof(s->text) - 1;
		s->text[keep] = i < sizeof(s->text) - 1 ? c : '\0';
	}
	return true;
bad:
	fclose(s->f);
	return false;
}

int step_next(struct step_file *s, struct record *r, char *buf)
{
	uint32_t crc = s->crc;

	if (!get(s, r, sizeof(*r)))
		return -1;
	if (r->at == NO_RECORD)
		return r->len == crc ? 0 : -1;
	if (r->len > CHUNK)
		return -1;
	if (r->zero)
		memset(buf, 0, r->len);
	else if (!get(s, buf, r->len))
		return -1;
	return 1;
}

bool step_whole(const char *path)
{
	char *buf = malloc(CHUNK);
	struct step_file s;
	struct record r;
	int rc = -1;

	if (buf && step_open(&s, path)) {
		while ((rc = step_next(&s, &r, buf)) > 0)
			;
		fclose(s.f);
	}
	free(buf);
	return rc == 0;
}
