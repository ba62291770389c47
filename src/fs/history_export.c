/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * history_export.c - a journal as JSON, one record a line, as they stand in the file:
 *
 *   {"format": "cdefrag undo journal", "version": 1, "volume": {...}, "records": [
 *   {"record": 1, "type": "session"},
 *   {"record": 2, "type": "action", "name": ..., "time_s": ...},
 *   {"record": 3, "type": "intent", "way": "forward", "batch": 1, "action": 1, "inodes": [
 *     {"inode", "generation", "before", "after": hex of i_block, i_blocks, checksum,
 *      "copies": [[logical, blocks, from, to, unwritten], ...],
 *      "old_tree": [block...], "new_tree": [block...]}], "groups": [number...]},
 *   {"record": 4, "type": "done", "crc32c": [of each copy, in their order]},
 *   ...
 *   ]}
 * Written piece by piece: a journal may be larger than memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "fs/history.h"
#include "src/fs/history_priv.h"

/* A string of bytes that need not be UTF-8: what is not plain ASCII becomes \u00NN. */
static void put_text(FILE *f, const char *s, size_t n)
{
	fputc('"', f);
	for (size_t i = 0; i < n && s[i]; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c < 0x20 || c >= 0x7f || c == '"' || c == '\\')
			fprintf(f, "\\u%04x", c);
		else
			fputc(c, f);
	}
	fputc('"', f);
}

static void put_hex(FILE *f, const char *key, const uint8_t *p, size_t n)
{
	fprintf(f, "\"%s\": \"", key);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%02x", p[i]);
	fputs("\", ", f);
}

static void put_nodes(FILE *f, const char *key, const struct change_node *v, size_t n)
{
	fprintf(f, "\"%s\": [", key);
	for (size_t i = 0; i < n; i++)
		fprintf(f, "%s%llu", i ? ", " : "", (unsigned long long)v[i].block);
	fputc(']', f);
}

static void put_inode(FILE *f, const struct change_inode *i)
{
	fprintf(f, "\n  {\"inode\": %u, \"generation\": %u, ", i->ino,
		ext2fs_le32_to_cpu(i->generation));
	put_hex(f, "before", i->before.bytes, CORE_BYTES);
	put_hex(f, "after", i->after.bytes, CORE_BYTES);
	fputs("\"copies\": [", f);
	for (size_t k = 0; k < i->copies.n; k++) {
		const struct change_copy *c = &i->copies.v[k];

		fprintf(f, "%s[%u, %u, %llu, %llu, %s]", k ? ", " : "", c->lblk, c->len,
			(unsigned long long)c->src, (unsigned long long)c->dst,
			c->unwritten ? "true" : "false");
	}
	fputs("], ", f);
	put_nodes(f, "old_tree", i->old_tree.v, i->old_tree.n);
	fputs(", ", f);
	put_nodes(f, "new_tree", i->new_tree.v, i->new_tree.n);
	fputc('}', f);
}

static bool put_intent(FILE *f, const struct history_source *h, size_t i, struct err *err)
{
	static const char *const ways[] = {"forward", "undo", "redo"};
	struct change c;
	bool ok;

	change_init(&c);
	ok = stack_load(h->v, h->journal, i, NO_RECORD, &c, err);
	if (ok) {
		fprintf(f,
			"\"intent\", \"way\": \"%s\", \"batch\": %u, \"action\": %u, "
			"\"inodes\": [",
			ways[c.way], c.batch, c.action);
		for (size_t k = 0; k < c.inodes.n; k++) {
			fputs(k ? "," : "", f);
			put_inode(f, &c.inodes.v[k]);
		}
		fputs("], \"groups\": [", f);
		for (size_t k = 0; k < c.groups.n; k++)
			fprintf(f, "%s%u", k ? ", " : "", c.groups.v[k].group);
		fputc(']', f);
	}
	change_release(&c);
	return ok;
}

static uint64_t get_le(const uint8_t *p, int bytes)
{
	uint64_t value = 0;

	for (int i = 0; i < bytes; i++)
		value |= (uint64_t)p[i] << 8 * i;
	return value;
}

static void put_action(FILE *f, const uint8_t *p, size_t n)
{
	fputs("\"action\", \"name\": ", f);
	put_text(f, (const char *)p + 8, n - 8);
	fprintf(f, ", \"time_s\": %lld", (long long)get_le(p, 8));
}

static void put_done(FILE *f, const uint8_t *p, size_t n)
{
	fputs("\"done\", \"crc32c\": [", f);
	for (size_t k = 0; k + 4 <= n; k += 4)
		fprintf(f, "%s%u", k ? ", " : "", (unsigned)get_le(p + k, 4));
	fputc(']', f);
}

static bool put_record(FILE *f, const struct history_source *h, size_t i, struct err *err)
{
	static const char *const names[] = {[JOURNAL_SESSION] = "session",
					    [JOURNAL_ABORT] = "abort",
					    [JOURNAL_CLOSING] = "closing",
					    [JOURNAL_CLOSED] = "closed",
					    [JOURNAL_KEPT] = "kept"};
	enum journal_type type = journal_type_of(h->journal, i);
	uint8_t *payload = NULL;
	bool ok = true;
	size_t n = 0;

	fprintf(f, "%s\n{\"record\": %zu, \"type\": ", i ? "," : "", i + 1);
	if (type == JOURNAL_INTENT) {
		ok = put_intent(f, h, i, err);
	} else if (type == JOURNAL_ACTION || type == JOURNAL_DONE) {
		payload = journal_read(h->journal, i, &n, err);
		ok = payload != NULL;
		if (ok && type == JOURNAL_DONE)
			put_done(f, payload, n);
		else if (ok)
			put_action(f, payload, n);
	} else {
		fprintf(f, "\"%s\"", names[type]);
	}
	fputc('}', f);
	free(payload);
	return ok;
}

static bool put_all(FILE *f, const struct history_source *h, struct err *err)
{
	const struct journal_ident *id = journal_ident(h->journal);

	fprintf(f,
		"{\"format\": \"cdefrag undo journal\", \"version\": 1, "
		"\"size_bytes\": %llu, \"cut_short\": %s, \"volume\": {\"uuid\": "
		"\"%s\", \"label\": ",
		(unsigned long long)journal_bytes(h->journal),
		h->stack.open ? "true" : "false", h->v->info.uuid_text);
	put_text(f, id->label, sizeof(id->label));
	fprintf(f, ", \"block_size_bytes\": %u, \"blocks\": %llu}, \"records\": [",
		id->block_size, (unsigned long long)id->blocks);
	for (size_t i = 0; i < journal_count(h->journal); i++)
		if (!put_record(f, h, i, err))
			return false;
	fputs("\n]}\n", f);
	return true;
}

bool history_export(const char *journal, struct volume *v, const char *to,
		    struct err *err)
{
	struct history_source h;
	bool ok = history_open(&h, journal, v, err);
	int fd = ok ? open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600) : -1;
	FILE *f = fd >= 0 ? fdopen(fd, "w") : NULL;

	if (ok && !f) {
		err_set_errno(err, ERR_REFUSED, errno, "cannot create %.200s", to);
		ok = false;
	}
	ok = ok && put_all(f, &h, err);
	if (f && (fflush(f) || ferror(f)) && ok) {
		err_set_errno(err, ERR_IO, errno, "cannot write %.200s", to);
		ok = false;
	}
	if (f)
		fclose(f);
	if (f && !ok)
		unlink(to);
	history_close(&h);
	return ok;
}
