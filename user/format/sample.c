// SPDX-License-Identifier: GPL-2.0-only
/* sample.c - the parts of a sample of a source, named as Python names them. */
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include "../event/sample.h"
#include "parts.h"

/* Parts that are one number. Those that the record's prefix shows are for JSON only. */
static const struct number {
	u64 bit;
	u16 offset;
	bool hex, is_prefix, is_u32;
} numbers[] = {
#define PART(bit, member, ...)                                                        \
	{                                                                             \
		PERF_SAMPLE_##bit, offsetof(struct sample_parts, member), __VA_ARGS__ \
	}
	PART(IDENTIFIER, identifier, false, true, false),
	PART(IP, ip, true, false, false),
	PART(ADDR, addr, true, false, false),
	PART(ID, id, false, true, false),
	PART(STREAM_ID, stream_id, false, true, false),
	PART(CPU, cpu, false, true, true),
	PART(TIME, time, false, true, false),
	PART(PERIOD, period, false, false, false),
	PART(WEIGHT, weight, false, false, false),
	PART(DATA_SRC, data_src, true, false, false),
	PART(TRANSACTION, transaction, true, false, false),
	PART(PHYS_ADDR, phys_addr, true, false, false),
	PART(CGROUP, cgroup, false, false, false),
	PART(DATA_PAGE_SIZE, data_page_size, false, false, false),
	PART(CODE_PAGE_SIZE, code_page_size, false, false, false),
#undef PART
};

static u64 number_of(const struct sample_parts *p, const struct number *n)
{
	const char *at = (const char *)p + n->offset;

	return n->is_u32 ? *(const u32 *)at : *(const u64 *)at;
}

/* The raw part has no padding of its own, and the words of branches follow each other. */
static const struct bytes {
	u64 bit;
	u16 ptr, len;
} byte_parts[] = {
	{PERF_SAMPLE_STACK_USER, offsetof(struct sample_parts, stack_user),
	 offsetof(struct sample_parts, stack_user_size)},
	{PERF_SAMPLE_AUX, offsetof(struct sample_parts, aux),
	 offsetof(struct sample_parts, aux_size)},
};

static u64 len_of(const struct sample_parts *p, const struct bytes *part)
{
	return *(const u64 *)((const char *)p + part->len);
}

static const void *ptr_of(const struct sample_parts *p, const struct bytes *part)
{
	return *(const void *const *)((const char *)p + part->ptr);
}

static void parse(const struct record *rec, struct sample_parts *p)
{
	memset(p, 0, sizeof(*p));
	if (rec->size >= sizeof(struct perf_event_header))
		sample__parse(&rec->event->sample, rec->data, rec->size, p);
}

static const struct sample_regs *regs_of(const struct sample_parts *p, u64 bit)
{
	return bit == PERF_SAMPLE_REGS_USER ? &p->regs_user : &p->regs_intr;
}

static const u64 regs_bits[] = {PERF_SAMPLE_REGS_USER, PERF_SAMPLE_REGS_INTR};

/* --- text --- */

static void text_regs(struct strbuf *b, const char *name, const struct sample_regs *r)
{
	unsigned int bit, i = 0;

	strbuf__printf(b, " %s={", name);
	for (bit = 0; r->words && bit < 64; bit++)
		if (r->mask >> bit & 1) {
			strbuf__printf(b, "%s%s=0x%" PRIx64, i ? " " : "",
				       sample__reg_name(sample__arch(), bit), r->words[i]);
			i++;
		}
	strbuf__putc(b, '}');
}

static void text_read(struct strbuf *b, const struct record *rec, const struct sample_parts *p)
{
	u64 i;

	strbuf__puts(b, " read={");
	for (i = 0; i < p->read_nr; i++)
		strbuf__printf(b, "%s%" PRIu64, i ? " " : "",
			       sample__count(&rec->event->sample, p, i).value);
	strbuf__putc(b, '}');
}

void sample_text__put(struct strbuf *b, const struct record *rec)
{
	size_t i, start = b->len;
	struct sample_parts p;

	parse(rec, &p);
	for (i = 0; i < ARRAY_SIZE(numbers); i++) {
		if (!(p.has & numbers[i].bit) || numbers[i].is_prefix)
			continue;
		strbuf__printf(b, numbers[i].hex ? " %s=0x%" PRIx64 : " %s=%" PRIu64,
			       sample__part_name(numbers[i].bit), number_of(&p, &numbers[i]));
	}
	if (p.has & PERF_SAMPLE_READ)
		text_read(b, rec, &p);
	for (i = 0; i < ARRAY_SIZE(regs_bits); i++)
		if (p.has & regs_bits[i])
			text_regs(b, sample__part_name(regs_bits[i]), regs_of(&p, regs_bits[i]));
	if (p.has & PERF_SAMPLE_BRANCH_STACK)
		strbuf__printf(b, " branch_stack=%" PRIu64 " branches", p.nr_branches);
	for (i = 0; i < ARRAY_SIZE(byte_parts); i++)
		if (p.has & byte_parts[i].bit)
			strbuf__printf(b, " %s=%" PRIu64 " bytes",
				       sample__part_name(byte_parts[i].bit),
				       len_of(&p, &byte_parts[i]));
	if (b->len > start) /* the space in front of the first */
		memmove(b->s + start, b->s + start + 1, b->len-- - start);
}

