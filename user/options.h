/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file options.h - a command line to typed options. Only commands see argv; sessions see opts.
 *
 * One table names every option once, with the commands it belongs to; getopt_long(3) parses.
 */
#ifndef TAMIS_OPTIONS_H
#define TAMIS_OPTIONS_H

#include "base/log.h"
#include "base/strbuf.h"
#include "scope/scope.h"
#include "session.h"

/** Who takes an option; bits. */
enum option_group {
	OPT_SESSION = 1,	/**< -e, rings, order, transports */
	OPT_SCOPE = 2,		/**< whose events */
	OPT_OUTPUT = 4,		/**< -o, -q, -v, --json */
	OPT_RUN = 8,		/**< -i, -N */
	OPT_PYTHON = 16,
	OPT_TRACE = 32,
	OPT_TOP = 64,
	OPT_PROFILE = 128,
	OPT_STAT = 256,		/**< what kvmstat and stat share */
	OPT_KVM = 512,		/**< kvmstat; its letters are those of the kernel tree's kvm_stat */
	OPT_GROUP = 1024,	/**< stat */
};

struct string_list {
	const char **v;		/**< NULL-terminated once something was added */
	size_t n, room;
};

struct options {
	struct session_opts session;
	struct scope_opts scope;
	struct string_list events, cgroups, containers, preset_dirs;
	char own_presets[256], installed_presets[256];
	struct log log;
	u64 interval_ms;	/**< --interval; 0: none */
	u64 max_events;		/**< -N; 0: no end */
	const char *output;	/**< -o; NULL: stdout */
	const char *show;	/**< --show */
	const char *sort;	/**< top */
	bool json, quiet, help, once, no_order;
	bool callchain_chosen;	/**< one of --[no-]user-callchain, --[no-]kernel-callchain was given */
	/* python */
	const char *venv;
	bool batch_output, on_error_continue, perf_map;
	/* profile */
	u64 frequency;		/**< -F; 0: default */
	const char *flame_graph;
	double than;
	const char *unwind;	/**< --unwind; NULL: auto */
	bool folded, no_demangle;
	const char *perf_map_dir;
	/* stat, kvmstat */
	const char *delay;	/**< -s */
	const char *log_file;	/**< -L */
	const char *fields;	/**< -f */
	bool lines, csv, skip_zero;
	struct string_list children;
	/* kvmstat */
	const char *vm_pid, *guest;
	bool tracepoints, debugfs, include_past, latency;
	/* what is left */
	char **words;		/**< words that are no option, up to `--`; owned array */
	int nr_words;
	char **workload;	/**< behind `--`, NULL-terminated, borrowed; NULL: none */
};

/**
 * Fills @o from @argv (argv[0] is the command's name). Words that are no option end in o->words;
 * what is behind `--` is the workload.
 * With @foreign, options that are not ours also end in o->words, wherever they stand (form 1 of
 * spec/python-api.md); without, they are usage errors with the nearest option.
 */
int options__parse(struct options *o, unsigned int groups, bool foreign, int argc, char **argv,
		   struct err *err);
/** Points o->session at the parsed lists; call once, when @o has its final address. */
void options__finish(struct options *o);
void options__free(struct options *o);
/** After --presets: the user's own presets, then the installed ones. */
int options__add_preset_dirs(struct options *o, struct err *err);

/** The help text of the options of these groups. */
void options__help(struct strbuf *b, unsigned int groups);

/** "64K", "8M", "1G" in bytes; a plain number is pages of 4 KiB. */
int options__size(const char *text, u64 *bytes, struct err *err);

#endif
