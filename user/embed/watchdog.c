// SPDX-License-Identifier: GPL-2.0-only
/*
 * watchdog.c - a callback that sleeps on after Ctrl-C is woken with KeyboardInterrupt.
 *
 * The handler of the signal cannot do it: a callback that was about to return should return. So
 * a thread looks a second later whether the same callback still runs. It sleeps until the signal
 * comes; what it then does needs no interpreter lock. Signal handlers have no argument, so the
 * semaphore is this file's.
 */
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <unistd.h>
#include "embed.h"

#define PATIENCE_US 500000 /* between two looks that must see the same callback */
#define WAKE (SIGRTMAX - 1) /* only ends system calls that block */

static struct {
	sem_t asked;
	pthread_t thread, script_thread;
	struct script *script;
	bool running;
	volatile bool over;
} dog;

void script__interrupt(void)
{
	if (dog.running)
		sem_post(&dog.asked);
}

static void nothing(int sig)
{
}

/* What Python calls in the script's thread for the interrupt: too late is not at all. */
static PyObject *interrupt(PyObject *self, PyObject *args)
{
	struct script *s = dog.script;

	if (!s || !s->inside || s->exited)
		Py_RETURN_NONE;
	s->interrupted = true;
	PyErr_SetNone(PyExc_KeyboardInterrupt);
	return NULL;
}

static PyMethodDef raise_def = {"tamis_interrupt", interrupt, METH_VARARGS, NULL};

int watchdog__arm(void)
{
	_cleanup_decref_ PyObject *module = PyImport_ImportModule("_signal");
	_cleanup_decref_ PyObject *fn = PyCFunction_New(&raise_def, NULL), *ret = NULL;

	if (module && fn)
		ret = PyObject_CallMethod(module, "signal", "iO", SIGINT, fn);
	return ret ? 0 : -1;
}

static void wake(void)
{
	PyErr_SetInterrupt();
	pthread_kill(dog.script_thread, WAKE);
}

/* Not for `__exit__`: a second Ctrl-C ends that. */
static void *watch(void *unused)
{
	const struct script *s = dog.script;
	u64 seen;

	while (sem_wait(&dog.asked))
		;
	while (!dog.over) {
		seen = s->calls;
		usleep(PATIENCE_US);
		if (!dog.over && s->inside && !s->exited && s->calls == seen)
			wake();
	}
	return NULL;
}

void watchdog__start(struct script *s)
{
	struct sigaction sa = {.sa_handler = nothing};
	sigset_t all, before;

	sigaction(WAKE, &sa, NULL);
	dog.script = s;
	dog.script_thread = pthread_self();
	sem_init(&dog.asked, 0, 0);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	dog.running = !pthread_create(&dog.thread, NULL, watch, NULL);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
}

void watchdog__stop(void)
{
	if (!dog.running)
		return;
	dog.over = true;
	sem_post(&dog.asked);
	pthread_join(dog.thread, NULL);
	dog.running = false;
	dog.script = NULL;
}
