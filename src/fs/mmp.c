/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * mmp.c - see mmp.h. On disk: struct mmp_struct (ext2_fs.h), little endian, 1024 bytes of a
 * block; all but the checksum lies in its first sector.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "src/fs/mmp.h"

#define SEQ_CLEAN 0xFF4D4D50u
#define SEQ_FSCK  0xE24D4D50u
#define MAGIC	  0x004D4D50u
#define SECTOR	  512u
#define OUR_MARK  "cdefrag"
/* Kernel and e2fsprogs: so much longer than the interval a peer is waited for. */
#define WAIT_MORE  60u
#define ALIVE_SECS 60

static void wait_seconds(unsigned seconds)
{
	while (seconds)
		seconds = sleep(seconds);
}

struct mmp_calls mmp_calls = {wait_seconds};

bool mmp_has(const struct volume *v)
{
	return ext2fs_has_feature_mmp(v->fs->super);
}

static bool has_place(const struct volume *v)
{
	blkno_t b = v->fs->super->s_mmp_block;

	return b > v->geom.first_block && b < v->geom.blocks;
}

/* --- the block --- */

/* Past every cache: another host may have written it. */
static bool load(struct volume *v, uint8_t out[MMP_BYTES], uint8_t **block,
		 struct err *err)
{
	size_t n = v->geom.block_size;
	uint8_t *buf = aligned_alloc(4096, (n + 4095) & ~(size_t)4095);
	bool ok = buf || err_nomem(err);

	ok = ok && io_read_direct(v, v->fs->super->s_mmp_block, 1, buf, err);
	if (ok)
		memcpy(out, buf, MMP_BYTES);
	if (ok && block)
		*block = buf;
	else
		free(buf);
	return ok;
}

static bool store(struct volume *v, const uint8_t in[MMP_BYTES], struct err *err)
{
	uint8_t old[MMP_BYTES], *block = NULL;
	bool ok = load(v, old, &block, err);

	if (ok)
		memcpy(block, in, MMP_BYTES);
	ok = ok && io_write(v, v->fs->super->s_mmp_block, 1, block, err) &&
	     io_barrier(v, err);
	free(block);
	return ok;
}

static uint32_t seq_of(const uint8_t b[MMP_BYTES])
{
	uint32_t seq;

	memcpy(&seq, b + offsetof(struct mmp_struct, mmp_seq), 4);
	return ext2fs_le32_to_cpu(seq);
}

static void host_name(char out[64])
{
	char name[65] = "";

	gethostname(name, sizeof(name) - 1);
	memset(out, 0, 64);
	memcpy(out, name, strnlen(name, 63));
}

static bool is_ours(const uint8_t b[MMP_BYTES])
{
	const struct mmp_struct *m = (const void *)b;
	char host[64];

	host_name(host);
	return memcmp(m->mmp_nodename, host, sizeof(host)) == 0 &&
	       strncmp((const char *)m->mmp_bdevname, OUR_MARK,
		       sizeof(m->mmp_bdevname)) == 0;
}

/* v->mmp.mine = the block with this number, our name and the time. */
static void make(struct volume *v, uint32_t seq)
{
	union {
		struct mmp_struct m;
		uint8_t bytes[MMP_BYTES];
	} u;

	memcpy(u.bytes, v->mmp.seen, MMP_BYTES);
	u.m.mmp_seq = ext2fs_cpu_to_le32(seq);
	u.m.mmp_time = ext2fs_cpu_to_le64((uint64_t)time(NULL));
	host_name((char *)u.m.mmp_nodename);
	memset(u.m.mmp_bdevname, 0, sizeof(u.m.mmp_bdevname));
	memcpy(u.m.mmp_bdevname, OUR_MARK, strlen(OUR_MARK));
	ext2fs_mmp_csum_set(v->fs, &u.m);
	memcpy(v->mmp.mine, u.bytes, MMP_BYTES);
	v->mmp.written = time(NULL);
}

static bool write_mine(struct volume *v, uint32_t seq, struct err *err)
{
	make(v, seq);
	return store(v, v->mmp.mine, err);
}

static unsigned wait_for(const struct volume *v)
{
	const struct mmp_struct *m = (const void *)v->mmp.seen;
	unsigned interval = v->fs->super->s_mmp_update_interval;
	unsigned check = ext2fs_le16_to_cpu(m->mmp_check_interval);

	if (interval < EXT4_MMP_MIN_CHECK_INTERVAL)
		interval = EXT4_MMP_MIN_CHECK_INTERVAL;
	if (check > interval && check <= EXT4_MMP_MAX_UPDATE_INTERVAL)
		interval = check;
	return 2 * interval + 1 < interval + WAIT_MORE ? 2 * interval + 1
						       : interval + WAIT_MORE;
}

