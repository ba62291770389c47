/* SPDX-License-Identifier: GPL-3.0-or-later */
/* defrag_room.c - windows. */
#include "src/core/defrag.h"
enum outcome room_make(struct defrag *d, size_t item)
{
	(void)d;
	(void)item;
	return OUT_NONE;
}
bool room_clear(struct defrag *d, struct job *j)
{
	(void)d;
	(void)j;
	return true;
}
