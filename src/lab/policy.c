/* SPDX-License-Identifier: GPL-3.0-or-later */
/* policy.c - see policy.h: what all allocators have in common. */
#include <stdarg.h>
#include <string.h>
#include "base/str.h"
#include "src/lab/policy.h"

const struct policy_kind *const policy_kinds[] = {
	&policy_first,	&policy_next, &policy_best,	    &policy_worst, &policy_buddy,
	&policy_random, &policy_ext4, &policy_ext4_nodelay, NULL,
};

const struct policy_kind *policy_find(const char *name, struct err *err)
{
	struct str known = STR_INIT;

	for (size_t i = 0; policy_kinds[i]; i++) {
		if (!strcmp(policy_kinds[i]->name, name)) {
			str_release(&known);
			return policy_kinds[i];
		}
		str_addf(&known, "%s%s", i ? ", " : "", policy_kinds[i]->name);
	}
	err_set(err, ERR_USAGE, "there is no allocator \"%s\"; there are: %s", name,
		known.buf);
	str_release(&known);
	return NULL;
}

void policy_init(struct policy *p, const struct policy_kind *kind, struct space *space,
		 uint64_t seed)
{
	memset(p, 0, sizeof(*p));
	p->kind = kind;
	p->space = space;
	p->random = seed;
	p->rover = space->first;
}

void policy_release(struct policy *p)
{
	if (p->kind && p->kind->release)
		p->kind->release(p);
	p->memory = NULL;
}

bool policy_place(struct policy *p, const struct policy_want *w,
		  struct policy_answer *out)
{
	bool taken = false;

	if (!w->len || !p->kind->choose(p, w, out, &taken))
		return false;
	return taken || space_take(p->space, out->got);
}

void policy_close(struct policy *p, uint32_t file)
{
	if (p->kind->close)
		p->kind->close(p, file);
}

void policy_flush(struct policy *p)
{
	if (p->kind->release)
		p->kind->release(p);
}

group_t policy_dir_group(struct policy *p, group_t parent, bool top)
{
	if (p->kind->dir_group)
		return p->kind->dir_group(p, parent, top);
	return parent; /* the textbook's allocators know nothing of groups */
}

bool policy_answer(struct policy_answer *out, struct range hole, uint32_t len,
		   const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(out->why, sizeof(out->why), fmt, ap);
	va_end(ap);
	out->got = (struct range){hole.start, hole.len < len ? hole.len : len};
	return true;
}

bool policy_part_of_largest(struct policy *p, const struct policy_want *w,
			    struct policy_answer *out)
{
	struct range hole;

	if (!freemap_largest(p->space->free, &hole))
		return false;
	return policy_answer(out, hole, w->len,
			     "no hole has %u blocks: the largest has %llu", w->len,
			     (unsigned long long)hole.len);
}
