/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * build_step.c - steps by hand as files, so that they can be taken back.
 *
 *   IMAGE.lab/NNNN.step    see build_step.h
 *   IMAGE.lab/NNNN.going   the same while the image is being written
 *
 * Invariants:
 *   S1  A .going file is whole and durable before the first byte of the image changes.
 *   S2  It becomes the .step file, by rename, after the image is durable.
 *   S3  Whoever finds a .going file puts its bytes back and removes it.
 * So after a crash the image is as before the step, or as after it.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "base/crc32c.h"
#include "base/file.h"
#include "src/fs/build_step.h"

bool hand_folder(const char *image, bool make, struct str *out, struct err *err)
{
	str_addf(out, "%s.lab", image);
	if (out->oom)
		return err_nomem(err);
	if (make && mkdir(out->buf, 0777) && errno != EEXIST) {
		err_set_errno(err, ERR_IO, errno, "cannot make the folder %s", out->buf);
		return false;
	}
	return true;
}

static char *step_path(const char *image, unsigned number, const char *ending)
{
	struct str s = STR_INIT;

	str_addf(&s, "%s.lab/%04u.%s", image, number, ending);
	return str_detach(&s);
}

/* Writes its bytes into the image; notes where, if asked to. */
static bool step_apply(const char *path, int fd, struct range_list *changed,
		       struct err *err)
{
	char *buf = malloc(CHUNK);
	struct step_file s;
	struct record r;
	int rc = -1, io = 0;

	if (buf && step_open(&s, path)) {
		while (!io && (rc = step_next(&s, &r, buf)) > 0) {
			io = file_write(fd, buf, r.len, r.at);
			if (changed && !vec_push(changed, (struct range){r.at, r.len}))
				io = ENOMEM;
		}
		fclose(s.f);
	}
	free(buf);
	if (!io && rc == 0)
		io = file_sync(fd);
	if (io)
		err_set_errno(err, ERR_IO, io, "cannot write the image");
	else if (rc)
		err_set(err, ERR_CORRUPT, "%s is damaged", path);
	return !io && rc == 0;
}

/* --- the list --- */

static int by_number(const void *a, const void *b)
{
	const struct hand_step *x = a, *y = b;

	return x->number < y->number ? -1 : x->number > y->number;
}

/* last: fingerprint and turn of the last exchange. */
static bool read_list(const char *image, struct hand_steps *out, uint32_t last[2],
		      struct err *err)
{
	struct str folder = STR_INIT;
	struct dirent *e;
	DIR *d;

	memset(out, 0, sizeof(*out));
	last[0] = last[1] = 0;
	if (!hand_folder(image, false, &folder, err))
		return false;
	d = opendir(folder.buf);
	str_release(&folder);
	while (d && (e = readdir(d))) {
		struct hand_step step = {0, false, ""};
		struct step_file s;
		char ending[8] = "";
		char *path;

		if (sscanf(e->d_name, "%u.%7s", &step.number, ending) != 2 ||
		    strcmp(ending, "step"))
			continue;
		path = step_path(image, step.number, "step");
		if (path && step_open(&s, path)) {
			step.undone = s.head.undone;
			snprintf(step.text, sizeof(step.text), "%s", s.text);
			if (s.head.turn >= last[1]) {
				last[0] = s.head.fingerprint;
				last[1] = s.head.turn;
			}
			fclose(s.f);
			vec_push(&out->list, step);
		}
		free(path);
	}
	if (d)
		closedir(d);
	if (out->list.n)
		qsort(out->list.v, out->list.n, sizeof(*out->list.v), by_number);
	return true;
}

bool hand_steps_read(const char *image, struct hand_steps *out, struct err *err)
{
	uint32_t last[2], is;

	if (!read_list(image, out, last, err))
		return false;
	out->fits = !out->list.n || (step_fingerprint(image, &is, err) && is == last[0]);
	return true;
}

void hand_steps_release(struct hand_steps *s)
{
	vec_release(&s->list);
}

/* --- exchanging --- */

/* S2: the head learns what the image is like now, then the name says it is over. */
static bool settle(const char *image, unsigned number, struct err *err)
{
	char *going = step_path(image, number, "going");
	char *step = step_path(image, number, "step");
	uint32_t last[2] = {0, 0};
	struct hand_steps steps;
	int fd = going ? open(going, O_WRONLY | O_CLOEXEC) : -1;
	bool ok = fd >= 0 && step && read_list(image, &steps, last, err);

	if (ok)
		hand_steps_release(&steps);
	last[1]++;
	ok = ok && step_fingerprint(image, &last[0], err) &&
	     file_write(fd, last, sizeof(last),
			offsetof(struct step_head, fingerprint)) == 0 &&
	     fsync(fd) == 0 && rename(going, step) == 0 && sync_folder(step);

	if (fd >= 0)
		close(fd);
	if (!ok)
		err_set_errno(err, ERR_IO, errno, "cannot keep the step of %s", image);
	free(going);
	free(step);
	return ok;
}

