// SPDX-License-Identifier: GPL-2.0-only
#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include "../base/types.h"
#include "bpf_slots.h"

struct bpf_slots {
	pthread_t thread;
	int outer, nr;
	u32 *keys;
	int *fds;
	atomic_int error;
	bool running; /* the thread is there, to be joined */
};

static int fill_one_by_one(struct bpf_slots *s)
{
	int i;

	for (i = 0; i < s->nr; i++)
		if (bpf_map_update_elem(s->outer, &s->keys[i], &s->fds[i], BPF_ANY))
			return -errno;
	return 0;
}

/* In one call, where the kernel has it for maps in maps (5.17). */
static void *fill(void *arg)
{
	struct bpf_slots *s = arg;
	u32 n = s->nr;

	if (bpf_map_update_batch(s->outer, s->keys, s->fds, &n, NULL))
		atomic_store(&s->error, fill_one_by_one(s));
	return NULL;
}

/* Signals are the main thread's. */
static int start(struct bpf_slots *s)
{
	sigset_t all, old;
	int ret;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	ret = pthread_create(&s->thread, NULL, fill, s);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	s->running = !ret;
	return ret;
}

static int wait_until_filled(struct bpf_slots *s)
{
	u32 id;
	int i;

	for (i = 0; i < s->nr; i++)
		while (bpf_map_lookup_elem(s->outer, &s->keys[i], &id)) {
			if (atomic_load(&s->error))
				return s->error;
			sched_yield();
		}
	return 0;
}

static struct bpf_slots *allocate(int outer, const int *fds, int nr)
{
	struct bpf_slots *s = calloc(1, sizeof(*s));
	int i;

	if (!s)
		return NULL;
	s->outer = outer;
	s->nr = nr;
	s->keys = calloc(nr, sizeof(*s->keys));
	s->fds = calloc(nr, sizeof(*s->fds));
	for (i = 0; s->keys && s->fds && i < nr; i++) {
		s->keys[i] = i;
		s->fds[i] = fds[i];
	}
	return s;
}

static void release(struct bpf_slots *s)
{
	free(s->keys);
	free(s->fds);
	free(s);
}

int bpf_slots__fill(struct bpf_slots **ret, int outer, const int *fds, int nr)
{
	struct bpf_slots *s = allocate(outer, fds, nr);

	if (!s || !s->keys || !s->fds) {
		if (s)
			release(s);
		return -ENOMEM;
	}
	*ret = s;
	if (!start(s))
		return wait_until_filled(s);
	fill(s); /* no room for a thread: then it takes its time */
	return s->error;
}

void bpf_slots__free(struct bpf_slots *s)
{
	if (!s)
		return;
	if (s->running)
		pthread_join(s->thread, NULL);
	release(s);
}
