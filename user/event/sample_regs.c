// SPDX-License-Identifier: GPL-2.0-only
/* sample_regs.c - the registers of a sample by name, as asm/perf_regs.h of each architecture numbers them. */
#include <errno.h>
#include <string.h>
#include "sample.h"

static const char *const x86_64[64] = {
	"ax", "bx", "cx", "dx", "si", "di", "bp", "sp", "ip", "flags", "cs", "ss",
	"ds", "es", "fs", "gs", "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

static const char *const arm64[64] = {
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr", "sp", "pc",
};

static const char *const none[64];

static const char *const unnamed[64] = {
	"reg0", "reg1", "reg2", "reg3", "reg4", "reg5", "reg6", "reg7", "reg8", "reg9",
	"reg10", "reg11", "reg12", "reg13", "reg14", "reg15", "reg16", "reg17", "reg18", "reg19",
	"reg20", "reg21", "reg22", "reg23", "reg24", "reg25", "reg26", "reg27", "reg28", "reg29",
	"reg30", "reg31", "reg32", "reg33", "reg34", "reg35", "reg36", "reg37", "reg38", "reg39",
	"reg40", "reg41", "reg42", "reg43", "reg44", "reg45", "reg46", "reg47", "reg48", "reg49",
	"reg50", "reg51", "reg52", "reg53", "reg54", "reg55", "reg56", "reg57", "reg58", "reg59",
	"reg60", "reg61", "reg62", "reg63",
};

static const char *const *names_of(enum sample_arch arch)
{
	return arch == SAMPLE_X86_64 ? x86_64 : arch == SAMPLE_ARM64 ? arm64 : none;
}

enum sample_arch sample__arch(void)
{
#if defined(__x86_64__)
	return SAMPLE_X86_64;
#elif defined(__aarch64__)
	return SAMPLE_ARM64;
#else
	return SAMPLE_OTHER;
#endif
}

const char *sample__reg_name(enum sample_arch arch, unsigned int bit)
{
	if (bit >= 64)
		return "reg?";
	return names_of(arch)[bit] ?: unnamed[bit];
}

int sample__reg_bit(enum sample_arch arch, const char *name, size_t len)
{
	int i;

	for (i = 0; i < 64; i++) {
		const char *s = sample__reg_name(arch, i);

		if (strlen(s) == len && !memcmp(s, name, len))
			return i;
	}
	return -ENOENT;
}

/* x86_64 refuses ds, es, fs and gs: user space has none of them to tell. */
u64 sample__reg_mask(enum sample_arch arch)
{
	switch (arch) {
	case SAMPLE_X86_64:
		return 0xffffffull & ~(0xfull << 12);
	case SAMPLE_ARM64:
		return (1ull << 33) - 1;
	default:
		return 0;
	}
}
