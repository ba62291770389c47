/* SPDX-License-Identifier: GPL-3.0-or-later */
/* preview.h - a theme is seen while its name is chosen in the prompt: walking through the
 * completions of `theme` shows each; giving the line up brings the old one back. */
#ifndef UI_PREVIEW_H
#define UI_PREVIEW_H

#include "ui/prompt.h"

/* After each key of the prompt, with what came of it. */
void preview_after_key(struct app *a, enum prompt_result result);

#endif