bool step_recover(const char *path, int fd, struct err *err)
{
	struct str folder = STR_INIT;
	struct dirent *e;
	bool ok = true;
	DIR *d;

	if (!hand_folder(path, false, &folder, err))
		return false;
	d = opendir(folder.buf);
	while (ok && d && (e = readdir(d))) {
		size_t len = strlen(e->d_name);
		struct str going = STR_INIT;

		if (len < 6 || strcmp(e->d_name + len - 6, ".going"))
			continue;
		str_addf(&going, "%s/%s", folder.buf, e->d_name);
		if (step_whole(going.buf)) /* S1: else nothing was written */
			ok = step_apply(going.buf, fd, NULL, err);
		if (ok)
			unlink(going.buf);
		str_release(&going);
	}
	if (d)
		closedir(d);
	str_release(&folder);
	return ok;
}

static bool exchange(const char *image, unsigned number, bool undone,
		     struct range_list *changed, struct err *err)
{
	char *going = step_path(image, number, "going"), *buf = malloc(CHUNK);
	char *step = step_path(image, number, "step");
	int fd = open(image, O_RDWR | O_CLOEXEC), rc = -1, io = 0;
	struct step_file s;
	struct record r;
	struct pen pen;
	bool ok = false;

	if (fd < 0 || !going || !step || !buf || !step_open(&s, step)) {
		err_set_errno(err, ERR_IO, errno, "cannot read the step of %s", image);
		goto out;
	}
	if (pen_open(&pen, going, undone, s.text, err)) {
		while (!io && (rc = step_next(&s, &r, buf)) > 0) {
			io = file_read(fd, buf, r.len, r.at);
			if (!io)
				pen_record(&pen, r.at, buf, r.len);
		}
		ok = pen_close(&pen, going, err) && !io && rc == 0;
	}
	fclose(s.f);
	if (!ok) {
		unlink(going);
		err_set(err, ERR_CORRUPT, "%s is damaged, or the image is", step);
		goto out;
	}
	ok = step_apply(step, fd, changed, err) && settle(image, number, err);
out:
	if (fd >= 0)
		close(fd);
	free(going);
	free(step);
	free(buf);
	return ok;
}

/* The last step that is done, or the first that is undone; NULL with err. */
static const struct hand_step *pick(const struct hand_steps *s, const char *image,
				    bool undone, struct err *err)
{
	const struct hand_step *found = NULL;

	for (size_t i = 0; i < s->list.n; i++)
		if (s->list.v[i].undone == undone && !(undone && found))
			found = &s->list.v[i];
	if (!found)
		err_set(err, ERR_REFUSED, "there is no step of the lab to %s on %s",
			undone ? "redo" : "undo", image);
	else if (!s->fits)
		err_set(err, ERR_REFUSED,
			"%s was changed by something else since the last step; its steps "
			"no longer fit",
			image);
	return found && s->fits ? found : NULL;
}

static bool go(const char *image, bool undo, struct str *text, struct range_list *changed,
	       struct err *err)
{
	const struct hand_step *step;
	struct hand_steps steps;
	struct build *b = hand_open(image, err); /* all its checks */
	uint32_t bs;
	bool ok;

	if (!b)
		return false;
	bs = b->fs->blocksize;
	build_free(b);
	if (!hand_steps_read(image, &steps, err))
		return false;
	step = pick(&steps, image, !undo, err);
	ok = step && exchange(image, step->number, undo, changed, err);
	if (ok && text)
		str_add(text, step->text);
	for (size_t i = 0; ok && changed && i < changed->n; i++) {
		struct range *r = &changed->v[i]; /* bytes so far */
		blkno_t first = r->start / bs;

		r->len = (r->start + r->len + bs - 1) / bs - first;
		r->start = first;
	}
	hand_steps_release(&steps);
	return ok;
}

bool hand_undo(const char *image, struct str *text, struct range_list *changed,
	       struct err *err)
{
	return go(image, true, text, changed, err);
}

bool hand_redo(const char *image, struct str *text, struct range_list *changed,
	       struct err *err)
{
	return go(image, false, text, changed, err);
}

/* --- a new step --- */

/* What was undone cannot be redone after this; steps that no longer fit go too. */
static bool forget(const char *image, unsigned *next, struct err *err)
{
	struct hand_steps steps;

	if (!hand_steps_read(image, &steps, err))
		return false;
	*next = 1;
	for (size_t i = 0; i < steps.list.n; i++) {
		const struct hand_step *s = &steps.list.v[i];
		char *path = step_path(image, s->number, "step");

		if (path && (s->undone || !steps.fits))
			unlink(path);
		else if (s->number >= *next)
			*next = s->number + 1;
		free(path);
	}
	hand_steps_release(&steps);
	return true;
}

