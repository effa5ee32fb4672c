// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>
#include "../base/guard.h"
#include "../base/log.h"
#include "../filter/holes.h"
#include "pair.h"
#include "../../bpf/record.h"
#include "../../bpf/template.h"

#define DEFAULT_ENTRIES 16384
#define KEY_STRING	16 /* bytes of a string in a key */

static u32 kept_words(const struct event *start, const struct spec_text *name)
{
	const struct field *f = event__field(start, name->s);

	return f ? field__kept_words(f) : 1;
}

static int check_room(const struct event *start, struct err *err)
{
	const struct event_spec *spec = start->spec;
	u32 words = 0;

	for (size_t i = 0; i < spec->keep.n; i++) {
		const struct spec_text *name = &spec->keep.v[i];

		words += kept_words(start, name);
		if (words > KEEP_MAX)
			return err__caret(err, spec->text, name->at, strlen(name->s),
					  "keep= has room for %d numbers; a text takes that of two",
					  KEEP_MAX);
	}
	return 0;
}

int pairing__parse(struct pairing *p, const struct event *event, const struct sieve_opts *opts,
		   struct err *err)
{
	const struct event_spec *spec = event->spec;
	int ret;

	p->map = -1;
	if (!spec || (!spec->is_start && !spec->since))
		return 0;
	p->event = event;
	ret = check_room(event, err);
	if (!ret)
		ret = key__parse(&p->key, event, &spec->key, EXPR_WANT_TEXT, opts->world, opts->log, err);
	if (!ret)
		ret = key__place(&p->key, event, KEY_STRING, err);
	if (!ret && p->key.big)
		ret = err__caret(err, spec->text, spec->key.v[0].at, strlen(spec->key.v[0].s),
				 "key= has room for 64 bytes: 8 for a number, 16 for a text");
	return ret;
}

void pairing__free(struct pairing *p)
{
	key__free(&p->key);
	if (p->event && p->map >= 0)
		close(p->map);
}

/* --- start and end --- */

static bool is_tid_alone(const struct key *k)
{
	return k->nr == 1 && k->slots[0].e->operand == OPERAND_TID;
}

static bool keeps_text(const struct event *end)
{
	for (size_t i = 0; i < end->nr_fields; i++)
		if (end->fields[i].where == FIELD_KEPT_TEXT)
			return true;
	return false;
}

/* What a pointer that was kept points to is read by the end: only its own task has it there. */
static int check_texts(const struct pairing *start, const struct pairing *end, struct err *err)
{
	const struct spec_text *keep = &start->event->spec->keep.v[0];

	if (!keeps_text(end->event))
		return 0;
	for (size_t i = 0; i < end->key.nr; i++)
		if (start->key.slots[i].e->operand == OPERAND_TID &&
		    end->key.slots[i].e->operand == OPERAND_TID)
			return 0;
	return err__caret(err, start->event->spec->text, keep->at, strlen(keep->s),
			  "a text that keep= names is read where the interval ends, which must be "
			  "in the same task: both key= need _tid");
}

static int check_parts(const struct pairing *start, const struct pairing *end, struct err *err)
{
	for (size_t i = 0; i < end->key.nr; i++) {
		const struct key_slot *a = &start->key.slots[i], *b = &end->key.slots[i];

		if ((a->kind == PART_TEXT) == (b->kind == PART_TEXT))
			continue;
		return err__caret(err, end->event->spec->text, b->e->at, b->e->len,
				  "%s is a %s, and the same part of the start's key, %s, is a %s",
				  b->name, b->kind == PART_TEXT ? "text" : "number", a->name,
				  a->kind == PART_TEXT ? "text" : "number");
	}
	return 0;
}

static struct pairing *find(const struct event_spec *spec, struct pairing *const *all, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (all[i]->event && all[i]->event->spec == spec)
			return all[i];
	return NULL;
}

int pairing__link(struct pairing *p, struct pairing *const *all, size_t n, struct err *err)
{
	const struct event_spec *spec = p->event ? p->event->spec : NULL;
	bool other = spec && !is_tid_alone(&p->key);

	if (!spec)
		return 0;
	if (spec->is_start) {
		p->begins = find(spec->begins ? spec->begins : spec, all, n);
		if (!p->begins)
			p->begins = p;
		p->begins->other_keys |= other;
	}
	if (!spec->since)
		return 0;
	p->ends = find(spec->start, all, n);
	if (!p->ends)
		return err__set(err, ENOENT, "%s: the event that begins its intervals is not there",
				p->event->label);
	p->ends->other_keys |= other;
	return check_parts(p->ends, p, err) ?: check_texts(p->ends, p, err);
}

/* --- the map --- */

