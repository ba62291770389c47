/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_lab.c - `lab`: its verbs in one table, and the options that they share. */
#include <string.h>
#include "base/num.h"
#include "lab/policy.h"
#include "ui/cmd_lab.h"

static const struct lab_verb verbs[] = {
	{"new",
	 "SIZE [IMAGE] [--type ext2|ext3|ext4] [--block 1k|2k|4k] [--features LIST]",
	 "make an empty volume and open it", lab_new},
	{"age",
	 "IMAGE [--preset NAME] [--size 2G] [--fill PERCENT] [--manifest FILE] ...",
	 "make a volume that has been lived in; `lab age` alone lists the options",
	 lab_age},
	{"compare", "POLICY POLICY... [--keep DIR] [options of lab age]",
	 "one life under several allocators: maps and figures side by side",
	 lab_compare_run},
	{"policies", "", "list the allocators", lab_policies},
	{"policy", "[NAME]", "the allocator of the open image, or another one",
	 lab_policy},
	{"write", "PATH SIZE [PATH SIZE...] [--piece BYTES]",
	 "new files; with --piece they grow in turns", lab_write},
	{"append", "PATH SIZE [PATH SIZE...] [--piece BYTES]", "let files grow",
	 lab_append},
	{"truncate", "PATH SIZE", "cut a file down to so many bytes", lab_truncate},
	{"delete", "PATH...", "delete files and empty directories", lab_delete},
	{"mkdir", "PATH...", "make directories", lab_mkdir},
	{"punch", "PATH OFFSET LENGTH", "make a hole in a file", lab_punch},
	{"fill", "PERCENT", "write files until so much of the volume is used", lab_fill},
	{"undo", "[N|all]", "take the last N steps by hand back", lab_undo},
	{"redo", "[N|all]", "do them again", lab_redo},
	{"steps", "", "list the steps by hand", lab_steps},
	{"powercut", "N [--seed N]", "the power goes after N more writes: try run! then",
	 lab_powercut},
	{"power", "", "it is back; open -w recovers", lab_power},
};
#define VERBS (sizeof(verbs) / sizeof(verbs[0]))

static bool list_verbs(struct app *a)
{
	for (size_t i = 0; i < VERBS; i++) {
		struct str s = STR_INIT;

		str_addf(&s, "lab %s%s%s", verbs[i].verb, verbs[i].args[0] ? " " : "",
			 verbs[i].args);
		app_print(a, "%s\n    %s\n", s.buf, verbs[i].help);
		str_release(&s);
	}
	return true;
}

/* Words and usage are the verb's own, not those of `lab`. */
static bool run_verb(struct app *a, struct cmd_call *c, const struct lab_verb *v,
		     struct err *err)
{
	const struct cmd *lab = c->cmd;
	struct str name = STR_INIT;
	struct cmd own = *lab;
	bool ok;

	str_addf(&name, "lab %s", v->verb);
	own.verb = name.buf;
	own.args = v->args;
	c->cmd = &own;
	c->argc--;
	memmove(c->argv, c->argv + 1, (size_t)c->argc * sizeof(c->argv[0]));
	memmove(c->at, c->at + 1, (size_t)c->argc * sizeof(c->at[0]));
	ok = v->run(a, c, err);
	c->cmd = lab;
	str_release(&name);
	return ok;
}

bool cmd_lab(struct app *a, struct cmd_call *c, struct err *err)
{
	struct str known = STR_INIT;
	const char *word = c->argc ? c->argv[0] : NULL;

	if (!word)
		return list_verbs(a);
	for (size_t i = 0; i < VERBS; i++) {
		str_addf(&known, "%s%s", i ? ", " : "", verbs[i].verb);
		if (strcmp(verbs[i].verb, word))
			continue;
		str_release(&known);
		return run_verb(a, c, &verbs[i], err);
	}
	cmd_bad(c, 0, err, "lab knows no \"%s\"; it knows %s", word, known.buf);
	str_release(&known);
	return false;
}