/* --- JSON --- */

static void json_hex(struct strbuf *b, const char *name, const void *bytes, u64 n)
{
	strbuf__printf(b, ",\"%s\":\"", name);
	if (bytes)
		format__hex(b, bytes, n);
	strbuf__putc(b, '"');
}

static void json_regs(struct strbuf *b, const char *name, const struct sample_regs *r)
{
	unsigned int bit, i = 0;

	strbuf__printf(b, ",\"%s\":{\"abi\":%" PRIu64, name, r->abi);
	for (bit = 0; r->words && bit < 64; bit++)
		if (r->mask >> bit & 1)
			strbuf__printf(b, ",\"%s\":%" PRIu64, sample__reg_name(sample__arch(), bit),
				       r->words[i++]);
	strbuf__putc(b, '}');
}

static void json_count(struct strbuf *b, u64 format, struct sample_count c)
{
	strbuf__printf(b, "\"value\":%" PRIu64, c.value);
	if (format & PERF_FORMAT_ID)
		strbuf__printf(b, ",\"id\":%" PRIu64, c.id);
	if (format & SAMPLE_FORMAT_LOST)
		strbuf__printf(b, ",\"lost\":%" PRIu64, c.lost);
}

static void json_times(struct strbuf *b, u64 format, const struct sample_parts *p)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		strbuf__printf(b, ",\"time_enabled\":%" PRIu64, p->time_enabled);
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		strbuf__printf(b, ",\"time_running\":%" PRIu64, p->time_running);
}

static void json_read(struct strbuf *b, const struct record *rec, const struct sample_parts *p)
{
	const struct sample_layout *l = &rec->event->sample;
	u64 i;

	strbuf__puts(b, ",\"read\":{");
	if (!(l->read_format & PERF_FORMAT_GROUP)) {
		json_count(b, l->read_format, sample__count(l, p, 0));
		json_times(b, l->read_format, p);
		strbuf__putc(b, '}');
		return;
	}
	strbuf__printf(b, "\"nr\":%" PRIu64, p->read_nr);
	json_times(b, l->read_format, p);
	strbuf__puts(b, ",\"cntr\":[");
	for (i = 0; i < p->read_nr; i++) {
		strbuf__puts(b, i ? ",{" : "{");
		json_count(b, l->read_format, sample__count(l, p, i));
		strbuf__putc(b, '}');
	}
	strbuf__puts(b, "]}");
}

/* As bytes: the number of branches, then the branches. */
static void json_branches(struct strbuf *b, const struct sample_parts *p)
{
	strbuf__puts(b, ",\"branch_stack\":\"");
	format__hex(b, &p->nr_branches, sizeof(p->nr_branches));
	if (p->branches)
		format__hex(b, p->branches, p->nr_branches * sizeof(*p->branches));
	strbuf__putc(b, '"');
}

static void json_callchain(struct strbuf *b, const struct record *rec, const struct sample_parts *p,
			   const struct format_opts *opts)
{
	u32 i;

	strbuf__puts(b, ",\"callchain\":");
	if (opts->callchain) {
		opts->callchain(opts->ctx, b, rec);
		return;
	}
	strbuf__putc(b, '[');
	for (i = 0; i < p->nr_callchain; i++)
		strbuf__printf(b, "%s%" PRIu64, i ? "," : "", p->callchain[i]);
	strbuf__putc(b, ']');
}

static bool wanted(const struct sample_parts *p, const struct format_opts *opts, u64 bit)
{
	return p->has & bit && format__shows(opts, sample__part_name(bit));
}

void sample_json__put(struct strbuf *b, const struct record *rec, const struct format_opts *opts)
{
	struct sample_parts p;
	size_t i;

	parse(rec, &p);
	if (wanted(&p, opts, PERF_SAMPLE_TID))
		strbuf__printf(b, ",\"pid\":%u,\"tid\":%u", p.pid, p.tid);
	for (i = 0; i < ARRAY_SIZE(numbers); i++)
		if (wanted(&p, opts, numbers[i].bit))
			strbuf__printf(b, ",\"%s\":%" PRIu64, sample__part_name(numbers[i].bit),
				       number_of(&p, &numbers[i]));
	if (wanted(&p, opts, PERF_SAMPLE_READ))
		json_read(b, rec, &p);
	if (wanted(&p, opts, PERF_SAMPLE_CALLCHAIN))
		json_callchain(b, rec, &p, opts);
	if (wanted(&p, opts, PERF_SAMPLE_RAW))
		json_hex(b, "raw", p.raw, p.raw_size);
	if (wanted(&p, opts, PERF_SAMPLE_BRANCH_STACK))
		json_branches(b, &p);
	for (i = 0; i < ARRAY_SIZE(regs_bits); i++)
		if (wanted(&p, opts, regs_bits[i]))
			json_regs(b, sample__part_name(regs_bits[i]), regs_of(&p, regs_bits[i]));
	for (i = 0; i < ARRAY_SIZE(byte_parts); i++)
		if (wanted(&p, opts, byte_parts[i].bit))
			json_hex(b, sample__part_name(byte_parts[i].bit),
				 ptr_of(&p, &byte_parts[i]), len_of(&p, &byte_parts[i]));
}
