/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * dirs.c - names. Directories are read when somebody asks, in the order of their blocks;
 * the paths of directories that were met on the way are kept, since many files share
 * them.
 */
#include <stdlib.h>
#include <string.h>
#include "fs/dirs.h"
#include "src/fs/dirent.h"

#define DEPTH_MAX 1024 /* of a path; more is a loop */

/* --- cache: directory -> path --- */

/* A power of two. Emptied when three quarters are taken, or this many bytes of paths. */
#define CACHE_SLOTS 65536u
#define CACHE_BYTES (32u << 20)

struct cached {
	inum_t ino; /* 0: free */
	size_t len;
	char *path;
};

struct dir_cache {
	struct cached slot[CACHE_SLOTS];
	size_t used, bytes;
};

static void cache_empty(struct dir_cache *c)
{
	for (size_t i = 0; i < CACHE_SLOTS; i++)
		free(c->slot[i].path);
	memset(c, 0, sizeof(*c));
}

void dir_cache_drop(struct volume *v)
{
	if (!v->dir_cache)
		return;
	cache_empty(v->dir_cache);
	free(v->dir_cache);
	v->dir_cache = NULL;
}

static struct cached *cache_slot(struct dir_cache *c, inum_t ino)
{
	uint32_t at = ino * 2654435761u;

	while (c->slot[at % CACHE_SLOTS].ino && c->slot[at % CACHE_SLOTS].ino != ino)
		at++;
	return &c->slot[at % CACHE_SLOTS];
}

static const struct cached *cache_get(struct volume *v, inum_t ino)
{
	const struct cached *s = v->dir_cache ? cache_slot(v->dir_cache, ino) : NULL;

	return s && s->ino ? s : NULL;
}

static bool cache_put(struct volume *v, inum_t ino, const char *path, size_t len)
{
	struct cached *s;
	char *copy;

	if (!v->dir_cache && !(v->dir_cache = calloc(1, sizeof(*v->dir_cache))))
		return false;
	if (v->dir_cache->used > CACHE_SLOTS / 4 * 3 || v->dir_cache->bytes > CACHE_BYTES)
		cache_empty(v->dir_cache);
	s = cache_slot(v->dir_cache, ino);
	copy = s->ino ? NULL : malloc(len + 1);
	if (s->ino || !copy)
		return s->ino;
	memcpy(copy, path, len);
	copy[len] = '\0';
	*s = (struct cached){ino, len, copy};
	v->dir_cache->used++;
	v->dir_cache->bytes += len;
	return true;
}

/* --- one directory, several wanted inodes --- */

/* Inodes wanted from one directory, sorted; found(i, name) for each hit. */
struct finder {
	struct volume *v;
	const struct model *m;
	inum_t dir;
	const inum_t *want; /* sorted */
	size_t n, left;
	/* true the first time: hard links have several names */
	bool (*found)(void *arg, inum_t ino, const char *name, size_t len);
	void *arg;
	struct str prefix; /* path of the directory, with its slash */
};

/* A directory met on the way: its path is known now, and will be asked for soon. */
static void keep_subdir(struct finder *f, const char *name, size_t len, inum_t ino)
{
	size_t before = f->prefix.len;

	if (model_parent(f->m, ino) != f->dir)
		return;
	str_addn(&f->prefix, name, len);
	(void)cache_put(f->v, ino, f->prefix.buf, f->prefix.len);
	f->prefix.len = before;
	f->prefix.buf[before] = '\0';
}

static bool find_entry(void *arg, const char *name, size_t len, inum_t ino,
		       enum inode_type type)
{
	struct finder *f = arg;
	size_t lo = 0, hi = f->n;

	if (type == INODE_DIR)
		keep_subdir(f, name, len, ino);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (f->want[mid] >= ino)
			hi = mid;
		else
			lo = mid + 1;
	}
	if (lo < f->n && f->want[lo] == ino && f->found(f->arg, ino, name, len))
		f->left--;
	return f->left || type == INODE_DIR;
}

static void add_orphan(struct str *out, inum_t ino)
{
	str_addf(out, "<ino %u>", ino);
}

static bool append_name(void *arg, inum_t ino, const char *name, size_t len)
{
	struct str *s = arg;

	(void)ino;
	if (s->len)
		return false;
	str_addn(s, name, len);
	return true;
}

