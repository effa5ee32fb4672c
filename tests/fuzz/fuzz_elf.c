// SPDX-License-Identifier: GPL-2.0-only
/* fuzz_elf.c - any bytes as an ELF file whose symbols are read. */
#include <libelf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "user/symbol/elf_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void use(Elf *elf)
{
	/* a place where no debug file can be */
	const struct elf_place place = {.root = -1, .path = NULL};
	struct elf_segments segments;
	struct build_id id;
	struct symtab t = {0};
	u64 vaddr;
	size_t i;

	elf__build_id(elf, &id);
	if (elf__segments(elf, &segments))
		return;
	elf_segments__vaddr(&segments, 0x1000, &vaddr);
	free(segments.v);
	if (elf__load_symbols(elf, &place, &t))
		return;
	for (i = 0; i < t.n && i < 1000; i++) {
		const struct sym *s = symtab__find(&t, t.v[i].start);

		if (s && strlen(t.text + s->name) > t.text_len)
			__builtin_trap();
	}
	symtab__free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1);
	Elf *elf;

	elf_version(EV_CURRENT);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	elf = elf_memory(copy, size);
	if (elf && elf_kind(elf) == ELF_K_ELF)
		use(elf);
	elf_end(elf);
	free(copy);
	return 0;
}
