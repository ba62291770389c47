/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pin.c - see pins.h. Looked for by name, in a handful of places:
 *   GRUB     core.img and, of the old one, stage2: their first sector holds block numbers of
 *            the rest, where there is no room for it before the first partition
 *   SYSLINUX ldlinux.sys: the boot sector holds its block numbers
 *   LILO     the map file holds those of every kernel: all of its folder is pinned
 *   swap     resume_offset= on the kernel's command line is a block number. The signature of
 *            a sleeping system stands at the end of the first page (kernel/power/swap.c).
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fs/dirs.h"
#include "src/fs/pin.h"

#define PAGE   4096u
#define SLEEPS "S1SUSPEND"

enum how { BY_NAME, WITH_FOLDER, IF_ASLEEP };

static const char *const why[] = {
	[BY_NAME] = "a boot loader finds it by block number",
	[WITH_FOLDER] = "LILO finds kernels by block number",
	[IF_ASLEEP] = "a system sleeps in it, and wakes by block number",
};

static const struct {
	const char *path;
	enum how how;
} known[] = {
	{"/boot/grub/core.img", BY_NAME},
	{"/boot/grub/i386-pc/core.img", BY_NAME},
	{"/boot/grub2/i386-pc/core.img", BY_NAME},
	{"/boot/grub/stage2", BY_NAME},
	{"/grub/core.img", BY_NAME}, /* /boot is a volume of its own */
	{"/grub/i386-pc/core.img", BY_NAME},
	{"/grub2/i386-pc/core.img", BY_NAME},
	{"/grub/stage2", BY_NAME},
	{"/ldlinux.sys", BY_NAME},
	{"/boot/ldlinux.sys", BY_NAME},
	{"/boot/syslinux/ldlinux.sys", BY_NAME},
	{"/boot/extlinux/ldlinux.sys", BY_NAME},
	{"/syslinux/ldlinux.sys", BY_NAME},
	{"/extlinux/ldlinux.sys", BY_NAME},
	{"/boot/map", WITH_FOLDER},
	{"/swapfile", IF_ASLEEP},
	{"/swap.img", IF_ASLEEP},
	{"/swap", IF_ASLEEP},
	{"/swap/swapfile", IF_ASLEEP},
	{"/var/swap", IF_ASLEEP},
	{"/var/swapfile", IF_ASLEEP},
};
#define KNOWN (sizeof(known) / sizeof(known[0]))

const char *pins_reason(const char *path)
{
	for (size_t i = 0; i < KNOWN; i++) {
		const char *slash = strrchr(known[i].path, '/');
		size_t folder = (size_t)(slash - known[i].path) + 1;

		if (!strcmp(path, known[i].path))
			return why[known[i].how];
		if (known[i].how == WITH_FOLDER &&
		    !strncmp(path, known[i].path, folder) && !strchr(path + folder, '/'))
			return why[known[i].how];
	}
	return NULL;
}

static void pin(struct model *m, inum_t ino)
{
	struct inode_info info;

	if (!model_inode(m, ino, &info) || info.type != INODE_FILE)
		return;
	info.flags |= INODE_PINNED;
	(void)model_set_inode(m, ino, &info); /* it is there already: needs no memory */
}

/* Is an image of a sleeping system in this file? The signature ends the first page. */
static bool sleeps(struct volume *v, inum_t ino)
{
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(v));
	uint32_t bs = v->geom.block_size;
	uint64_t block = (PAGE - 10) / bs, at = (PAGE - 10) % bs;
	uint8_t *buf = malloc(bs);
	struct run_list runs = {0};
	struct err err = ERR_INIT;
	bool hit = false;

	if (raw && buf && inode_read(v, ino, raw, &err) &&
	    inode_map(v, ino, raw, &runs, &err))
		for (size_t i = 0; i < runs.n && owner_is_data(runs.v[i].kind); i++) {
			const struct run *r = &runs.v[i];

			if (block < r->lblk || block >= (uint64_t)r->lblk + r->len)
				continue;
			hit = !r->unwritten &&
			      io_read(v, r->phys + (block - r->lblk), 1, buf, &err) &&
			      memcmp(buf + at, SLEEPS, sizeof(SLEEPS) - 1) == 0;
			break;
		}
	free(raw);
	free(buf);
	vec_release(&runs);
	return hit;
}

static bool pin_entry(void *arg, const char *name, size_t len, inum_t ino,
		      enum inode_type type)
{
	(void)name, (void)len, (void)type;
	pin(arg, ino);
	return true;
}

static void pin_folder(struct volume *v, struct model *m, const char *path)
{
	struct err err = ERR_INIT;
	char folder[64];
	inum_t dir;

	snprintf(folder, sizeof(folder), "%s", path);
	*strrchr(folder, '/') = '\0';
	dir = dir_lookup(v, folder, &err);
	if (dir)
		(void)dir_list(v, dir, pin_entry, m, &err);
}

void pin_files(struct volume *v, struct model *m)
{
	for (size_t i = 0; i < KNOWN; i++) {
		struct err err = ERR_INIT;
		inum_t ino = dir_lookup(v, known[i].path, &err);

		if (!ino || (known[i].how == IF_ASLEEP && !sleeps(v, ino)))
			continue;
		pin(m, ino);
		if (known[i].how == WITH_FOLDER)
			pin_folder(v, m, known[i].path);
	}
}