/* Path of a directory whose parent's path is known, into the cache. */
static bool resolve_child(struct volume *v, const struct model *m, inum_t dir,
			  inum_t child, struct err *err)
{
	const struct cached *parent = cache_get(v, dir);
	struct str name = STR_INIT;
	struct finder f = {.v = v,
			   .m = m,
			   .dir = dir,
			   .want = &child,
			   .n = 1,
			   .left = 1,
			   .found = append_name,
			   .arg = &name};
	bool ok;

	str_init(&f.prefix);
	str_addn(&f.prefix, parent->path, parent->len);
	if (parent->len != 1)
		str_addc(&f.prefix, '/');
	ok = dir_list(v, dir, find_entry, &f, err);
	if (ok && !cache_get(v, child)) {
		if (name.len)
			str_addn(&f.prefix, name.buf, name.len);
		else
			add_orphan(&f.prefix, child);
		ok = cache_put(v, child, f.prefix.buf, f.prefix.len) || err_nomem(err);
	}
	str_release(&name);
	str_release(&f.prefix);
	return ok;
}

/* Brings the path of a directory into the cache: climb to a known one, then down again.
 */
static const struct cached *dir_resolve(struct volume *v, const struct model *m,
					inum_t dir, struct err *err)
{
	inum_t chain[DEPTH_MAX];
	char orphan[32];
	int n = 0;

	if (!cache_put(v, EXT2_ROOT_INO, "/", 1)) {
		err_nomem(err);
		return NULL;
	}
	for (inum_t at = dir; !cache_get(v, at); at = model_parent(m, at)) {
		if (n == DEPTH_MAX) {
			err_set(err, ERR_CORRUPT,
				"directory %u lies in a loop; run: e2fsck -fn %s", dir,
				v->info.path);
			return NULL;
		}
		chain[n++] = at;
		if (!model_parent(m, at)) { /* nobody knows its name */
			snprintf(orphan, sizeof(orphan), "<ino %u>", at);
			if (!cache_put(v, at, orphan, strlen(orphan))) {
				err_nomem(err);
				return NULL;
			}
			n--;
			break;
		}
	}
	while (n--)
		if (!cache_get(v, chain[n]) &&
		    !resolve_child(v, m, model_parent(m, chain[n]), chain[n], err))
			return NULL;
	return cache_get(v, dir);
}

/* --- paths of many --- */

struct query {
	inum_t parent, ino;
	size_t index;
};

struct paths {
	const struct query *q;
	size_t n;
	const char *prefix;
	size_t prefix_len;
	void (*fn)(void *arg, size_t i, const char *path, size_t len);
	void *arg;
	bool *seen;
};

static int by_parent(const void *a, const void *b)
{
	const struct query *x = a, *y = b;

	if (x->parent != y->parent)
		return x->parent < y->parent ? -1 : 1;
	if (x->ino != y->ino)
		return x->ino < y->ino ? -1 : 1;
	return x->index < y->index ? -1 : x->index > y->index;
}

/* The name of ino has been found: tell everyone who asked for it (the list may hold it
 * twice). */
static bool tell(void *arg, inum_t ino, const char *name, size_t len)
{
	struct paths *p = arg;
	struct str path = STR_INIT;
	size_t lo = 0, hi = p->n;
	bool first = false;

	str_addn(&path, p->prefix, p->prefix_len);
	if (p->prefix_len != 1)
		str_addc(&path, '/');
	str_addn(&path, name, len);
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (p->q[mid].ino >= ino)
			hi = mid;
		else
			lo = mid + 1;
	}
	for (; !path.oom && lo < p->n && p->q[lo].ino == ino && !p->seen[lo]; lo++) {
		first = p->seen[lo] = true;
		p->fn(p->arg, p->q[lo].index, path.buf, path.len);
	}
	str_release(&path);
	return first;
}

static bool name_group(struct volume *v, const struct model *m, struct paths *p,
		       struct err *err)
{
	const struct cached *dir = dir_resolve(v, m, p->q[0].parent, err);
	struct finder f = {
		.v = v, .m = m, .dir = p->q[0].parent, .found = tell, .arg = p};
	inum_t *want = malloc(p->n * sizeof(*want));
	char *prefix = dir ? strdup(dir->path) : NULL;
	bool ok = want && prefix;