static bool save_held(struct pen *p, int fd, struct held *held, char *buf)
{
	const uint64_t *units;
	size_t n;

	units = held_units(held, &n);
	for (size_t i = 0; i < n;) {
		size_t k = 1;

		while (i + k < n && units[i + k] == units[i] + k && k < CHUNK / HELD_UNIT)
			k++;
		if (file_read(fd, buf, k * HELD_UNIT, units[i] * HELD_UNIT))
			return false;
		pen_record(p, units[i] * HELD_UNIT, buf, k * HELD_UNIT);
		i += k;
	}
	return true;
}

static bool write_held(int fd, struct held *held)
{
	const uint64_t *units;
	size_t n;

	units = held_units(held, &n);
	for (size_t i = 0; i < n; i++)
		if (file_write(fd, held_unit(held, units[i]), HELD_UNIT,
			       units[i] * HELD_UNIT))
			return false;
	return true;
}

/* Old bytes into the step (p), or new ones into the image (p NULL). */
static bool each_data(struct pen *p, int fd, const struct build_data *d, uint32_t bs,
		      char *buf)
{
	for (blkno_t at = 0; at < d->at.len;) {
		blkno_t n = d->at.len - at < CHUNK / bs ? d->at.len - at : CHUNK / bs;
		uint64_t where = (d->at.start + at) * bs;

		for (blkno_t i = 0; !p && i < n; i++)
			build_content(d->seed, d->lblk + at + i, buf + i * bs, bs);
		if (p ? file_read(fd, buf, n * bs, where)
		      : file_write(fd, buf, n * bs, where))
			return false;
		if (p)
			pen_record(p, where, buf, n * bs);
		at += n;
	}
	return true;
}

bool step_commit(const char *path, int fd, struct held *held,
		 const struct build_data *data, size_t n, uint32_t block_size,
		 const char *text, struct err *err)
{
	struct str folder = STR_INIT;
	char *buf = malloc(CHUNK), *going = NULL;
	unsigned number;
	struct pen pen;
	bool ok = buf || err_nomem(err);

	ok = ok && hand_folder(path, true, &folder, err) && forget(path, &number, err);
	if (ok) {
		going = step_path(path, number, "going");
		ok = going && pen_open(&pen, going, false, text, err);
	}
	if (ok) {
		bool saved = save_held(&pen, fd, held, buf);

		for (size_t i = 0; saved && i < n; i++)
			saved = each_data(&pen, fd, &data[i], block_size, buf);
		ok = pen_close(&pen, going, err) && saved;
		if (!ok)
			unlink(going);
	}
	if (ok) {
		ok = write_held(fd, held);
		for (size_t i = 0; ok && i < n; i++)
			ok = each_data(NULL, fd, &data[i], block_size, buf);
		ok = ok && file_sync(fd) == 0 && settle(path, number, err);
	}
	if (!ok)
		err_set(err, ERR_IO, "%s could not be written; the next step rolls back",
			path);
	free(buf);
	free(going);
	str_release(&folder);
	return ok;
}

/* --- has anybody else been here? --- */

bool step_fingerprint(const char *path, uint32_t *out, struct err *err)
{
	ext2_filsys fs;
	uint32_t crc = ~0u;
	char *buf;
	errcode_t rc = ext2fs_open(path, EXT2_FLAG_64BITS, 0, 0, unix_io_manager, &fs);

	if (rc) {
		err_set(err, ERR_IO, "%s: %s", path, error_message(rc));
		return false;
	}
	buf = malloc(fs->blocksize);
	rc = buf ? 0 : EXT2_ET_NO_MEMORY;
	crc = crc32c(crc, fs->super, SUPERBLOCK_SIZE);
	crc = crc32c(crc, fs->group_desc, (size_t)fs->desc_blocks * fs->blocksize);
	for (group_t g = 0; !rc && g < fs->group_desc_count; g++)
		for (int inodes = 0; !rc && inodes < 2; inodes++) {
			rc = io_channel_read_blk64(
				fs->io,
				inodes ? ext2fs_inode_bitmap_loc(fs, g)
				       : ext2fs_block_bitmap_loc(fs, g),
				1, buf);
			crc = crc32c(crc, buf, fs->blocksize);
		}
	free(buf);
	ext2fs_free(fs);
	if (rc)
		err_set(err, ERR_IO, "%s: %s", path, error_message(rc));
	*out = crc;
	return rc == 0;
}
