/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file attach.h - attaches the scope's own programs to tracepoints, without a mounted tracefs.
 */
#ifndef TAMIS_SCOPE_ATTACH_H
#define TAMIS_SCOPE_ATTACH_H

#include "../base/err.h"
#include "../base/types.h"

struct bpf_link;
struct bpf_program;

/** @id common_type of the tracepoint, @what is given up when it fails, for the message */
int attach_tracepoint(struct bpf_program *prog, u32 id, const char *what, struct bpf_link **link,
		      struct err *err);

#endif
