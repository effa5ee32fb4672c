// SPDX-License-Identifier: GPL-2.0-only
/* module.c - the module `_tamis`, built into the tamis program and as an extension module. */
#include "docstrings.h"
#include "functions.h"
#include "pymod.h"
#include "session_type.h"

static PyObject *counts(PyObject *module, PyObject *unused)
{
	size_t nr_free, nr_kept;

	pevent__counts(&nr_free, &nr_kept);
	return Py_BuildValue("{snsn}", "free", (Py_ssize_t)nr_free, "kept", (Py_ssize_t)nr_kept);
}

static PyMethodDef functions[] = {
	{"parse", functions__parse, METH_O, DOC_parse},
	{"events", (PyCFunction)(void (*)(void))functions__events, METH_VARARGS | METH_KEYWORDS,
	 DOC_events},
	{"symbolize", (PyCFunction)(void (*)(void))functions__symbolize,
	 METH_VARARGS | METH_KEYWORDS, DOC_symbolize},
	{"_restore", pymod__restore, METH_VARARGS, NULL},
	{"_restore_kind", pymod__restore_kind, METH_VARARGS, NULL},
	{"_make_kind", (PyCFunction)(void (*)(void))pymod__make_kind, METH_VARARGS | METH_KEYWORDS,
	 DOC__make_kind},
	{"_make_event", (PyCFunction)(void (*)(void))pymod__make_event,
	 METH_VARARGS | METH_KEYWORDS, DOC__make_event},
	{"_deliver", (PyCFunction)(void (*)(void))pymod__deliver, METH_VARARGS | METH_KEYWORDS,
	 DOC__deliver},
	{"_counts", counts, METH_NOARGS, DOC__counts},
	{NULL},
};

static const struct {
	const char *name; /* NULL: not for users */
	PyTypeObject *type;
} types[] = {
	{"PerfEvent", &pevent_type}, {"Batch", &batch_type}, {NULL, &kind_type},
	{NULL, &column_type},	     {NULL, &pevent_iter_type},
	{NULL, &tables_type},
	{"Session", &session_type},
	{NULL, &batches_type},
};

/* Steals @object; NULL is an error. */
static int add_object(PyObject *module, const char *name, PyObject *object)
{
	int ret = object ? PyObject_SetAttrString(module, name, object) : -1;

	Py_XDECREF(object);
	return ret;
}

static int add_type(PyObject *module, const char *name, PyTypeObject *type)
{
	if (PyType_Ready(type))
		return -1;
	if (!name)
		return 0;
	Py_INCREF(type);
	if (PyModule_AddObject(module, name, (PyObject *)type)) {
		Py_DECREF(type);
		return -1;
	}
	return 0;
}

/* The types are static: a second interpreter would share them and their free list. */
static int check_interpreter(void)
{
	if (PyInterpreterState_Get() == PyInterpreterState_Main())
		return 0;
	PyErr_SetString(PyExc_ImportError, "tamis cannot be imported in a subinterpreter");
	return -1;
}

static int exec(PyObject *module)
{
	size_t i;

	if (check_interpreter())
		return -1;
	for (i = 0; i < ARRAY_SIZE(types); i++)
		if (add_type(module, types[i].name, types[i].type))
			return -1;
	pevent__use_free_list(true);
	if (add_object(module, "_tables", tables__new(NULL)))
		return -1;
	return errors__add(module);
}

static void module_free(void *module)
{
	pevent__use_free_list(false);
}

static PyModuleDef_Slot slots[] = {
	{Py_mod_exec, exec},
#ifdef Py_mod_multiple_interpreters
	{Py_mod_multiple_interpreters, Py_MOD_MULTIPLE_INTERPRETERS_NOT_SUPPORTED},
#endif
	{0, NULL},
};

static struct PyModuleDef def = {
	PyModuleDef_HEAD_INIT,
	.m_name = "_tamis",
	.m_doc = DOC,
	.m_size = 0,
	.m_methods = functions,
	.m_slots = slots,
	.m_free = module_free,
};

PyMODINIT_FUNC PyInit__tamis(void)
{
	return PyModuleDef_Init(&def);
}
