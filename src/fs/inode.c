/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * inode.c - raw inodes and the maps in them.
 *
 * On-disk facts: struct ext2_inode_large (ext2_fs.h), struct ext3_extent_header,
 * ext3_extent, ext3_extent_idx (ext3_extents.h). A map is walked with its bounds: depth
 * only falls, logical blocks only rise, no more nodes than the volume has blocks; so that
 * a hostile disk can be wrong, but not endless.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include "base/crc32c.h"
#include "src/fs/fs.h"

/* --- reading --- */

void inode_locate(struct volume *v, inum_t ino, blkno_t *block, size_t *offset)
{
	group_t group = geom_group_of_inode(&v->geom, ino);
	uint64_t at =
		(uint64_t)((ino - 1) % v->geom.inodes_per_group) * v->geom.inode_size;

	*block = ext2fs_inode_table_loc(v->fs, group) + at / v->geom.block_size;
	*offset = at % v->geom.block_size;
}

uint32_t inode_csum(const struct volume *v, inum_t ino,
		    const struct ext2_inode_large *raw, bool *has_high)
{
	size_t lo = offsetof(struct ext2_inode, osd2.linux2.l_i_checksum_lo);
	size_t hi = offsetof(struct ext2_inode_large, i_checksum_hi);
	const uint8_t *bytes = (const uint8_t *)raw;
	uint32_t size = v->geom.inode_size, le_ino = ext2fs_cpu_to_le32(ino);
	static const uint8_t zero[2];
	uint32_t crc = crc32c(v->fs->csum_seed, &le_ino, 4);

	*has_high = size > EXT2_GOOD_OLD_INODE_SIZE &&
		    ext2fs_le16_to_cpu(raw->i_extra_isize) >= 4;
	crc = crc32c(crc, &raw->i_generation, 4);
	crc = crc32c(crc, bytes, lo);
	crc = crc32c(crc, zero, 2);
	if (!*has_high)
		return crc32c(crc, bytes + lo + 2, size - lo - 2);
	crc = crc32c(crc, bytes + lo + 2, hi - lo - 2);
	crc = crc32c(crc, zero, 2);
	return crc32c(crc, bytes + hi + 2, size - hi - 2);
}

bool inode_csum_ok(const struct volume *v, inum_t ino, const struct ext2_inode_large *raw)
{
	bool high;
	uint32_t crc, have;

	if (!ext2fs_has_feature_metadata_csum(v->fs->super))
		return true;
	crc = inode_csum(v, ino, raw, &high);
	have = ext2fs_le16_to_cpu(raw->i_checksum_lo);
	if (high)
		have |= (uint32_t)ext2fs_le16_to_cpu(raw->i_checksum_hi) << 16;
	return have == (high ? crc : crc & 0xFFFF);
}

bool inode_read(struct volume *v, inum_t ino, struct ext2_inode_large *raw,
		struct err *err)
{
	blkno_t block;
	size_t offset;
	char *buf;
	bool ok;

	if (ino == 0 || ino > v->geom.inodes) {
		err_set(err, ERR_USAGE, "there is no inode %u", ino);
		return false;
	}
	buf = malloc(v->geom.block_size);
	if (!buf)
		return err_nomem(err);
	inode_locate(v, ino, &block, &offset);
	ok = io_read(v, block, 1, buf, err);
	if (ok)
		memcpy(raw, buf + offset, v->geom.inode_size);
	free(buf);
	if (ok && !inode_csum_ok(v, ino, raw)) {
		err_set(err, ERR_CORRUPT,
			"the checksum of inode %u is wrong; run: e2fsck -f %s", ino,
			v->info.path);
		ok = false;
	}
	return ok;
}

/* --- what it is --- */

static uint16_t mode_of(const struct ext2_inode_large *raw)
{
	return ext2fs_le16_to_cpu(raw->i_mode);
}

static uint32_t flags_of(const struct ext2_inode_large *raw)
{
	return ext2fs_le32_to_cpu(raw->i_flags);
}

static uint64_t size_of(const struct ext2_inode_large *raw)
{
	return ext2fs_le32_to_cpu(raw->i_size) |
	       (uint64_t)ext2fs_le32_to_cpu(raw->i_size_high) << 32;
}

/* Target in i_block: no block of its own but, maybe, an attribute block
 * (ext2fs_is_fast_symlink). */
