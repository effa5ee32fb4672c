// SPDX-License-Identifier: GPL-2.0-only
#include <linux/perf_event.h>
#include <string.h>
#include "process.h"
#include "symbolizer_parts.h"
#include "unwinder.h"

/* A frame pointer that leads upwards, inside of what was copied. */
static bool step_by_frame_pointer(struct unwind_run *r, const struct unwind_arch *arch)
{
	struct unwind_state *st = &r->st;
	u64 fp = st->regs[arch->fp], sp = st->regs[arch->sp], caller, pc;

	if (!(st->known >> arch->fp & 1) || fp < sp || fp & 7)
		return false;
	if (!unwind_run__read(r, fp, &caller) || !unwind_run__read(r, fp + 8, &pc))
		return false;
	st->regs[arch->sp] = fp + 16;
	st->regs[arch->fp] = caller;
	st->pc = pc;
	return true;
}

/*
 * CPython's trampolines for perf keep one word between their return address and what they call:
 * 8 bytes of padding in 3.12, the caller's frame pointer since. Only where it is on the stack at
 * the frame pointer is it the latter.
 */
static bool step_over_trampoline(struct unwind_run *r, const struct unwind_arch *arch)
{
	struct unwind_state *st = &r->st;
	u64 sp = st->regs[arch->sp], pc;

	if (r->leaf || st->regs[arch->fp] == sp)
		return step_by_frame_pointer(r, arch);
	if (!unwind_run__read(r, sp + 8, &pc))
		return false;
	st->regs[arch->sp] = sp + 16;
	st->pc = pc;
	return true;
}

static bool is_trampoline(struct symbolizer *s, struct query *q)
{
	struct frame f = {.addr = q->addr};
	const char *file;

	return symbolizer__name_by_map(s, q, &f, &file) && f.kind == FRAME_PYTHON;
}

static bool step_jit(struct symbolizer *s, struct unwind_run *r, struct query *q)
{
	const struct unwind_arch *arch = unwind_arch__host();
	bool stepped;

#ifdef __x86_64__
	stepped = is_trampoline(s, q) ? step_over_trampoline(r, arch)
				      : step_by_frame_pointer(r, arch);
#else
	(void)step_over_trampoline;
	(void)is_trampoline;
	(void)s, (void)q;
	stepped = step_by_frame_pointer(r, arch);
#endif
	if (!stepped || !r->st.pc || r->n == r->max)
		return false;
	r->leaf = false;
	r->ips[r->n++] = r->st.pc;
	return true;
}

static struct elf_file *content(struct symbolizer *s, struct mapping *m, struct query *q)
{
	if (m->kind == MAPPING_VDSO)
		return symbolizer__vdso(s, m);
	if (m->kind != MAPPING_FILE || !symbolizer__look_for_elf(s, q->process, m))
		return NULL;
	return elf_file__ref(m->elf);
}

/* From the frame r->st. @return whether there may be more */
static bool go_on(struct symbolizer *s, struct unwind_run *r, struct query *q)
{
	struct mapping *m;
	struct elf_file *elf;
	bool known;

	q->addr = r->leaf ? r->st.pc : r->st.pc - 1;
	m = symbolizer__find_mapping(s, q);
	if (!m) {
		if (!r->leaf) /* no code: what led here was no return address */
			r->n--;
		return false;
	}
	elf = content(s, m, q);
	if (!elf)
		return step_jit(s, r, q);
	known = unwinder__add(r->w, m, elf);
	elf_file__put(elf);
	return known && unwinder__walk(r);
}

u32 symbolizer__unwind(struct symbolizer *s, u32 tgid, const struct unwind_sample *u, u64 *ips,
		       u32 max)
{
	struct unwind_run r = {.sample = u, .leaf = true, .ips = ips, .max = max};
	struct query q = {.time = u->time ? u->time : UINT64_MAX};

	if (!unwind_arch__host() || u->abi != PERF_SAMPLE_REGS_ABI_64 || !max ||
	    !unwind_state__from_perf(&r.st, u))
		return 0;
	ips[r.n++] = r.st.pc;
	q.process = symbolizer__process(s, tgid, u->time);
	r.w = q.process ? symbolizer__unwinder(s, q.process) : NULL;
	while (r.w && go_on(s, &r, &q))
		;
	return r.n;
}
