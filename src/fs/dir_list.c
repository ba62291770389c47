/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dir_list.c - the entries of one directory: linear, htree or inline. See dirs.h. */
#include <stdlib.h>
#include <string.h>
#include "fs/dirs.h"
#include "src/fs/dirent.h"

#define PIECE_BYTES	(1u << 20) /* read at a time */
#define DX_HASH_VERSION 28 /* byte of an htree's first block (struct dx_root_info) */

/* --- listing one directory --- */

struct lister {
	struct volume *v;
	dir_entry_fn fn;
	dir_hashed_fn hashed; /* instead of fn */
	void *arg;
	bool stopped;
	bool encrypted, index;
	struct dirent_hash hash; /* of an encrypted one */
};

static bool is_dot(const char *name, size_t len)
{
	return (len == 1 && name[0] == '.') ||
	       (len == 2 && name[0] == '.' && name[1] == '.');
}

/* Damage: it would be taken for a path. Such an entry has no name that one could say. */
static bool is_no_name(const char *name, size_t len)
{
	return memchr(name, '/', len) || memchr(name, '\0', len);
}

static bool list_entry(void *arg, const struct dirent_view *e)
{
	struct lister *l = arg;
	char shown[NOKEY_NAME_MAX];
	const char *name = e->name;
	size_t len = e->len;

	if (is_dot(name, len))
		return true;
	if (l->encrypted) {
		len = dirent_nokey_name(l->v, e, &l->hash, shown);
		name = shown;
	} else if (is_no_name(name, len)) {
		return true;
	}
	if (l->hashed) {
		uint32_t hash[2];

		dirent_hash_of(l->v, e, &l->hash, hash);
		l->stopped = !l->hashed(l->arg, name, len, e->ino, e->type, hash);
		return !l->stopped;
	}
	l->stopped = !l->fn(l->arg, name, len, e->ino, e->type);
	return !l->stopped;
}

static int hash_version(const struct volume *v, int stored)
{
	bool is_unsigned = v->fs->super->s_flags & EXT2_FLAGS_UNSIGNED_HASH;

	return stored <= EXT2_HASH_TEA && is_unsigned ? stored + EXT2_HASH_LEGACY_UNSIGNED
						      : stored;
}

static bool list_run(struct volume *v, const struct run *r, void *buf, struct lister *l,
		     struct err *err)
{
	uint32_t bs = v->geom.block_size, piece = PIECE_BYTES / bs ? PIECE_BYTES / bs : 1;

	for (uint32_t at = 0; at < r->len && !l->stopped; at += piece) {
		uint32_t n = r->len - at < piece ? r->len - at : piece;

		if (!io_read(v, r->phys + at, n, buf, err))
			return false;
		if (l->index && r->lblk + at == 0)
			l->hash.version =
				hash_version(v, ((uint8_t *)buf)[DX_HASH_VERSION]);
		for (uint32_t i = 0; i < n && !l->stopped; i++)
			if (!dirent_each(v, (char *)buf + (size_t)i * bs, list_entry,
					 l)) {
				err_set(err, ERR_CORRUPT,
					"directory block %llu is damaged; run: e2fsck "
					"-fn %s",
					(unsigned long long)(r->phys + at + i),
					v->info.path);
				return false;
			}
	}
	return true;
}

/* As ext4_dx_readdir() does: an htree has its hash in its first block, a directory of one
 * block or inline is read as if it were one. */
static void learn_hash(struct lister *l, const struct ext2_inode_large *raw,
		       uint64_t size)
{
	struct ext2_super_block *s = l->v->fs->super;
	uint32_t flags = ext2fs_le32_to_cpu(raw->i_flags);

	l->encrypted = flags & EXT4_ENCRYPT_FL;
	l->index = flags & EXT2_INDEX_FL;
	l->hash.used = ext2fs_has_feature_dir_index(s) &&
		       (l->index || size / l->v->geom.block_size == 1 ||
			flags & EXT4_INLINE_DATA_FL);
	l->hash.in_entry = flags & EXT4_CASEFOLD_FL;
	l->hash.version = hash_version(l->v, s->s_def_hash_version);
}

static int list_inline_entry(ext2_ino_t dir, int entry, struct ext2_dir_entry *d,
			     int offset, int block_size, char *buf, void *arg)
{
	struct dirent_view e = {.ino = d->inode,
				.name = d->name,
				.len = (size_t)ext2fs_dirent_name_len(d),
				.room = d->rec_len - 8u};
	struct lister *l = arg;

	e.type = dirent_type(l->v, (uint8_t)ext2fs_dirent_file_type(d));
	(void)dir, (void)entry, (void)offset, (void)block_size, (void)buf;
	return e.ino && !list_entry(arg, &e) ? DIRENT_ABORT : 0;
}

/* A directory in the inode itself: small, and the library knows how. */
static bool list_inline(struct volume *v, inum_t dir, struct lister *l, struct err *err)
{
	errcode_t rc = ext2fs_dir_iterate2(v->fs, dir, 0, NULL, list_inline_entry, l);

	if (rc)
		err_set(err, ERR_CORRUPT, "directory %u: %s", dir, error_message(rc));
	return rc == 0;
}

static bool list_dir(struct lister *l, inum_t dir, struct err *err)
{
	struct volume *v = l->v;
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(v));
	struct run_list runs = {0};
	struct inode_info info;
	void *buf = malloc(PIECE_BYTES > v->geom.block_size ? PIECE_BYTES
							    : v->geom.block_size);
	bool ok = raw && buf;

	if (!ok)
		err_nomem(err);
	ok = ok && inode_read(v, dir, raw, err);
	if (ok) {
		inode_info_of(v, dir, raw, &info);
		learn_hash(l, raw, info.size);
		if (info.type != INODE_DIR) {
			err_set(err, ERR_USAGE, "inode %u is not a directory", dir);
			ok = false;
		} else if (info.flags & INODE_INLINE) {
			ok = list_inline(v, dir, l, err);
		} else {
			ok = inode_map(v, dir, raw, &runs, err);
			for (size_t i = 0; ok && !l->stopped && i < runs.n; i++)
				if (runs.v[i].kind == OWNER_DIR)
					ok = list_run(v, &runs.v[i], buf, l, err);
		}
	}
	vec_release(&runs);
	free(raw);
	free(buf);
	return ok;
}

bool dir_list(struct volume *v, inum_t dir, dir_entry_fn fn, void *arg, struct err *err)
{
	struct lister l = {.v = v, .fn = fn, .arg = arg};

	return list_dir(&l, dir, err);
}

bool dir_list_hashed(struct volume *v, inum_t dir, dir_hashed_fn fn, void *arg,
		     struct err *err)
{
	struct lister l = {.v = v, .hashed = fn, .arg = arg};

	return list_dir(&l, dir, err);
}
