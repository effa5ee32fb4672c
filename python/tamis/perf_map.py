# SPDX-License-Identifier: GPL-2.0-only
"""Names for code that a script generates, so that profilers can show them: /tmp/perf-PID.map.

    tamis.perf_map.write(address, size, "jit::my_function")

Where the interpreter keeps the file (CPython 3.12 and later) its functions are used, so that both
write to one; elsewhere the file is written here.
"""

import ctypes
import errno
import os
import stat
from types import CodeType, FunctionType
from typing import Any, Dict, Iterator, Optional

__all__ = ["close", "copy_from", "write"]

_file: Optional[int] = None  # our own, where the interpreter has none
_python = ctypes.PyDLL(None, use_errno=True)


def _function(name: str) -> Optional[Any]:
    return getattr(_python, name, None)


def path() -> str:
    """Where the map is."""
    return f"/tmp/perf-{os.getpid()}.map"


# --- our own file ---


def _started() -> float:
    """When this process began, as file times have it."""
    with open("/proc/self/stat", encoding="utf-8", errors="replace") as f:
        ticks = int(f.read().rpartition(")")[2].split()[19])
    with open("/proc/stat", encoding="utf-8") as f:
        boot = next(int(line.split()[1]) for line in f if line.startswith("btime "))
    return boot + ticks / os.sysconf("SC_CLK_TCK")


def _is_stale(name: str) -> bool:
    """A regular file of ours that an earlier process with our pid has left."""
    found = os.stat(name, follow_symlinks=False)
    mine = stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid()
    return mine and found.st_mtime < _started() - 1


def _append(name: str) -> int:
    fd = os.open(name, os.O_WRONLY | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK)
    found = os.fstat(fd)
    if stat.S_ISREG(found.st_mode) and found.st_uid == os.geteuid():
        return fd
    os.close(fd)
    raise OSError(errno.EPERM, "is not a regular file of this user", name)


def _open() -> int:
    name = path()
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        return os.open(name, flags, 0o600)
    except FileExistsError:
        if not _is_stale(name):
            return _append(name)
    os.unlink(name)
    return os.open(name, flags, 0o600)


def _forget() -> None:
    """A child writes its own map."""
    global _file
    if _file is not None:
        os.close(_file)
        _file = None


os.register_at_fork(after_in_child=_forget)


def _write_own(data: bytes) -> None:
    global _file
    if _file is None:
        _file = _open()
    while data:
        data = data[os.write(_file, data) :]


# --- what scripts call ---


def _check(code: int, name: str) -> None:
    """CPython's two errors: -1, the file cannot be opened; -2, its lock or the write failed."""
    if not code:
        return
    number = ctypes.get_errno() or errno.EIO
    what = "cannot be opened" if code == -1 else "cannot be written"
    raise OSError(number, f"{what}: {os.strerror(number)}", name)


def write(addr: int, size: int, name: str) -> None:
    """One entry: size bytes at addr are called name."""
    if not 0 <= addr < 2**64 or not 0 < size < 2**32:
        raise ValueError(f"perf map entry {addr:#x} of {size} bytes: out of range")
    text = name.encode(errors="surrogateescape")
    if not text or b"\n" in text or b"\0" in text:
        raise ValueError(f"perf map entry {name!r}: a name is one line that is not empty")
    call = _function("PyUnstable_WritePerfMapEntry")
    if not call:
        _write_own(b"%x %x %s\n" % (addr, size, text))
        return
    ctypes.set_errno(0)
    _check(call(ctypes.c_void_p(addr), ctypes.c_uint(size), text), path())


def copy_from(source: str) -> None:
    """All entries of another map file, such as a parent's."""
    call = _function("PyUnstable_CopyPerfMapFile")
    if call:
        with open(source, "rb"):  # CPython says nothing about a file that is not there
            ctypes.set_errno(0)
            _check(call(os.fsencode(source)), path())
        return
    with open(source, "rb") as file:
        for line in file:
            addr, size, name = line.rstrip(b"\r\n").split(b" ", 2)
            write(int(addr, 16), int(size, 16), name.decode(errors="surrogateescape"))


def close() -> None:
    """Closes the file; the next write opens it again."""
    call = _function("PyUnstable_PerfMapState_Fini")
    if call:
        call()
    _forget()


# --- tamis python --perf-map; called by the program ---


def _codes(module: Any) -> Iterator[CodeType]:
    names: Dict[str, Any] = vars(module)
    for value in names.values():
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            yield value.__code__


def _start() -> None:
    """Turns on the trampolines, before the script is imported."""
    import sys

    sys.activate_stack_trampoline("perf")  # type: ignore[attr-defined]
    persist = _function("PyUnstable_PerfTrampoline_SetPersistAfterFork")
    if persist:
        persist(1)


def _compile(module: Any) -> None:
    """The functions of the script, before their first event."""
    call = _function("PyUnstable_PerfTrampoline_CompileCode")
    for code in _codes(module) if call else ():
        call(ctypes.py_object(code))  # type: ignore[misc]
