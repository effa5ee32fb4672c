# SPDX-License-Identifier: GPL-2.0-only
"""The embedded interpreter over a session that is made up: loading, callbacks, errors, the end."""

import os
import shutil
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from typing import Any, Callable, Dict, List, Optional, Union

import pytest

import support

PROGRAM = support.BUILD / "tests/python/embedded"


class Result:
    def __init__(self, rc: int, out: str, err: str) -> None:
        self.rc, self.out, self.err = rc, out, err


def run(*args: Any, env: Optional[Dict[str, str]] = None, cwd: Any = None, **popen: Any) -> Result:
    full = {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "VIRTUAL_ENV"))}
    full["PYTHONMALLOC"] = os.environ.get("PYTHONMALLOC", "")
    full.update(env or {})
    done = subprocess.run(
        [str(PROGRAM), *map(str, args)],
        env={k: v for k, v in full.items() if v},
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=popen.pop("stdout", subprocess.PIPE),
        stderr=subprocess.PIPE,
        timeout=60 * support.PATIENCE,
        **popen,
    )
    out = (done.stdout or b"").decode(errors="surrogateescape")
    return Result(done.returncode, out, done.stderr.decode(errors="surrogateescape"))


Write = Callable[..., Path]


@pytest.fixture
def script(tmp_path: Path) -> Write:
    def write(text: str, name: str = "script.py") -> Path:
        path = tmp_path / name
        path.write_text(textwrap.dedent(text))
        return path

    return write


# --- loading ---


def test_names_and_paths(script: Write) -> None:
    path = script(
        """
        import sys, neighbour
        print(__name__, sys.argv, sys.modules[__name__].__file__, neighbour.x)
        """,
        "my-script.part.py",
    )
    script("x = 5", "neighbour.py")
    got = run(path, "--foo", "bar baz")
    assert got.rc == 0, got.err
    assert f"my-script ['{path}', '--foo', 'bar baz'] {path} 5" in got.out
    assert f"Loaded module: {path}\n" in got.out
    assert "Loaded module" not in run("-q", path).out
    assert not list(path.parent.glob("__pycache__/my-script*"))


def test_script_without_suffix(script: Write) -> None:
    path = script("#!/usr/bin/env -S tamis python -e x\nprint('here', __name__)", "plain")
    assert "here plain" in run(path).out


def test_module_by_name(script: Write, tmp_path: Path) -> None:
    script("print('by name', __name__)\ndef __exit__(): print('EXIT')", "amodule.py")
    got = run("amodule", cwd=tmp_path)
    assert "by name amodule" in got.out and "EXIT" in got.out
    assert f"Loaded module: {tmp_path}/amodule.py" in got.out


def test_module_on_pythonpath(script: Write, tmp_path: Path) -> None:
    script("print('found')", "bmodule.py")
    assert "found" in run("bmodule", env={"PYTHONPATH": str(tmp_path)}, cwd="/").out


@pytest.mark.parametrize("name", ["time.py", "trace.py", "types.py", "random.py", "_tamis.py"])
def test_names_of_the_library(script: Write, name: str) -> None:
    path = script(
        """
        import sys, datetime
        assert sys.modules[__name__].__file__ == __file__
        def __init__():
            import time
            print("works", __name__, time.time() > 0, datetime.datetime.now().year > 2000)
        def __sample__(event):
            event.pid
        """,
        name,
    )
    got = run(path)
    assert got.rc == 0 and f"works {name[:-3]} True True" in got.out, got.err


@pytest.mark.parametrize("name", ["nosuch_module_xyz", "./nosuch.py", "/nosuch/x.so"])
def test_missing(name: str) -> None:
    got = run(name)
    assert got.rc == 1
    assert f"Failed to load Python module: {name}" in got.err
    assert "Error" in got.err


def test_syntax_error(script: Write) -> None:
    path = script("def f(:\n  pass\n", "bad.py")
    got = run(path)
    assert got.rc == 1 and "SyntaxError" in got.err and 'bad.py", line 1' in got.err
    assert f"Failed to load Python module: {path}" in got.err


def test_error_while_importing(script: Write) -> None:
    path = script("def f(): 1/0\nf()\ndef __exit__(): print('EXIT')")
    got = run(path)
    assert got.rc == 1 and got.err.count("Traceback") == 1 and "ZeroDivisionError" in got.err
    assert "EXIT" not in got.out
    assert "_load.py" not in got.err  # our own frames say nothing


