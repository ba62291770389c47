/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * journal.h - the undo journal as a file: framed, chained, checksummed records. What a
 * record means is its writer's business (src/fs/change.h); here it is a type and bytes.
 *
 * Invariants, and the test of tests/unit/test_journal.c that fails without each
 *   J1  append-only: nothing that was written is ever written again
 *       (append_keeps)
 *   J2  a record counts only if its own checksum and its link to the one before are right
 *       (every_length, every_byte)
 *   J3  a broken end is cut off only where no later record says that it was durable;
 *       anything else is damage, and an error: never guess (damage_in_the_middle)
 *   J4  what is read is not yet durable: the end of an opened file is written once more
 *       before anything is built on it (end_is_renewed; tests/crash, failed barriers)
 *   J5  only one program writes into a journal, and no other cuts its end off (in_use)
 *   J6  after journal_sync() all records so far survive a power cut; once created, the
 *       name of the file too (tests/crash)
 *
 *   (none) --create--> EMPTY --append--> DIRTY --sync--> DURABLE --append--> DIRTY ...
 *
 * On disk, little endian:
 *   header, 72 bytes: "CDFUNDO1", version 4, block size 4, blocks 8, UUID 16, label 16,
 *                     zero 12, crc32c 4
 *   record, 32 bytes: magic 4, payload length 4, type 4, sequence 4, bytes of the file
 *                     known durable when it was written 8, crc32c of the record before 4,
 *                     crc32c of this one 4; then the payload, padded with zeros to 8
 */
#ifndef JOURNAL_JOURNAL_H
#define JOURNAL_JOURNAL_H

#include "base/err.h"

enum journal_type {
	JOURNAL_SESSION = 1, /* a session begins: superblock before, and as marked */
	JOURNAL_ACTION,	     /* what the operator called it, and when */
	JOURNAL_INTENT,	     /* a batch is about to change the volume */
	JOURNAL_DONE,	     /* it has; checksums of what was copied */
	JOURNAL_ABORT,	     /* it has been taken back by recovery */
	JOURNAL_CLOSING,     /* the superblock that the session ends with */
	JOURNAL_CLOSED,
	JOURNAL_KEPT, /* old contents of free blocks that the next intent writes to */
};

/* Which volume a journal belongs to. */
struct journal_ident {
	uint8_t uuid[16];
	uint32_t block_size;
	uint64_t blocks;
	char label[16];
};

struct journal;

/* A new file at path, its folder made too; durable on return. Fails if it exists. */
struct journal *journal_create(const char *path, const struct journal_ident *ident,
			       struct err *err);
/* Opens and checks every record. write: for appending (a broken end is then cut off on
 * disk), else reading only. ERR_CORRUPT: damaged (J3); ERR_IO; ERR_REFUSED: not a
 * journal, of a newer version, or another program writes into it. */
struct journal *journal_open(const char *path, bool write, struct err *err);
void journal_close(struct journal *j); /* does not sync */

const struct journal_ident *journal_ident(const struct journal *j);
uint64_t journal_bytes(const struct journal *j);

/* One record after the last; not durable before journal_sync. A failed append or sync is
 * final for this handle: every later one fails too. Except an append that fails with
 * ERR_NOSPACE: then the file is as it was. */
bool journal_append(struct journal *j, enum journal_type type, const void *payload,
		    size_t n, struct err *err);
bool journal_sync(struct journal *j, struct err *err);
/* Makes sure that records of n more bytes will find room. ERR_NOSPACE: they would not;
 * the handle goes on as it was. */
bool journal_reserve(struct journal *j, uint64_t n, struct err *err);

/* Records in order, 0 to count - 1. */
size_t journal_count(const struct journal *j);
enum journal_type journal_type_of(const struct journal *j, size_t i);
/* Payload of record i, malloc'd, *n bytes (one NUL more behind them). NULL on error. */
void *journal_read(const struct journal *j, size_t i, size_t *n, struct err *err);
/* The first n bytes of it (fewer if it is shorter) into buf; returns how many, or 0 on
 * error. */
size_t journal_read_head(const struct journal *j, size_t i, void *buf, size_t n,
			 struct err *err);

/* Renames the file to path.1 (or .2, ...), durable; the new name is appended to out. */
struct str;
bool journal_set_aside(const char *path, struct str *out, struct err *err);

/* Calls that change the file, for fault injection in tests: 0 or an errno. */
extern struct journal_calls {
	int (*write)(int fd, const void *buf, size_t n, uint64_t at);
	int (*sync)(int fd);
	int (*reserve)(int fd, uint64_t at, uint64_t n);
} journal_calls;

#endif
