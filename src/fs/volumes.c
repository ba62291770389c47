/* SPDX-License-Identifier: GPL-3.0-or-later */
/* volumes.c - see volumes.h. */
#include <blkid/blkid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "fs/volumes.h"

void volumes_release(struct volume_found_list *list)
{
	for (size_t i = 0; i < list->n; i++)
		volume_info_release(&list->v[i].info);
	vec_release(list);
}

static void copy_tag(blkid_cache cache, const char *device, const char *tag, char *out,
		     size_t size)
{
	char *value = blkid_get_tag_value(cache, tag, device);

	if (value)
		snprintf(out, size, "%s", value);
	free(value);
}

/* What libblkid says, and then what the volume says itself. */
static bool look(blkid_cache cache, const char *device, struct volume_found *f,
		 struct err *err)
{
	struct volume_options opt = {0};
	struct err local = ERR_INIT;
	struct volume *v;
	bool ok = true;

	volume_info_init(&f->info);
	v = volume_open(device, &opt, &local);
	if (v) {
		ok = volume_info_copy(&f->info, volume_info(v)) || err_nomem(err);
		f->readable = ok;
		volume_close(v);
		return ok;
	}
	snprintf(f->info.path, sizeof(f->info.path), "%s", device);
	copy_tag(cache, device, "TYPE", f->info.type, sizeof(f->info.type));
	copy_tag(cache, device, "LABEL", f->info.label, sizeof(f->info.label));
	copy_tag(cache, device, "UUID", f->info.uuid_text, sizeof(f->info.uuid_text));
	snprintf(f->why, sizeof(f->why), "%.199s", local.msg);
	return true;
}

static int by_path(const void *a, const void *b)
{
	const struct volume_found *x = a, *y = b;

	return strcmp(x->info.path, y->info.path);
}

static bool is_ext(blkid_cache cache, const char *device)
{
	char type[16] = "";

	copy_tag(cache, device, "TYPE", type, sizeof(type));
	return !strcmp(type, "ext2") || !strcmp(type, "ext3") || !strcmp(type, "ext4");
}

bool volumes_find(struct volume_found_list *out, struct err *err)
{
	blkid_dev_iterate it;
	blkid_cache cache;
	blkid_dev dev;
	bool ok = true;

	/* Not the system's cache file: what is there now counts. */
	if (blkid_get_cache(&cache, "/dev/null") != 0)
		return err_nomem(err);
	blkid_probe_all(cache);
	it = blkid_dev_iterate_begin(cache);
	while (ok && it && blkid_dev_next(it, &dev) == 0) {
		const char *device = blkid_dev_devname(dev);
		struct volume_found f = {.readable = false};

		if (!device || !is_ext(cache, device))
			continue;
		ok = look(cache, device, &f, err);
		if (ok && !vec_push(out, f)) {
			volume_info_release(&f.info);
			ok = err_nomem(err);
		}
	}
	blkid_dev_iterate_end(it);
	blkid_put_cache(cache);
	if (out->n)
		qsort(out->v, out->n, sizeof(*out->v), by_path);
	if (!ok)
		volumes_release(out);
	return ok;
}
