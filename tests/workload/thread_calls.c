// SPDX-License-Identifier: GPL-2.0-only
/*
 * thread_calls EARLY LATER N - EARLY threads that are there before the start, and LATER ones made
 * after it; each makes N getppid calls. Prints "pid=" and the early threads' "tidI=", begins when
 * a line arrives on stdin, always. The first thread makes no call.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include "workload.h"

#define THREADS_MAX 256

static pthread_barrier_t made, start;
static pid_t tids[THREADS_MAX];
static long n;

static void *call(void *arg)
{
	long i;

	for (i = 0; i < n; i++)
		syscall(SYS_getppid);
	return arg;
}

static void *wait_and_call(void *tid)
{
	*(pid_t *)tid = (pid_t)syscall(SYS_gettid);
	pthread_barrier_wait(&made);
	pthread_barrier_wait(&start);
	return call(NULL);
}

static void make(pthread_t *t, void *(*fn)(void *), void *arg)
{
	errno = pthread_create(t, NULL, fn, arg);
	if (errno)
		die("pthread_create: %s", strerror(errno));
}

int main(int argc, char **argv)
{
	pthread_t early[THREADS_MAX], later[THREADS_MAX];
	long nr_early, nr_later, i;
	char line[64];

	if (argc == 5 && !strcmp(argv[1], "-w"))
		argv++, argc--;
	if (argc != 4)
		die("usage: thread_calls EARLY LATER N");
	nr_early = number(argv[1]);
	nr_later = number(argv[2]);
	n = number(argv[3]);
	if (nr_early < 1 || nr_early > THREADS_MAX || nr_later < 0 || nr_later > THREADS_MAX)
		die("1 to %d threads", THREADS_MAX);
	pthread_barrier_init(&made, NULL, (unsigned int)nr_early + 1);
	pthread_barrier_init(&start, NULL, (unsigned int)nr_early + 1);
	for (i = 0; i < nr_early; i++)
		make(&early[i], wait_and_call, &tids[i]);
	pthread_barrier_wait(&made);
	for (i = 0; i < nr_early; i++)
		printf("tid%ld=%d\n", i, tids[i]);
	printf("pid=%d\n", getpid());
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		die("stdin was closed before the start");
	pthread_barrier_wait(&start);
	for (i = 0; i < nr_later; i++)
		make(&later[i], call, NULL);
	for (i = 0; i < nr_early; i++)
		pthread_join(early[i], NULL);
	for (i = 0; i < nr_later; i++)
		pthread_join(later[i], NULL);
	printf("calls=%ld\n", (nr_early + nr_later) * n);
	return 0;
}
