/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file follow.h - the set of followed tasks, shared by the programs that keep it and its readers.
 *
 * The key is the kernel's number of a task. Whose it is may change before the kernel frees the
 * former task, which it does a grace period after its end.
 */
#ifndef TAMIS_FOLLOW_H
#define TAMIS_FOLLOW_H

struct followed {
	u32 pending; /* tasks of this number that have exited and are not freed yet */
	u32 exited; /* the latest of them is one of those */
	u32 followed; /* the latest of them is in the scope */
};

#define FOLLOW_NAMESPACES 4 /* pid namespaces of seeds */

#endif
