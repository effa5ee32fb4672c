// SPDX-License-Identifier: GPL-2.0-only
/* cpus.c - CPU lists. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/guard.h"
#include "parts.h"

#define CPU_LIMIT 65536 /* more than any kernel has */

static void set_bit(u64 *bits, unsigned long n)
{
	bits[n / 64] |= 1ull << (n % 64);
}

static bool test_bit(const u64 *bits, unsigned long n)
{
	return bits[n / 64] >> (n % 64) & 1;
}

/* @return where it stopped; *n is CPU_LIMIT where there is no number */
static const char *number(const char *s, unsigned long *n)
{
	char *end;

	*n = CPU_LIMIT;
	if (!isdigit((unsigned char)*s))
		return s;
	*n = strtoul(s, &end, 10);
	if (*n > CPU_LIMIT)
		*n = CPU_LIMIT;
	return end;
}

/* @return NULL, or where the text is wrong */
static const char *parse_list(const char *text, u64 *bits)
{
	unsigned long first, last;
	const char *at = text, *s;

	for (s = text;; s++) {
		at = s;
		s = number(s, &first);
		last = first;
		if (*s == '-')
			s = number(s + 1, &last);
		if (first >= CPU_LIMIT || last >= CPU_LIMIT || last < first)
			return at;
		for (; first <= last; first++)
			set_bit(bits, first);
		if (!*s)
			return NULL;
		if (*s != ',')
			return s;
	}
}

static int read_online(u64 *bits)
{
	_cleanup_fclose_ FILE *f = fopen("/sys/devices/system/cpu/online", "re");
	char line[4096];

	if (!f || !fgets(line, sizeof(line), f))
		return -ENOENT;
	line[strcspn(line, "\n")] = 0;
	return parse_list(line, bits) ? -EINVAL : 0;
}

/* Without sysfs there is nothing to check against, and a CPU that is not there never matches. */
static int check_online(const char *text, const char *opt, const u64 *bits, struct err *err)
{
	_cleanup_free_ u64 *online = calloc(CPU_LIMIT / 64, sizeof(*online));
	unsigned long n;

	if (!online)
		return err__set(err, ENOMEM, "%s %s: out of memory", opt, text);
	if (read_online(online))
		return 0;
	for (n = 0; n < CPU_LIMIT; n++)
		if (test_bit(bits, n) && !test_bit(online, n))
			return err__usage(err, "%s %s: CPU %lu is not online", opt, text, n);
	return 0;
}

int cpus__parse(const char *text, const char *opt, u64 **ret, size_t *nr_bits, struct err *err)
{
	_cleanup_free_ u64 *bits = calloc(CPU_LIMIT / 64, sizeof(*bits));
	const char *bad;
	size_t words;
	int r;

	if (!bits)
		return err__set(err, ENOMEM, "%s %s: out of memory", opt, text);
	bad = parse_list(text, bits);
	if (bad)
		return err__caret(err, text, bad - text, strcspn(bad, ","),
				  "%s: a list of CPUs is like 0-3,5", opt);
	r = check_online(text, opt, bits, err);
	if (r)
		return r;
	for (words = CPU_LIMIT / 64; !bits[words - 1]; words--)
		;
	*nr_bits = words * 64;
	*ret = calloc(words, sizeof(**ret));
	if (!*ret)
		return err__set(err, ENOMEM, "%s %s: out of memory", opt, text);
	memcpy(*ret, bits, words * sizeof(**ret));
	return 0;
}
