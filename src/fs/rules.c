/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rules.c - see rules.h. The table of features: features.c. */
#include <stdio.h>
#include <string.h>
#include "base/str.h"
#include "fs/features.h"
#include "src/fs/mmp.h"
#include "src/fs/rules.h"

#define JBD2_MAGIC 0xC03B3998u

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

static uint32_t bits_of(const struct ext2_super_block *s, enum feature_set set)
{
	return set == FEATURE_COMPAT	 ? s->s_feature_compat
	       : set == FEATURE_INCOMPAT ? s->s_feature_incompat
					 : s->s_feature_ro_compat;
}

bool rules_forbid_view(const struct ext2_super_block *raw, char *why, size_t n)
{
	uint32_t bits = ext2fs_le32_to_cpu(raw->s_feature_incompat), known = 0;

	for (size_t i = 0; i < feature_count(); i++) {
		const struct feature *f = feature_at(i);

		if (f->set != FEATURE_INCOMPAT)
			continue;
		known |= f->mask;
		if (f->rule == FEATURE_REFUSE && bits & f->mask) {
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
	for (size_t i = 0; i < feature_count(); i++) {
		const struct feature *f = feature_at(i);

		known[f->set] |= f->mask;
		if (!(bits_of(v->fs->super, f->set) & f->mask))
			continue;
		if (used < sizeof(v->info.features))
			used += (size_t)snprintf(v->info.features + used,
						 sizeof(v->info.features) - used, "%s%s",
						 used ? " " : "", f->name);
		if (f->rule != FEATURE_MOVE &&
		    !rules_add_reason(&v->info, f->why, f->remedy))
			return false;
	}
	for (int set = FEATURE_COMPAT; set <= FEATURE_RO_COMPAT; set++) {
		uint32_t rest =
			bits_of(v->fs->super, (enum feature_set)set) & ~known[set];

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

static bool apply_mmp(struct volume *v)
{
	static const struct {
		const char *what, *remedy;
	} said[] = {
		[MMP_LOCKED] = {"a checker works on it, perhaps on another host, or was "
				"cut short",
				"if there is none, unlock it with: tune2fs -f -E "
				"clear_mmp PATH"},
		[MMP_ACTIVE] =
			{"it may be mounted by another host",
			 "if it is not, unlock it with: tune2fs -f -E clear_mmp PATH"},
		[MMP_BROKEN] = {"its block of multiple-mount protection is damaged",
				"check it with: e2fsck -f PATH"},
	};
	enum mmp_state state;
	struct err err = ERR_INIT;

	if (!mmp_look(v, &state, &err))
		state = MMP_BROKEN;
	return state == MMP_FREE || state == MMP_OURS ||
	       rules_add_reason(&v->info, said[state].what, said[state].remedy);
}

bool rules_apply(struct volume *v, struct err *err)
{
	if (apply_state(v) && apply_features(v) && apply_checksums(v) &&
	    apply_journal(v) && apply_mmp(v))
		return true;
	return err_nomem(err);
}
