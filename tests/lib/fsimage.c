/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fsimage.c - see fsimage.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "base/crc32c.h"
#include "base/file.h"
#include "fs/scan.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

void fsimage_make(const char *path, uint64_t bytes, const char *fmt, ...)
{
	char options[1500];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(options, sizeof(options), fmt, ap);
	va_end(ap);
	if (image_run("rm -f '%s' && truncate -s %llu '%s' && mke2fs -q -F %s '%s' %s",
		      path, (unsigned long long)bytes, path, options, path,
		      strstr(options, "-E offset") ? "16M" : ""))
		fail_msg("mke2fs %s", options);
}

void fsimage_tree(const char *dir)
{
	static const char script[] =
		"mkdir -p a/b/c/d/e many 'odd names' && "
		"head -c 3000 /dev/zero | tr '\\0' x > small && "
		"head -c 700000 /dev/urandom > large && "
		"head -c 5000 large > holes && dd if=large of=holes bs=1000 seek=400 "
		"count=9 "
		"conv=notrunc status=none && "
		"dd if=large of=holes bs=1000 seek=9000 count=3 conv=notrunc status=none "
		"&& "
		": > empty && ln -s small short && ln small hard && "
		"ln -s \"$(printf 'x%.0s' $(seq 200))\" long && "
		"for i in $(seq 400); do echo $i > many/a_name_that_takes_some_room_$i; "
		"done && "
		"echo 1 > 'odd names/with space' && echo 2 > \"odd names/quote\\\"s'\" "
		"&& "
		"printf 3 > \"$(printf 'odd names/\\377\\001\\nx')\" && "
		"echo 4 > a/b/c/d/e/deep && cp large a/b/copy && "
		"echo 5 > \"a/$(printf 'n%.0s' $(seq 255))\"";

	assert_int_equal(image_run("rm -rf '%s' && mkdir '%s' && cd '%s' && %s", dir, dir,
				   dir, script),
			 0);
}

struct volume *fsimage_open(const char *path, bool write)
{
	struct volume_options opt = {.write = write};
	struct err err = ERR_INIT;
	struct volume *v = volume_open(path, &opt, &err);

	if (!v)
		fail_msg("%s", err.msg);
	return v;
}

struct model *fsimage_scan(struct volume *v, struct flaw_list *flaws)
{
	struct flaw_list own = {0};
	struct err err = ERR_INIT;
	struct scan *s = scan_new(v, 2, &err);
	struct model *m;
	enum scan_state state;

	assert_non_null(s);
	while ((state = scan_step(s, &err)) == SCAN_MORE)
		;
	if (state == SCAN_FAILED)
		fail_msg("%s", err.msg);
	m = scan_take(s, flaws ? flaws : &own);
	assert_non_null(m);
	if (!flaws && own.count)
		fail_msg("%s", own.list.v[0].text);
	vec_release(&own.list);
	scan_free(s);
	return m;
}

void fsimage_read(const char *path, uint64_t at, void *buf, size_t n)
{
	int fd = open(path, O_RDONLY);

	assert_int_equal(file_read(fd, buf, n, at), 0);
	close(fd);
}

void fsimage_write(const char *path, uint64_t at, const void *buf, size_t n)
{
	int fd = open(path, O_WRONLY);

	assert_int_equal(file_write(fd, buf, n, at), 0);
	close(fd);
}

void fsimage_poke_super(const char *path, size_t field, size_t size, uint64_t clear,
			uint64_t set)
{
	struct ext2_super_block s;
	uint64_t value = 0;

	fsimage_read(path, 1024, &s, sizeof(s));
	memcpy(&value, (char *)&s + field, size);
	value = (value & ~clear) | set;
	memcpy((char *)&s + field, &value, size);
	if (ext2fs_has_feature_metadata_csum(&s))
		s.s_checksum =
			crc32c(~0u, &s, offsetof(struct ext2_super_block, s_checksum));
	fsimage_write(path, 1024, &s, sizeof(s));
}
