/* SPDX-License-Identifier: GPL-3.0-or-later */
/* num.c - see num.h. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include "base/num.h"

static bool parse_prefix(const char *text, uint64_t *out, const char **end)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *stop;

	if (text[0] < '0' || text[0] > '9')
		return false;
	errno = 0;
	*out = strtoull(text, &stop, hex ? 16 : 10);
	*end = stop;
	return errno == 0;
}

bool num_parse_u64(const char *text, uint64_t *out)
{
	const char *end;
	uint64_t n;

	if (!parse_prefix(text, &n, &end) || *end)
		return false;
	*out = n;
	return true;
}

/* Binary shift of the suffix at *p, which is moved past it; -1 if it is none. */
static int parse_suffix(const char **p)
{
	static const char letters[] = "KMGTP";
	const char *hit;
	int shift = 0;

	if (**p) {
		char upper = (char)(**p >= 'a' && **p <= 'z' ? **p - 32 : **p);

		hit = upper == 'B' ? NULL : strchr(letters, upper);
		if (hit) {
			shift = 10 * ((int)(hit - letters) + 1);
			(*p)++;
			if (**p == 'i')
				(*p)++;
		}
		if (**p == 'B' || **p == 'b')
			(*p)++;
	}
	return **p ? -1 : shift;
}

bool num_parse_bytes(const char *text, uint64_t *out)
{
	const char *p;
	uint64_t n;
	int shift;

	if (!parse_prefix(text, &n, &p))
		return false;
	shift = parse_suffix(&p);
	if (shift < 0 || n > (UINT64_MAX >> shift))
		return false;
	*out = n << shift;
	return true;
}

const char *num_format_bytes(uint64_t bytes, char buf[NUM_TEXT_MAX])
{
	static const char letters[] = " KMGTPE";
	double value = (double)bytes;
	int unit = 0;

	while (value >= 1000 && unit < 6) {
		value /= 1024;
		unit++;
	}
	if (unit == 0)
		snprintf(buf, NUM_TEXT_MAX, "%u", (unsigned)bytes);
	else if (value < 9.95)
		snprintf(buf, NUM_TEXT_MAX, "%.1f%c", value, letters[unit]);
	else
		snprintf(buf, NUM_TEXT_MAX, "%.0f%c", value, letters[unit]);
	return buf;
}

const char *num_format_count(uint64_t n, char buf[NUM_TEXT_MAX])
{
	char digits[NUM_TEXT_MAX];
	int len = snprintf(digits, sizeof(digits), "%llu", (unsigned long long)n), at = 0;

	for (int i = 0; i < len; i++) {
		if (i && (len - i) % 3 == 0)
			buf[at++] = ' ';
		buf[at++] = digits[i];
	}
	buf[at] = '\0';
	return buf;
}

const char *num_format_seconds(uint64_t seconds, char buf[NUM_TEXT_MAX])
{
	unsigned h = (unsigned)(seconds / 3600), m = (unsigned)(seconds / 60 % 60),
		 s = (unsigned)(seconds % 60);

	if (h)
		snprintf(buf, NUM_TEXT_MAX, "%u:%02u:%02u", h, m, s);
	else
		snprintf(buf, NUM_TEXT_MAX, "%u:%02u", m, s);
	return buf;
}

uint64_t num_now_us(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000;
}

uint64_t num_now_ms(void)
{
	return num_now_us() / 1000;
}

static uint64_t timeval_us(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_usec;
}

void num_cpu_us(uint64_t *user, uint64_t *sys)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	*user = timeval_us(u.ru_utime);
	*sys = timeval_us(u.ru_stime);
}

void num_cpu_ms(uint64_t *user, uint64_t *sys)
{
	num_cpu_us(user, sys);
	*user /= 1000;
	*sys /= 1000;
}

uint64_t num_peak_bytes(void)
{
	struct rusage u;

	getrusage(RUSAGE_SELF, &u);
	return (uint64_t)u.ru_maxrss * 1024; /* getrusage(2): kilobytes */
}
