// SPDX-License-Identifier: GPL-2.0-only
/* probe_reg.c - registers as the kernel's struct pt_regs has them. */
#include <stdlib.h>
#include <string.h>
#include "probe_parts.h"

/* In the order of struct pt_regs of x86-64, 8 bytes each; by size 8, 4, 2, 1. */
static const char *const x86[][4] = {
	{"r15", "r15d", "r15w", "r15b"}, {"r14", "r14d", "r14w", "r14b"},
	{"r13", "r13d", "r13w", "r13b"}, {"r12", "r12d", "r12w", "r12b"},
	{"rbp", "ebp", "bp", "bpl"},	 {"rbx", "ebx", "bx", "bl"},
	{"r11", "r11d", "r11w", "r11b"}, {"r10", "r10d", "r10w", "r10b"},
	{"r9", "r9d", "r9w", "r9b"},	 {"r8", "r8d", "r8w", "r8b"},
	{"rax", "eax", "ax", "al"},	 {"rcx", "ecx", "cx", "cl"},
	{"rdx", "edx", "dx", "dl"},	 {"rsi", "esi", "si", "sil"},
	{"rdi", "edi", "di", "dil"},	 {"", "", "", ""}, /* orig_ax */
	{"rip", "eip", "ip", ""},	 {"", "", "", ""}, /* cs */
	{"", "", "", ""} /* flags */,	 {"rsp", "esp", "sp", "spl"},
};

/* rdi rsi rdx rcx r8 r9 */
static const u16 x86_arguments[] = {14 * 8, 13 * 8, 12 * 8, 11 * 8, 9 * 8, 8 * 8};
#define X86_RETURN (10 * 8)

static bool is_word(const char *word, const char *name, size_t len)
{
	return len && strlen(word) == len && !memcmp(word, name, len);
}

static bool find_x86(const char *name, size_t len, u16 *offset, u32 *size)
{
	size_t i, k;

	for (i = 0; i < ARRAY_SIZE(x86); i++) {
		for (k = 0; k < 4; k++) {
			if (!is_word(x86[i][k], name, len))
				continue;
			*offset = 8 * i;
			*size = 8 >> k;
			return true;
		}
	}
	return false;
}

/* x0 to x30, their lower halves w0 to w30, sp */
static bool find_arm64(const char *name, size_t len, u16 *offset, u32 *size)
{
	char *end;
	unsigned long n;
	char text[8] = "";

	*size = 8;
	if (is_word("sp", name, len)) {
		*offset = 31 * 8;
		return true;
	}
	if (len < 2 || len > 3 || (*name != 'x' && *name != 'w'))
		return false;
	memcpy(text, name + 1, len - 1);
	n = strtoul(text, &end, 10);
	if (*end || n > 30)
		return false;
	*offset = 8 * n;
	*size = *name == 'x' ? 8 : 4;
	return true;
}

bool probe_reg__find(u16 machine, const char *name, size_t len, u16 *offset, u32 *size)
{
	if (machine == EM_X86_64)
		return find_x86(name, len, offset, size);
	return machine == EM_AARCH64 && find_arm64(name, len, offset, size);
}

bool probe_reg__argument(u16 machine, unsigned int i, u16 *offset)
{
	if (machine == EM_AARCH64) {
		*offset = 8 * i;
		return i < 8;
	}
	if (i >= ARRAY_SIZE(x86_arguments))
		return false;
	*offset = x86_arguments[i];
	return true;
}

u16 probe_reg__return(u16 machine)
{
	return machine == EM_AARCH64 ? 0 : X86_RETURN;
}

u16 probe_reg__machine(void)
{
#ifdef __aarch64__
	return EM_AARCH64;
#else
	return EM_X86_64;
#endif
}
