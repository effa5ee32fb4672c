// SPDX-License-Identifier: GPL-2.0-only
/*
 * detach_all.c - many tracepoints at once.
 *
 * The kernel waits for a grace period with its mutex of events held, and for another one outside
 * of it: a few threads make the latter overlap.
 */
#include <pthread.h>
#include <signal.h>
#include "attach.h"

#define THREADS 4
#define FEW	3 /* not worth a thread */

struct work_list {
	struct attachment **a;
	size_t n, next;
	void (*progress)(void *ctx, int left);
	void *ctx;
};

static bool detach_next(struct work_list *w, bool tell)
{
	size_t i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED);

	if (i >= w->n)
		return false;
	if (tell && w->progress)
		w->progress(w->ctx, w->n - i);
	attach__detach(w->a[i]);
	return true;
}

static void *help(void *list)
{
	while (detach_next(list, false))
		;
	return NULL;
}

/* Signals are for the thread that called us. */
static int start_helpers(pthread_t *threads, struct work_list *w)
{
	sigset_t all, before;
	int n = 0;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (n < THREADS - 1 && !pthread_create(&threads[n], NULL, help, w))
		n++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return n;
}

void attach__detach_all(struct attachment **a, size_t n, void (*progress)(void *ctx, int left),
			void *ctx)
{
	struct work_list w = {.a = a, .n = n, .progress = progress, .ctx = ctx};
	pthread_t threads[THREADS];
	int helpers = n > FEW ? start_helpers(threads, &w) : 0;

	while (detach_next(&w, true))
		;
	while (helpers--)
		pthread_join(threads[helpers], NULL);
}
