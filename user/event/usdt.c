// SPDX-License-Identifier: GPL-2.0-only
/* usdt.c - the notes that describe a file's USDT probes. */
#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../base/array.h"
#include "../base/strbuf.h"
#include "../base/suggest.h"
#include "names.h"
#include "probe_parts.h"

#define NOTE_TYPE 3 /* NT_STAPSDT */
#define OWNER	  "stapsdt"

/* One note. The strings are the file's. */
struct note {
	u64 pc, base, semaphore;
	const char *provider, *name, *args;
};

struct found {
	struct note *v;
	size_t n, room;
	struct names others; /* "provider:name" of probes that do not match */
};

static const char *take_string(const char **s, const char *end)
{
	const char *at = *s, *nul = at < end ? memchr(at, 0, end - at) : NULL;

	*s = nul ? nul + 1 : end;
	return nul ? at : NULL;
}

static bool parse_note(const char *s, size_t len, struct note *n)
{
	const char *end = s + len;

	if (len < 3 * sizeof(u64))
		return false;
	memcpy(&n->pc, s, 8);
	memcpy(&n->base, s + 8, 8);
	memcpy(&n->semaphore, s + 16, 8);
	s += 24;
	n->provider = take_string(&s, end);
	n->name = take_string(&s, end);
	n->args = take_string(&s, end);
	return n->provider && n->name && n->args;
}

/* Prelinking moves addresses, but not the notes: what .stapsdt.base moved by, they moved by. */
static u64 moved_by(u64 base_address, const struct note *n)
{
	return base_address ? base_address - n->base : 0;
}

static int take_note(struct found *f, struct note *n, const struct event_spec *spec, u64 base)
{
	u64 moved = moved_by(base, n);
	char full[512];

	if (fnmatch(spec->system, n->provider, 0) || fnmatch(spec->name, n->name, 0)) {
		snprintf(full, sizeof(full), "%s:%s", n->provider, n->name);
		return names__add(&f->others, full);
	}
	n->pc += moved;
	n->semaphore += n->semaphore ? moved : 0;
	return array__push(f->v, f->n, f->room, *n);
}

static int read_section(struct found *f, Elf_Scn *scn, const struct event_spec *spec, u64 base)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t at = 0, next, name, desc;
	GElf_Nhdr head;
	struct note n;
	int ret = 0;

	for (; data && !ret && (next = gelf_getnote(data, at, &head, &name, &desc)) > 0;
	     at = next) {
		const char *bytes = data->d_buf;

		if (head.n_type == NOTE_TYPE && head.n_namesz == sizeof(OWNER) &&
		    !memcmp(bytes + name, OWNER, sizeof(OWNER)) &&
		    parse_note(bytes + desc, head.n_descsz, &n))
			ret = take_note(f, &n, spec, base);
	}
	return ret;
}

static const char *section_name(const struct elf_file *f, size_t strings, const GElf_Shdr *sh)
{
	const char *name = elf_strptr(f->elf, strings, sh->sh_name);

	return name ? name : "";
}

static int read_notes(struct found *found, const struct elf_file *f, const struct event_spec *spec)
{
	Elf_Scn *scn = NULL;
	size_t strings;
	GElf_Shdr sh;
	u64 base = 0;
	int ret = 0;

	if (elf_getshdrstrndx(f->elf, &strings))
		return 0;
	while ((scn = elf_nextscn(f->elf, scn)))
		if (gelf_getshdr(scn, &sh) &&
		    !strcmp(section_name(f, strings, &sh), ".stapsdt.base"))
			base = sh.sh_addr;
	while (!ret && (scn = elf_nextscn(f->elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_NOTE)
			ret = read_section(found, scn, spec, base);
	return ret;
}

static int not_found(const struct elf_file *f, const struct event_spec *spec,
		     const struct names *others, struct err *err)
{
	struct strbuf hints = {0};
	char full[512];
	int i, n;

	snprintf(full, sizeof(full), "%s:%s", spec->system, spec->name);
	n = suggest__near(&hints, full, (const char *const *)others->v, others->n);
	for (i = 0; !n && i < (int)others->n && i < 4; i++)
		strbuf__printf(&hints, "%s%s", i ? ", " : "; it has: ", others->v[i]);
	err__caret(err, spec->text, strlen("usdt:"), strlen(full), "%s has no USDT probe %s%s",
		   f->path, full,
		   !others->n ? ", nor any other"
		   : hints.s  ? hints.s
			      : "");
	strbuf__free(&hints);
	return -EINVAL;
}

/* --- arguments --- */

static int parse_args(const struct elf_file *f, const char *text, struct probe_args *args)
{
	GElf_Ehdr eh;
	size_t len, i;
	bool inside;

	args->n = 0;
	if (!gelf_getehdr(f->elf, &eh))
		return -EINVAL;
	for (i = 0; *(text += strspn(text, " ")) && args->n < PROBE_FIELDS; i++, text += len) {
		/* a blank inside of [sp, 16] does not end an argument */
		for (len = 0, inside = false; text[len] && (text[len] != ' ' || inside); len++)
			inside = text[len] == '[' || (inside && text[len] != ']');
		snprintf(args->v[args->n].name, sizeof(args->v[0].name), "arg%zu", i);
		if (usdt_arg__parse(text, len, eh.e_machine, &args->v[args->n]))
			args->n++;
	}
	return 0;
}

static bool place_of(const struct elf_file *f, const struct note *n, struct probe_place *place)
{
	*place = (struct probe_place){0};
	return elf_file__offset(f, n->pc, &place->offset) &&
	       (!n->semaphore || elf_file__offset(f, n->semaphore, &place->semaphore));
}

static bool same_set(const struct note *a, const struct note *b)
{
	return !strcmp(a->args, b->args) && !strcmp(a->name, b->name) &&
	       !strcmp(a->provider, b->provider);
}

/* Takes the places with the arguments of note @first, and marks them as taken. */
static int one_set(const struct elf_file *f, struct found *found, size_t first,
		   struct probe_place *places, usdt_fn fn, void *ctx)
{
	const struct note note = found->v[first];
	struct probe_args args;
	size_t i, n = 0;

	for (i = first; i < found->n; i++) {
		if (!found->v[i].args || !same_set(&found->v[i], &note))
			continue;
		n += place_of(f, &found->v[i], &places[n]);
		found->v[i].args = NULL;
	}
	if (!n || parse_args(f, note.args, &args))
		return 0;
	return fn(ctx, note.provider, note.name, places, n, &args);
}

int usdt__each(const struct elf_file *f, const struct event_spec *spec, usdt_fn fn, void *ctx,
	       struct err *err)
{
	struct found found = {0};
	struct probe_place *places = NULL;
	int ret = read_notes(&found, f, spec);
	size_t i;

	if (!ret && !found.n)
		ret = not_found(f, spec, &found.others, err);
	if (!ret)
		places = calloc(found.n, sizeof(*places));
	for (i = 0; places && !ret && i < found.n; i++)
		if (found.v[i].args)
			ret = one_set(f, &found, i, places, fn, ctx);
	if (ret == -ENOMEM || (!ret && !places))
		ret = err__set(err, ENOMEM, "out of memory");
	free(places);
	free(found.v);
	names__free(&found.others);
	return ret;
}
