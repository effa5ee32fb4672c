/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file follow.h - keeps the set of followed tasks: user side of bpf/follow.bpf.c.
 */
#ifndef TAMIS_SCOPE_FOLLOW_H
#define TAMIS_SCOPE_FOLLOW_H

#include "../base/err.h"
#include "../base/types.h"

struct catalog;
struct follow;
struct scope_kernel;

/** Makes the set from the seeds of @k and attaches what keeps it. */
int follow__start(struct follow **ret, const struct scope_kernel *k, struct catalog *catalog,
		  struct err *err);
/** The set stays as it is from now on. */
void follow__stop(struct follow *f);
/** NULL is fine. */
void follow__free(struct follow *f);

/** Hash of struct followed by the kernel's own number of the process (with -t: the thread). */
int follow__set_fd(const struct follow *f);
/**
 * Takes out what has ended and was not seen to be freed, if that happened often. For a timer of a
 * second or so.
 */
void follow__sweep(struct follow *f);
void follow__lost(const struct follow *f, u64 *full, u64 *missed);
/** Is a followed task left that has not ended? */
bool follow__alive(const struct follow *f);

#endif