static enum mmp_state judge(const struct volume *v, const uint8_t b[MMP_BYTES])
{
	union {
		struct mmp_struct m;
		uint8_t bytes[MMP_BYTES];
	} u;

	memcpy(u.bytes, b, MMP_BYTES);
	if (ext2fs_le32_to_cpu(u.m.mmp_magic) != MAGIC)
		return MMP_BROKEN;
	if (is_ours(b)) /* torn or not: it will be written anew */
		return MMP_OURS;
	if (!ext2fs_mmp_csum_verify(v->fs, &u.m))
		return MMP_BROKEN;
	return seq_of(b) == SEQ_CLEAN  ? MMP_FREE
	       : seq_of(b) == SEQ_FSCK ? MMP_LOCKED
				       : MMP_ACTIVE;
}

/* --- taking it --- */

bool mmp_look(struct volume *v, enum mmp_state *out, struct err *err)
{
	*out = MMP_FREE;
	if (!mmp_has(v))
		return true;
	*out = MMP_BROKEN;
	if (!has_place(v))
		return true;
	if (!load(v, v->mmp.seen, NULL, err))
		return false;
	*out = judge(v, v->mmp.seen);
	return true;
}

static bool in_use(struct volume *v, const uint8_t b[MMP_BYTES], struct err *err)
{
	const struct mmp_struct *m = (const void *)b;

	err_set(err, ERR_REFUSED,
		"%.150s has been used by another host (%.60s) since it was opened, or is "
		"now; wait until it has finished, and open it again",
		v->info.path, (const char *)m->mmp_nodename);
	return false;
}

static bool still(struct volume *v, const uint8_t want[MMP_BYTES], struct err *err)
{
	uint8_t now[MMP_BYTES];

	if (!load(v, now, NULL, err))
		return false;
	return memcmp(now, want, MMP_BYTES) == 0 || in_use(v, now, err);
}

bool mmp_claim(struct volume *v, struct err *err)
{
	uint32_t seq = (uint32_t)time(NULL) * 2654435761u ^ (uint32_t)getpid() << 8;

	if (!mmp_has(v))
		return true;
	return still(v, v->mmp.seen, err) && write_mine(v, seq % SEQ_FSCK, err) &&
	       (mmp_calls.wait(wait_for(v)), still(v, v->mmp.mine, err));
}

bool mmp_hold(struct volume *v, struct err *err)
{
	v->mmp.held = mmp_has(v);
	return !v->mmp.held || write_mine(v, SEQ_FSCK, err);
}

bool mmp_adopt(struct volume *v, const uint8_t *first, struct err *err)
{
	uint8_t now[MMP_BYTES];
	enum mmp_state state;

	if (!mmp_has(v))
		return true;
	if (!load(v, now, NULL, err))
		return false;
	state = judge(v, now);
	if (first && memcmp(now, first, SECTOR) == 0) /* torn behind that, or whole */
		state = MMP_OURS;
	if (state != MMP_FREE && state != MMP_OURS) {
		err_set(err, ERR_REFUSED,
			"%.120s may be in use by another host (multiple-mount "
			"protection); if it is not: tune2fs -f -E clear_mmp %.120s",
			v->info.path, v->info.path);
		return false;
	}
	memcpy(v->mmp.seen, first ? first : now, MMP_BYTES);
	return mmp_hold(v, err);
}

bool mmp_keep(struct volume *v, struct err *err)
{
	if (!v->mmp.held)
		return true;
	return still(v, v->mmp.mine, err) &&
	       (time(NULL) - v->mmp.written < ALIVE_SECS || write_mine(v, SEQ_FSCK, err));
}

bool mmp_release(struct volume *v, struct err *err)
{
	union {
		struct mmp_struct m;
		uint8_t bytes[MMP_BYTES];
	} u;

	if (!v->mmp.held)
		return true;
	v->mmp.held = false;
	if (is_ours(v->mmp.seen)) { /* what a crash left is not what was there before */
		memcpy(u.bytes, v->mmp.seen, MMP_BYTES);
		u.m.mmp_seq = ext2fs_cpu_to_le32(SEQ_CLEAN);
		memset(u.m.mmp_bdevname, 0, sizeof(u.m.mmp_bdevname));
		ext2fs_mmp_csum_set(v->fs, &u.m);
		memcpy(v->mmp.seen, u.bytes, MMP_BYTES);
	}
	return store(v, v->mmp.seen, err);
}
