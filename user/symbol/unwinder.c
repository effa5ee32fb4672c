// SPDX-License-Identifier: GPL-2.0-only
#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "unwinder.h"

#define TID 1	/* there is one thread: the sample */

struct unwinder {
	Dwfl *dwfl;
	bool attached;
	struct unwind_run *run;
	/* of a walk */
	bool first, again;
};

/* Its content while a module is being added: libdw takes over both. */
struct content {
	Elf *elf;
	int fd;
};

static int take_content(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
			char **file, Elf **elf)
{
	struct content *c = *data;
	int fd = -1;

	(void)mod, (void)name, (void)base, (void)file;
	if (c) {
		*elf = c->elf;
		fd = c->fd;
		*c = (struct content){NULL, -1};
	}
	*data = NULL;
	return fd;
}

static int no_debuginfo(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base,
			const char *file, const char *link, GElf_Word crc, char **path)
{
	(void)mod, (void)data, (void)name, (void)base, (void)file, (void)link, (void)crc, (void)path;
	return -1;
}

static const Dwfl_Callbacks callbacks = {.find_elf = take_content, .find_debuginfo = no_debuginfo};

struct unwinder *unwinder__new(void)
{
	struct unwinder *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->dwfl = dwfl_begin(&callbacks);
	if (w->dwfl)
		return w;
	free(w);
	return NULL;
}

void unwinder__free(struct unwinder *w)
{
	if (!w)
		return;
	dwfl_end(w->dwfl);
	free(w);
}

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return TID;
}

bool unwind_run__read(const struct unwind_run *r, u64 addr, u64 *value)
{
	u64 sp = 0;
	struct unwind_state first;

	if (!unwind_state__from_perf(&first, r->sample))
		return false;
	sp = first.regs[unwind_arch__host()->sp];
	if (addr < sp || addr - sp > r->sample->stack_size ||
	    r->sample->stack_size - (addr - sp) < sizeof(*value))
		return false;
	memcpy(value, (const char *)r->sample->stack + (addr - sp), sizeof(*value));
	return true;
}

static bool memory_read(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *result, void *arg)
{
	struct unwinder *w = arg;
	u64 value;

	(void)dwfl;
	if (!unwind_run__read(w->run, addr, &value))
		return false;
	*result = value;
	return true;
}

/*
 * What libdw starts from it takes for an interrupted frame, whose address is looked up as it is;
 * a return address is therefore given as inside of its call.
 */
static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	const struct unwind_arch *arch = unwind_arch__host();
	struct unwinder *w = arg;
	struct unwind_state *st = &w->run->st;
	Dwarf_Word pc = w->run->leaf ? st->pc : st->pc - 1;
	int i;

	for (i = 0; i < arch->nr_regs; i++) {
		Dwarf_Word value = i == arch->pc ? pc : st->regs[i];

		if ((st->known >> i & 1 || i == arch->pc) &&
		    !dwfl_thread_state_registers(thread, i, 1, &value))
			return false;
	}
	dwfl_thread_state_register_pc(thread, pc);
	return true;
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread,
	.memory_read = memory_read,
	.set_initial_registers = set_registers,
};

/* A descriptor that libdw may own; of the vdso a copy in memory. */
static int dup_content(struct elf_file *elf)
{
	size_t size;
	const void *image = elf_file__image(elf, &size);
	int fd;

	if (!image)
		return fcntl(elf_file__fd(elf), F_DUPFD_CLOEXEC, 0);
	fd = memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, image, size) != (ssize_t)size) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* What its segments span, in whole pages, as the file numbers it. */
static bool find_span(Elf *elf, u64 *start, u64 *end)
{
	bool any = false;
	size_t n, i;

	*start = *end = 0;
	if (elf_getphdrnum(elf, &n))
		return false;
	for (i = 0; i < n; i++) {
		GElf_Phdr ph;
		u64 align;

		if (!gelf_getphdr(elf, i, &ph) || ph.p_type != PT_LOAD)
			continue;
		align = ph.p_align ? ph.p_align : 1;
		if (!any)
			*start = ph.p_vaddr & -align;
		*end = (ph.p_vaddr + ph.p_memsz + align - 1) & -align;
		any = true;
	}
	return *start < *end;
}

/*
 * Not by dwfl_report_elf(), which maps the file: one that is cut meanwhile would end tamis with
 * SIGBUS.
 */
static bool report(struct unwinder *w, const struct mapping *m, u64 bias, struct content *c)
{
	Dwfl_Module *mod;
	GElf_Addr unused;
	u64 start, end;
	void **data;
	bool found;

	if (!find_span(c->elf, &start, &end))
		return false;
	mod = dwfl_report_module(w->dwfl, m->shown, bias + start, bias + end);
	if (!mod || !dwfl_module_info(mod, &data, NULL, NULL, NULL, NULL, NULL, NULL))
		return false;
	*data = c;
	found = dwfl_module_getelf(mod, &unused);
	*data = NULL;
	return found;
}

static bool add_module(struct unwinder *w, const struct mapping *m, u64 bias, int fd)
{
	struct content c = {elf_begin(fd, ELF_C_READ, NULL), fd};
	bool added;

	dwfl_report_begin_add(w->dwfl);
	added = report(w, m, bias, &c);
	dwfl_report_end(w->dwfl, NULL, NULL);
	elf_end(c.elf);
	if (c.fd >= 0)
		close(c.fd);
	return added;
}

bool unwinder__add(struct unwinder *w, const struct mapping *m, struct elf_file *elf)
{
	u64 vaddr;
	int fd;

	if (w->attached && dwfl_addrmodule(w->dwfl, m->start))
		return true;
	if (!elf_file__vaddr(elf, m->offset, &vaddr))
		return false;
	fd = dup_content(elf);
	if (fd < 0 || !add_module(w, m, m->start - vaddr, fd) ||
	    !dwfl_addrmodule(w->dwfl, m->start))
		return false;
	if (!w->attached)
		w->attached = dwfl_attach_state(w->dwfl, NULL, TID, &thread_callbacks, w);
	return w->attached;
}

static void save(struct unwind_state *st, Dwfl_Frame *frame, u64 pc)
{
	const struct unwind_arch *arch = unwind_arch__host();
	int i;

	*st = (struct unwind_state){.pc = pc};
	for (i = 0; i < arch->nr_regs; i++) {
		Dwarf_Word value;

		if (dwfl_frame_reg(frame, i, &value))
			continue;
		st->regs[i] = value;
		st->known |= 1ull << i;
	}
}

static int on_frame(Dwfl_Frame *frame, void *arg)
{
	struct unwinder *w = arg;
	struct unwind_run *r = w->run;
	Dwarf_Addr pc;
	bool exact;

	if (w->first) {
		w->first = false;
		return DWARF_CB_OK;
	}
	if (!dwfl_frame_pc(frame, &pc, &exact) || !pc || r->n == r->max)
		return DWARF_CB_ABORT;
	r->ips[r->n++] = pc;
	if (dwfl_addrmodule(w->dwfl, exact ? pc : pc - 1))
		return DWARF_CB_OK;
	save(&r->st, frame, pc);
	r->leaf = exact;
	w->again = true;
	return DWARF_CB_ABORT;
}

bool unwinder__walk(struct unwind_run *r)
{
	struct unwinder *w = r->w;

	w->run = r;
	w->first = true;
	w->again = false;
	dwfl_getthread_frames(w->dwfl, TID, on_frame, w);
	return w->again;
}
