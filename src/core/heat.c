/* SPDX-License-Identifier: GPL-3.0-or-later */
/* heat.c - see heat.h. */
#include <math.h>
#include <stdlib.h>
#include "core/heat.h"

#define DAY 86400.0

const struct inode_times *times_find(const struct times_list *l, inum_t ino)
{
	size_t lo = 0, hi = l->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->v[mid].ino >= ino)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo < l->n && l->v[lo].ino == ino ? &l->v[lo] : NULL;
}

int64_t times_last_use(const struct times_list *l, inum_t ino)
{
	const struct inode_times *t = times_find(l, ino);
	int64_t use;

	if (!t)
		return 0;
	use = t->atime > t->mtime ? t->atime : t->mtime;
	return use ? use : t->ctime;
}

static bool heat_of(const struct model *m, inum_t ino, struct run_list *runs,
		    const struct times_list *times, const struct heat_options *opt,
		    struct heat_row *out)
{
	struct disk_walk w = {.disk = opt->disk, .block_size = model_geom(m)->block_size};
	double age = (double)(opt->now - times_last_use(times, ino)) / DAY;

	disk_read_file(&w, runs->v, runs->n);
	*out = (struct heat_row){.ino = ino,
				 .files = 1,
				 .jumps = w.jumps ? w.jumps - 1 : 0,
				 .excess_ms = w.ms - disk_ideal_ms(&w),
				 .age_days = age > 0 ? age : 0};
	out->heat = out->excess_ms * exp2(-out->age_days / opt->half_life_days);
	return out->excess_ms > 1e-6;
}

static int by_heat(const void *a, const void *b)
{
	const struct heat_row *x = a, *y = b;

	if (x->heat != y->heat)
		return x->heat > y->heat ? -1 : 1;
	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

static int by_ino(const void *a, const void *b)
{
	const struct heat_row *x = a, *y = b;

	return x->ino < y->ino ? -1 : x->ino > y->ino;
}

/* The rows of the files under the number of their parents, then summed up. */
static bool sum_up(const struct model *m, const struct heat_list *files,
		   struct heat_list *dirs)
{
	size_t kept = 0;

	for (size_t i = 0; i < files->n; i++) {
		struct heat_row r = files->v[i];

		r.ino = model_parent(m, r.ino);
		if (!vec_push(dirs, r))
			return false;
	}
	if (dirs->n)
		qsort(dirs->v, dirs->n, sizeof(*dirs->v), by_ino);
	for (size_t i = 0; i < dirs->n; i++) {
		struct heat_row r = dirs->v[i], *to = kept ? &dirs->v[kept - 1] : NULL;

		if (!to || to->ino != r.ino) {
			dirs->v[kept++] = r;
			continue;
		}
		to->files += r.files;
		to->jumps += r.jumps;
		to->excess_ms += r.excess_ms;
		to->heat += r.heat;
		to->age_days = r.age_days < to->age_days ? r.age_days : to->age_days;
	}
	dirs->n = kept;
	return true;
}

static bool add(const struct model *m, inum_t ino, struct run_list *runs,
		const struct times_list *times, const struct heat_options *opt,
		struct heat_list *files)
{
	struct heat_row row;

	runs->n = 0;
	if (!model_runs(m, ino, runs))
		return false;
	return !heat_of(m, ino, runs, times, opt, &row) || vec_push(files, row);
}

bool heat_compute(const struct model *m, const inum_t *inos, size_t n,
		  const struct times_list *times, const struct heat_options *opt,
		  struct heat_list *files, struct heat_list *dirs)
{
	struct run_list runs = {0};
	struct inode_info info;
	bool ok = true;

	for (size_t i = 0; inos && ok && i < n; i++)
		ok = add(m, inos[i], &runs, times, opt, files);
	for (inum_t ino = 0; !inos && ok && (ino = model_next_inode(m, ino));)
		if (ino == 2 ||
		    (model_inode(m, ino, &info) && !(info.flags & INODE_SYSTEM)))
			ok = add(m, ino, &runs, times, opt, files);
	vec_release(&runs);
	ok = ok && (!dirs || sum_up(m, files, dirs));
	if (files->n)
		qsort(files->v, files->n, sizeof(*files->v), by_heat);
	if (dirs && dirs->n)
		qsort(dirs->v, dirs->n, sizeof(*dirs->v), by_heat);
	return ok;
}
