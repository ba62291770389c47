/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dirent.h - the entries of one directory block, whatever its bytes say. */
#ifndef FS_DIRENT_H
#define FS_DIRENT_H

#include "src/fs/fs.h"

struct dirent_view {
	inum_t ino; /* never 0: empty entries are passed over */
	const char *name;
	size_t len;
	size_t room;	      /* bytes from name to the end of the entry */
	enum inode_type type; /* INODE_NONE where the volume does not say */
};

/* Calls fn for each entry in use, "." and ".." included; fn returns false to stop.
 * Returns false if the block is not a chain of sane entries (those before the break have
 * been shown). */
bool dirent_each(const struct volume *v, const void *block,
		 bool (*fn)(void *arg, const struct dirent_view *e), void *arg);

/* The same for the entries of an inline directory: n bytes instead of a block. */
bool dirent_each_in(const struct volume *v, const void *bytes, size_t n,
		    bool (*fn)(void *arg, const struct dirent_view *e), void *arg);

/* From the type byte of an entry; INODE_NONE where the volume does not say. */
enum inode_type dirent_type(const struct volume *v, uint8_t raw);

/* How the names of one directory are hashed; what the kernel shows of an encrypted name
 * contains that. */
struct dirent_hash {
	bool used;     /* an htree, or so short that the kernel reads it as one */
	bool in_entry; /* casefolded and encrypted: stored behind each name */
	int version;   /* EXT2_HASH_... */
};

/* The hash of one entry, major and minor, by which the kernel lists a directory; zeros
 * where it does not hash. */
void dirent_hash_of(const struct volume *v, const struct dirent_view *e,
		    const struct dirent_hash *how, uint32_t out[2]);

#define NOKEY_NAME_MAX 252

/* The name that the kernel shows of an encrypted entry without the key (fscrypt's "no-key
 * name"): safe to print, and it can be looked up. Returns its length. */
size_t dirent_nokey_name(const struct volume *v, const struct dirent_view *e,
			 const struct dirent_hash *hash, char out[NOKEY_NAME_MAX]);

/* As dir_list(), with the hash of each entry (dir_list.c). */
typedef bool (*dir_hashed_fn)(void *arg, const char *name, size_t len, inum_t ino,
			      enum inode_type type, const uint32_t hash[2]);
bool dir_list_hashed(struct volume *v, inum_t dir, dir_hashed_fn fn, void *arg,
		     struct err *err);

#endif
