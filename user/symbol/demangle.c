// SPDX-License-Identifier: GPL-2.0-only
#include <string.h>
#include <libiberty/demangle.h>
#include "demangle.h"

/* Template names can expand without bound; past this length the mangled one is shorter to read. */
#define MANGLED_MAX 4096

/*
 * Only names with the prefix of a scheme are offered: libiberty would also take plain C names
 * for old manglings or bare types.
 */
static int looks_mangled(const char *s)
{
	if (s[0] == '_' && s[1] == '_' && s[2] == 'Z') /* macOS style, seen in JITs */
		s++;
	return (s[0] == '_' && (s[1] == 'Z' || s[1] == 'R' || (s[1] == 'D' && s[2] >= '0' && s[2] <= '9'))) ||
	       !strncmp(s, "_GLOBAL__", 9);
}

char *demangle(const char *name)
{
	if (!looks_mangled(name) || strlen(name) > MANGLED_MAX)
		return NULL;
	return cplus_demangle(name, DMGL_AUTO | DMGL_PARAMS | DMGL_ANSI | DMGL_RET_DROP);
}