static bool is_fast_symlink(const struct ext2_inode_large *raw)
{
	return S_ISLNK(mode_of(raw)) && !(flags_of(raw) & EXT4_EXTENTS_FL) &&
	       size_of(raw) < sizeof(raw->i_block);
}

bool inode_has_map(const struct ext2_inode_large *raw)
{
	uint16_t mode = mode_of(raw);

	if (flags_of(raw) & EXT4_INLINE_DATA_FL)
		return false;
	return S_ISREG(mode) || S_ISDIR(mode) || mode == 0 ||
	       (S_ISLNK(mode) && !is_fast_symlink(raw));
}

static bool is_reserved(const struct volume *v, inum_t ino)
{
	const struct ext2_super_block *s = v->fs->super;

	return (ino < v->geom.first_inode && ino != EXT2_ROOT_INO) ||
	       ino == s->s_journal_inum ||
	       (s->s_prj_quota_inum && ino == s->s_prj_quota_inum) ||
	       (s->s_orphan_file_inum && ino == s->s_orphan_file_inum);
}

enum owner_kind inode_owner_kind(struct volume *v, inum_t ino,
				 const struct ext2_inode_large *raw)
{
	const struct ext2_super_block *s = v->fs->super;

	if (ino == EXT2_BAD_INO)
		return OWNER_BAD;
	if (ino == EXT2_RESIZE_INO)
		return OWNER_RESIZE;
	if (ino == s->s_journal_inum)
		return OWNER_JOURNAL;
	if (ino == s->s_usr_quota_inum || ino == s->s_grp_quota_inum ||
	    ino == s->s_prj_quota_inum)
		return OWNER_QUOTA;
	if (ino == s->s_orphan_file_inum)
		return OWNER_ORPHAN;
	if (is_reserved(v, ino))
		return OWNER_SYSTEM;
	if (flags_of(raw) & EXT4_EA_INODE_FL)
		return OWNER_EA_INODE;
	return S_ISDIR(mode_of(raw))   ? OWNER_DIR
	       : S_ISLNK(mode_of(raw)) ? OWNER_SYMLINK
				       : OWNER_FILE;
}

void inode_info_of(struct volume *v, inum_t ino, const struct ext2_inode_large *raw,
		   struct inode_info *out)
{
	uint16_t mode = mode_of(raw);
	uint32_t flags = flags_of(raw);

	*out = (struct inode_info){.size = size_of(raw)};
	out->type = S_ISREG(mode)   ? INODE_FILE
		    : S_ISDIR(mode) ? INODE_DIR
		    : S_ISLNK(mode) ? INODE_SYMLINK
				    : INODE_OTHER;
	if (is_reserved(v, ino))
		out->flags |= INODE_SYSTEM | INODE_PINNED;
	if (flags & (EXT2_IMMUTABLE_FL | EXT2_APPEND_FL))
		out->flags |= INODE_PINNED;
	if (flags & EXT4_INLINE_DATA_FL)
		out->flags |= INODE_INLINE;
	else if (!(flags & EXT4_EXTENTS_FL) && inode_has_map(raw))
		out->flags |= INODE_INDIRECT;
}

bool inode_node_csum_ok(struct volume *v, inum_t ino, const struct ext2_inode_large *raw,
			const void *node)
{
	const struct ext3_extent_header *h = node;
	size_t tail = sizeof(*h) +
		      (size_t)ext2fs_le16_to_cpu(h->eh_max) * sizeof(struct ext3_extent);
	uint32_t le_ino = ext2fs_cpu_to_le32(ino), crc, have;

	if (!ext2fs_has_feature_metadata_csum(v->fs->super))
		return true;
	if (tail + 4 > v->geom.block_size)
		return false;
	crc = crc32c(v->fs->csum_seed, &le_ino, 4);
	crc = crc32c(crc, &raw->i_generation, 4);
	crc = crc32c(crc, node, tail);
	memcpy(&have, (const char *)node + tail, 4);
	return ext2fs_le32_to_cpu(have) == crc;
}

/* --- its map --- */

struct mapper {
	struct volume *v;
	inum_t ino;
	const struct ext2_inode_large *raw;
	enum owner_kind kind;
	struct run_list *data, tree;
	uint64_t next;	/* lowest logical block that may come */
	uint64_t nodes; /* read so far */
	struct err *err;
};

