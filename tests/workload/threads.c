// SPDX-License-Identifier: GPL-2.0-only
/*
 * threads [-w] THREADS N - THREADS threads besides the first, each makes N getppid calls; the first
 * makes none.
 */
#include <pthread.h>
#include <sys/syscall.h>
#include "workload.h"

static void *run(void *arg)
{
	long i, n = *(long *)arg;

	for (i = 0; i < n; i++)
		syscall(SYS_getppid);
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t t[1024];
	long i, threads, n;

	argv = begin(argv);
	if (!argv[0] || !argv[1])
		die("usage: threads [-w] THREADS N, not %d arguments", argc - 1);
	threads = number(argv[0]);
	n = number(argv[1]);
	if (threads < 1 || threads > 1024)
		die("1 to 1024 threads");
	for (i = 0; i < threads; i++)
		if ((errno = pthread_create(&t[i], NULL, run, &n)))
			die("pthread_create: %s", strerror(errno));
	for (i = 0; i < threads; i++)
		pthread_join(t[i], NULL);
	printf("calls=%ld\n", threads * n);
	return 0;
}
