// SPDX-License-Identifier: GPL-2.0-only
/* fork.c - children of os.fork() in a script hold none of tamis's kernel descriptors. */
#include <dirent.h>
#include <string.h>
#include "embed.h"

/* Exec closes them by itself; a child that goes on without one would keep events attached. */
static bool is_kernels(const char *link)
{
	return !strncmp(link, "anon_inode:bpf", 14) || !strncmp(link, "anon_inode:[perf_event]", 23) ||
	       !strncmp(link, "anon_inode:btf", 14);
}

static void close_kernels(void)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *entry;
	char link[64];
	ssize_t n;

	while (dir && (entry = readdir(dir))) {
		n = readlinkat(dirfd(dir), entry->d_name, link, sizeof(link) - 1);
		link[n > 0 ? n : 0] = 0;
		if (is_kernels(link))
			close(atoi(entry->d_name));
	}
	if (dir)
		closedir(dir);
}

static PyObject *in_child(PyObject *self, PyObject *unused)
{
	close_kernels();
	Py_RETURN_NONE;
}

static PyMethodDef in_child_def = {"in_child", in_child, METH_NOARGS, NULL};

int fork__prepare(void)
{
	_cleanup_decref_ PyObject *os = PyImport_ImportModule("os"), *fn = NULL, *ret = NULL;
	_cleanup_decref_ PyObject *method = NULL, *kwargs = NULL, *none = PyTuple_New(0);

	if (!os || !none)
		return -1;
	fn = PyCFunction_New(&in_child_def, NULL);
	kwargs = fn ? Py_BuildValue("{sO}", "after_in_child", fn) : NULL;
	method = PyObject_GetAttrString(os, "register_at_fork");
	if (method && kwargs)
		ret = PyObject_Call(method, none, kwargs);
	return ret ? 0 : -1;
}
