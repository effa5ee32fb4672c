/* SPDX-License-Identifier: GPL-2.0-only */
/**
 * @file functions.h - functions of the module that need no session.
 */
#ifndef TAMIS_PYMOD_FUNCTIONS_H
#define TAMIS_PYMOD_FUNCTIONS_H

#include "pymod.h"

PyObject *functions__parse(PyObject *module, PyObject *event);
PyObject *functions__events(PyObject *module, PyObject *args, PyObject *kwargs);
PyObject *functions__symbolize(PyObject *module, PyObject *args, PyObject *kwargs);

#endif
