/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file kvm_debugfs.h - the counters that KVM keeps in debugfs: a directory PID-FD for each machine.
 */
#ifndef TAMIS_COLLECT_KVM_DEBUGFS_H
#define TAMIS_COLLECT_KVM_DEBUGFS_H

#include "counts.h"

struct kvm_debugfs;
struct log;

/**
 * @dir KVM's directory there; NULL: /sys/kernel/debug/kvm, else debugfs is mounted for this process
 * alone. @past counts what was counted before, too.
 */
int kvm_debugfs__open(struct kvm_debugfs **ret, const char *dir, bool past, struct log *log,
		      struct err *err);
/** NULL is fine. */
void kvm_debugfs__close(struct kvm_debugfs *k);
/** Declares what there is to count. @return 0 or -ENOMEM */
int kvm_debugfs__declare(struct kvm_debugfs *k, struct counts *c);
/** Of a struct count_provider; @ctx a struct kvm_debugfs. Machines come and go between two calls. */
int kvm_debugfs__read(void *ctx, struct counts *c, struct err *err);

#endif
