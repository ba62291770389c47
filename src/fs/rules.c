/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules.c - see rules.h. Feature bits: ext2_fs.h; what each asks of a mover: the column
 * `why`. */
#include <stdio.h>
#include <string.h>
#include "base/str.h"
#include "src/fs/rules.h"

#define JBD2_MAGIC 0xC03B3998u

enum set { COMPAT, INCOMPAT, RO_COMPAT };
enum rule { MOVE, VIEW, NEVER }; /* moving allowed; only looking; not even looking */

/* `why` of a VIEW or NEVER row is what the operator reads; of a MOVE row it says what the
 * mover must heed. Inodes of more than 512 bytes have no rule of their own: their write
 * may be torn, and the journal holds the images that mend it. */
static const struct feature {
	enum set set;
	uint32_t mask;
	const char *name;
	enum rule rule;
	const char *why, *remedy;
} features[] = {
	{COMPAT, 0x1, "dir_prealloc", MOVE, "no effect on blocks in use", ""},
	{COMPAT, 0x2, "imagic_inodes", VIEW, "it has inodes in an AFS format", ""},
	{COMPAT, 0x4, "has_journal", MOVE, "the journal stays where it is", ""},
	{COMPAT, 0x8, "ext_attr", MOVE, "attribute blocks stay where they are", ""},
	{COMPAT, 0x10, "resize_inode", MOVE, "inode 7 and what it maps stay", ""},
	{COMPAT, 0x20, "dir_index", MOVE, "htree nodes hold logical numbers only", ""},
	{COMPAT, 0x100, "snapshot_bitmap", VIEW, "it belongs to snapshots", ""},
	{COMPAT, 0x200, "sparse_super2", MOVE, "backups only in s_backup_bgs", ""},
	{COMPAT, 0x400, "fast_commit", MOVE, "its area lies inside the journal", ""},
	{COMPAT, 0x800, "stable_inodes", MOVE, "inode numbers are kept", ""},
	{COMPAT, 0x1000, "orphan_file", MOVE,
	 "its blocks stay: their checksums hold their place", ""},
	{INCOMPAT, 0x1, "compression", NEVER, "it has compressed files", ""},
	{INCOMPAT, 0x2, "filetype", MOVE, "no effect", ""},
	{INCOMPAT, 0x4, "needs_recovery", VIEW,
	 "needs recovery: its journal holds changes",
	 "replay it with: e2fsck -p -E journal_only PATH"},
	{INCOMPAT, 0x8, "journal_dev", NEVER, "it is the journal of another volume",
	 "open the volume that it belongs to"},
	{INCOMPAT, 0x10, "meta_bg", MOVE, "group descriptors are spread over the volume",
	 ""},
	{INCOMPAT, 0x40, "extent", MOVE, "", ""},
	{INCOMPAT, 0x80, "64bit", MOVE, "", ""},
	{INCOMPAT, 0x100, "mmp", VIEW,
	 "multiple-mount protection is not handled when writing",
	 "switch it off for the session with: tune2fs -O ^mmp PATH"},
	{INCOMPAT, 0x200, "flex_bg", MOVE, "metadata of a group may lie in another", ""},
	{INCOMPAT, 0x400, "ea_inode", MOVE,
	 "attribute values move like files, times untouched", ""},
	{INCOMPAT, 0x1000, "dirdata", NEVER, "its directory entries hold data", ""},
	{INCOMPAT, 0x2000, "metadata_csum_seed", MOVE, "the seed is not the UUID", ""},
	{INCOMPAT, 0x4000, "large_dir", MOVE, "", ""},
	{INCOMPAT, 0x8000, "inline_data", MOVE, "an inode with inline data has no map",
	 ""},
	{INCOMPAT, 0x10000, "encrypt", MOVE,
	 "keys depend on inode and logical block only", ""},
	{INCOMPAT, 0x20000, "casefold", MOVE, "", ""},
	{RO_COMPAT, 0x1, "sparse_super", MOVE, "", ""},
	{RO_COMPAT, 0x2, "large_file", MOVE, "", ""},
	{RO_COMPAT, 0x8, "huge_file", MOVE, "i_blocks may count file system blocks", ""},
	{RO_COMPAT, 0x10, "uninit_bg", MOVE,
	 "bitmaps of untouched groups are not there yet", ""},
	{RO_COMPAT, 0x20, "dir_nlink", MOVE, "", ""},
	{RO_COMPAT, 0x40, "extra_isize", MOVE, "", ""},
	{RO_COMPAT, 0x80, "has_snapshot", VIEW, "it has snapshots", ""},
	{RO_COMPAT, 0x100, "quota", VIEW,
	 "quota usage counts the mapping trees that a move rebuilds",
	 "switch quota off for the session with: tune2fs -O ^quota PATH"},
	{RO_COMPAT, 0x200, "bigalloc", VIEW, "clusters of several blocks cannot be moved",
	 ""},
	{RO_COMPAT, 0x400, "metadata_csum", MOVE, "", ""},
	{RO_COMPAT, 0x800, "replica", VIEW, "it is a replica", ""},
	{RO_COMPAT, 0x1000, "read-only", VIEW, "it is marked read-only",
	 "clear the mark with: tune2fs -O ^read-only PATH"},
	{RO_COMPAT, 0x2000, "project", VIEW,
	 "project quota usage counts the mapping trees",
	 "switch it off for the session with: tune2fs -O ^project,^quota PATH"},
	{RO_COMPAT, 0x4000, "shared_blocks", VIEW, "files share their blocks", ""},
	{RO_COMPAT, 0x8000, "verity", MOVE, "blocks past the end of a file are in use",
	 ""},
	{RO_COMPAT, 0x10000, "orphan_present", VIEW, "deleted files wait to be freed",
	 "free them with: e2fsck -fp PATH"},
};
#define FEATURES (sizeof(features) / sizeof(features[0]))

