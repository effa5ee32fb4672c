// SPDX-License-Identifier: GPL-2.0-only
#include <asm/unistd.h>
#include <stdlib.h>
#include <string.h>
#include "../base/types.h"
#include "syscall_table.h"

struct syscall_name {
	const char *name;
	int number;
};

/* Made by the Makefile of asm/unistd.h; sorted by name. */
static const struct syscall_name from_header[] = {
#include "syscall_numbers.inc"
};

/* The kernel's function, which names the event, where it is not called like the number. */
static const struct {
	const char *event, *name;
} renamed[] = {
	{"newfstat", "fstat"}, {"newlstat", "lstat"},	   {"newstat", "stat"},
	{"newuname", "uname"}, {"sendfile64", "sendfile"}, {"umount", "umount2"},
};

/* What headers of 6.1 do not have yet; from 424 on numbers are the same everywhere. */
static const struct syscall_name newer[] = {
	{"cachestat", 451},	    {"fchmodat2", 452},	       {"map_shadow_stack", 453},
	{"futex_wake", 454},	    {"futex_wait", 455},       {"futex_requeue", 456},
	{"statmount", 457},	    {"listmount", 458},	       {"lsm_get_self_attr", 459},
	{"lsm_set_self_attr", 460}, {"lsm_list_modules", 461}, {"mseal", 462},
	{"setxattrat", 463},	    {"getxattrat", 464},       {"listxattrat", 465},
	{"removexattrat", 466},	    {"open_tree_attr", 467},   {"file_getattr", 468},
	{"file_setattr", 469},
};

static int by_name(const void *key, const void *element)
{
	return strcmp(key, ((const struct syscall_name *)element)->name);
}

int syscall_table__number(const char *event)
{
	const char *name = event;
	const struct syscall_name *found;
	size_t i;

	if (!strncmp(event, "sys_enter_", 10))
		name = event + 10;
	else if (!strncmp(event, "sys_exit_", 9))
		name = event + 9;
	for (i = 0; i < ARRAY_SIZE(renamed); i++)
		if (!strcmp(renamed[i].event, name))
			name = renamed[i].name;
	found = bsearch(name, from_header, ARRAY_SIZE(from_header), sizeof(*from_header), by_name);
	if (found)
		return found->number;
	for (i = 0; i < ARRAY_SIZE(newer); i++)
		if (!strcmp(newer[i].name, name))
			return newer[i].number;
	return -1;
}