static bool bad_map(struct mapper *m, const char *what)
{
	err_set(m->err, ERR_CORRUPT, "inode %u: %s; run: e2fsck -fn %s", m->ino, what,
		m->v->info.path);
	return false;
}

static bool in_bounds(const struct mapper *m, blkno_t start, uint64_t len)
{
	const struct geom *g = &m->v->geom;

	return start >= g->first_block && start < g->blocks && len <= g->blocks - start;
}

static bool add_data(struct mapper *m, uint64_t lblk, blkno_t phys, uint32_t len,
		     bool unwritten)
{
	struct run r = {.phys = phys,
			.len = len,
			.lblk = (lblk_t)lblk,
			.ino = m->ino,
			.kind = m->kind,
			.unwritten = unwritten};
	struct run *last = m->data->n ? &m->data->v[m->data->n - 1] : NULL;

	if (!in_bounds(m, phys, len))
		return bad_map(m, "a mapped block lies outside the volume");
	if (lblk < m->next || lblk + len > 1ull << 32)
		return bad_map(m, "its extents are out of order");
	m->next = lblk + len;
	if (last && last->ino == m->ino && last->unwritten == unwritten &&
	    last->phys + last->len == phys && (uint64_t)last->lblk + last->len == lblk &&
	    (uint64_t)last->len + len < 1u << 31) {
		last->len += len;
		return true;
	}
	return vec_push(m->data, r) || err_nomem(m->err);
}

/* A node block: owned, read, counted. The caller frees it. */
static void *read_node(struct mapper *m, blkno_t block)
{
	struct run r = {.phys = block, .len = 1, .ino = m->ino, .kind = OWNER_TREE};
	void *buf;

	if (!in_bounds(m, block, 1)) {
		bad_map(m, "a node of its map lies outside the volume");
		return NULL;
	}
	if (++m->nodes > m->v->geom.blocks) {
		bad_map(m, "its map has more nodes than the volume has blocks");
		return NULL;
	}
	buf = malloc(m->v->geom.block_size);
	if (!buf || !vec_push(&m->tree, r)) {
		err_nomem(m->err);
		free(buf);
		return NULL;
	}
	if (io_read(m->v, block, 1, buf, m->err))
		return buf;
	free(buf);
	return NULL;
}

static bool extent_node(struct mapper *m, const void *node, size_t bytes, int depth);

static bool extent_child(struct mapper *m, const struct ext3_extent_idx *idx, int depth)
{
	blkno_t block = ext2fs_le32_to_cpu(idx->ei_leaf) |
			(blkno_t)ext2fs_le16_to_cpu(idx->ei_leaf_hi) << 32;
	void *node = read_node(m, block);
	bool ok = node != NULL;

	if (ok && !inode_node_csum_ok(m->v, m->ino, m->raw, node))
		ok = bad_map(m, "the checksum of an extent block is wrong");
	ok = ok && extent_node(m, node, m->v->geom.block_size, depth);
	free(node);
	return ok;
}

static bool extent_leaf_entry(struct mapper *m, const struct ext3_extent *e)
{
	uint32_t len = ext2fs_le16_to_cpu(e->ee_len);
	bool unwritten = len > EXT_INIT_MAX_LEN;

	if (unwritten)
		len -= (uint32_t)EXT_INIT_MAX_LEN;
	if (len == 0)
		return bad_map(m, "an extent is empty");
	return add_data(m, ext2fs_le32_to_cpu(e->ee_block),
			ext2fs_le32_to_cpu(e->ee_start) |
				(blkno_t)ext2fs_le16_to_cpu(e->ee_start_hi) << 32,
			len, unwritten);
}

static bool extent_node(struct mapper *m, const void *node, size_t bytes, int depth)
{
	const struct ext3_extent_header *h = node;
	const struct ext3_extent *e = (const void *)(h + 1);
	unsigned n = ext2fs_le16_to_cpu(h->eh_entries);

	if (ext2fs_le16_to_cpu(h->eh_magic) != EXT3_EXT_MAGIC)
		return bad_map(m, "an extent block is not one");
	if (ext2fs_le16_to_cpu(h->eh_depth) != depth || depth > 5)
		return bad_map(m, "the depth of its extent tree is wrong");
	if (n > ext2fs_le16_to_cpu(h->eh_max) || sizeof(*h) + n * sizeof(*e) > bytes)
		return bad_map(m, "an extent block holds more than fits");
	for (unsigned i = 0; i < n; i++) {
		if (depth ? !extent_child(m, (const struct ext3_extent_idx *)(e + i),
					  depth - 1)
			  : !extent_leaf_entry(m, e + i))
			return false;
	}
	return true;
}

