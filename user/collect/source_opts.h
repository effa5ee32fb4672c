/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file source_opts.h - the options of a source, between its slashes, as typed values.
 */
#ifndef TAMIS_COLLECT_SOURCE_OPTS_H
#define TAMIS_COLLECT_SOURCE_OPTS_H

#include "../base/err.h"
#include "../event/spec.h"

#define STACK_DUMP 8192u	/**< bytes of user stack for stack=dwarf */

struct source_opts {
	u64 freq, period;		/**< 0: not given; at most one of them is */
	u64 parts;			/**< PERF_SAMPLE_*, beyond the default */
	u64 read_format;		/**< of the read part; 0: the default */
	u64 regs_user, regs_intr;	/**< 0: all, where the part is asked for */
	u64 branch;			/**< PERF_SAMPLE_BRANCH_* */
	u32 stack_user, aux;		/**< bytes */
	bool chain;			/**< -g, or callchain in --sample */
	unsigned int stack;		/**< STACK_*; 0: kernel and user, if there is a chain */
	unsigned int no_stack;		/**< STACK_* that --no-user-callchain and its kin leave out */
	unsigned int max_stack, precise;
	bool exclude_user, exclude_kernel, exclude_hv, exclude_idle, exclude_host, exclude_guest;
	bool group;
	struct spec_text members;	/**< --group=LIST; s is owned */
};

/** @at where @text starts in @spec->text. */
int source_opts__parse(struct source_opts *o, const struct event_spec *spec, struct err *err);
void source_opts__fini(struct source_opts *o);

/** What a caret points at: @len bytes of the spec's text, @at counted as in struct spec_text. */
int source_opts__error(const struct event_spec *spec, size_t at, size_t len, struct err *err,
		       const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/** --sample LIST: parts with their values. @list is not NUL-terminated. */
int source_sample__parse(struct source_opts *o, const struct event_spec *spec, const char *list,
			 size_t len, size_t at, struct err *err);
/** A number with a unit (ns us ms s, K M G). @return 0 or -EINVAL, without a message */
int source_opts__number(const char *s, size_t len, u64 *v);

#endif
