// SPDX-License-Identifier: GPL-2.0-only
/* errors.c - tamis.Error and tamis.FieldError, and a C error as one of them. */
#include "docstrings.h"
#include "pymod.h"

PyObject *tamis_error, *tamis_field_error;

static PyObject *first_arg_str(PyObject *self)
{
	PyObject *args = ((PyBaseExceptionObject *)self)->args;

	return PyObject_Str(PyTuple_GET_SIZE(args) ? PyTuple_GET_ITEM(args, 0) : args);
}

/* OSError would put "[Errno 2] " in front: the text is the command line's. */
static PyObject *error_str(PyObject *self, PyObject *unused)
{
	PyObject *text = PyObject_GetAttrString(self, "strerror");

	if (text && PyUnicode_Check(text))
		return text;
	Py_XDECREF(text);
	PyErr_Clear();
	return first_arg_str(self);
}

/* KeyError would quote it. */
static PyObject *field_error_str(PyObject *self, PyObject *unused)
{
	return first_arg_str(self);
}

static PyMethodDef error_str_def = {"__str__", error_str, METH_NOARGS, NULL};
static PyMethodDef field_error_str_def = {"__str__", field_error_str, METH_NOARGS, NULL};

static PyObject *make(const char *name, const char *doc, PyObject *bases, PyMethodDef *str)
{
	_cleanup_decref_ PyObject *type = PyErr_NewExceptionWithDoc(name, doc, bases, NULL);
	_cleanup_decref_ PyObject *descr = NULL;

	if (!type)
		return NULL;
	descr = PyDescr_NewMethod((PyTypeObject *)type, str);
	if (!descr || PyObject_SetAttrString(type, "__str__", descr))
		return NULL;
	return_ptr(type);
}

static int add(PyObject *module, const char *name, PyObject *type)
{
	return !type || PyObject_SetAttrString(module, name, type) ? -1 : 0;
}

int errors__add(PyObject *module)
{
	_cleanup_decref_ PyObject *both = PyTuple_Pack(2, PyExc_AttributeError, PyExc_KeyError);

	if (!both)
		return -1;
	if (!tamis_error)
		tamis_error = make("tamis.Error", DOC_Error, PyExc_OSError, &error_str_def);
	if (!tamis_field_error)
		tamis_field_error =
			make("tamis.FieldError", DOC_FieldError, both, &field_error_str_def);
	return add(module, "Error", tamis_error) || add(module, "FieldError", tamis_field_error) ?
		       -1 :
		       0;
}

PyObject *errors__raise(const struct err *err)
{
	_cleanup_decref_ PyObject *args = NULL;

	if (PyErr_Occurred())
		return NULL;
	args = Py_BuildValue("(iN)", err->code, text__object(err->text, strlen(err->text)));
	if (args)
		PyErr_SetObject(tamis_error, args);
	return NULL;
}

PyObject *errors__no_field(const struct kind *k, PyObject *name)
{
	PyErr_Format(tamis_field_error, "%U has no field %R", k->label, name);
	return NULL;
}