def test_sys_exit_while_importing(script: Write) -> None:
    got = run(script("import sys\nsys.exit(5)\n"))
    assert got.rc == 5 and got.err == ""


def test_script_that_is_not_utf8(tmp_path: Path) -> None:
    path = tmp_path / "latin.py"
    path.write_bytes(b"# -*- coding: latin-1 -*-\nprint(ascii('\xe9'))\n")
    assert "'\\xe9'" in run(path).out


def test_extension_module(tmp_path: Path) -> None:
    cython = shutil.which("cython3") or shutil.which("cython")
    if not cython:
        support.skip("no Cython")
    (tmp_path / "compiled.pyx").write_text(
        "n = 0\ndef __sample__(event):\n    global n\n    n += event.pid > 0\n"
        "def __init__():\n    print('INIT')\ndef __exit__():\n    print('SEEN', n)\n"
    )
    suffix = subprocess.check_output(
        [python(), "-c", "import sysconfig as s; print(s.get_config_var('EXT_SUFFIX'))"]
    )
    include = subprocess.check_output(
        [python(), "-c", "import sysconfig as s; print(s.get_path('include'))"]
    )
    module = tmp_path / ("compiled" + suffix.decode().strip())
    subprocess.run([cython, "-3", "compiled.pyx"], cwd=tmp_path, check=True)
    gcc = ["gcc", "-shared", "-fPIC", "-w", "-I" + include.decode().strip(), "compiled.c"]
    if subprocess.run(
        [*gcc, "-o", str(module)], cwd=tmp_path, stderr=subprocess.DEVNULL
    ).returncode:
        support.skip("what this Cython writes does not compile for this Python")
    for got in (run(module), run("compiled", cwd=tmp_path), run("./" + module.name, cwd=tmp_path)):
        assert got.rc == 0 and "INIT" in got.out and "SEEN 30" in got.out, got.err
    shutil.copy(module, tmp_path / "compiled.so")
    module.unlink()
    assert "SEEN 30" in run(tmp_path / "compiled.so").out
    # what cannot be looked at may read the flags, as scripts for perf-prof do
    assert "need_perf test:made" in run("-p", tmp_path / "compiled.so").err


def python() -> str:
    """The interpreter that the program under test was built for."""
    return sys.executable


def test_stdout_is_line_buffered(script: Write) -> None:
    path = script("import time\ndef __init__():\n    print('early')\n    time.sleep(60)\n")
    with subprocess.Popen([str(PROGRAM), "-q", str(path)], stdout=subprocess.PIPE) as child:
        assert child.stdout and child.stdout.readline() == b"early\n"
        child.kill()


# --- environments ---


def test_bad_pythonhome(script: Write) -> None:
    got = run(script(""), env={"PYTHONHOME": "/nonexistent"})
    assert got.rc == 1 and "PYTHONHOME=/nonexistent" in got.err and got.err.count("\n") == 1


