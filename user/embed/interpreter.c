// SPDX-License-Identifier: GPL-2.0-only
/* interpreter.c - CPython started inside tamis: which one, with which paths, touching no signal. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include "embed.h"

#ifndef TAMIS_PYTHON
#define TAMIS_PYTHON "python3" /* the Makefile says which Python tamis was built for */
#endif
#ifndef TAMIS_PYTHON_PREFIX
#define TAMIS_PYTHON_PREFIX "/usr"
#endif
#ifndef TAMIS_PYTHON_DIR
#define TAMIS_PYTHON_DIR "/usr/local/share/tamis/python"
#endif

/* --- where tamis's own package is --- */

static bool has_package(const char *dir)
{
	_cleanup_free_ char *path = NULL;

	return asprintf(&path, "%s/tamis/__init__.py", dir) > 0 && access(path, R_OK) == 0;
}

/* Beside the program: in the source tree, or as installed. Then where the build said. */
static bool find_package(char *dir, size_t room)
{
	static const char *const beside[] = {"../python", "../share/tamis/python", "../../python"};
	char exe[4096];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	size_t i;

	exe[n > 0 ? n : 0] = 0;
	if (strrchr(exe, '/'))
		*strrchr(exe, '/') = 0;
	for (i = 0; n > 0 && i < ARRAY_SIZE(beside); i++) {
		snprintf(dir, room, "%s/%s", exe, beside[i]);
		if (has_package(dir))
			return true;
	}
	snprintf(dir, room, "%s", TAMIS_PYTHON_DIR);
	return has_package(dir);
}

static int add_package(struct err *err)
{
	_cleanup_decref_ PyObject *dir = NULL;
	PyObject *path = PySys_GetObject("path");
	char found[8300], *whole;

	if (!find_package(found, sizeof(found)))
		return err__set(err, ENOENT, "the Python package tamis is not beside the program "
					     "and not in %s", TAMIS_PYTHON_DIR);
	whole = realpath(found, NULL);
	dir = PyUnicode_DecodeFSDefault(whole ? whole : found);
	free(whole);
	if (!path || !dir || PyList_Insert(path, 0, dir))
		return err__set(err, ENOMEM, "sys.path cannot be extended");
	return 0;
}

/* --- the interpreter --- */

/* CPython itself would end the process, or fill the screen, over a home without a library. */
static int check_home(struct err *err)
{
	const char *home = getenv("PYTHONHOME");
	char path[4200], prefix[4096];

	if (!home || !*home)
		return 0;
	snprintf(prefix, sizeof(prefix), "%s", home);
	prefix[strcspn(prefix, ":")] = 0;
	snprintf(path, sizeof(path), "%s/lib/python%d.%d/os.py", prefix, PY_MAJOR_VERSION,
		 PY_MINOR_VERSION);
	if (access(path, R_OK) == 0)
		return 0;
	return err__set(err, errno,
			"PYTHONHOME=%s holds no library of Python %d.%d (%s: %s); unset PYTHONHOME",
			home, PY_MAJOR_VERSION, PY_MINOR_VERSION, path, strerror(errno));
}

/* As the interpreter calls itself: a virtual environment is found from there. */
static PyStatus set_program(PyConfig *config, const char *venv_python)
{
	const char *python = venv_python ? venv_python : TAMIS_PYTHON;
	PyStatus status = PyConfig_SetBytesString(config, &config->program_name, python);

	if (PyStatus_Exception(status) || *python != '/')
		return status;
	status = PyConfig_SetBytesString(config, &config->executable, python);
	/* the library of our own Python, whatever the environment was made from */
	if (PyStatus_Exception(status) || !venv_python || getenv("PYTHONHOME"))
		return status;
	return PyConfig_SetBytesString(config, &config->home, TAMIS_PYTHON_PREFIX);
}

/* Names of the kernel's making are printed as the bytes that they are. */
static PyStatus set_output(PyConfig *config)
{
	if (getenv("PYTHONIOENCODING"))
		return PyStatus_Ok();
	return PyConfig_SetString(config, &config->stdio_errors, L"surrogateescape");
}

static PyStatus initialize(PyConfig *config, const char *venv_python)
{
	PyStatus status;

	config->install_signal_handlers = 0;
	config->parse_argv = 0;
	status = set_program(config, venv_python);
	if (!PyStatus_Exception(status))
		status = set_output(config);
	if (!PyStatus_Exception(status))
		status = Py_InitializeFromConfig(config);
	return status;
}

static int start(const char *venv_python, struct err *err)
{
	PyConfig config;
	PyStatus status;
	int ret = 0;

	PyConfig_InitPythonConfig(&config);
	status = initialize(&config, venv_python);
	if (PyStatus_Exception(status))
		ret = err__set(err, EINVAL, "Python %s does not start: %s", PY_VERSION,
			       status.err_msg ? status.err_msg : "no reason given");
	PyConfig_Clear(&config);
	return ret;
}

int interpreter__start(const struct script_opts *opts, struct err *err)
{
	_cleanup_free_ char *venv_python = NULL;
	int ret = check_home(err);

	if (!ret)
		ret = venv__find(opts->venv, &venv_python, err);
	if (ret)
		return ret;
	if (PyImport_AppendInittab("_tamis", PyInit__tamis))
		return err__set(err, ENOMEM, "no memory for Python");
	ret = start(venv_python, err);
	return ret ? ret : add_package(err);
}

void script__describe(struct strbuf *out)
{
	const char *home = getenv("PYTHONHOME");

	strbuf__printf(out, "Python:      %s (%s)\n", PY_VERSION, TAMIS_PYTHON);
	strbuf__printf(out, "PYTHONHOME:  %s\n", home && *home ? home : TAMIS_PYTHON_PREFIX);
	strbuf__printf(out, "perf maps:   %s\n",
		       PY_VERSION_HEX >= 0x030c0000 ? "supported (--perf-map)" :
						      "need Python 3.12 or later");
}
