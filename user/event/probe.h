/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file probe.h - fentry, kprobe, uprobe and usdt events: where they are attached, and where the
 * fields of their records come from.
 */
#ifndef TAMIS_EVENT_PROBE_H
#define TAMIS_EVENT_PROBE_H

#include "../base/err.h"
#include "format.h"
#include "spec.h"

#define PROBE_FIELDS 9	/**< words of 8 bytes that a record has room for */

enum probe_from {
	PROBE_ARGUMENT,	/**< word @reg of the program's context: fentry, fexit */
	PROBE_REGISTER,	/**< at byte @reg of struct pt_regs */
	PROBE_CONSTANT,	/**< @offset itself */
	PROBE_USER,	/**< user memory at register + offset [+ index * scale] */
	PROBE_KERNEL,	/**< kernel memory at register + offset */
};

/** How the field of the same number gets its value. */
struct probe_value {
	enum probe_from from;
	u16 reg, index;		/**< bytes in struct pt_regs */
	u16 scale;		/**< 0: no index */
	s64 offset;
};

/** One place in a file. */
struct probe_place {
	u64 offset;		/**< in the file */
	u64 semaphore;		/**< in the file, of a USDT probe; 0: none */
};

struct probe {
	char *file;		/**< uprobe, uretprobe, usdt: as tamis opens it; else NULL */
	int fd;			/**< what file is a path of, if it is below another root; else -1 */
	char *function;		/**< kernel function; else NULL */
	u64 offset;		/**< from the start of the kernel function */
	u32 btf_id;		/**< of the kernel function; fentry, fexit */
	struct probe_place *places;
	size_t nr_places;
	struct probe_value values[PROBE_FIELDS];
};

/** NULL is fine. */
void probe__free(struct probe *p);

/**
 * Calls @fn with the format of each event that @spec stands for (several where the places of a
 * USDT probe have their arguments in different registers). @fn takes over the reference.
 * @root where binaries are looked for: "" or "/proc/PID/root"
 */
int probe__resolve(const struct event_spec *spec, const char *root,
		   int (*fn)(void *ctx, struct event_format *f), void *ctx, struct err *err);

#endif
