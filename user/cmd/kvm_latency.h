/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file kvm_latency.h - time from kvm_exit to kvm_entry of each reason, as histograms of the kernel.
 */
#ifndef TAMIS_CMD_KVM_LATENCY_H
#define TAMIS_CMD_KVM_LATENCY_H

#include "../base/err.h"

struct catalog;
struct stat_opts;

/**
 * Measures until Ctrl-C, with -1 for one interval, and prints what came of it. @field of kvm_exit
 * says why. @pid one guest; 0: all
 */
int kvm_latency(const struct stat_opts *o, struct catalog *c, const char *field, u32 pid,
		struct err *err);

#endif
