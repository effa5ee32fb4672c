/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file sample.h - the parts of a PERF_RECORD_SAMPLE, told by the sample_type of its event.
 *
 * The bytes may come from a file: nothing outside @size is ever read, and a part that does not fit
 * is not there. Everything handed out is borrowed from the record. The record is aligned to 8.
 */
#ifndef TAMIS_EVENT_SAMPLE_H
#define TAMIS_EVENT_SAMPLE_H

#include <linux/perf_event.h>
#include "event.h"

/* Newer than the headers that this may be built with. */
#define SAMPLE_BRANCH_COUNTERS	(1u << 19)
#define SAMPLE_FORMAT_LOST	(1u << 4)

/** Registers of one side; @words is NULL when there were none (a kernel thread). */
struct sample_regs {
	u64 abi;			/**< PERF_SAMPLE_REGS_ABI_* */
	u64 mask;			/**< which; words are in the order of its bits */
	const u64 *words;
};

struct sample_branch {
	u64 from, to, flags;
};

/** One counter of a READ part. */
struct sample_count {
	u64 value, id, lost;		/**< id and lost: 0 unless read_format asks for them */
};

/** Only what @has names is filled in. */
struct sample_parts {
	u64 has;			/**< PERF_SAMPLE_* bits of the parts that are there */
	u64 identifier, ip, time, addr, id, stream_id, period;
	u32 pid, tid;			/**< as the host numbers them */
	u32 cpu;
	u64 weight, data_src, transaction, phys_addr, cgroup, data_page_size, code_page_size;

	u64 read_nr;			/**< counters of READ */
	u64 time_enabled, time_running;	/**< 0 unless read_format asks for them */
	const u64 *read;		/**< for sample__count() */

	const u64 *callchain;		/**< PERF_CONTEXT_* marks included */
	u32 nr_callchain;
	const void *raw;		/**< 4 bytes off an alignment of 8; padding included */
	u32 raw_size;
	const struct sample_branch *branches;
	u64 nr_branches, branch_hw_idx;	/**< hw_idx: ~0 unless asked for */
	const u64 *branch_counters;	/**< one a branch; NULL unless asked for */
	struct sample_regs regs_user, regs_intr;
	const void *stack_user, *aux;
	u64 stack_user_size;		/**< bytes that are stack, not bytes of room */
	u64 aux_size;
	const u64 *behind;		/**< the first word that was not looked at */
};

/** Finds all parts. @return 0; -EINVAL when the sample ends before its parts do: @parts has the rest */
int sample__parse(const struct sample_layout *layout, const struct perf_event_header *header,
		  u32 size, struct sample_parts *parts);
/** The same, but stops once the parts in @want were found: cheaper for the early ones. */
int sample__parse_until(const struct sample_layout *layout, const struct perf_event_header *header,
			u32 size, u64 want, struct sample_parts *parts);
/** What sample_id_all appends to every record that is no sample: TID TIME ID STREAM_ID CPU IDENTIFIER */
int sample__parse_id(const struct sample_layout *layout, const struct perf_event_header *header,
		     u32 size, struct sample_parts *parts);

/** Counter @i of the READ part. @i < parts->read_nr */
struct sample_count sample__count(const struct sample_layout *layout,
				  const struct sample_parts *parts, u64 i);

enum sample_arch { SAMPLE_X86_64, SAMPLE_ARM64, SAMPLE_OTHER };

/** The machine that this was built for. */
enum sample_arch sample__arch(void);
/** Name of register @bit, "regN" where it has none. @return a string that lives for ever */
const char *sample__reg_name(enum sample_arch arch, unsigned int bit);
/** @return the bit of a register's name; -ENOENT */
int sample__reg_bit(enum sample_arch arch, const char *name, size_t len);
/** Registers that have names and user space may ask for. */
u64 sample__reg_mask(enum sample_arch arch);

/** The name that Python and --sample use for one PERF_SAMPLE_* bit; NULL: none */
const char *sample__part_name(u64 bit);

#endif
