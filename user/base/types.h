/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file types.h - the fixed-width names that the BPF side has from vmlinux.h.
 */
#ifndef TAMIS_BASE_TYPES_H
#define TAMIS_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int8_t s8;
typedef int16_t s16;
typedef int32_t s32;
typedef int64_t s64;

/** Marks a parameter that a callback's type has and this one does not need. */
#define UNUSED __attribute__((unused))

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
