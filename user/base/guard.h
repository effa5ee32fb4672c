/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file guard.h - scope guards: what is declared with one is released when its scope ends.
 */
#ifndef TAMIS_BASE_GUARD_H
#define TAMIS_BASE_GUARD_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void guard_free(void *p)
{
	free(*(void **)p);
}

static inline void guard_close(const int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void guard_fclose(FILE **f)
{
	if (*f)
		fclose(*f);
}

#define _cleanup_(fn) __attribute__((cleanup(fn)))
/** Frees with free(3); NULL is fine. */
#define _cleanup_free_ _cleanup_(guard_free)
/** Closes a descriptor; negative is none. */
#define _cleanup_close_ _cleanup_(guard_close)
#define _cleanup_fclose_ _cleanup_(guard_fclose)

/** Hands a guarded pointer to the caller. */
#define return_ptr(p)                                                                              \
	do {                                                                                       \
		__typeof__(p) ret__ = (p);                                                         \
		(p) = NULL;                                                                        \
		return ret__;                                                                      \
	} while (0)

/** Hands a guarded descriptor to the caller. */
static inline int steal_fd(int *fd)
{
	int ret = *fd;

	*fd = -1;
	return ret;
}

#endif
