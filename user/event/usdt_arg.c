// SPDX-License-Identifier: GPL-2.0-only
/* usdt_arg.c - where an argument of a USDT probe is, as its note says in assembler's words. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "probe_parts.h"

/* What is left of the operand. */
struct rest {
	const char *s, *end;
	u16 machine;
};

static bool take(struct rest *r, char c)
{
	while (r->s < r->end && *r->s == ' ')
		r->s++;
	if (r->s >= r->end || *r->s != c)
		return false;
	r->s++;
	return true;
}

static bool take_number(struct rest *r, s64 *n)
{
	char text[32] = "", *end;
	size_t len = r->end - r->s;

	memcpy(text, r->s, len < 31 ? len : 31);
	*n = strtoll(text, &end, 0);
	r->s += end - text;
	return end != text;
}

static bool is_name(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

static bool take_register(struct rest *r, u16 *reg, u32 *size)
{
	const char *s = r->s;

	while (s < r->end && is_name(*s))
		s++;
	if (!probe_reg__find(r->machine, r->s, s - r->s, reg, size))
		return false;
	r->s = s;
	return true;
}

/* (%base), (%base,%index,scale) */
static bool take_x86_memory(struct rest *r, struct probe_value *v)
{
	s64 scale = 1;
	u32 size;

	v->from = PROBE_USER;
	if (!take(r, '(') || !take(r, '%') || !take_register(r, &v->reg, &size) || size != 8)
		return false;
	if (take(r, ')'))
		return true;
	if (!take(r, ',') || !take(r, '%') || !take_register(r, &v->index, &size) || size != 8)
		return false;
	if (take(r, ',') && (!take_number(r, &scale) || scale < 1 || scale > 8))
		return false;
	v->scale = scale;
	return take(r, ')');
}

/* %reg, $5, 16(%rbp), (%rax,%rbx,8); a name before (%rip) is an address that only the loader knows
 */
static bool parse_x86(struct rest *r, struct probe_value *v)
{
	u32 size;

	if (take(r, '%')) {
		v->from = PROBE_REGISTER;
		return take_register(r, &v->reg, &size);
	}
	if (take(r, '$')) {
		v->from = PROBE_CONSTANT;
		return take_number(r, &v->offset);
	}
	take_number(r, &v->offset);
	return take_x86_memory(r, v);
}

/* x0, 5, [sp], [x1, 16], [x1, x2] */
static bool parse_arm64(struct rest *r, struct probe_value *v)
{
	u32 size;

	if (take(r, '[')) {
		v->from = PROBE_USER;
		if (!take_register(r, &v->reg, &size) || size != 8)
			return false;
		if (take(r, ']'))
			return true;
		if (!take(r, ','))
			return false;
		take(r, ' ');
		while (r->s < r->end && *r->s == ' ')
			r->s++;
		if (take_number(r, &v->offset))
			return take(r, ']');
		v->scale = 1;
		return take_register(r, &v->index, &size) && size == 8 && take(r, ']');
	}
	v->from = PROBE_REGISTER;
	if (take_register(r, &v->reg, &size))
		return true;
	v->from = PROBE_CONSTANT;
	return take_number(r, &v->offset);
}

static bool set_size(struct probe_arg *a, s64 size)
{
	a->is_signed = size < 0;
	a->size = size < 0 ? -size : size;
	snprintf(a->type, sizeof(a->type), "%c%u", a->is_signed ? 's' : 'u', a->size * 8);
	return a->size == 1 || a->size == 2 || a->size == 4 || a->size == 8;
}

bool usdt_arg__parse(const char *text, size_t len, u16 machine, struct probe_arg *arg)
{
	const char *at = memchr(text, '@', len);
	struct rest r = {text, text + len, machine};
	s64 size = 8;

	arg->value = (struct probe_value){0};
	if (at) {
		r.end = at;
		if (!take_number(&r, &size) || r.s != at)
			return false; /* a floating-point number: 8f@%xmm0 */
		r.s = at + 1;
		r.end = text + len;
	}
	if (!set_size(arg, size))
		return false;
	if (!(machine == EM_AARCH64 ? parse_arm64(&r, &arg->value) : parse_x86(&r, &arg->value)))
		return false;
	return r.s == r.end;
}
