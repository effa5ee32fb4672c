/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file kvm_feed.h - the source kvmstat: a record for each virtual machine and interval, with what
 * each tracepoint of KVM counted in it.
 */
#ifndef TAMIS_KVM_FEED_H
#define TAMIS_KVM_FEED_H

#include "collect/stream.h"
#include "session.h"

struct catalog;
struct kvm_feed;

/**
 * Gives @event its fields, and makes it one whose records carry them as a tracepoint's do. Options
 * of the source: -s SECONDS, the length of an interval (1). @opts of the session it is for.
 */
int kvm_feed__open(struct kvm_feed **ret, struct event *event, const struct session_opts *opts,
		   struct catalog *c, struct err *err);
/** Counts from now on. */
int kvm_feed__attach(struct kvm_feed *k, struct err *err);
/** After it nothing new comes. */
void kvm_feed__detach(struct kvm_feed *k);
/** NULL is fine. */
void kvm_feed__close(struct kvm_feed *k);
/** Readable when an interval has ended. */
int kvm_feed__fd(const struct kvm_feed *k);
struct stream *kvm_feed__stream(struct kvm_feed *k);

#endif
