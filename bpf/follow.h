/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file follow.h - the set of followed tasks, shared by the programs that keep it and its readers.
 *
 * The key is the kernel's number of a task. A number can be used again before the kernel tells
 * that its last task was freed, so @tasks counts the tasks of that number that were seen to begin
 * and not yet to be freed, and @followed says whether the latest of them is in the scope.
 */
#ifndef TAMIS_FOLLOW_H
#define TAMIS_FOLLOW_H

struct followed {
	u32 tasks;
	u32 followed;
};

#define FOLLOW_NAMESPACES 4 /* pid namespaces of seeds */

#endif
