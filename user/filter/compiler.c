// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include "../base/array.h"
#include "compiler.h"

void compiler__init(struct compiler *cp, struct code *c, const struct expr *e,
		    const struct event *event, struct compile_env *env, struct err *err)
{
	*cp = (struct compiler){
		.c = c,
		.event = event,
		.env = env,
		.err = err,
		.whole = e,
		.static_size = env->static_size ? env->static_size : event->format->size,
	};
}

int compiler__finish(struct compiler *cp)
{
	struct code *c = cp->c;

	for (size_t i = 0; i < cp->nr_jumps && !c->err && !cp->err->code; i++) {
		const struct jump *j = &cp->jumps[i];

		c->insn[j->at].off = cp->target[j->label] - j->at - 1;
	}
	free(cp->jumps);
	free(cp->target);
	if (c->err)
		return err__set(cp->err, -c->err, "an expression could not be compiled");
	return -cp->err->code;
}

void compile_env__free(struct compile_env *env)
{
	for (size_t i = 0; i < env->nr_maps; i++)
		close(env->maps[i]);
	free(env->maps);
	env->maps = NULL;
	env->nr_maps = env->maps_room = 0;
}

int compiler__refuse(struct compiler *cp, const struct expr *e, int code, const char *fmt, ...)
{
	const struct event_spec *spec = cp->event->spec;
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	if (!cp->err->code) {
		if (spec)
			err__caret(cp->err, spec->text, e->at, e->len, "%s", text);
		else
			err__usage(cp->err, "%s", text);
		cp->err->code = code;
	}
	return -cp->err->code;
}

label_t compiler__label(struct compiler *cp)
{
	if (!cp->c->err)
		cp->c->err = array__push(cp->target, cp->nr_labels, cp->labels_room, -1);
	return (label_t)cp->nr_labels - 1;
}

static bool is_wanted(const struct compiler *cp, label_t l)
{
	for (size_t i = 0; i < cp->nr_jumps; i++)
		if (cp->jumps[i].label == l)
			return true;
	return false;
}

void compiler__bind(struct compiler *cp, label_t l)
{
	if (cp->c->err)
		return;
	cp->target[l] = (int)cp->c->n;
	if (cp->dead)
		cp->dead = !is_wanted(cp, l);
}

static void add_jump(struct compiler *cp, label_t l)
{
	struct jump j = {.at = (int)cp->c->n, .label = l};

	if (!cp->c->err)
		cp->c->err = array__push(cp->jumps, cp->nr_jumps, cp->jumps_room, j);
}

void compiler__goto(struct compiler *cp, label_t l)
{
	if (cp->dead)
		return;
	add_jump(cp, l);
	code__insn(cp->c, BPF_JMP | BPF_JA, 0, 0, 0, 0);
	cp->dead = true;
}

void compiler__jump(struct compiler *cp, int op, int reg, u64 imm, label_t l)
{
	if (cp->dead)
		return;
	if ((s64)imm != (s32)imm) {
		code__imm64(cp->c, R5, imm);
		compiler__jump_reg(cp, op, reg, R5, l);
		return;
	}
	add_jump(cp, l);
	code__insn(cp->c, BPF_JMP | op | BPF_K, reg, 0, 0, (s32)imm);
}

void compiler__jump_reg(struct compiler *cp, int op, int reg, int other, label_t l)
{
	if (cp->dead)
		return;
	add_jump(cp, l);
	code__insn(cp->c, BPF_JMP | op | BPF_X, reg, other, 0, 0);
}

void compiler__const(struct compiler *cp, int reg, u64 v)
{
	if (cp->dead)
		return;
	if ((s64)v == (s32)v)
		code__mov_imm(cp->c, reg, (s32)v);
	else
		code__imm64(cp->c, reg, v);
}

void compiler__canonical(struct compiler *cp, int reg, unsigned int bits, bool is_signed)
{
	if (cp->dead || bits >= 64)
		return;
	if (bits == 32 && !is_signed) {
		/* a move of 32 bits clears the upper half */
		code__insn(cp->c, BPF_ALU | BPF_MOV | BPF_X, reg, reg, 0, 0);
		return;
	}
	code__alu_imm(cp->c, BPF_LSH, reg, 64 - bits);
	code__alu_imm(cp->c, is_signed ? BPF_ARSH : BPF_RSH, reg, 64 - bits);
}

bool compiler__push(struct compiler *cp, int slots)
{
	if (cp->tmp + slots > TMP_SLOTS) {
		compiler__refuse(cp, cp->whole, E2BIG,
				 "the expression nests too deep for the kernel: say it simpler, or "
				 "use --user-filter");
		return false;
	}
	cp->tmp += slots;
	return true;
}