bool rules_add_reason(struct volume_info *info, const char *what, const char *remedy)
{
	struct volume_reason r;
	const char *hole = strstr(remedy, "PATH");

	snprintf(r.what, sizeof(r.what), "%s", what);
	if (hole)
		snprintf(r.remedy, sizeof(r.remedy), "%.*s%.100s%s", (int)(hole - remedy),
			 remedy, info->path, hole + 4);
	else
		snprintf(r.remedy, sizeof(r.remedy), "%s", remedy);
	return vec_push(&info->reasons, r);
}

static uint32_t bits_of(const struct ext2_super_block *s, enum set set)
{
	return set == COMPAT	 ? s->s_feature_compat
	       : set == INCOMPAT ? s->s_feature_incompat
				 : s->s_feature_ro_compat;
}

bool rules_forbid_view(const struct ext2_super_block *raw, char *why, size_t n)
{
	uint32_t bits = ext2fs_le32_to_cpu(raw->s_feature_incompat), known = 0;

	for (size_t i = 0; i < FEATURES; i++) {
		const struct feature *f = &features[i];

		if (f->set != INCOMPAT)
			continue;
		known |= f->mask;
		if (f->rule == NEVER && bits & f->mask) {
			snprintf(why, n, "%s%s%s", f->why, f->remedy[0] ? "; " : "",
				 f->remedy);
			return true;
		}
	}
	snprintf(why, n, "it has features that this program does not know (0x%x)",
		 bits & ~known);
	return bits & ~known;
}

/* Names of all features; a reason for each that forbids writing, and for bits nobody
 * knows. */
static bool apply_features(struct volume *v)
{
	uint32_t known[3] = {0};
	size_t used = 0;
	char text[80];

	v->info.features[0] = '\0';
	for (size_t i = 0; i < FEATURES; i++) {
		const struct feature *f = &features[i];

		known[f->set] |= f->mask;
		if (!(bits_of(v->fs->super, f->set) & f->mask))
			continue;
		if (used < sizeof(v->info.features))
			used += (size_t)snprintf(v->info.features + used,
						 sizeof(v->info.features) - used, "%s%s",
						 used ? " " : "", f->name);
		if (f->rule != MOVE && !rules_add_reason(&v->info, f->why, f->remedy))
			return false;
	}
	for (int set = COMPAT; set <= RO_COMPAT; set++) {
		uint32_t rest = bits_of(v->fs->super, (enum set)set) & ~known[set];

		snprintf(text, sizeof(text),
			 "it has features that this program does not know (0x%x)", rest);
		if (rest && !rules_add_reason(&v->info, text, ""))
			return false;
	}
	return true;
}

