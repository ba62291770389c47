/* SPDX-License-Identifier: GPL-3.0-or-later */
/* journal_priv.h - the frame of the file, shared by journal.c and reader.c. */
#ifndef JOURNAL_JOURNAL_PRIV_H
#define JOURNAL_JOURNAL_PRIV_H

#include "base/vec.h"
#include "journal/journal.h"

#define JOURNAL_MAGIC	     "CDFUNDO1"
#define JOURNAL_VERSION	     1u
#define JOURNAL_HEADER	     72u
#define JOURNAL_RECORD	     32u
#define JOURNAL_RECORD_MAGIC 0x4A524543u
#define JOURNAL_PAYLOAD_MAX  (1u << 30)

struct journal_record {
	uint64_t at; /* of its head in the file */
	uint32_t bytes;
	enum journal_type type;
};

struct journal {
	int fd;
	bool write, failed;
	struct journal_ident ident;
	VEC(struct journal_record) records;
	uint64_t end;	  /* where the next record goes */
	uint64_t durable; /* bytes known durable */
	/* From here to where the file ended when it was opened: read, but nobody says that
	 * it is durable. The end, once it has been written again. */
	uint64_t doubtful;
	uint32_t last_crc; /* of the last record, or of the header */
};

void put_le(uint8_t *p, uint64_t value, int bytes);
uint64_t get_le(const uint8_t *p, int bytes);
/* Only one program writes into a journal. ERR_REFUSED: another one does. */
bool journal_lock(int fd, const char *path, struct err *err);
/* crc32c of a whole record, its own crc field (at 28) left out. */
uint32_t journal_record_crc(const uint8_t *record, size_t whole);

#endif