bool lab_policies(struct app *a, struct cmd_call *c, struct err *err)
{
	json_t *list = json_array();

	if (!cmd_args(c, 0, 0, err)) {
		json_decref(list);
		return false;
	}
	for (size_t i = 0; policy_kinds[i]; i++) {
		json_array_append_new(list, json_pack("{s:s, s:s}", "name",
						      policy_kinds[i]->name, "title",
						      policy_kinds[i]->title));
		if (!a->json)
			app_print(a, "%-13s %s\n", policy_kinds[i]->name,
				  policy_kinds[i]->title);
	}
	if (a->json)
		json_print(a, list);
	else
		json_decref(list);
	return true;
}

/* --- options --- */

bool lab_number(struct cmd_call *c, const char *name, uint64_t min, uint64_t max,
		uint64_t *out, struct err *err)
{
	const char *text;
	uint64_t n;

	if (!cmd_option(c, name, &text, err))
		return false;
	if (!text)
		return true;
	if (!num_parse_u64(text, &n) || n < min || n > max)
		return cmd_bad(c, -1, err,
			       "%s wants a number from %llu to %llu, not \"%s\"", name,
			       (unsigned long long)min, (unsigned long long)max, text);
	*out = n;
	return true;
}

bool lab_bytes(struct cmd_call *c, const char *name, uint64_t *out, struct err *err)
{
	const char *text;

	if (!cmd_option(c, name, &text, err))
		return false;
	if (text && !num_parse_bytes(text, out))
		return cmd_bad(c, -1, err, "%s wants a size like 64M, not \"%s\"", name,
			       text);
	return true;
}

static bool number32(struct cmd_call *c, const char *name, uint32_t *out, struct err *err)
{
	uint64_t n = *out;

	if (!lab_number(c, name, 0, UINT32_MAX, &n, err))
		return false;
	*out = (uint32_t)n;
	return true;
}

/* "20K" or "1K-64K" */
static bool file_size(struct cmd_call *c, struct age_options *o, struct err *err)
{
	const char *text, *dash;
	char low[32];
	size_t len;

	if (!cmd_option(c, "--file-size", &text, err))
		return false;
	if (!text)
		return true;
	dash = strchr(text, '-');
	len = dash ? (size_t)(dash - text) : strlen(text);
	if (len < sizeof(low)) {
		memcpy(low, text, len);
		low[len] = '\0';
		if (num_parse_bytes(low, &o->size_min) &&
		    num_parse_bytes(dash ? dash + 1 : low, &o->size_max))
			return true;
	}
	return cmd_bad(c, -1, err, "--file-size wants 20K or 1K-64K, not \"%s\"", text);
}

static bool words(struct cmd_call *c, struct age_options *o, struct err *err)
{
	const char *preset, *type, *policy, *features;

	if (!cmd_option(c, "--preset", &preset, err) ||
	    !cmd_option(c, "--type", &type, err) ||
	    !cmd_option(c, "--policy", &policy, err) ||
	    !cmd_option(c, "--features", &features, err))
		return false;
	if (preset && !age_preset(o, preset, err))
		return false;
	if (type)
		o->type = type;
	if (policy)
		o->policy = policy;
	o->features = features;
	return true;
}

bool lab_age_options(struct cmd_call *c, struct age_options *o, struct err *err)
{
	uint64_t block = o->block_size;
	bool ok;

	ok = words(c, o, err) && lab_bytes(c, "--size", &o->bytes, err) &&
	     lab_bytes(c, "--block", &block, err) && file_size(c, o, err) &&
	     lab_bytes(c, "--piece", &o->piece, err) &&
	     number32(c, "--writers", &o->writers, err) &&
	     number32(c, "--dirs", &o->dirs, err) &&
	     number32(c, "--grow", &o->grow, err) &&
	     number32(c, "--steady", &o->steady, err) &&
	     number32(c, "--loops", &o->loops, err) &&
	     number32(c, "--delete", &o->delete, err) &&
	     number32(c, "--fill", &o->fill, err) &&
	     lab_number(c, "--churn", 0, UINT64_MAX, &o->churn, err) &&
	     lab_number(c, "--ops", 0, UINT64_MAX, &o->operations, err) &&
	     lab_number(c, "--seed", 0, UINT64_MAX, &o->seed, err);
	o->block_size = block > UINT32_MAX ? 0 : (uint32_t)block;
	return ok;
}

json_t *lab_histogram(const uint64_t *v, size_t n)
{
	json_t *list = json_array();

	while (n && !v[n - 1])
		n--;
	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, json_integer((json_int_t)v[i]));
	return list;
}
