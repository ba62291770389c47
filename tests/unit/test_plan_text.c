/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test_plan_text.c - plans as text and back, and changed by hand. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "core/plan_text.h"
#include "tests/lib/runplan.h"
#include "tests/lib/test.h"

static void make(struct randvol *v, struct plan *p, struct inum_list *inos)
{
	struct randvol_shape shape = {8, 4, 1500, 65, 60, 6};
	struct err err = ERR_INIT;

	randvol_make(v, &shape);
	ask(v, 1, inos);
	plan_init(p);
	snprintf(p->title, sizeof(p->title), "defrag %%");
	assert_true(strat_defrag(v->model, inos->v, inos->n, NULL, p, &err));
	assert_true(p->moves.n > 50);
}

static void done(struct randvol *v, struct plan *p, struct inum_list *inos)
{
	plan_release(p);
	vec_release(inos);
	randvol_release(v);
}

static void test_there_and_back(void **state)
{
	struct inum_list inos = {0};
	struct err err = ERR_INIT;
	struct str s = STR_INIT, again = STR_INIT;
	struct plan p, q;
	struct randvol v;

	(void)state;
	make(&v, &p, &inos);
	assert_true(plan_write(&p, &v.geom, "uuid-1", &s));
	plan_init(&q);
	if (!plan_read(s.buf, &v.geom, "uuid-1", &q, &err))
		fail_msg("%s", err.msg);
	assert_int_equal(q.moves.n, p.moves.n);
	assert_memory_equal(q.moves.v, p.moves.v, p.moves.n * sizeof(*p.moves.v));
	assert_memory_equal(&q.price, &p.price, sizeof(p.price));
	assert_string_equal(q.title, "defrag %");
	assert_true(plan_check(&q, v.model, &err));
	assert_memory_equal(&q.after, &p.after, sizeof(p.after));
	assert_true(plan_write(&q, &v.geom, "uuid-1", &again));
	assert_string_equal(s.buf, again.buf);
	plan_release(&q);

	/* Another volume; and this one after the plan was carried out. */
	plan_init(&q);
	assert_false(plan_read(s.buf, &v.geom, "uuid-2", &q, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	err_clear(&err);
	run_plan(&v, &p);
	assert_true(plan_read(s.buf, &v.geom, "uuid-1", &q, &err));
	assert_false(plan_check(&q, v.model, &err));
	assert_int_equal(err.class, ERR_REFUSED);
	plan_release(&q);
	str_release(&s);
	str_release(&again);
	done(&v, &p, &inos);
}

/* Every way to cut or to change a line is refused, or gives a plan that only plan_check
 * can judge; nothing else happens. */
static void test_damaged(void **state)
{
	struct inum_list inos = {0};
	struct str s = STR_INIT;
	int refused = 0, read = 0;
	struct plan p, q;
	struct randvol v;

	(void)state;
	make(&v, &p, &inos);
	p.moves.n = 6;
	assert_true(plan_write(&p, &v.geom, "u", &s));
	for (size_t i = 0; i < s.len; i++) {
		for (int how = 0; how < 2; how++) {
			struct err err = ERR_INIT;
			char *text = strdup(s.buf);

			text[i] = how ? '9' : '\0';
			plan_init(&q);
			if (plan_read(text, &v.geom, "u", &q, &err)) {
				read++;
				plan_check(&q, v.model, &err);
				plan_release(&q);
			} else {
				refused++;
				assert_int_equal(q.moves.n, 0);
				assert_true(err.class == ERR_USAGE ||
					    err.class == ERR_REFUSED);
			}
			free(text);
		}
	}
	assert_true(refused > (int)s.len && read > 0);
	str_release(&s);
	done(&v, &p, &inos);
}

static size_t moves_of(const struct plan *p, inum_t ino)
{
	size_t n = 0;

	for (size_t i = 0; i < p->moves.n; i++)
		n += p->moves.v[i].ino == ino;
	return n;
}

static void test_by_hand(void **state)
{
	int kept = 0, dropped = 0, first = 0, refused = 0;
	struct inum_list inos = {0};
	struct plan p;
	struct randvol v;

	(void)state;
	make(&v, &p, &inos);
	for (size_t i = 0; i < p.moves.n; i += 5) {
		for (int how = PLAN_DROP; how <= PLAN_FIRST; how++) {
			inum_t ino = p.moves.v[i].ino;
			struct err err = ERR_INIT;
			struct str s = STR_INIT;
			struct plan q;

			assert_true(plan_write(&p, &v.geom, "u", &s));
			plan_init(&q);
			assert_true(plan_read(s.buf, &v.geom, "u", &q, &err));
			if (!plan_edit(&q, v.model, &ino, 1, (enum plan_edit)how, &err)) {
				assert_int_equal(err.class, ERR_REFUSED);
				assert_int_equal(q.moves.n, p.moves.n);
				refused++;
			} else if (how == PLAN_DROP) {
				assert_int_equal(moves_of(&q, ino), 0);
				assert_int_equal(q.moves.n + moves_of(&p, ino),
						 p.moves.n);
				dropped++;
			} else if (how == PLAN_KEEP) {
				assert_int_equal(q.moves.n, moves_of(&p, ino));
				kept++;
			} else {
				assert_int_equal(q.moves.n, p.moves.n);
				assert_int_equal(q.moves.v[0].ino, ino);
				first++;
			}
			assert_true(plan_check(&q, v.model, &err));
			plan_release(&q);
			str_release(&s);
		}
	}


	assert_true(kept && dropped && first && refused);
	print_message("%d dropped, %d kept, %d first, %d refused\n", dropped, kept, first,
		      refused);
	done(&v, &p, &inos);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_damaged),
		cmocka_unit_test(test_by_hand),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
