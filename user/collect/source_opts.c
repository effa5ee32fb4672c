// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/guard.h"
#include "source_opts.h"

/* One word of the options, as it stands in the text: quotes are still in it. */
struct word {
	const char *s;
	size_t len;
};

struct parser {
	const struct event_spec *spec;
	struct source_opts *o;
	const char *at; /* what is not read yet */
	struct err *err;
};

int source_opts__error(const struct event_spec *spec, size_t at, size_t len, struct err *err,
		       const char *fmt, ...)
{
	char msg[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(msg, sizeof(msg), fmt, ap);
	va_end(ap);
	if (!spec->text)
		return err__usage(err, "%s: %s", spec->name, msg);
	return err__caret(err, spec->text, at, len, "%s: %s", spec->name, msg);
}

static size_t where(const struct parser *p, const char *s)
{
	return p->spec->options.at + (s - p->spec->options.s);
}

#define word_error(p, w, ...) \
	source_opts__error((p)->spec, where(p, (w)->s), (w)->len, (p)->err, __VA_ARGS__)

/* Words end at blanks outside quotes; a quote that is not closed ends with the text. */
static bool next_word(struct parser *p, struct word *w)
{
	char quote = 0;

	while (isspace((unsigned char)*p->at))
		p->at++;
	w->s = p->at;
	for (; *p->at && (quote || !isspace((unsigned char)*p->at)); p->at++) {
		if (quote)
			quote = *p->at == quote ? 0 : quote;
		else if (*p->at == '"' || *p->at == '\'')
			quote = *p->at;
	}
	w->len = p->at - w->s;
	return w->len;
}

static void unquote(struct word *w)
{
	if (w->len >= 2 && (w->s[0] == '"' || w->s[0] == '\'') && w->s[w->len - 1] == w->s[0]) {
		w->s++;
		w->len -= 2;
	}
}

int source_opts__number(const char *s, size_t len, u64 *v)
{
	static const struct {
		const char *unit;
		u64 factor;
	} units[] = {{"", 1},		{"ns", 1},	{"us", 1000},	{"ms", 1000000},
		     {"s", 1000000000}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}};
	char text[32], *end;
	size_t i;

	if (!len || len >= sizeof(text) || !isdigit((unsigned char)*s))
		return -EINVAL;
	memcpy(text, s, len);
	text[len] = 0;
	errno = 0;
	*v = strtoull(text, &end, 0);
	if (errno)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(units); i++)
		if (!strcmp(end, units[i].unit))
			return __builtin_mul_overflow(*v, units[i].factor, v) ? -EINVAL : 0;
	return -EINVAL;
}

static int opt_number(struct parser *p, const struct word *w, const char *what, u64 max, u64 *v)
{
	if (source_opts__number(w->s, w->len, v) || !*v)
		return word_error(p, w, "%s must be a number above 0", what);
	if (*v > max)
		return word_error(p, w, "%s is at most %llu", what, (unsigned long long)max);
	return 0;
}

/* The kernel refuses more than this with EINVAL, which would not name the reason. */
static u64 max_freq(void)
{
	_cleanup_fclose_ FILE *f = fopen("/proc/sys/kernel/perf_event_max_sample_rate", "re");
	unsigned long long max;

	return f && fscanf(f, "%llu", &max) == 1 && max ? max : 100000;
}

static int opt_freq(struct parser *p, const struct word *w)
{
	u64 max = max_freq();

	if (w->len == 3 && !memcmp(w->s, "max", 3)) {
		p->o->freq = max;
		return 0;
	}
	if (source_opts__number(w->s, w->len, &p->o->freq) || !p->o->freq)
		return word_error(p, w, "-F takes a frequency in Hz, or max");
	if (p->o->freq > max)
		return word_error(p, w,
				  "the kernel takes at most %llu samples a second (sysctl "
				  "kernel.perf_event_max_sample_rate)",
				  (unsigned long long)max);
	return 0;
}

static int opt_period(struct parser *p, const struct word *w)
{
	return opt_number(p, w, "-c", 1ull << 62, &p->o->period);
}

static int opt_chain(struct parser *p, const struct word *w)
{
	static const struct {
		const char *name;
		unsigned int stack;
	} ways[] = {{"fp", STACK_KERNEL | STACK_USER},
		    {"kernel", STACK_KERNEL},
		    {"user", STACK_USER},
		    {"dwarf", STACK_KERNEL | STACK_DWARF}};
	size_t i, n = w ? strcspn(w->s, " \t,") : 0;
	u64 dump = 0;

	p->o->chain = true;
	if (!w)
		return 0;
	n = n < w->len ? n : w->len;
	for (i = 0; i < ARRAY_SIZE(ways); i++)
		if (strlen(ways[i].name) == n && !memcmp(ways[i].name, w->s, n))
			p->o->stack |= ways[i].stack;
	if (!p->o->stack)
		return word_error(p, w, "a call graph is one of fp, kernel, user, dwarf");
	if (n == w->len)
		return 0;
	if (!(p->o->stack & STACK_DWARF) ||
	    source_opts__number(w->s + n + 1, w->len - n - 1, &dump) || !dump || dump > 65528)
		return word_error(p, w, "only dwarf takes a size, of at most 65528 bytes");
	p->o->stack_user = (dump + 7) & ~7ull;
	return 0;
}

static int opt_sample(struct parser *p, const struct word *w)
{
	return source_sample__parse(p->o, p->spec, w->s, w->len, where(p, w->s), p->err);
}