	str_init(&f.prefix);
	if (!ok && !err_isset(err))
		err_nomem(err);
	if (ok) {
		for (size_t i = 0; i < p->n; i++) {
			want[i] = p->q[i].ino;
			f.left += i == 0 || want[i] != want[i - 1];
		}
		f.want = want;
		f.n = p->n;
		p->prefix = prefix;
		p->prefix_len = dir->len;
		str_addn(&f.prefix, dir->path, dir->len);
		if (dir->len != 1)
			str_addc(&f.prefix, '/');
		ok = dir_list(v, p->q[0].parent, find_entry, &f, err);
	}
	str_release(&f.prefix);
	free(want);
	free(prefix);
	return ok;
}

static void tell_unknown(struct paths *p)
{
	for (size_t i = 0; i < p->n; i++) {
		char text[32];

		if (p->seen[i])
			continue;
		snprintf(text, sizeof(text), "<ino %u>", p->q[i].ino);
		p->fn(p->arg, p->q[i].index, text, strlen(text));
	}
}

/* One directory's share: the root, which is in no directory; those with a name; the rest.
 * A damaged directory, or one that lies in a loop, leaves its files nameless. */
static bool answer_group(struct volume *v, const struct model *m, struct paths *p,
			 struct err *err)
{
	struct err own = ERR_INIT;

	for (size_t i = 0; i < p->n; i++)
		if (p->q[i].ino == EXT2_ROOT_INO) {
			p->seen[i] = true;
			p->fn(p->arg, p->q[i].index, "/", 1);
		}
	if (p->q[0].parent && !name_group(v, m, p, &own) && own.class != ERR_CORRUPT &&
	    own.class != ERR_USAGE) {
		err_set(err, own.class, "%s", own.msg);
		return false;
	}
	tell_unknown(p);
	return true;
}

bool dir_paths(struct volume *v, const struct model *m, const inum_t *inos, size_t n,
	       void (*fn)(void *arg, size_t i, const char *path, size_t len), void *arg,
	       struct err *err)
{
	struct query *q = malloc((n ? n : 1) * sizeof(*q));
	bool *seen = calloc(n ? n : 1, sizeof(*seen)), ok = q && seen;

	if (!ok)
		err_nomem(err);
	for (size_t i = 0; ok && i < n; i++)
		q[i] = (struct query){model_parent(m, inos[i]), inos[i], i};
	if (ok && n)
		qsort(q, n, sizeof(*q), by_parent);
	for (size_t i = 0, end; ok && i < n; i = end) {
		struct paths p = {.q = q + i, .fn = fn, .arg = arg, .seen = seen + i};

		for (end = i + 1; end < n && q[end].parent == q[i].parent;)
			end++;
		p.n = end - i;
		ok = answer_group(v, m, &p, err);
	}
	free(q);
	free(seen);
	return ok;
}

static void append_path(void *arg, size_t i, const char *path, size_t len)
{
	(void)i;
	str_addn(arg, path, len);
}

bool dir_path(struct volume *v, const struct model *m, inum_t ino, struct str *out,
	      struct err *err)
{
	return dir_paths(v, m, &ino, 1, append_path, out, err);
}

/* --- look-up --- */

struct lookup {
	const char *name;
	size_t len;
	inum_t ino;
};

static bool lookup_entry(void *arg, const char *name, size_t len, inum_t ino,
			 enum inode_type type)
{
	struct lookup *l = arg;

	(void)type;
	if (len == l->len && memcmp(name, l->name, len) == 0)
		l->ino = ino;
	return l->ino == 0;
}

inum_t dir_lookup(struct volume *v, const char *path, struct err *err)
{
	inum_t at = EXT2_ROOT_INO;
	const char *p = path;

	while (*p) {
		struct lookup l = {.name = p += strspn(p, "/")};
		struct err inner = ERR_INIT;

		l.len = strcspn(p, "/");
		if (!l.len)
			break;
		if (!dir_list(v, at, lookup_entry, &l, &inner) &&
		    inner.class != ERR_USAGE) {
			if (err)
				*err = inner;
			return 0;
		}
		if (!l.ino) {
			err_set(err, ERR_USAGE, "no such file: %s", path);
			return 0;
		}
		at = l.ino;
		p += l.len;
	}
	return at;
}
