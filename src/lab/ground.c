/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ground.c - see ground.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "src/lab/ground.h"

static bool make_way(const char *path, bool force, struct err *err)
{
	struct str memory = STR_INIT;
	struct stat st;
	bool there = lstat(path, &st) == 0;

	if (there && (!S_ISREG(st.st_mode) || !force)) {
		err_set(err, ERR_REFUSED, "%s exists; choose another name, or --force",
			path);
		return false;
	}
	if (there && unlink(path)) {
		err_set_errno(err, ERR_IO, errno, "cannot replace %s", path);
		return false;
	}
	str_addf(&memory, "%s.lab/policy", path);
	unlink(memory.buf); /* of an earlier image of this name */
	str_release(&memory);
	return true;
}

static bool check(const struct age_options *o, struct err *err)
{
	if (strcmp(o->type, "ext2") && strcmp(o->type, "ext3") && strcmp(o->type, "ext4"))
		err_set(err, ERR_USAGE, "\"%s\" is no type; ext2, ext3 or ext4", o->type);
	else if (o->block_size != 1024 && o->block_size != 2048 && o->block_size != 4096)
		err_set(err, ERR_USAGE, "blocks have 1k, 2k or 4k");
	else if (o->bytes < 1u << 20)
		err_set(err, ERR_USAGE, "a volume of the lab has at least 1 MiB");
	else if (o->bytes > 1ull << 40)
		err_set(err, ERR_USAGE, "a volume of the lab has at most 1 TiB");
	return !err_isset(err);
}

/* About the middle of the files' sizes (1 KiB to mke2fs's own 16 KiB), so that inodes do
 * not run out before the blocks. */
static uint64_t bytes_per_inode(const struct age_options *o)
{
	uint64_t low = o->size_min, high = o->size_max;

	while (low && low * 4 <= high) {
		low *= 2;
		high /= 2;
	}
	return !low || low > 16384 ? 16384 : low < 1024 ? 1024 : low;
}

struct build *ground_format(const char *path, const struct age_options *o, bool force,
			    struct err *err)
{
	uint64_t per = bytes_per_inode(o);
	struct build *out;
	char ratio[24];
	const char *extra[6] = {"-i", ratio, o->features ? "-O" : NULL, o->features,
				NULL};
	struct build_options b = {.type = o->type,
				  .bytes = o->bytes & ~(uint64_t)4095,
				  .block_size = o->block_size,
				  .seed = o->seed,
				  .time = LAB_TIME,
				  .extra = extra,
				  .label = BUILD_LAB_LABEL};

	snprintf(ratio, sizeof(ratio), "%llu", (unsigned long long)per);
	if (!check(o, err) || !make_way(path, force, err))
		return NULL;
	out = build_new(path, &b, err);
	if (!out)
		unlink(path); /* what mke2fs may have begun */
	return out;
}

bool ground_space(const struct build *b, struct space *out, struct err *err)
{
	struct range r = {0, 0};
	struct geom geom;
	bool ok;

	geom_init(&geom);
	build_geom(b, &geom);
	ok = space_init(out, &geom, err);
	while (ok && build_next_free(b, r.start + r.len, &r))
		if (!space_give(out, r))
			ok = err_nomem(err);
	for (group_t g = 0; ok && g < geom.groups; g++)
		build_group(b, g, &out->group.v[g].free_inodes, &out->group.v[g].dirs);
	if (ok && geom.cluster_ratio > 1) {
		err_set(err, ERR_REFUSED,
			"the lab does not know bigalloc; leave that feature out");
		ok = false;
	}
	geom_release(&geom);
	if (!ok)
		space_release(out);
	return ok;
}
