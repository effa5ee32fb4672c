/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file kallsyms.h - names of kernel addresses: the kernel itself, modules, BPF programs.
 */
#ifndef TAMIS_SYMBOL_KALLSYMS_H
#define TAMIS_SYMBOL_KALLSYMS_H

#include "../base/types.h"

struct kallsyms;
struct log;
struct strpool;

/** @raw: names are not demangled. Nothing is read before the first address is asked for. @path NULL: /proc/kallsyms */
struct kallsyms *kallsyms__new(const char *path, struct strpool *pool, bool raw, struct log *log);
void kallsyms__free(struct kallsyms *k);
/** Reads it now rather than when the first address is asked for. */
void kallsyms__load(struct kallsyms *k);
/**
 * @return the name of what covers @addr, NULL: none. *start where it begins, *module
 * "[kernel.kallsyms]", "[MODULE]" or "[bpf]"
 */
const char *kallsyms__find(struct kallsyms *k, u64 addr, u64 time, u64 *start, const char **module);
/** A BPF program or trampoline that came or went since. */
void kallsyms__update(struct kallsyms *k, u64 addr, u32 len, const char *name, bool gone, u64 time);
size_t kallsyms__bytes(const struct kallsyms *k);

#endif
