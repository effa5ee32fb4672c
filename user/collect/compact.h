/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file compact.h - takes the instructions out of a program that do nothing.
 *
 * The verifier would, but one by one, moving all that follows each time: most of the time of
 * loading a clone went there.
 */
#ifndef TAMIS_COLLECT_COMPACT_H
#define TAMIS_COLLECT_COMPACT_H

#include <linux/bpf.h>
#include "../base/types.h"

/** Removes every "goto +0" of @insn in place. @return instructions left, or -ENOMEM */
int compact__nops(struct bpf_insn *insn, size_t n);

#endif