static int opt_group(struct parser *p, const struct word *w)
{
	p->o->group = true;
	if (!w)
		return 0;
	free(p->o->members.s);
	p->o->members.s = strndup(w->s, w->len);
	p->o->members.at = where(p, w->s);
	return p->o->members.s ? 0 : err__set(p->err, ENOMEM, "out of memory");
}

static int opt_max_stack(struct parser *p, const struct word *w)
{
	u64 v = 0;
	int ret = opt_number(p, w, "--max-stack", 65535, &v);

	p->o->max_stack = v;
	return ret;
}

static int opt_precise(struct parser *p, const struct word *w)
{
	if (w->len != 1 || w->s[0] < '0' || w->s[0] > '3')
		return word_error(p, w, "--precise is 0, 1, 2 or 3");
	p->o->precise = w->s[0] - '0';
	return 0;
}

enum takes { NOTHING, VALUE, MAYBE }; /* MAYBE: only as --option=value */

static const struct option {
	const char *name, *brief;
	enum takes takes;
	int (*parse)(struct parser *p, const struct word *w);
	size_t flag; /* else: a bool of struct source_opts to set */
	unsigned int stack, no_stack;
} options[] = {
#define FLAG(name, member)                                                            \
	{                                                                             \
		name, NULL, NOTHING, NULL, offsetof(struct source_opts, member), 0, 0 \
	}
	{"--freq", "-F", VALUE, opt_freq, 0, 0, 0},
	{"--period", "-c", VALUE, opt_period, 0, 0, 0},
	{"--call-graph", "-g", MAYBE, opt_chain, 0, 0, 0},
	{"--sample", NULL, VALUE, opt_sample, 0, 0, 0},
	{"--group", NULL, MAYBE, opt_group, 0, 0, 0},
	{"--max-stack", NULL, VALUE, opt_max_stack, 0, 0, 0},
	{"--precise", NULL, VALUE, opt_precise, 0, 0, 0},
	FLAG("--exclude-user", exclude_user),
	FLAG("--exclude-kernel", exclude_kernel),
	FLAG("--exclude-hv", exclude_hv),
	FLAG("--exclude-idle", exclude_idle),
	FLAG("--exclude-host", exclude_host),
	FLAG("--exclude-guest", exclude_guest),
	{"--user-callchain", NULL, NOTHING, NULL, 0, STACK_USER, 0},
	{"--kernel-callchain", NULL, NOTHING, NULL, 0, STACK_KERNEL, 0},
	{"--no-user-callchain", NULL, NOTHING, NULL, 0, 0, STACK_USER | STACK_DWARF},
	{"--no-kernel-callchain", NULL, NOTHING, NULL, 0, 0, STACK_KERNEL},
#undef FLAG
};

static bool is_name(const struct word *w, size_t len, const char *name)
{
	return name && strlen(name) == len && !memcmp(w->s, name, len);
}

/* -F 997, -F997, --freq 997, --freq=997. @value is NULL unless it is in the same word. */
static const struct option *find_option(const struct word *w, struct word *value)
{
	const char *eq = memchr(w->s, '=', w->len);
	size_t i, len = eq ? (size_t)(eq - w->s) : w->len;

	*value = eq ? (struct word){eq + 1, w->len - len - 1} : (struct word){NULL, 0};
	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (is_name(w, len, options[i].name) || is_name(w, len, options[i].brief))
			return &options[i];
	for (i = 0; i < ARRAY_SIZE(options); i++)
		if (options[i].takes == VALUE && options[i].brief && w->len > 2 &&
		    is_name(w, 2, options[i].brief)) {
			*value = (struct word){w->s + 2, w->len - 2};
			return &options[i];
		}
	return NULL;
}

static int apply(struct parser *p, const struct option *opt, const struct word *w,
		 struct word *value)
{
	if (opt->takes == NOTHING && value->s)
		return word_error(p, w, "%s takes no value", opt->name);
	if (opt->takes == VALUE && !value->s && !next_word(p, value))
		return word_error(p, w, "%s needs a value", opt->name);
	unquote(value);
	if (opt->parse)
		return opt->parse(p, value->s ? value : NULL);
	if (opt->flag)
		*(bool *)((char *)p->o + opt->flag) = true;
	p->o->stack |= opt->stack;
	p->o->no_stack |= opt->no_stack;
	return 0;
}

int source_opts__parse(struct source_opts *o, const struct event_spec *spec, struct err *err)
{
	struct parser p = {spec, o, spec->options.s, err};
	struct word w, value;
	int ret;

	while (p.at && next_word(&p, &w)) {
		const struct option *opt = find_option(&w, &value);

		if (!opt)
			return word_error(&p, &w,
					  "unknown option; there are -F HZ, -c PERIOD, -g, "
					  "--call-graph=WAY, --sample LIST, --group[=LIST], "
					  "--max-stack N, --precise N, --exclude-user and its kin, "
					  "--[no-]user-callchain, --[no-]kernel-callchain");
		ret = apply(&p, opt, &w, &value);
		if (ret)
			return ret;
	}
	if (o->freq && o->period)
		return source_opts__error(spec, spec->options.at, strlen(spec->options.s), err,
					  "-F and -c exclude each other");
	return 0;
}

void source_opts__fini(struct source_opts *o)
{
	free(o->members.s);
	o->members.s = NULL;
}
