// SPDX-License-Identifier: GPL-2.0-only
/* dwarf_args.c - names and types of a function's parameters, from the binary's debug information.
 */
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "probe_parts.h"

#define TYPEDEFS_MAX 32

/* Behind typedefs and qualifiers. */
static bool peel(Dwarf_Die *die, Dwarf_Die *type)
{
	Dwarf_Attribute attr;
	int i;

	if (!dwarf_attr_integrate(die, DW_AT_type, &attr) || !dwarf_formref_die(&attr, type))
		return false;
	for (i = 0; i < TYPEDEFS_MAX; i++) {
		switch (dwarf_tag(type)) {
		case DW_TAG_typedef:
		case DW_TAG_const_type:
		case DW_TAG_volatile_type:
		case DW_TAG_restrict_type:
		case DW_TAG_atomic_type:
			if (!dwarf_attr_integrate(type, DW_AT_type, &attr) ||
			    !dwarf_formref_die(&attr, type))
				return false;
			break;
		default:
			return true;
		}
	}
	return false;
}

enum passed { IN_REGISTER, IN_FLOAT_REGISTER, ELSEWHERE };

static enum passed describe_base(Dwarf_Die *type, struct probe_arg *a)
{
	Dwarf_Attribute attr;
	Dwarf_Word encoding = 0;
	int size = dwarf_bytesize(type);

	dwarf_formudata(dwarf_attr_integrate(type, DW_AT_encoding, &attr), &encoding);
	if (encoding == DW_ATE_float)
		return size <= 8 ? IN_FLOAT_REGISTER : ELSEWHERE;
	if (size != 1 && size != 2 && size != 4 && size != 8)
		return ELSEWHERE;
	a->size = size;
	a->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	snprintf(a->type, sizeof(a->type), "%s", dwarf_diename(type) ? dwarf_diename(type) : "int");
	return IN_REGISTER;
}

/* "char *" is told from other pointers, since it may be text. */
static enum passed describe_pointer(Dwarf_Die *type, struct probe_arg *a)
{
	Dwarf_Die to;
	bool known = peel(type, &to);

	a->size = 8;
	a->is_signed = false;
	snprintf(a->type, sizeof(a->type), "%s *",
		 known && dwarf_diename(&to) ? dwarf_diename(&to) : "void");
	return IN_REGISTER;
}

static enum passed describe(Dwarf_Die *die, struct probe_arg *a)
{
	Dwarf_Die type;

	if (!peel(die, &type))
		return ELSEWHERE;
	switch (dwarf_tag(&type)) {
	case DW_TAG_base_type:
		return describe_base(&type, a);
	case DW_TAG_pointer_type:
	case DW_TAG_reference_type:
	case DW_TAG_rvalue_reference_type:
		return describe_pointer(&type, a);
	case DW_TAG_enumeration_type:
		a->size = dwarf_bytesize(&type);
		a->is_signed = false;
		snprintf(a->type, sizeof(a->type), "enum %s",
			 dwarf_diename(&type) ? dwarf_diename(&type) : "");
		return a->size == 4 ? IN_REGISTER : ELSEWHERE;
	default:
		return ELSEWHERE;
	}
}

/* Parameters in the order of the call; what lies behind one that is passed otherwise is unknown. */
static void take_parameters(Dwarf_Die *function, u16 machine, struct probe_args *args)
{
	unsigned int reg = 0, i = 0;
	struct probe_arg *a;
	Dwarf_Die die;
	enum passed how;

	if (dwarf_child(function, &die))
		return;
	do {
		if (dwarf_tag(&die) != DW_TAG_formal_parameter)
			continue;
		if (args->n == PROBE_FIELDS)
			return;
		a = &args->v[args->n];
		how = describe(&die, a);
		if (how == ELSEWHERE)
			return;
		if (how == IN_REGISTER && !probe_reg__argument(machine, reg++, &a->value.reg))
			return;
		a->value.from = PROBE_REGISTER;
		if (dwarf_diename(&die))
			snprintf(a->name, sizeof(a->name), "%s", dwarf_diename(&die));
		else
			snprintf(a->name, sizeof(a->name), "arg%u", i);
		args->n += how == IN_REGISTER;
		i++;
	} while (!dwarf_siblingof(&die, &die));
}

static void take_return(Dwarf_Die *function, struct probe_args *args)
{
	if (describe(function, &args->v[0]) == IN_REGISTER)
		args->n = 1;
}

struct search {
	Dwarf_Addr addr;
	Dwarf_Die found;
};

static int is_it(Dwarf_Die *function, void *ctx)
{
	struct search *s = ctx;
	Dwarf_Addr low;

	if (dwarf_func_inline(function) > 0 || dwarf_lowpc(function, &low) || low != s->addr)
		return DWARF_CB_OK;
	s->found = *function;
	return DWARF_CB_ABORT;
}

static bool find_function(Dwarf *dw, struct search *s)
{
	Dwarf_Die cu;
	Dwarf_Off off = 0, next;
	size_t head;

	if (dwarf_addrdie(dw, s->addr, &cu))
		return dwarf_getfuncs(&cu, is_it, s, 0) > 0;
	/* no .debug_aranges */
	while (!dwarf_nextcu(dw, off, &next, &head, NULL, NULL, NULL)) {
		if (dwarf_offdie(dw, off + head, &cu) && dwarf_haspc(&cu, s->addr) > 0)
			return dwarf_getfuncs(&cu, is_it, s, 0) > 0;
		off = next;
	}
	return false;
}

int dwarf_args__find(const struct elf_file *f, u64 addr, bool is_return, struct probe_args *args)
{
	struct search s = {.addr = addr};
	Dwarf *dw = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	bool found;

	args->n = 0;
	if (!dw)
		return -ENOENT;
	found = find_function(dw, &s);
	if (found && is_return)
		take_return(&s.found, args);
	else if (found)
		take_parameters(&s.found, probe_reg__machine(), args);
	dwarf_end(dw);
	return found ? 0 : -ENOENT;
}

/* --- inlined functions --- */

struct inlined {
	const char *name;
	bool found;
};

static int is_inlined(Dwarf_Die *function, void *ctx)
{
	struct inlined *s = ctx;
	const char *name = dwarf_diename(function);

	if (!name || strcmp(name, s->name) || dwarf_func_inline(function) <= 0)
		return DWARF_CB_OK;
	s->found = true;
	return DWARF_CB_ABORT;
}

bool dwarf_args__is_inlined(const struct elf_file *f, const char *name)
{
	Dwarf *dw = dwarf_begin_elf(f->elf, DWARF_C_READ, NULL);
	struct inlined s = {.name = name};
	Dwarf_Off off = 0, next;
	size_t head;
	Dwarf_Die cu;

	while (dw && !s.found && !dwarf_nextcu(dw, off, &next, &head, NULL, NULL, NULL)) {
		if (dwarf_offdie(dw, off + head, &cu))
			dwarf_getfuncs(&cu, is_inlined, &s, 0);
		off = next;
	}
	if (dw)
		dwarf_end(dw);
	return s.found;
}