/* One pointer of an indirect map; levels 0 = data. base: its first logical block. */
static bool indirect_pointer(struct mapper *m, blkno_t block, int levels, uint64_t base)
{
	uint32_t per = m->v->geom.block_size / 4;
	uint64_t span = 1;
	uint32_t *node;
	bool ok = true;

	if (!block)
		return true;
	if (levels == 0)
		return add_data(m, base, block, 1, false);
	node = read_node(m, block);
	if (!node)
		return false;
	for (int i = 1; i < levels; i++)
		span *= per;
	for (uint32_t i = 0; ok && i < per; i++)
		ok = indirect_pointer(m, ext2fs_le32_to_cpu(node[i]), levels - 1,
				      base + i * span);
	free(node);
	return ok;
}

static bool indirect_map(struct mapper *m)
{
	uint64_t per = m->v->geom.block_size / 4, base = 0;
	const __u32 *block = m->raw->i_block;
	bool ok = true;

	for (int i = 0; ok && i < EXT2_NDIR_BLOCKS; i++)
		ok = indirect_pointer(m, ext2fs_le32_to_cpu(block[i]), 0, base++);
	ok = ok &&
	     indirect_pointer(m, ext2fs_le32_to_cpu(block[EXT2_IND_BLOCK]), 1, base);
	base += per;
	ok = ok &&
	     indirect_pointer(m, ext2fs_le32_to_cpu(block[EXT2_DIND_BLOCK]), 2, base);
	base += per * per;
	return ok &&
	       indirect_pointer(m, ext2fs_le32_to_cpu(block[EXT2_TIND_BLOCK]), 3, base);
}

static int by_place(const void *a, const void *b)
{
	const struct run *x = a, *y = b;

	return x->phys < y->phys ? -1 : x->phys > y->phys;
}

blkno_t inode_xattr_block(const struct volume *v, const struct ext2_inode_large *raw)
{
	blkno_t block = ext2fs_le32_to_cpu(raw->i_file_acl);

	if (ext2fs_has_feature_64bit(v->fs->super))
		block |= (blkno_t)ext2fs_le16_to_cpu(raw->osd2.linux2.l_i_file_acl_high)
			 << 32;
	return block;
}

/* Tree blocks (runs of one, sorted) and the xattr block go behind the data. */
static bool append_rest(struct mapper *m)
{
	struct run xattr = {.phys = inode_xattr_block(m->v, m->raw),
			    .len = 1,
			    .ino = m->ino,
			    .kind = OWNER_XATTR};

	if (xattr.phys) {
		if (!in_bounds(m, xattr.phys, 1))
			return bad_map(m, "its attribute block lies outside the volume");
		if (!vec_push(&m->tree, xattr))
			return err_nomem(m->err);
	}
	if (m->tree.n)
		qsort(m->tree.v, m->tree.n, sizeof(*m->tree.v), by_place);
	for (size_t i = 0; i < m->tree.n; i++)
		if (!vec_push(m->data, m->tree.v[i]))
			return err_nomem(m->err);
	return true;
}

bool inode_map(struct volume *v, inum_t ino, const struct ext2_inode_large *raw,
	       struct run_list *out, struct err *err)
{
	struct mapper m = {.v = v,
			   .ino = ino,
			   .raw = raw,
			   .kind = inode_owner_kind(v, ino, raw),
			   .data = out,
			   .err = err};
	const struct ext3_extent_header *root = (const void *)raw->i_block;
	size_t start = out->n;
	bool ok = true;

	if (inode_has_map(raw))
		ok = flags_of(raw) & EXT4_EXTENTS_FL
			     ? extent_node(&m, root, sizeof(raw->i_block),
					   ext2fs_le16_to_cpu(root->eh_depth))
			     : indirect_map(&m);
	ok = ok && append_rest(&m);
	vec_release(&m.tree);
	if (!ok)
		out->n = start;
	return ok;
}
