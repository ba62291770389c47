/* SPDX-License-Identifier: GPL-3.0-or-later */
/* palette.c - the xterm palette: colours by number, by name, by likeness, and mixed. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "base/num.h"
#include "ui/theme.h"

/* The first 16 as xterm ships them; users change these, so nothing is matched to them
 * but at 8 colours. */
static const uint8_t base16[16][3] = {
	{0, 0, 0},	 {205, 0, 0},	{0, 205, 0},   {205, 205, 0},
	{0, 0, 238},	 {205, 0, 205}, {0, 205, 205}, {229, 229, 229},
	{127, 127, 127}, {255, 0, 0},	{0, 255, 0},   {255, 255, 0},
	{92, 92, 255},	 {255, 0, 255}, {0, 255, 255}, {255, 255, 255},
};

static const char *const names[16] = {
	"black",	"red",		 "green",	"yellow",	  "blue",
	"magenta",	"cyan",		 "white",	"bright-black",	  "bright-red",
	"bright-green", "bright-yellow", "bright-blue", "bright-magenta", "bright-cyan",
	"bright-white",
};

void palette_rgb(int color, uint8_t rgb[3])
{
	static const uint8_t level[6] = {0, 95, 135, 175, 215, 255};

	if (color < 0 || color > 255)
		color = 0;
	if (color < 16) {
		memcpy(rgb, base16[color], 3);
	} else if (color < 232) {
		rgb[0] = level[(color - 16) / 36];
		rgb[1] = level[(color - 16) / 6 % 6];
		rgb[2] = level[(color - 16) % 6];
	} else {
		memset(rgb, 8 + 10 * (color - 232), 3);
	}
}

/* Weighted by how the eye sees red, green and blue ("redmean"). */
static int distance(const uint8_t a[3], const uint8_t b[3])
{
	int mean = (a[0] + b[0]) / 2;
	int r = a[0] - b[0], g = a[1] - b[1], l = a[2] - b[2];

	return (((512 + mean) * r * r) >> 8) + 4 * g * g + (((767 - mean) * l * l) >> 8);
}

int palette_nearest(const uint8_t rgb[3], enum theme_depth depth)
{
	int first = depth == DEPTH_256 ? 16 : 0, last = depth == DEPTH_256 ? 255 : 7;
	int best = first, best_distance = INT32_MAX;

	if (depth == DEPTH_MONO)
		return COLOR_DEFAULT;
	for (int color = first; color <= last; color++) {
		uint8_t other[3];
		int d;

		palette_rgb(color, other);
		d = distance(rgb, other);
		if (d < best_distance) {
			best_distance = d;
			best = color;
		}
	}
	return best;
}

static bool parse_hex(const char *word, uint8_t rgb[3])
{
	unsigned long value;

	if (strlen(word) != 7 || strspn(word + 1, "0123456789abcdefABCDEF") != 6)
		return false;
	value = strtoul(word + 1, NULL, 16);
	rgb[0] = (uint8_t)(value >> 16);
	rgb[1] = (uint8_t)(value >> 8);
	rgb[2] = (uint8_t)value;
	return true;
}

bool palette_parse(const char *word, enum theme_depth depth, int16_t *color)
{
	uint8_t rgb[3];
	uint64_t number = UINT64_MAX;

	if (strcasecmp(word, "default") == 0) {
		*color = COLOR_DEFAULT;
		return true;
	}
	if (word[0] == '#') {
		if (!parse_hex(word, rgb))
			return false;
		*color = (int16_t)palette_nearest(rgb, depth);
		return true;
	}
	if (strcasecmp(word, "grey") == 0 || strcasecmp(word, "gray") == 0)
		number = 8;
	for (unsigned i = 0; i < 16; i++)
		if (strcasecmp(word, names[i]) == 0)
			number = i;
	if (number == UINT64_MAX && (!num_parse_u64(word, &number) || number > 255))
		return false;
	palette_rgb((int)number, rgb);
	if (depth == DEPTH_MONO)
		*color = COLOR_DEFAULT;
	else if (depth == DEPTH_8 && number > 7)
		*color = (int16_t)palette_nearest(rgb, depth);
	else
		*color = (int16_t)number;
	return true;
}

int palette_mix(int a, int b, int part, int whole)
{
	uint8_t ca[3], cb[3], mixed[3];

	palette_rgb(a, ca);
	palette_rgb(b, cb);
	for (int i = 0; i < 3; i++)
		mixed[i] = (uint8_t)((ca[i] * part + cb[i] * (whole - part)) / whole);
	return palette_nearest(mixed, DEPTH_256);
}

int palette_luma(int color)
{
	uint8_t rgb[3];

	palette_rgb(color, rgb);
	return (54 * rgb[0] + 183 * rgb[1] + 19 * rgb[2]) / 256;
}
