/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file probe_parts.h - what the files that resolve probes share.
 */
#ifndef TAMIS_EVENT_PROBE_PARTS_H
#define TAMIS_EVENT_PROBE_PARTS_H

#include <gelf.h>
#include "probe.h"

/** A field to be: what it is called, and what its C type says. */
struct probe_arg {
	char name[64], type[64];
	u32 size;
	bool is_signed;
	struct probe_value value;
};

struct probe_args {
	struct probe_arg v[PROBE_FIELDS];
	size_t n;
};

/** An open ELF file. */
struct elf_file {
	char *path;	/**< for messages */
	int fd;
	bool is_elsewhere; /**< below another root, where @path may lead to something else */
	Elf *elf;
};

/**
 * Finds @name as the dynamic linker and the shell do: a path, a library, a program.
 * Every message has its caret at the file in the spec's text.
 */
int elf_file__open(struct elf_file *f, const struct event_spec *spec, const char *root,
		   struct err *err);
void elf_file__close(struct elf_file *f);
/** Where the byte at address @addr of the loaded file is in the file. @return false: nowhere */
bool elf_file__offset(const struct elf_file *f, u64 addr, u64 *offset);
/** The only function called @spec->name. Candidates are named where there is none or several. */
int elf_file__function(const struct elf_file *f, const struct event_spec *spec, u64 *addr,
		       struct err *err);
/** Every function that the glob @spec->name matches, an address once, under its first name. */
int elf_file__each(const struct elf_file *f, const struct event_spec *spec,
		   int (*fn)(void *ctx, const char *name, u64 addr), void *ctx, struct err *err);

/** From DWARF, where the file has it. @return 0, or -ENOENT: it has not */
int dwarf_args__find(const struct elf_file *f, u64 addr, bool is_return, struct probe_args *args);
/** Does debug information know the function only as code inside of others? */
bool dwarf_args__is_inlined(const struct elf_file *f, const char *name);
/** By the kernel's BTF. @return the function's id; 0: not known */
u32 btf_args__find(const char *function, enum spec_kind kind, struct probe_args *args);

/** One "-4@%edi" of a USDT note. @return false: not understood */
bool usdt_arg__parse(const char *text, size_t len, u16 machine, struct probe_arg *arg);
typedef int (*usdt_fn)(void *ctx, const char *provider, const char *name,
		       const struct probe_place *places, size_t n, const struct probe_args *args);

/** Calls @fn for each set of places of one probe with the same arguments. */
int usdt__each(const struct elf_file *f, const struct event_spec *spec, usdt_fn fn, void *ctx,
	       struct err *err);

/** Offset in struct pt_regs of register @name; size of what the name stands for. */
bool probe_reg__find(u16 machine, const char *name, size_t len, u16 *offset, u32 *size);
/** Of the i-th integer argument of a function. @return false: it is on the stack */
bool probe_reg__argument(u16 machine, unsigned int i, u16 *offset);
/** Of the return value. */
u16 probe_reg__return(u16 machine);
/** The machine that tamis runs on, as EM_*. */
u16 probe_reg__machine(void);

#endif
