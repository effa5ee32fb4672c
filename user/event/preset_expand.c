// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "../base/guard.h"
#include "../base/strbuf.h"
#include "preset.h"
#include "preset_expand.h"
#include "source_names.h"

static size_t name_len(const struct span *attr)
{
	const char *eq = memchr(span__s(attr), '=', attr->len);

	return eq ? (size_t)(eq - span__s(attr)) : attr->len;
}

static bool same_name(const struct span *a, const struct span *b)
{
	return name_len(a) == name_len(b) && !memcmp(span__s(a), span__s(b), name_len(a));
}

static bool has_same_name(const struct event_text *t, const struct span *attr)
{
	size_t i;

	for (i = 0; i < t->nr_attrs; i++)
		if (same_name(&t->attrs[i], attr))
			return true;
	return false;
}

/* The value of attribute @name= of an event; len 0: not there. */
static struct span value_of(const struct event_text *t, const char *name)
{
	size_t i, n = strlen(name);
	struct span v;

	for (i = 0; i < t->nr_attrs; i++) {
		v = t->attrs[i];
		if (v.len <= n || memcmp(span__s(&v), name, n) || span__s(&v)[n] != '=')
			continue;
		return (struct span){v.text, v.at + n + 1, v.len - n - 1};
	}
	return (struct span){t->head.text, 0, 0};
}

/* Does another event of the preset name this one with since=? */
static bool is_start(const struct event_text *all, size_t n, const struct event_text *t)
{
	struct span alias = value_of(t, "alias"), since;
	size_t i;

	for (i = 0; alias.len && i < n; i++) {
		since = value_of(&all[i], "since");
		if (since.len == alias.len && !memcmp(span__s(&since), span__s(&alias), alias.len))
			return true;
	}
	return false;
}

/* Parts that && joins stay apart unless a weaker operator needs parentheses. */
static void put_condition(struct strbuf *b, const struct span *p)
{
	bool weak = memmem(span__s(p), p->len, "||", 2) || memchr(span__s(p), '?', p->len);

	strbuf__puts(b, weak ? "(" : "");
	strbuf__add(b, span__s(p), p->len);
	strbuf__puts(b, weak ? ")" : "");
}

static void put_first(struct strbuf *b, const struct event_text *of, const struct event_text *user)
{
	bool is_source = !memchr(span__s(&of->head), ':', of->head.len);

	if (!user->first.len || !of->first.len || is_source) {
		const struct span *one = user->first.len ? &user->first : &of->first;

		strbuf__add(b, span__s(one), one->len);
		return;
	}
	put_condition(b, &of->first);
	strbuf__puts(b, " && ");
	put_condition(b, &user->first);
}

static void put_attr(struct strbuf *b, const struct span *attr)
{
	strbuf__add(b, span__s(attr), attr->len);
	strbuf__putc(b, '/');
}

/* The event as if it had been written out. */
static void write_out(struct strbuf *b, const struct event_text *of, const struct event_text *user)
{
	size_t i;

	strbuf__add(b, span__s(&of->head), of->head.len);
	strbuf__putc(b, '/');
	put_first(b, of, user);
	strbuf__putc(b, '/');
	for (i = 0; i < of->nr_attrs; i++)
		if (!has_same_name(user, &of->attrs[i]))
			put_attr(b, &of->attrs[i]);
	for (i = 0; i < user->nr_attrs; i++)
		put_attr(b, &user->attrs[i]);
}

static int add_event(struct event_specs *specs, const char *preset, u32 use,
		     const struct event_text *of, const struct event_text *user, struct log *log,
		     struct err *err)
{
	struct event_text t = {0};
	struct strbuf b = {0};
	struct span rest;
	int ret;

	write_out(&b, of, user);
	if (b.failed) {
		strbuf__free(&b);
		return err__set(err, ENOMEM, "out of memory");
	}
	rest = (struct span){b.s, 0, b.len};
	ret = event_text__take(&t, &rest, err);
	if (ret >= 0)
		ret = spec__from_text(specs, &t, preset, use, log, err);
	event_text__free(&t);
	strbuf__free(&b);
	return ret;
}

static int split_events(const struct preset *p, struct event_text **all, size_t *n, struct err *err)
{
	struct span rest = {p->events, 0, strlen(p->events)};
	struct event_text t;
	size_t room = 0;
	int more;

	do {
		more = event_text__take(&t, &rest, err);
		if (more < 0 || array__push(*all, *n, room, t)) {
			event_text__free(&t);
			return err__set(err, ENOMEM, "out of memory");
		}
	} while (more);
	return 0;
}

static u32 next_use(const struct event_specs *specs)
{
	u32 last = 0;
	size_t i;

	for (i = 0; i < specs->n; i++)
		if (specs->v[i]->preset_use > last)
			last = specs->v[i]->preset_use;
	return last + 1;
}

static int expand(struct event_specs *specs, const struct preset *p, const struct event_text *user,
		  struct log *log, struct err *err)
{
	static const struct event_text nothing;
	struct event_text *all = NULL;
	u32 use = next_use(specs);
	size_t i, n = 0;
	int ret = split_events(p, &all, &n, err);

	for (i = 0; !ret && i < n; i++)
		ret = add_event(specs, p->name, use, &all[i],
				is_start(all, n, &all[i]) ? &nothing : user, log, err);
	for (i = 0; i < n; i++)
		event_text__free(&all[i]);
	free(all);
	return ret;
}

int preset__expand(struct event_specs *specs, const struct event_text *t,
		   const char *const *preset_dirs, struct log *log, struct err *err)
{
	_cleanup_free_ char *name = span__dup(&t->head);
	struct perf_event_attr attr;
	struct preset p;
	int ret;

	if (!name)
		return err__set(err, ENOMEM, "out of memory");
	if (!source__lookup(name, &attr))
		return -ENOENT;
	ret = preset__load(&p, name, preset_dirs, err);
	if (ret)
		return ret;
	ret = expand(specs, &p, t, log, err);
	if (ret)
		err__prefix(err, "preset %s", name);
	preset__free(&p);
	return ret;
}