/* Task storage needs types, which are those of the template's own map. */
static int make_task_map(int like)
{
	struct bpf_map_info info = {0};
	u32 len = sizeof(info);
	_cleanup_close_ int btf = -1;
	LIBBPF_OPTS(bpf_map_create_opts, o, .map_flags = BPF_F_NO_PREALLOC);

	if (like < 0 || bpf_obj_get_info_by_fd(like, &info, &len))
		return -1;
	btf = bpf_btf_get_fd_by_id(info.btf_id);
	if (btf < 0)
		return -1;
	o.btf_fd = btf;
	o.btf_key_type_id = info.btf_key_type_id;
	o.btf_value_type_id = info.btf_value_type_id;
	return bpf_map_create(BPF_MAP_TYPE_TASK_STORAGE, "tamis_starts", sizeof(int),
			      sizeof(struct start), 0, &o);
}

static int make_map(struct pairing *p, const struct sieve_kernel *kernel, struct err *err)
{
	const struct event_spec *spec = p->event->spec;
	u32 entries = spec->entries ? spec->entries : DEFAULT_ENTRIES;

	if (p->map >= 0)
		return 0;
	if (is_tid_alone(&p->key) && !p->other_keys)
		p->map = make_task_map(kernel->task_map);
	p->by_task = p->map >= 0;
	if (!p->by_task)
		p->map = bpf_map_create(BPF_MAP_TYPE_HASH, "tamis_starts", p->key.size,
					sizeof(struct start), entries, NULL);
	if (p->map >= 0)
		return 0;
	return err__set(
		err, errno,
		"%s: room for %u open intervals cannot be had: %s; entries= makes it smaller",
		p->event->label, entries, strerror(errno));
}

/* --- code --- */

static int keep_number(const struct event *event, const struct spec_text *name, u32 word,
		       struct code *c, struct compile_env *env, struct err *err)
{
	struct expr *e;
	int ret = expr__parse(&e, event, name, EXPR_WANT_INT, NULL, NULL, err);

	if (!ret)
		ret = compile__int_or_zero(c, e, event, env, err);
	expr__free(e);
	code__store(c, R_WORK, code__kept_at(word), R1, 8);
	return ret;
}

/* The widest loads that are aligned in the record. */
static void keep_bytes(const struct field *f, u32 size, u32 word, struct code *c)
{
	for (u32 at = 0, step; at < size; at += step) {
		step = code__piece((f->offset + at) | at, size - at);
		code__load(c, R1, R_REC, f->offset + at, step);
		code__store(c, R_WORK, code__kept_at(word) + at, R1, step);
	}
}

/* The record of a start is copied whole, so what is not kept is zero. */
static void clear_kept(u32 word, struct code *c)
{
	code__mov_imm(c, R1, 0);
	for (; word <= KEEP_MAX; word++)
		code__store(c, R_WORK, code__kept_at(word), R1, 8);
}

/* Numbers, texts that are in the record, and of texts in user memory where they are. */
static int keep_code(const struct event *event, struct code *c, struct compile_env *env,
		     struct err *err)
{
	const struct spec_list *keep = &event->spec->keep;
	u32 word = 1;
	int ret = 0;

	clear_kept(word, c);
	for (size_t i = 0; !ret && i < keep->n; i++) {
		const struct field *f = event__field(event, keep->v[i].s);

		if (f && f->where == FIELD_USER_TEXT)
			keep_bytes(f, 8, word, c);
		else if (f && f->kind == FIELD_TEXT)
			keep_bytes(f, f->size, word, c);
		else
			ret = keep_number(event, &keep->v[i], word, c, env, err);
		word += kept_words(event, &keep->v[i]);
	}
	return ret;
}

static int fill_start(struct pairing *p, struct holes *h, const struct sieve_kernel *kernel,
		      struct compile_env *env, struct err *err)
{
	int ret = make_map(p->begins, kernel, err);

	if (!ret)
		ret = key__code(&p->key, &h->start_key, p->event, env, err);
	if (!ret)
		ret = keep_code(p->event, &h->keep, env, err);
	h->starts = p->begins->map;
	h->begin_event = p->begins->event->index;
	h->flags |= F_START | (p->begins->by_task ? F_TASK : 0);
	return ret;
}

static int fill_end(struct pairing *p, struct holes *h, const struct sieve_kernel *kernel,
		    struct compile_env *env, struct err *err)
{
	int ret = make_map(p->ends, kernel, err);

	if (!ret)
		ret = key__code(&p->key, &h->end_key, p->event, env, err);
	h->ends = p->ends->map;
	h->end_event = p->ends->event->index;
	h->flags |= F_END | (p->ends->by_task ? F_TASK : 0);
	return ret;
}

int pairing__fill(struct pairing *p, struct holes *h, const struct sieve_kernel *kernel,
		  struct compile_env *env, struct err *err)
{
	int ret = 0;

	if (!p->event)
		return 0;
	if (p->begins)
		ret = fill_start(p, h, kernel, env, err);
	if (!ret && p->ends)
		ret = fill_end(p, h, kernel, env, err);
	if (!ret && !spec__emits(p->event->spec))
		h->flags &= ~(u32)F_EMIT;
	return ret;
}
