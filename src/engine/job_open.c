/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * job_open.c - opening a volume: find its journal, recover what a crash left, open, tell
 * the front end.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "src/engine/engine_priv.h"

static bool choose_journal(struct engine *e, const struct request *r,
			   const uint8_t uuid[16], struct err *err)
{
	str_clear(&e->journal);
	if (!r->journal)
		return engine_default_journal(uuid, &e->journal, err);
	str_add(&e->journal, r->journal);
	return true;
}

static bool recover(struct engine *e, const struct request *r, struct err *err)
{
	struct recover_report report = {0};

	if (!recover_volume(r->path, r->offset, e->journal.buf, &report, err))
		return false;
	if (report.needed)
		event_log(e, "recovered: %s", report.text);
	return true;
}

/* No superblock to be seen: one of the journals in the default place may be of a session
 * that was cut short on this volume, and put it back. It proves that, or is refused. */
static bool rescue(struct engine *e, const struct request *r, uint8_t uuid[16])
{
	struct str folder = STR_INIT, path = STR_INIT;
	static const uint8_t none[16];
	bool found = false;
	struct dirent *entry;
	DIR *dir = NULL;
	char *slash;

	if (engine_default_journal(none, &folder, NULL) &&
	    (slash = strrchr(folder.buf, '/'))) {
		*slash = '\0';
		dir = opendir(folder.buf);
	}
	while (dir && !found && (entry = readdir(dir))) {
		struct recover_report report = {0};
		size_t n = strlen(entry->d_name);

		if (n < 5 || strcmp(entry->d_name + n - 5, ".undo"))
			continue;
		str_clear(&path);
		str_addf(&path, "%s/%s", folder.buf, entry->d_name);
		found = recover_volume(r->path, r->offset, path.buf, &report, NULL) &&
			report.needed && volume_peek_uuid(r->path, r->offset, uuid, NULL);
		if (found)
			event_log(e, "recovered: %s", report.text);
	}
	if (dir)
		closedir(dir);
	str_release(&folder);
	str_release(&path);
	return found;
}

/* Which volume is it? One that is opened for writing is recovered if that is what it
 * takes to tell. */
static bool identify(struct engine *e, const struct request *r, uint8_t uuid[16],
		     struct err *err)
{
	struct recover_report report = {0};
	struct err unknown = ERR_INIT;

	if (volume_peek_uuid(r->path, r->offset, uuid, &unknown))
		return true;
	if (r->write && unknown.class == ERR_REFUSED) {
		if (!r->journal && rescue(e, r, uuid))
			return true;
		if (r->journal && access(r->journal, F_OK) == 0 &&
		    !recover_volume(r->path, r->offset, r->journal, &report, err))
			return false;
		if (report.needed && volume_peek_uuid(r->path, r->offset, uuid, NULL)) {
			event_log(e, "recovered: %s", report.text);
			return true;
		}
	}
	if (err)
		*err = unknown;
	return false;
}

static bool is_cut_short(struct engine *e)
{
	struct history h;
	struct err err = ERR_INIT;
	bool cut;

	history_init(&h);
	cut = access(e->journal.buf, F_OK) == 0 &&
	      history_read(e->journal.buf, e->volume, &h, &err) && h.open;
	history_release(&h);
	return cut;
}

/* A volume opened for viewing is left as it is; the operator should know all the same,
 * and before the reason that such a volume has too: not clean, which sends to e2fsck. */
static bool warn_cut_short(struct engine *e, struct volume_info *info)
{
	struct volume_reason first = {
		.what = "a session of this program was cut short",
		.remedy = "open it with -w before any e2fsck: that recovers it",
	};

	event_log(e,
		  "a session on this volume was cut short; open it with -w to recover");
	if (!vec_reserve(&info->reasons, info->reasons.n + 1))
		return false;
	memmove(info->reasons.v + 1, info->reasons.v,
		info->reasons.n++ * sizeof(*info->reasons.v));
	info->reasons.v[0] = first;
	return true;
}

static bool post_opened(struct engine *e, uint32_t ticket, struct err *err)
{
	struct event *ev = event_new(EV_OPENED, ticket);
	bool write = volume_info(e->volume)->write;

	if (ev)
		ev->info = calloc(1, sizeof(*ev->info));
	if (!ev || !ev->info || !volume_info_copy(ev->info, volume_info(e->volume)) ||
	    (!write && is_cut_short(e) && !warn_cut_short(e, ev->info))) {
		event_free(ev);
		return err_nomem(err);
	}
	event_post(e, ev);
	return true;
}

static enum job_state open_step(struct engine *e, struct job *j, struct err *err)
{
	const struct request *r = &j->task->r;
	struct volume_options opt = {.write = r->write, .offset = r->offset};
	uint8_t uuid[16];

	if (!identify(e, r, uuid, err))
		return JOB_FAILED; /* the volume that is open stays open */
	volume_close(e->volume);
	e->volume = NULL;
	if (!choose_journal(e, r, uuid, err) || (r->write && !recover(e, r, err)))
		return JOB_FAILED;
	e->volume = volume_open(r->path, &opt, err);
	if (!e->volume)
		return JOB_FAILED;
	return post_opened(e, j->task->ticket, err) ? JOB_DONE : JOB_FAILED;
}

const struct job_ops job_open = {.name = "open", .step = open_step};

static enum job_state close_step(struct engine *e, struct job *j, struct err *err)
{
	(void)j;
	(void)err;
	volume_close(e->volume);
	e->volume = NULL;
	return JOB_DONE;
}

const struct job_ops job_close = {.name = "close", .step = close_step};
