// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/strbuf.h"
#include "stat_opts.h"

/* Python's \d is not in POSIX; \w \s \b are in the C library. */
static void put_pattern(struct strbuf *b, const char *s)
{
	strbuf__puts(b, "^(");
	for (; *s; s++) {
		if (s[0] == '\\' && s[1] == 'd') {
			strbuf__puts(b, "[0-9]");
			s++;
		} else {
			strbuf__putc(b, *s);
			if (s[0] == '\\' && s[1])
				strbuf__putc(b, *++s);
		}
	}
	strbuf__putc(b, ')');
}

int stat_fields__compile(regex_t *re, const char *text, struct err *err)
{
	struct strbuf b = {0};
	char why[128];
	int ret;

	/* Alone, so that an unbalanced parenthesis does not find ours. */
	ret = regcomp(re, text, REG_EXTENDED | REG_NOSUB);
	if (!ret) {
		regfree(re);
		put_pattern(&b, text);
		ret = b.failed ? REG_ESPACE : regcomp(re, b.s, REG_EXTENDED | REG_NOSUB);
	}
	strbuf__free(&b);
	if (!ret)
		return 0;
	regerror(ret, re, why, sizeof(why));
	return err__usage(err, "-f %s: no regular expression: %s", text, why);
}

static int set_delay(struct stat_opts *o, struct err *err)
{
	const char *text = o->given.delay;
	char *end = "";

	o->delay = o->given.interval_ms ? o->given.interval_ms / 1000.0 : 1;
	if (text)
		o->delay = strtod(text, &end);
	if ((text && end == text) || *end || !(o->delay >= 0.1) || o->delay > 86400)
		return err__usage(err,
				  "an interval of %s s: it is a number, of at least 0.1 seconds",
				  text ? text : "less than 0.1");
	return 0;
}

static int set_fields(struct stat_opts *o, struct err *err)
{
	const char *text = o->given.fields;

	o->list_fields = text && !strcmp(text, "help");
	if (!text || o->list_fields)
		return 0;
	o->has_fields = !stat_fields__compile(&o->fields, text, err);
	return o->has_fields ? 0 : -err->code;
}

static int check(const struct options *o, struct err *err)
{
	if (o->once && (o->lines || o->log_file))
		return err__usage(err, "-1 and -l exclude each other");
	if (o->lines && o->log_file)
		return err__usage(err, "-l and -L exclude each other");
	if (o->csv && !o->lines && !o->log_file)
		return err__usage(err, "-c needs -l or -L");
	if (o->skip_zero && !o->lines && !o->log_file)
		return err__usage(err, "-z needs -l or -L");
	if (o->vm_pid && o->guest)
		return err__usage(err, "-p and -g exclude each other");
	if (o->nr_words)
		return err__usage(err, "'%s' is no option; a command to watch goes behind --",
				  o->words[0]);
	return 0;
}

int stat_opts__parse(struct stat_opts *o, unsigned int groups, int argc, char **argv,
		     struct err *err)
{
	int ret = options__parse(&o->given, groups, false, argc, argv, err);

	options__finish(&o->given);
	o->given.session.only_grow = true;
	if (ret || o->given.help)
		return ret;
	ret = check(&o->given, err);
	if (!ret)
		ret = set_delay(o, err);
	return ret ? ret : set_fields(o, err);
}

void stat_opts__free(struct stat_opts *o)
{
	if (o->has_fields)
		regfree(&o->fields);
	options__free(&o->given);
}
