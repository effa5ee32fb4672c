// SPDX-License-Identifier: GPL-2.0-only
/* unwind_arch.c - how perf and DWARF number the registers of this machine. */
#include "unwinder.h"

#if defined(__x86_64__)
/* ax bx cx dx si di bp sp ip flags cs ss ds es fs gs r8..r15 */
static const s8 numbers[] = {0, 3, 2, 1, 4, 5, 6, 7, 16, -1, -1, -1,
			     -1, -1, -1, -1, 8, 9, 10, 11, 12, 13, 14, 15};
static const struct unwind_arch host = {
	.nr_regs = 17, .sp = 7, .fp = 6, .pc = 16, .perf_to_dwarf = numbers, .nr_perf = 24};
#elif defined(__aarch64__)
/* x0..x30, sp, pc; the program counter has no number in DWARF, here it is 32 */
static const s8 numbers[] = {0,	 1,  2,	 3,  4,	 5,  6,	 7,  8,	 9,  10, 11, 12, 13, 14, 15, 16,
			     17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32};
static const struct unwind_arch host = {
	.nr_regs = 32, .sp = 31, .fp = 29, .pc = -1, .perf_to_dwarf = numbers, .nr_perf = 33};
#else
static const struct unwind_arch host = {0};
#endif

const struct unwind_arch *unwind_arch__host(void)
{
	return host.nr_regs ? &host : NULL;
}

u64 unwind__regs(void)
{
	u64 mask = 0;
	int i;

	for (i = 0; i < host.nr_perf; i++)
		if (host.perf_to_dwarf[i] >= 0)
			mask |= 1ull << i;
	return mask;
}

static void set(struct unwind_state *st, int number, u64 value)
{
	if (number < 0)
		return;
	st->regs[number] = value;
	st->known |= 1ull << number;
}

bool unwind_state__from_perf(struct unwind_state *st, const struct unwind_sample *u)
{
	int pc = host.pc >= 0 ? host.pc : host.nr_regs, i, at = 0;

	*st = (struct unwind_state){0};
	for (i = 0; i < host.nr_perf; i++)
		if (u->mask >> i & 1)
			set(st, host.perf_to_dwarf[i], u->regs[at++]);
	st->pc = st->regs[pc];
	return st->known >> host.sp & 1 && st->known >> pc & 1;
}