def test_virtual_environment(script: Write, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    made = subprocess.run([python(), "-m", "venv", "--without-pip", str(venv)])
    if made.returncode:
        support.skip("this Python makes no virtual environments")
    site = next(venv.glob("lib/python*/site-packages"))
    (site / "only_here.py").write_text("x = 'in the environment'")
    path = script("import only_here, sys\nprint(only_here.x, sys.prefix)\nimport json, tamis")
    for got in (run(path, env={"VIRTUAL_ENV": str(venv)}), run("-V", venv, path)):
        assert got.rc == 0 and f"in the environment {venv}" in got.out, got.err
    assert run(path).rc == 1


def test_virtual_environment_of_another_version(script: Write, tmp_path: Path) -> None:
    (tmp_path / "pyvenv.cfg").write_text("home = /usr/bin\nversion = 3.7.1\n")
    here = f"{sys.version_info[0]}.{sys.version_info[1]}"
    for got in (
        run(script(""), env={"VIRTUAL_ENV": str(tmp_path)}),
        run("-V", tmp_path, script("")),
    ):
        assert got.rc == 1 and "3.7" in got.err and here in got.err
    got = run("-V", tmp_path / "nosuch", script(""))
    assert got.rc == 1 and "nosuch" in got.err


# --- callbacks ---


def test_all_callbacks(script: Write) -> None:
    got = run(
        "-l",
        "-o",
        script(
            """
            calls = []
            def __init__(): calls.append("init")
            def test__made(event): calls.append(event._event)
            def __sample__(event): calls.append("sample " + event._event)
            def __interval__(): calls.append("interval")
            def __print_stat__(indent): calls.append(("stat", indent))
            def __lost__(start, end): calls.append(("lost", start, end))
            def __exit__():
                one = ["test:made", "sample test:other"] * 5
                one += [("lost", 5, 9), "interval", ("stat", 2)]
                print(calls == ["init"] + 3 * one, calls)
            """
        ),
    )
    assert got.rc == 0 and "True ['init'" in got.out, got.out + got.err
    assert "  live_events: 0\n" in got.out


def test_lost_without_order(script: Write) -> None:
    assert "lost 0 0" in run("-l", script("def __lost__(a, b): print('lost', a, b)")).out


def test_nothing_is_a_callback(script: Write) -> None:
    got = run(script("x = 1"))
    assert got.rc == 0 and got.err == ""


@pytest.mark.parametrize("name", ["__init__", "test__made", "__sample__"])
def test_not_callable(script: Write, name: str) -> None:
    got = run(script(f"{name} = 5\ndef __exit__(): print('EXIT')"))
    assert got.rc == 1 and f"{name} of" in got.err and "is not callable" in got.err


def test_callables_that_are_no_functions(script: Write) -> None:
    got = run(
        script(
            """
            import functools
            class Handler:
                n = 0
                def __call__(self, event): Handler.n += 1
            test__made = Handler()
            test__other = functools.partial(lambda x, event: event.pid, 1)
            def __exit__(): print("n", Handler.n)
            """
        )
    )
    assert got.rc == 0 and "n 15" in got.out


def test_batches(script: Write) -> None:
    got = run(
        "-n",
        100,
        script(
            """
            made = []
            def test__made__batch(batch):
                made.append((len(batch), batch["pid"].tolist(), batch[1].pid))
            def __sample__(event): assert event._event == "test:other"
            def __exit__():
                print([n for n, _, _ in made], made[0][1][:3], made[0][2])
            """
        ),
    )
    assert got.rc == 0 and "[50, 50, 50] [1, 3, 5] 3" in got.out, got.err


def test_batches_of_all(script: Write) -> None:
    path = script(
        """
        n = {}
        kept = []
        def __batch__(batch):
            kept.append(batch)
            name = batch[0]._event
            n[name] = n.get(name, 0) + len(batch)
        def __exit__(): print(n, [b[2].pid for b in kept])
        """
    )
    got = run(path)
    assert "{'test:made': 15, 'test:other': 15} [5, 6, 15, 16, 25, 26]" in got.out, got.err


def test_names_that_match_no_event(script: Write) -> None:
    path = script("def test__mode(event): pass\ndef helper(x): pass\ndef my__two(a, b): pass\n")
    err = run(path).err
    assert "test__mode()" in err and "test__made()" in err and err.count("log:") == 1
    assert run("-p", path).err == ""


def test_kept_events_are_counted(script: Write) -> None:
    got = run(script("kept = []\ndef test__made(event): kept.append(event)"))
    assert "live_events: 5\n" in got.out and "live_events: 15\n" in got.out


# --- what the script reads ---


@pytest.mark.parametrize(
    "text, wanted",
    [
        ("def __sample__(event): event._comm", "need_extras test:made 0x1"),
        ("def __sample__(event):\n  return [event[n] for n in ('_cgroup', 'pid')]", "0x20"),
        ("def f():\n  def g(e): return e['_uid']\n  return g\n__sample__ = f()", "0x4"),
        ("NAME = '_ppid'\ndef __sample__(event): event[NAME]", "0x2"),
        ("def __sample__(event): event.common_flags", "need_perf test:made"),
        ("def __sample__(event): event['common_preempt_count']", "need_perf test:other"),
    ],
)
def test_needs(script: Write, text: str, wanted: str) -> None:
    got = run(script(text))
    assert got.rc == 0 and wanted in got.err, got.err


def test_needs_only_for_events_that_are_handled(script: Write) -> None:
    got = run(script("def test__made(event): event._comm"))
    assert got.err == "need_extras test:made 0x1\n"


def test_comm_from_the_process_table(script: Write) -> None:
    got = run(script("def test__made(event): print('comm', event._comm, event._uid)"))
    assert "comm init None" in got.out


# --- errors ---

EXIT = "\ndef __exit__(): print('EXIT')\n"


def test_raising_handler(script: Write) -> None:
    path = script("n = 0\ndef test__made(event):\n  global n; n += 1\n  if n == 2: 1/0\n" + EXIT)
    got = run(path)
    assert got.rc == 1 and got.err.count("Traceback") == 1
    assert f'File "{path}", line 4, in test__made' in got.err
    assert "<PerfEvent test:made cpu=0 pid=1 time=3>" in got.err
    assert got.out.count("EXIT") == 1 and "live_events" not in got.out


def test_raising_init(script: Write) -> None:
    got = run(script("def __init__(): raise ValueError('no')\n" + EXIT))
    assert got.rc == 1 and "ValueError: no" in got.err and "EXIT" not in got.out


@pytest.mark.parametrize("name", ["__interval__()", "__print_stat__(i)", "__lost__(a, b)"])
def test_raising_callbacks(script: Write, name: str) -> None:
    got = run("-l", script(f"def {name}: raise ValueError('no')\n" + EXIT))
    assert got.rc == 1 and got.err.count("Traceback") == 1 and got.out.count("EXIT") == 1


def test_raising_exit(script: Write) -> None:
    got = run(script("def __exit__(): raise ValueError('no')\n"))
    assert got.rc == 1 and got.err.count("Traceback") == 1


def test_on_error_continue(script: Write) -> None:
    path = script(
        "def __sample__(event):\n  if event.pid > 3: raise ValueError(event.pid)\n" + EXIT
    )
    got = run("-c", path)
    assert got.rc == 1 and got.err.count("Traceback") == 1 and got.out.count("EXIT") == 1
    assert f"log: 26 more: ValueError at {path}:2" in got.err


@pytest.mark.parametrize(
    "where", ["__init__()", "test__made(event)", "__interval__()", "__exit__()"]
)
def test_sys_exit(script: Write, where: str) -> None:
    text = f"import sys\ndef {where}:\n  sys.exit(7)\n"
    got = run(script(text if "exit__" in where else text + EXIT))
    assert got.rc == 7 and got.err == ""
    assert got.out.count("EXIT") == int("init" not in where and "exit" not in where)


def test_sys_exit_with_text(script: Write) -> None:
    got = run(script("import sys\ndef __sample__(event): sys.exit('so long')" + EXIT))
    assert got.rc == 1 and got.err == "so long\n" and "EXIT" in got.out


# --- stdout ---


def test_closed_pipe(script: Write) -> None:
    path = script(
        "import os\ndef __sample__(event): print('x' * 100)\ndef __exit__():\n"
        "  print('y')\n  os.write(2, b'exit ran')"
    )
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as pipe:
        got = run("-q", "-n", 1000, path, stdout=pipe)
    assert got.rc in (0, 141) and got.err == "exit ran"


def test_full_disk(script: Write) -> None:
    path = script("def __sample__(event): print('x' * 100)\ndef __exit__(): print('y')")
    with open("/dev/full", "wb") as full:
        got = run("-n", 1000, path, stdout=full)
    assert got.rc == 1 and got.err.count("No space left on device") == 1, got.err


def test_full_disk_found_at_the_end(script: Write) -> None:
    with open("/dev/full", "wb") as full:
        got = run("-q", "-b", "-r", 0, script("def __exit__(): print('y')"), stdout=full)
    assert got.rc == 1 and got.err.count("No space left on device") == 1, got.err


def test_no_stdout(script: Write) -> None:
    path = script("def __sample__(event): print(event)")
    got = run(path, preexec_fn=lambda: os.close(1), stdout=None)
    assert got.rc == 0 and got.err == ""


def test_text_that_is_not_utf8(script: Write) -> None:
    got = run(script("def __init__(): print(b'\\xff\\xfe'.decode(errors='surrogateescape'))"))
    assert "\udcff\udcfe" in got.out and got.rc == 0


# --- signals, threads, children ---


def start(path: Path, *args: str) -> "subprocess.Popen[bytes]":
    return subprocess.Popen(
        [str(PROGRAM), *args, str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )


def wait_for(child: "subprocess.Popen[bytes]", text: bytes) -> None:
    assert child.stdout
    for line in child.stdout:
        if text in line:
            return
    raise AssertionError(f"ended with {child.wait()}: {child.stderr and child.stderr.read()!r}")


def test_signals_stay_ours(script: Write) -> None:
    path = script(
        """
        import asyncio, signal
        signal.signal(signal.SIGINT, lambda *a: print("script's own"))
        async def nothing(): pass
        def __init__():
            asyncio.run(nothing())
            print("ready")
        def __exit__(): print("EXIT")
        """
    )
    with start(path, "-r", "100000") as child:
        wait_for(child, b"ready")
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
    assert child.returncode == 0 and out.count(b"EXIT") == 1 and err == b""
    assert b"own" not in out


def test_second_interrupt(script: Write) -> None:
    path = script("import time\ndef __init__(): print('ready')\ndef __sample__(e): time.sleep(30)")
    with start(path) as child:
        wait_for(child, b"ready")
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        assert child.wait(5) == 130


@pytest.mark.parametrize("where", ["__sample__(e)", "__interval__()", "__init__()", "import"])
def test_sleeping_callback_is_woken(script: Write, where: str) -> None:
    sleep = "print('ready', flush=True)\n  time.sleep(60)\n"
    head = "if True:" if where == "import" else f"def {where}:"
    path = script(f"import signal, time\n{EXIT}{head}\n  {sleep}")
    with start(path) as child:
        wait_for(child, b"ready")
        time.sleep(0.2)
        begin = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
    assert child.returncode == 0 and b"Traceback" not in err
    assert out.count(b"EXIT") == int(where in ("__sample__(e)", "__interval__()"))
    assert time.monotonic() - begin < 4 * support.PATIENCE


def test_short_callback_is_not_woken(script: Write) -> None:
    path = script(
        "import time\nprint('ready')\ndef __sample__(e):\n  time.sleep(0.4)\n  print('whole')"
        + EXIT
    )
    with start(path) as child:
        wait_for(child, b"ready")
        time.sleep(0.2)
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
    assert child.returncode == 0 and out.count(b"whole") >= 1 and b"EXIT" in out
    assert b"Traceback" not in err


def test_slow_handler_is_not_waited_for_for_ever(script: Write) -> None:
    path = script(
        "import time\ndef __init__(): print('ready')\ndef __sample__(e): time.sleep(0.5)" + EXIT
    )
    with start(path, "-n", "4000") as child:
        wait_for(child, b"ready")
        time.sleep(0.2)
        begin = time.monotonic()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=20)
    assert child.returncode == 0 and b"EXIT" in out and b"undelivered 39" in err
    assert b"events were not handed to the script" in err
    assert time.monotonic() - begin < 5 * support.PATIENCE


def test_threads_run(script: Write) -> None:
    path = script(
        """
        import threading, time
        count = 0
        stop = False
        def work():
            global count
            while not stop:
                count += 1
                time.sleep(0.001)
        def __init__(): threading.Thread(target=work).start()
        def __exit__():
            global stop
            stop = True
            print("counted", count > 20)
        """
    )
    got = run("-r", 200, path)
    assert got.rc == 0 and "counted True" in got.out


def test_daemon_thread_at_the_end(script: Write) -> None:
    path = script(
        """
        import threading, time
        kept = []
        def work():
            while True:
                [e.to_dict() for e in kept[-10:]]
        def __init__(): threading.Thread(target=work, daemon=True).start()
        def __sample__(event): kept.append(event)
        """
    )
    for _ in range(5):
        got = run(path)
        assert got.rc == 0 and got.err == "", got.err


def test_kept_events_at_the_end(script: Write) -> None:
    path = script(
        """
        import builtins
        kept = builtins.kept = []
        class Last:
            def __init__(self, event): self.event = event
            def __del__(self): self.event.to_dict()
        def __sample__(event): kept.append(Last(event))
        """
    )
    got = run(path)
    assert got.rc == 0, got.err


def test_help_runs(script: Write, tmp_path: Path) -> None:
    got = run("help")
    assert got.rc == 0 and "def test__made(event):" in got.out and "[OPTIONAL]" in got.out
    assert "pid  : int" in got.out and "comm : str" in got.out and "char[16]" in got.out
    again = run(script(got.out, "ready.py"))
    assert again.rc == 0 and "test:made: 15" in again.out and again.err == "", again.err


def test_perf_map(script: Write) -> None:
    path = script(
        """
        import os, sys
        def test__made(event): pass
        def __exit__():
            with open(f"/tmp/perf-{os.getpid()}.map") as f:
                print("named", f"py::test__made:{__file__}" in f.read())
            os.unlink(f"/tmp/perf-{os.getpid()}.map")
        """
    )
    got = run("-m", path)
    if sys.version_info < (3, 12):
        assert got.rc == 1 and "--perf-map needs Python 3.12" in got.err
    else:
        assert got.rc == 0 and "named True" in got.out, got.err
