// SPDX-License-Identifier: GPL-2.0-only
/* spec_head.c - what stands in front of the first slash. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "spec_parts.h"

static const struct probe {
	const char *prefix;
	enum spec_kind kind;
	bool has_file, has_offset, has_provider;
} probes[] = {
	{"fentry", .kind = SPEC_FENTRY},
	{"fexit", .kind = SPEC_FEXIT},
	{"kprobe", SPEC_KPROBE, .has_offset = true},
	{"kretprobe", .kind = SPEC_KRETPROBE},
	{"uprobe", SPEC_UPROBE, .has_file = true, .has_offset = true},
	{"uretprobe", SPEC_URETPROBE, .has_file = true},
	{"usdt", SPEC_USDT, .has_file = true, .has_provider = true},
};

static const struct probe *find_probe(const struct span *head)
{
	size_t i, n;

	for (i = 0; i < ARRAY_SIZE(probes); i++) {
		n = strlen(probes[i].prefix);
		if (head->len > n && !memcmp(span__s(head), probes[i].prefix, n) &&
		    span__s(head)[n] == ':')
			return &probes[i];
	}
	return NULL;
}

static int keep(char **to, const struct span *p, struct err *err)
{
	*to = span__dup(p);
	return *to ? 0 : err__set(err, ENOMEM, "out of memory");
}

/* Points at the first character that @allowed does not name. */
static int check_chars(const struct span *p, const char *allowed, const char *what, struct err *err)
{
	struct span bad = {p->text, p->at, 1};

	for (; bad.at < p->at + p->len; bad.at++)
		if (!isalnum((u8)*span__s(&bad)) && !strchr(allowed, *span__s(&bad)))
			return span__error(&bad, err, "%s cannot hold this character", what);
	return 0;
}

static int check_name(const struct span *p, const char *allowed, const char *what, struct err *err)
{
	struct span here = *p;

	if (p->len)
		return check_chars(p, allowed, what, err);
	here.len = 1;
	return span__error(&here, err, "%s is missing here", what);
}

/* --- tracepoints --- */

static int parse_tracepoint(struct event_spec *s, const struct span *head, struct err *err)
{
	struct span name = *head, system;
	int ret;

	span__cut(&name, ':', &system, err);
	ret = check_name(&system, "_-.*?[]!^", "the system of a tracepoint", err);
	if (!ret)
		ret = check_name(&name, "_-.*?[]!^", "the name of a tracepoint", err);
	if (!ret)
		ret = keep(&s->system, &system, err);
	if (!ret)
		ret = keep(&s->name, &name, err);
	s->kind = SPEC_TRACEPOINT;
	return ret;
}

/* --- probes --- */

/* @"file" or @file without slashes */
static int parse_file(struct event_spec *s, struct span file, struct err *err)
{
	const char *p = span__s(&file);
	bool quoted = file.len && (*p == '"' || *p == '\'');

	if (quoted) {
		if (file.len < 3 || p[file.len - 1] != *p)
			return span__error(&file, err, "a file name in quotes is expected here");
		file.at++;
		file.len -= 2;
	} else if (!file.len) {
		file.len = file.text[file.at] != 0;
		return span__error(&file, err,
				   "the file is missing here, in quotes: @\"/path/of/binary\"");
	}
	return keep(&s->file, &file, err);
}

static int take_file(struct event_spec *s, const struct probe *probe, struct span *name,
		     struct err *err)
{
	struct span rest = *name, before;
	int found = span__cut(&rest, '@', &before, err);

	if (found < 0)
		return found;
	if (!probe->has_file)
		return found ? span__error(&rest, err, "%s takes no file", probe->prefix) : 0;
	if (!found)
		return span__error(name, err, "%s needs the binary: %.*s@\"file\"", probe->prefix,
				   (int)name->len, span__s(name));
	*name = span__trim(before);
	return parse_file(s, span__trim(rest), err);
}

static int take_offset(struct event_spec *s, const struct probe *probe, struct span *name,
		       struct err *err)
{
	const char *plus = memchr(span__s(name), '+', name->len);
	struct span offset;
	s64 value;

	if (!plus)
		return 0;
	offset = (struct span){name->text, plus + 1 - name->text,
			       name->len - (plus + 1 - span__s(name))};
	name->len = plus - span__s(name);
	if (!probe->has_offset)
		return span__error(&offset, err, "%s takes no offset", probe->prefix);
	if (span__number(&offset, &value, err))
		return -EINVAL;
	if (value < 0)
		return span__error(&offset, err, "an offset cannot be negative");
	s->offset = value;
	return 0;
}

static int take_provider(struct event_spec *s, struct span *name, struct err *err)
{
	struct span rest = *name, provider;

	if (span__cut(&rest, ':', &provider, err) != 1)
		return span__error(name, err,
				   "usdt needs provider and name: usdt:provider:name@\"file\"");
	if (check_name(&provider, "_-.*?[]!^", "the provider", err))
		return -EINVAL;
	*name = rest;
	return keep(&s->system, &provider, err);
}

/* C++ and Rust symbols hold nearly everything; only what is in files is looked for by glob. */
static const char *allowed_in(const struct probe *probe)
{
	if (!probe->has_file)
		return "_-.";
	return probe->has_provider ? "_-.*?[]!^" : "_-.*?:~()<>[]{}&, $=!+|^%@";
}

static int parse_probe(struct event_spec *s, const struct probe *probe, const struct span *head,
		       struct err *err)
{
	size_t skip = strlen(probe->prefix) + 1;
	struct span name = {head->text, head->at + skip, head->len - skip};
	int ret = take_file(s, probe, &name, err);

	s->kind = probe->kind;
	if (!ret && probe->has_provider)
		ret = take_provider(s, &name, err);
	if (!ret)
		ret = take_offset(s, probe, &name, err);
	if (!ret)
		ret = check_name(&name, allowed_in(probe), "the name", err);
	return ret ? ret : keep(&s->name, &name, err);
}

/* --- sources --- */

static int parse_source(struct event_spec *s, const struct span *head, struct err *err)
{
	s->kind = SPEC_SOURCE;
	if (foreign__profiler(head, err) ||
	    check_name(head, "_-.", "an event without a system", err))
		return -EINVAL;
	return keep(&s->name, head, err);
}

int spec_head__parse(struct event_spec *s, const struct span *head, struct err *err)
{
	const struct probe *probe = find_probe(head);

	if (probe)
		return parse_probe(s, probe, head, err);
	if (memchr(span__s(head), ':', head->len))
		return parse_tracepoint(s, head, err);
	return parse_source(s, head, err);
}