/* The journal's own superblock (jbd2, big-endian words): magic, block type, ..., word 7
 * s_start (not 0: it holds transactions), word 8 s_errno. */
static bool read_journal_super(struct volume *v, uint32_t word[9])
{
	struct ext2_inode_large *raw = calloc(1, INODE_BUF(v));
	char *block = malloc(v->geom.block_size);
	struct run_list runs = {0};
	struct err err = ERR_INIT;
	bool ok = raw && block &&
		  inode_read(v, v->fs->super->s_journal_inum, raw, &err) &&
		  inode_map(v, v->fs->super->s_journal_inum, raw, &runs, &err) &&
		  runs.n && runs.v[0].kind == OWNER_JOURNAL && runs.v[0].lblk == 0 &&
		  io_read(v, runs.v[0].phys, 1, block, &err);

	for (size_t i = 0; ok && i < 9; i++) {
		memcpy(&word[i], block + i * 4, 4);
		word[i] = ext2fs_be32_to_cpu(word[i]);
	}
	free(raw);
	free(block);
	vec_release(&runs);
	return ok && word[0] == JBD2_MAGIC && (word[1] == 3 || word[1] == 4);
}

static bool apply_journal(struct volume *v)
{
	struct ext2_super_block *s = v->fs->super;
	uint32_t word[9];

	if (!ext2fs_has_feature_journal(s) || !s->s_journal_inum ||
	    ext2fs_has_feature_journal_needs_recovery(s))
		return true;
	if (!read_journal_super(v, word))
		return rules_add_reason(&v->info, "its journal cannot be read",
					"check it with: e2fsck -f PATH");
	if (word[7])
		return rules_add_reason(&v->info,
					"needs recovery: its journal holds changes",
					"replay it with: e2fsck -p PATH");
	return !word[8] || rules_add_reason(&v->info, "its journal records an error",
					    "check it with: e2fsck -fp PATH");
}

static bool apply_state(struct volume *v)
{
	struct ext2_super_block *s = v->fs->super;
	struct volume_info *info = &v->info;
	bool needs = ext2fs_has_feature_journal_needs_recovery(s);

	info->clean =
		(s->s_state & EXT2_VALID_FS) && !(s->s_state & EXT2_ERROR_FS) && !needs;
	snprintf(info->state, sizeof(info->state), "%s%s%s",
		 s->s_state & EXT2_VALID_FS ? "clean" : "not clean",
		 s->s_state & EXT2_ERROR_FS || s->s_error_count ? ", errors recorded"
								: "",
		 needs ? ", needs recovery" : "");
	if (!(s->s_state & EXT2_VALID_FS) &&
	    !rules_add_reason(info, "it is not marked clean",
			      "check it with: e2fsck -fp PATH"))
		return false;
	if ((s->s_state & EXT2_ERROR_FS || s->s_error_count) &&
	    !rules_add_reason(info, "errors are recorded on it",
			      "check it with: e2fsck -fp PATH"))
		return false;
	if (s->s_state & (EXT3_ORPHAN_FS | EXT4_FC_REPLAY) &&
	    !rules_add_reason(info, "a recovery of it was cut short",
			      "check it with: e2fsck -fp PATH"))
		return false;
	if (s->s_creator_os != EXT2_OS_LINUX &&
	    !rules_add_reason(info, "another system than Linux made its inodes", ""))
		return false;
	return !s->s_last_orphan ||
	       rules_add_reason(info, "deleted files wait to be freed",
				"free them with: e2fsck -fp PATH");
}

/* Of superblock and group descriptors. */
static bool apply_checksums(struct volume *v)
{
	int flags = v->fs->flags;
	bool ok;

	v->fs->flags &= ~EXT2_FLAG_IGNORE_CSUM_ERRORS;
	ok = ext2fs_superblock_csum_verify(v->fs, v->fs->super);
	for (group_t g = 0; ok && g < v->geom.groups; g++)
		ok = ext2fs_group_desc_csum_verify(v->fs, g);
	v->fs->flags = flags;
	return ok ||
	       rules_add_reason(&v->info,
				"a checksum of superblock or group descriptors is wrong",
				"check it with: e2fsck -f PATH");
}

bool rules_apply(struct volume *v, struct err *err)
{
	if (apply_state(v) && apply_features(v) && apply_checksums(v) && apply_journal(v))
		return true;
	return err_nomem(err);
}
