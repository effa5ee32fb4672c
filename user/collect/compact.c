// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdlib.h>
#include "../base/guard.h"
#include "compact.h"

static bool is_wide(const struct bpf_insn *in)
{
	return in->code == (BPF_LD | BPF_IMM | BPF_DW);
}

static bool is_nop(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_JA) && in->off == 0;
}

static bool is_jump(const struct bpf_insn *in)
{
	u8 class = BPF_CLASS(in->code), op = BPF_OP(in->code);

	return (class == BPF_JMP || class == BPF_JMP32) && op != BPF_CALL && op != BPF_EXIT;
}

static bool is_call(const struct bpf_insn *in)
{
	return in->code == (BPF_JMP | BPF_CALL) && in->src_reg == BPF_PSEUDO_CALL;
}

/* @to[i]: where instruction i is going to be; for one that goes, where what follows it will be */
static int plan(const struct bpf_insn *insn, size_t n, int *to)
{
	size_t i;
	int left = 0;

	for (i = 0; i < n; i++) {
		to[i] = left;
		if (is_wide(&insn[i]) && i + 1 < n) {
			to[++i] = left + 1;
			left += 2;
		} else {
			left += !is_nop(&insn[i]);
		}
	}
	to[n] = left;
	return left;
}

static void retarget(struct bpf_insn *in, size_t i, size_t n, const int *to)
{
	size_t target;

	if (is_jump(in)) {
		target = i + 1 + in->off;
		if (target <= n)
			in->off = to[target] - (to[i] + 1);
	} else if (is_call(in)) {
		target = i + 1 + in->imm;
		if (target <= n)
			in->imm = to[target] - (to[i] + 1);
	}
}

int compact__nops(struct bpf_insn *insn, size_t n)
{
	_cleanup_free_ int *to = malloc((n + 1) * sizeof(*to));
	size_t i;
	int left;

	if (!to)
		return -ENOMEM;
	left = plan(insn, n, to);
	for (i = 0; i < n; i++) {
		bool wide = is_wide(&insn[i]) && i + 1 < n, nop = is_nop(&insn[i]);

		if (nop)
			continue;
		if (!wide)
			retarget(&insn[i], i, n, to);
		insn[to[i]] = insn[i];
		if (wide) {
			insn[to[i] + 1] = insn[i + 1];
			i++;
		}
	}
	return left;
}
