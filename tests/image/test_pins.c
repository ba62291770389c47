/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * test_pins.c - files that are found by block number are pinned by the scan: boot loaders by
 * their names, with LILO all of /boot, a swap file only while a system sleeps in it.
 */
#include <string.h>
#include "fs/dirs.h"
#include "fs/pins.h"
#include "tests/lib/fsimage.h"
#include "tests/lib/image.h"
#include "tests/lib/test.h"

static struct volume *v;
static struct model *m;

static void make(const char *img, unsigned block_size, bool lilo)
{
	char dir[512];

	snprintf(dir, sizeof(dir), "%s", image_path("tree"));
	assert_int_equal(image_run("rm -rf '%s' && mkdir -p '%s/boot/grub/i386-pc' "
				   "'%s/home' && cd '%s' && "
				   "for f in boot/grub/i386-pc/core.img boot/vmlinuz "
				   "home/core.img swapfile "
				   "swap.img plain; do head -c 20000 /dev/zero | tr "
				   "'\\0' x > $f; done && "
				   "printf S1SUSPEND | dd of=swapfile bs=1 seek=4086 "
				   "conv=notrunc && "
				   "printf SWAPSPACE2 | dd of=swap.img bs=1 seek=4086 "
				   "conv=notrunc && "
				   "cp swapfile home/swapfile && %s",
				   dir, dir, dir, dir,
				   lilo ? "echo map > boot/map" : "true"),
			 0);
	fsimage_make(img, 8 << 20, "-t ext4 -b %u -d '%s'", block_size, dir);
	v = fsimage_open(img, true);
	m = fsimage_scan(v, NULL);
}

static void expect(const char *path, bool pinned)
{
	struct inode_info info;
	struct err err = ERR_INIT;
	inum_t ino = dir_lookup(v, path, &err);

	if (!ino)
		fail_msg("%s", err.msg);
	assert_true(model_inode(m, ino, &info));
	if (!(info.flags & INODE_PINNED) == pinned)
		fail_msg("%s is %spinned", path, pinned ? "not " : "");
	if (pinned && info.type == INODE_FILE)
		assert_non_null(pins_reason(path));
}

static void test_found_by_block_number(void **state)
{
	char img[512];

	(void)state;
	snprintf(img, sizeof(img), "%s", image_path("pins.img"));
	for (unsigned size = 1024; size <= 4096; size *= 2) {
		make(img, size, size == 2048);
		expect("/boot/grub/i386-pc/core.img", true);
		expect("/swapfile", true);
		expect("/swap.img", false); /* a swap file, but nobody sleeps */
		expect("/home/swapfile", false);
		expect("/home/core.img", false);
		expect("/plain", false);
		expect("/boot/vmlinuz", size == 2048); /* LILO's map is there */
		expect("/boot", false);
		model_free(m);
		volume_close(v);
	}
}

static void test_reasons(void **state)
{
	(void)state;
	assert_null(pins_reason("/home/core.img"));
	assert_null(pins_reason("/boot/grub/x"));
	assert_non_null(strstr(pins_reason("/boot/vmlinuz"), "LILO"));
	assert_non_null(strstr(pins_reason("/boot/grub/core.img"), "boot loader"));
	assert_non_null(strstr(pins_reason("/swapfile"), "sleeps"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_found_by_block_number),
		cmocka_unit_test(test_reasons),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
